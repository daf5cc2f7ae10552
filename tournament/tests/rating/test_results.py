import random
from collections import Counter

import numpy as np
import pytest
from simulated_games import game, simulated

from croupier_tournament.rating import Results


def test_whatever_the_order_in_which_games_come_the_arrays_are_the_same():
    games = list(simulated([0.5, 0, -0.5, 0.2, 0.1], 3, 20, ties=1.0))
    one = Results(games, 5)
    random.Random(1).shuffle(games)
    other = Results(games, 5)
    for name in ("deal", "block", "seating", "placings", "points"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_a_forfeited_seat_is_placed_last_and_the_others_count():
    one = game(0, (4, 5, 6, 7), (1, 2, 3, 3), forfeited=(True, False, False, False))
    assert one.placed() == (4, 1, 2, 2)


def test_forfeited_seats_share_the_last_place():
    assert game(0, (0, 1, 2, 3), (1, 2, 3, 4), forfeited=(True, False, True, False)).placed() == (3, 1, 3, 2)
    assert game(0, (0, 1), (1, 2), forfeited=(True, True)).placed() == (1, 1)


def test_without_forfeits_placings_are_those_of_the_game():
    assert game(0, (0, 1, 2), (2, 1, 2), forfeited=(False,) * 3).placed() == (2, 1, 2)


def test_tables_may_be_of_different_sizes():
    results = Results([game(0, (2, 0), (1, 2), points=(3, 1)), game(1, (0, 1, 2), (3, 1, 1))], 4)
    assert results.seats == 3
    assert results.seating.tolist() == [[2, 0, -1], [0, 1, 2]]
    assert results.placings.tolist() == [[1, 2, 0], [3, 1, 1]]
    assert results.points.tolist() == [[3, 1, 0], [0, 2, 2]]
    assert results.games_of().tolist() == [2, 1, 2, 0]


def test_deals_are_counted_once():
    results = Results([game(0, (0, 1), (1, 2), deal=7), game(1, (1, 0), (1, 2), deal=7), game(2, (0, 2), (1, 2))], 4)
    assert (len(results), results.deals) == (3, 2)
    assert results.deals_of().tolist() == [2, 1, 1, 0]


def test_faults_forfeits_and_decisions_are_summed_by_entrant():
    results = Results(
        [
            game(0, (0, 1), (1, 2), faults=({"late": 2}, {}), forfeited=(False, True), decisions=(9, 8)),
            game(1, (1, 0), (1, 2), faults=({"illegal": 1}, {"late": 1}), forfeited=(True, False), decisions=(7, 6)),
            game(2, (2, 0), (1, 2)),
        ],
        3,
    )
    assert results.tallies[0].faults == Counter(late=3)
    assert results.tallies[1].faults == Counter(illegal=1)
    assert [tally.forfeits for tally in results.tallies] == [0, 2, 0]
    assert [tally.decisions for tally in results.tallies] == [15, 15, 0]


def test_no_games_are_results_too():
    results = Results([], 3)
    assert (len(results), results.deals, results.seats) == (0, 0, 0)
    assert results.games_of().tolist() == results.deals_of().tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (game(3, (0, 1), (1, 2, 3), points=(0, 0)), "block 3, replay 3: placings for 3 seats, but 2 are taken"),
        (game(3, (0, 1), (1, 2), points=(0,)), "points for 1 seats"),
        (game(3, (0, 1), (1, 2), faults=({},)), "faults for 1 seats"),
        (game(3, (0, 1), (1, 2), forfeited=(True,)), "forfeited for 1 seats"),
        (game(3, (0, 0), (1, 2)), r"\(0, 0\) is no seating of 4 entrants"),
        (game(3, (0, 4), (1, 2)), "is no seating"),
        (game(3, (-1, 1), (1, 2)), "is no seating"),
        (game(3, (1,), (1,)), "is no seating"),
    ],
)
def test_a_game_that_does_not_fit_together_is_told(wrong, message):
    with pytest.raises(ValueError, match=message):
        Results([game(0, (0, 1), (1, 2)), wrong], 4)
