"""Exact numbers of lines of play for endings that can be counted by reasoning.

Taking, with n seats: the lead card is taken by the first, second, ..., last but one seat in placing order, or by
nobody: n cases. In each of them the trade cards come to the seats in n! ways: each seat that takes one chooses freely
among those left, and the last one to get any gets what is left over. So a round has n * n! ways of taking, and each of
the n! ways to hand out a row comes about in n of them.

Playing, with n seats and c cards in each hand: c to the power of n.
"""

from collections import Counter
from itertools import permutations
from math import factorial

import pytest

from croupier_games.trick_and_trade import arrange

HANDS = [
    "NEV-1 ZEUS-5 OCTO-9",
    "NEV-4 ZEUS-1 RATCOIN-5",
    "OCTO-2 RATCOIN-3 NEV-10",
    "ZEUS-7 OCTO-7 RATCOIN-7",
    "NEV-6 OCTO-6 ZEUS-6",
]
ROWS = ["NEV ZEUS OCTO RATCOIN NEV+NEV", "NEV+OCTO ZEUS+ZEUS OCTO+OCTO ZEUS RATCOIN"]


def ending(seats, rounds, **kept):
    """The first so many seats and places of the above, with so many cards in each hand."""
    hands = [" ".join(hand.split()[:rounds]) for hand in HANDS[:seats]]
    rows = [" ".join(row.split()[:seats]) for row in ROWS[:rounds]]
    return arrange(hands, rows, **kept)


def leaves(state):
    """Every way in which the game can end, each once for every line of play that leads there."""
    if not state.to_act():
        yield state
        return
    (seat,) = state.to_act()
    for action in state.legal_actions(seat):
        after = state.clone()
        after.apply(seat, action)
        yield from leaves(after)


@pytest.mark.parametrize(("seats", "lines"), [(3, 18), (4, 96), (5, 600)])
def test_lines_of_the_last_round(seats, lines):
    """The trick is forced; n * n! ways of taking are left."""
    assert lines == seats * factorial(seats)
    assert sum(1 for _ in leaves(ending(seats, 1))) == lines


def test_lines_of_the_last_two_rounds_with_three_seats():
    """Playing 2 ** 3, taking 3 * 3!, and the last round 3 * 3!."""
    assert 8 * 18 * 18 == 2592
    assert sum(1 for _ in leaves(ending(3, 2))) == 2592


def test_lines_of_the_last_two_rounds_with_four_seats_up_to_the_last_trick(do):
    """Playing 2 ** 4 and taking 4 * 4!, the last round being left to the count above: 16 * 96."""
    state = ending(4, 2)

    def positions(state):
        if state.round == 2:
            yield state
            return
        (seat,) = state.to_act()
        for action in state.legal_actions(seat):
            after = state.clone()
            after.apply(seat, action)
            yield from positions(after)

    assert sum(1 for _ in positions(state)) == 16 * 96


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_every_way_to_hand_out_the_last_row_comes_about_in_as_many_lines_as_there_are_seats(seats):
    taken = Counter(tuple(state.taken) for state in leaves(ending(seats, 1)))
    row = ending(seats, 1).front_row
    assert taken == dict.fromkeys(permutations(row), seats)


def test_how_often_each_seat_wins_the_last_round():
    """The six ways to hand out Nev, Zeus and Octo, worth 3, 2 and 1, to seats 0, 1, 2, which have 0, 1 and 3 points.

    They end with 3 3 4, 3 2 5, 2 4 4, 2 2 6, 1 4 5, 1 3 6. Seat 2 wins all of them but 2 4 4, which seat 1 wins by
    its Nev. Each way comes about in three of the 18 lines.
    """
    state = arrange(
        ["NEV-1", "NEV-2", "ZEUS-9"],
        ["NEV ZEUS OCTO"],
        won="ZEUS-2 NEV-3",
        held=["", "RATCOIN", "OCTO RATCOIN+RATCOIN"],
    )
    results = [leaf.result() for leaf in leaves(state)]
    points = Counter(result.points for result in results)
    assert state.values == [7 + 8, 8, 0, 0]
    assert points == dict.fromkeys([(3, 3, 4), (3, 2, 5), (2, 4, 4), (2, 2, 6), (1, 4, 5), (1, 3, 6)], 3)
    assert Counter(result.placings.index(1) for result in results) == {2: 15, 1: 3}
