import random

import numpy as np
import pytest
from simulated_games import game, ranked, simulated

from croupier_tournament.rating import Results, fit, standings


def pairs_of(games, entrants):
    results = Results(games, entrants)
    return standings(fit(results, entrants), results).pairs


def test_shares_are_counted_with_half_for_a_shared_place():
    found = pairs_of([game(0, (0, 1, 2), (1, 2, 2)), game(1, (2, 1, 0), (1, 2, 3)), game(2, (1, 0, 2), (1, 2, 3))], 4)
    assert found.games.tolist() == [[0, 3, 3, 0], [3, 0, 3, 0], [3, 3, 0, 0], [0, 0, 0, 0]]
    assert found.shares[0, 1] == pytest.approx(1 / 3)
    assert found.shares[1, 0] == pytest.approx(2 / 3)
    assert found.shares[1, 2] == pytest.approx(1.5 / 3)
    assert np.isnan(found.shares[0, 3])
    assert np.isnan(found.shares[0, 0])


def test_without_ties_and_seat_effects_what_is_expected_is_elo_s_formula():
    """The chance to finish above another depends on the two alone."""
    results = Results(ranked("0123 1032 0213 2013 0132 3102 1203 0312"), 4)
    ratings = fit(results, 4, seats=False)
    found = standings(ratings, results).pairs
    for one in range(4):
        for other in range(4):
            if one != other:
                expected = 1 / (1 + np.exp(ratings.theta[other] - ratings.theta[one]))
                assert found.expected[one, other] == pytest.approx(expected)


@pytest.mark.parametrize("ties", [0.0, 0.8])
def test_what_is_expected_of_each_entrant_in_all_is_what_happened(ties):
    """That is what fitting means: only single pairs can be off."""
    results = Results(simulated([0.8, 0.1, 0, -0.4, -0.6], 4, 60, ties=ties), 5)
    found = standings(fit(results, 5), results).pairs
    scores = np.nansum(found.shares * found.games, axis=1)
    expected = np.nansum(found.expected * found.games, axis=1)
    assert expected == pytest.approx(scores, rel=0.02)
    assert found.shares + found.shares.T == pytest.approx(np.where(np.eye(5), np.nan, 1), nan_ok=True)
    assert found.expected + found.expected.T == pytest.approx(np.where(np.eye(5), np.nan, 1), nan_ok=True)


def test_games_that_fit_the_model_surprise_nobody():
    assert pairs_of(simulated([0.5, 0.2, 0, -0.2, -0.5], 4, 100), 5).surprises == ()


def beats_the_strongest(seed):
    """0 is strong, 3 is weak; but 3 always finishes above 0."""
    chance = np.random.Generator(np.random.PCG64(seed))
    for one in simulated([0.8, 0.1, 0, -0.5], 3, 160, seed=seed):
        placings = list(one.placings)
        if {0, 3} <= set(one.seating) and chance.random() < 0.9:
            strong, weak = one.seating.index(0), one.seating.index(3)
            placings[weak], placings[strong] = sorted((placings[weak], placings[strong]))
        yield game(3 * one.deal + one.replay, one.seating, placings, deal=one.deal)


def test_a_bot_that_beats_just_the_strongest_one_is_a_surprise():
    first = pairs_of(beats_the_strongest(1), 4).surprises[0]
    assert (first.one, first.other) == (0, 3)
    assert first.errors < -3
    assert first.share < 0.2 < first.expected
    assert first.deals >= 30


def test_bots_that_play_alike_do_not_surprise_by_rounding():
    dice = random.Random(7)
    games = []
    for block in simulated([0.0] * 5, 4, 90):
        if block.replay == 0:
            by_seat = dice.sample([1, 2, 3, 4], 4)
        games.append(game(4 * block.deal + block.replay, block.seating, by_seat, deal=block.deal))
    assert pairs_of(games, 5).surprises == ()


def test_that_an_unbeaten_bot_wins_surprises_nobody():
    assert pairs_of(simulated([12.0, 0.3, 0, -0.3], 4, 200), 4).surprises == ()


def test_a_few_deals_surprise_nobody():
    games = [one for one in beats_the_strongest(1) if one.deal < 40]
    together = len({one.deal for one in games if {0, 3} <= set(one.seating)})
    assert together < 30
    assert all((surprise.one, surprise.other) != (0, 3) for surprise in pairs_of(games, 4).surprises)
