"""Exact numbers of lines of play for endings that can be counted by reasoning.

A trade: with n cards offered there are C(7, n) offers, and the target chooses ceil(n / 2) of the cards that were not
drawn: 21 * 6 + 35 * 15 + 35 * 10 = 1001 lines for each target. What is drawn is not a choice.
"""

from collections import Counter
from math import comb

import pytest

NONE_LEFT = {0: 0, 1: 0, 2: 0, 3: 0}
TRADE = comb(7, 2) * 6 + comb(7, 3) * comb(6, 2) + comb(7, 4) * comb(5, 2)


def leaves(state):
    """Every way in which the game can end, each once for every line of play that leads there."""
    if not state.to_act():
        yield state
        return
    seat = state.to_act()[0]
    for action in state.legal_actions(seat):
        after = state.clone()
        after.apply(seat, action)
        yield from leaves(after)


@pytest.mark.parametrize("seats", [3, 4])
def test_lines_of_the_last_turn(table, seats):
    """Declare on one of the others, or pass."""
    state = table(seats, turns=1, deck_trades=NONE_LEFT if seats == 4 else {0: 0, 1: 0, 2: 0})
    assert TRADE == 1001
    assert sum(1 for _ in leaves(state)) == (seats - 1) * 1001 + 1


def test_lines_of_the_last_turn_after_a_trade_between_the_two_of_them(table):
    """One target only; received were two cards, which may not leave together: 5 pairs... of each size C(5, n - 2) less.

    The target has received two cards as well; none of them is drawn with the other, and with one of them drawn the
    other cannot be chosen. Which is drawn decides the chance, so the number of lines is found from both cases.
    """
    state = table(turns=1, partners=[(0, 1)], deck_trades={0: 0, 1: 0, 2: 0}, received={0: "6C 7C"})
    offers = {size: comb(7, size) - comb(5, size - 2) for size in (2, 3, 4)}
    assert offers == {2: 20, 3: 30, 4: 25}
    gifts = {2: 6, 3: 15, 4: 10}
    assert sum(1 for _ in leaves(state)) == sum(offers[size] * gifts[size] for size in (2, 3, 4)) + 1 == 821


def test_lines_of_the_last_deck_trades(table, do):
    """Seven cards or none, for each of three seats: 8 ** 3."""
    state = table(turns=1)
    do(state, "0 pass")
    assert sum(1 for _ in leaves(state)) == 8**3


def test_lines_of_a_last_turn_with_the_deck(table):
    """Seat 0 alone has deck trades left, two of them.

    After a trade or a pass it may make the last one: 8 ways after a pass. After a trade with n cards received 8 again,
    for n is more than one. After a deck trade the card just drawn may not go: 7 ways.
    """
    state = table(turns=1, deck_trades={0: 2, 1: 0, 2: 0})
    lines = Counter(len(leaf.dealt.deck) for leaf in leaves_of_moves(state))
    assert sum(lines.values()) == 8 + 7 * 7 + 2 * 1001 * 8


def leaves_of_moves(state):
    """The same, but counted without playing a line to its end where the rest is a last deck trade of one seat."""
    if len(state.to_act()) == 1 and state.table().phase.name == "LAST":
        for _ in state.legal_actions(state.to_act()[0]):
            yield state
        return
    seat = state.to_act()[0]
    for action in state.legal_actions(seat):
        after = state.clone()
        after.apply(seat, action)
        yield from leaves_of_moves(after)


def test_with_one_turn_left_the_best_ending_is_found(table):
    """Seat 0 may get the King or the deck's Queen: every total that can come up does."""
    state = table(turns=1, deck="KS QS", deck_trades={0: 1, 1: 0, 2: 0})
    totals = {leaf.result().points[0] for leaf in leaves(state) if not leaf.declared}
    assert totals == {28, *(28 - card + 13 for card in range(1, 8))}
