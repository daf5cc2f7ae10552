import random

import numpy as np
import pytest
from simulated_games import game, ranked, simulated

from croupier_tournament.rating import NotConverged, Results, fit, standings
from croupier_tournament.rating.fit import SCALE, quantile

STRENGTHS = [1.0, 0.4, 0.0, -0.3, -1.1]


@pytest.fixture(scope="module")
def games():
    return list(simulated(STRENGTHS, 4, 60, ties=0.8))


def test_the_order_in_which_results_come_changes_nothing_to_the_last_bit(games):
    turned = games.copy()
    random.Random(3).shuffle(turned)
    one, other = fit(games, 5), fit(iter(turned), 5)
    assert one.theta.tobytes() == other.theta.tobytes()
    assert one.covariance.tobytes() == other.covariance.tobytes()
    assert one.log_delta == other.log_delta


def test_the_numbers_of_the_deals_are_of_no_importance(games):
    renamed = [game(n, g.seating, g.placings, deal=10_000 - 7 * g.deal, points=g.points) for n, g in enumerate(games)]
    assert fit(renamed, 5).theta == pytest.approx(fit(games, 5).theta, abs=1e-10)
    assert fit(renamed, 5).covariance == pytest.approx(fit(games, 5).covariance, abs=1e-10)


def test_the_mean_of_a_table_is_fifteen_hundred(games):
    found = fit(games, 5)
    assert sum(found.rating(entrant) for entrant in range(5)) / 5 == pytest.approx(1500)
    assert found.rating(0) == pytest.approx(1500 + 173.7178 * found.theta[0])
    assert pytest.approx(400 / np.log(10), abs=1e-4) == SCALE


def test_more_deals_make_intervals_narrower():
    few, many = (fit(simulated(STRENGTHS, 4, blocks), 5) for blocks in (60, 240))
    for entrant in range(5):
        assert few.half_width(entrant) / many.half_width(entrant) == pytest.approx(2, rel=0.25)


def test_games_of_one_deal_are_no_independent_witnesses():
    """Each deal played twice over, with the same results: the ratings hardly move and are no surer."""
    games = list(simulated(STRENGTHS, 4, 60))
    again = [game(n, g.seating, g.placings, deal=g.deal, points=g.points) for n, g in enumerate(games + games)]
    once, twice = fit(games, 5), fit(again, 5)
    for entrant in range(5):
        assert twice.half_width(entrant) == pytest.approx(once.half_width(entrant), rel=0.1)
    naive, fooled = (np.sqrt(np.diag(found.model_covariance)) for found in (once, twice))
    assert fooled == pytest.approx(naive / np.sqrt(2), rel=0.1)


def test_bots_that_play_alike_are_equal_for_certain_and_nothing_is_not_a_number():
    dice = random.Random(5)
    games = []
    for deal in range(100):
        placings = dice.sample([1, 2, 3, 4], 4)  # follow from the seat alone
        games += [
            game(4 * deal + turn, [(turn + seat) % 4 for seat in range(4)], placings, deal=deal) for turn in range(4)
        ]
    results = Results.of(games, 4)
    found = fit(results, 4)
    assert all(0 < found.half_width(entrant) < 0.01 for entrant in range(4))
    (rows,) = standings(found, results).tables
    assert [(row.rank_low, row.rank_high) for row in rows] == [(1, 4)] * 4
    assert all(row.p_best == pytest.approx(0.25, abs=0.05) for row in rows)


def test_who_is_unbeaten_has_no_interval_and_those_of_the_others_hold_their_distances():
    held = intervals = 0
    truth = 0.85 * np.array([0.3, 0, -0.3])  # what very many games come to
    for seed in range(30):
        found = fit(simulated([12.0, 0.3, 0, -0.3], 4, 60, seed=seed), 4)
        assert found.prior_driven.tolist() == [True, False, False, False]
        assert found.half_width(0) is None
        others = found.theta[1:] - found.theta[1:].mean()
        for entrant in range(1, 4):
            intervals += 1
            held += abs(others[entrant - 1] - truth[entrant - 1]) * SCALE <= found.half_width(entrant)
    assert 0.9 <= held / intervals <= 1


def test_two_that_have_only_each_other_to_lose_to_have_intervals_of_their_own():
    games = [game(n, (0, 1, 2, 3), (1, 2, 3, 4) if n % 2 else (2, 1, 4, 3)) for n in range(60)]
    found = fit(games, 4)
    assert found.prior_driven.all()
    assert all(found.half_width(entrant) > 0 for entrant in range(4))


def test_two_of_whom_one_always_wins_have_no_intervals():
    found = fit([game(n, (0, 1), (1, 2)) for n in range(60)], 2)
    assert [found.half_width(entrant) for entrant in range(2)] == [None, None]


def test_fewer_than_thirty_deals_give_no_interval():
    one = list(simulated([0.3, -0.3], 2, 29))
    two = list(simulated([0.3, -0.3], 2, 30))
    assert fit(one, 2).half_width(0) is None
    assert fit(two, 2).half_width(0) > 0


def test_intervals_are_student_s_with_one_degree_of_freedom_less_than_deals():
    found = fit(simulated([0.3, -0.3], 2, 30), 2)
    assert quantile(30) == pytest.approx(2.0452, abs=1e-4)
    assert found.half_width(1) == pytest.approx(2.0452 * SCALE * np.sqrt(found.covariance[1, 1]), rel=1e-4)


def test_the_deals_of_others_make_nobody_surer():
    """An entrant's interval is from the deals that it has played, however many there are in all."""
    few, many = (
        list(simulated([0.3, 0, -0.3], 2, 45)),
        [game(1000 + n, (3, 4), (1 + n % 2, 2 - n % 2)) for n in range(400)],
    )
    found = fit([*few, *many], 5)
    assert found.deals_of.tolist() == [30, 30, 30, 400, 400]
    error = np.sqrt(found.covariance[0, 0])
    assert found.half_width(0) == pytest.approx(2.0452 * SCALE * error, rel=1e-4)


def test_the_entrants_that_have_not_played_have_no_rating(games):
    found = fit(games, 7)
    assert np.isnan(found.theta[5:]).all()
    assert found.groups == ((0, 1, 2, 3, 4),)
    assert found.half_width(6) is None
    assert found.theta[:5] == pytest.approx(fit(games, 5).theta, abs=1e-12)


def test_entrants_that_no_game_connects_are_separate_tables():
    games = ranked("012 120 201 012 34 43 34")
    found = fit(games, 6)
    assert found.groups == ((0, 1, 2), (3, 4))
    assert found.theta[:3].sum() == pytest.approx(0, abs=1e-12)
    assert found.theta[3:5].sum() == pytest.approx(0, abs=1e-12)
    assert found.theta[3] > 0


def test_a_separate_table_has_the_ratings_it_would_have_alone():
    alone, together = fit(ranked("34 43 34"), 6, seats=False), fit(ranked("34 43 34 012 120 201"), 6, seats=False)
    assert together.theta[3:5] == pytest.approx(alone.theta[3:5], abs=1e-9)


def test_whoever_is_not_connected_both_ways_is_prior_driven():
    assert fit(ranked("0123 0213 0312"), 4).prior_driven.tolist() == [True, False, False, False]
    assert fit(ranked("0123 0132 1023"), 4).prior_driven.tolist() == [True, True, True, True]  # two pairs
    assert fit(ranked("0123 1032 3201"), 4).prior_driven.tolist() == [False] * 4


def test_a_shared_place_leads_both_ways():
    games = [*ranked("012 021"), game(9, (0, 1, 2), (1, 1, 3))]
    assert fit(games, 3).prior_driven.tolist() == [False] * 3
    assert fit(games[:2], 3).prior_driven.tolist() == [True, False, False]


@pytest.mark.parametrize(
    "placings",
    [
        [(1, 2, 3)],  # one game: the first seat is unbeaten, too
        [(1, 1, 1)] * 5,  # nothing but ties of all
        [(1, 1, 3)] * 3,
        [(1, 2, 3)] * 50,  # the same seat wins again and again
    ],
)
def test_the_first_games_of_a_tournament_have_ratings(placings):
    games = [game(n, [(n + turn) % 3 for turn in range(3)], row) for n, row in enumerate(placings)]
    found = fit(games, 3)
    assert np.isfinite(found.theta).all()
    assert abs(found.theta).max() < 10


def test_without_games_there_is_no_table():
    found = fit([], 3)
    assert (found.groups, found.games, found.deals) == ((), 0, 0)
    assert np.isnan(found.theta).all()


def test_no_maximum_is_an_error_never_a_fallback():
    """Without ghost, who is unbeaten would be infinitely strong."""
    with pytest.raises(NotConverged, match=r"no ratings could be fitted: after \d+ steps"):
        fit(ranked("0123 0213 0312 0132"), 4, ghost=0)


def test_seat_effects_are_told_apart_from_strength():
    """Equal entrants; whoever sits at seat 2 does better."""
    games = []
    chance = np.random.Generator(np.random.PCG64(5))
    for deal in range(200):
        for turn in range(3):
            luck = chance.gumbel(size=3) + np.array([0, 0, 1.0])
            placings = [int(1 + (luck > mine).sum()) for mine in luck]
            games.append(game(3 * deal + turn, [(seat + turn) % 3 for seat in range(3)], placings, deal=deal))
    found = fit(games, 3)
    assert found.seat_effects[0] == 0
    assert found.seat_effects[1] == pytest.approx(0, abs=0.25)
    assert found.seat_effects[2] == pytest.approx(1, abs=0.25)
    assert abs(found.theta).max() < 0.2
