"""Numbers that published programs give, too: what is computed here is what everybody means by it.

2, 5 and 9 agree with a chess runner's tests, choix and numpy, 6 with R's PlackettLuce, 7 with statsmodels.
"""

import numpy as np
import pytest
from simulated_games import game, ranked

from croupier_tournament.rating import EProcess, elo, fit, gsprt
from croupier_tournament.rating.means import clustered_means


def digits(*values):
    return pytest.approx(values if len(values) > 1 else values[0], abs=1e-7, rel=0)


def outcomes(*counts):
    return np.repeat(np.linspace(0, 1, len(counts)), counts)


def test_1_elo_of_wins_draws_and_losses():
    found = elo(outcomes(96, 111, 136), replays=1)
    assert (found.difference, found.half_width) == digits(40.7024582, 30.4272179)
    assert (found.normalised, found.normalised_half_width) == digits(49.7684154, 36.7684505)
    assert found.superiority == digits(0.9960102)


def test_2_elo_of_five_outcomes():
    found = elo(outcomes(34, 54, 63, 64, 75), replays=2)
    assert (found.difference, found.half_width) == digits(55.5797804, 27.6534295)
    assert (found.normalised, found.normalised_half_width) == digits(57.9355999, 28.2753762)
    assert found.blocks == 290


def test_3_the_sequential_ratio_of_nine_outcomes():
    found = gsprt([1, 2, 5, 9, 14, 13, 9, 5, 2], 0.50, 0.55)
    assert (found.mean, found.variance, found.ratio) == digits(0.5520833, 0.0465061, 1.6686023)


def test_4_the_e_value():
    process = EProcess()
    for score in (0.625, 0.5, 0.75, 0.375, 0.875, 0.625, 0.5, 1, 0.625, 0.75, 0.25, 0.875):
        assert process.add(score) is None
    assert process.value() == digits(3.6794196)


def test_5_plackett_luce_without_ghost():
    orders = "0123 1032 0213 2013 0132 3102 1203 0312"
    found = fit(ranked(orders, deal=lambda number: number // 2), 4, ghost=0, seats=False)
    assert tuple(found.theta) == digits(0.8916160, 0.4760343, -0.6530159, -0.7146343)
    assert found.log_likelihood == digits(-21.2861001)
    assert tuple(np.sqrt(np.diag(found.model_covariance))) == digits(0.4263732, 0.3939856, 0.4477579, 0.4419454)
    assert tuple(np.sqrt(np.diag(found.covariance))) == digits(0.2354856, 0.3564848, 0.6322655, 0.4852451)


def test_6_ties():
    """Ranks by item, 0 is absent: tables of two and of three."""
    games = []
    for number, ranks in enumerate(("120", "312", "211", "123", "211", "102")):
        present = [item for item in range(3) if ranks[item] != "0"]
        games.append(game(number, present, [int(ranks[item]) for item in present]))
    found = fit(games, 3, seats=False)
    assert tuple(found.theta - found.theta[0]) == digits(0, 0.2867987, -0.4636687)
    assert found.log_delta == {2: digits(-1.0701129)}


def test_7_seats():
    text = (
        "3210/4213 0231/3142 1023/3124 3021/3124 2130/3421 1203/4213 "
        "1320/2341 2310/3142 3012/4231 3210/3421 2301/1423 0123/2431"
    )
    games = [
        game(number, map(int, seating), map(int, placings))
        for number, (seating, placings) in enumerate(entry.split("/") for entry in text.split())
    ]
    found = fit(games, 4, ghost=0)
    assert tuple(found.theta) == digits(0.9502681, -0.5948068, 0.1797638, -0.5352251)
    assert tuple(found.seat_effects) == pytest.approx((0, 0.23754, 0.29850, 0.45589), abs=6e-6)
    assert found.log_likelihood == digits(-32.6659035)


def test_8_the_unbeaten_stay_finite():
    found = fit(ranked("0123 0213"), 4, seats=False)
    assert tuple(found.theta) == digits(2.1243367, -0.0360951, -0.0360951, -2.0521465)


def test_9_the_error_of_a_mean_is_clustered_by_deal():
    rows = np.array([[1, 3, -1, 2], [0, -2, 1, 1], [4, 2, 3, -1], [-1, 0, -2, 1], [2, 2, 0, 3]], dtype=float)
    nobody, deal = np.zeros(20, dtype=np.int64), np.repeat(np.arange(5), 4)
    (mean,), (error,) = clustered_means(nobody, deal, rows.ravel(), 1)
    assert (mean, error) == digits(0.9, 0.4911721)
    _, (naive,) = clustered_means(nobody, np.arange(20), rows.ravel(), 1)
    assert naive == digits(0.3900067)
