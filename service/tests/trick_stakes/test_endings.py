"""Exact numbers of lines of play for endings that can be counted by reasoning."""

import pytest

from croupier_games.trick_stakes import Phase, arrange, arrange_paddock


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


def count(hands, **given):
    return sum(1 for _ in leaves(arrange(hands, **given)))


LAST_CARDS = ["RED-1", "RED-2", "RED-3", "RED-4"]


@pytest.mark.parametrize(
    ("whips", "lines"), [([0, 0, 0, 0], 1), ([2, 0, 0, 0], 2), ([0, 1, 0, 1], 3), ([1, 1, 1, 1], 5), ([2, 2, 2, 2], 5)]
)
def test_last_cards(whips, lines):
    """Nobody declares the whip, or one of those who have one."""
    assert lines == 1 + sum(number > 0 for number in whips)
    assert count(LAST_CARDS, whips=whips) == lines


def test_two_cards_of_one_colour_and_no_whips():
    """Everyone plays either card first: 2 ** 4."""
    assert count(["RED-1 RED-2", "RED-3 RED-4", "RED-5 RED-6", "RED-7 RED-8"], whips=[0, 0, 0, 0]) == 16


def test_two_cards_of_different_colours_and_no_whips():
    """The leader chooses what is led, everyone else follows; the second trick is forced: 2."""
    hands = ["RED-1 BLUE-1", "RED-2 BLUE-2", "RED-3 BLUE-3", "RED-4 BLUE-4"]
    assert count(hands, whips=[0, 0, 0, 0]) == 2


def test_two_cards_of_which_only_one_can_be_followed_by_some():
    """Seat 0 leads RED: only seat 3 has a choice, 2 ways. It leads BLUE: seats 1 and 2 have one, 2 * 2 ways."""
    hands = ["RED-12 BLUE-12", "RED-2 GREEN-2", "RED-3 GREEN-3", "BLUE-4 GREEN-4"]
    assert count(hands, whips=[0, 0, 0, 0]) == 2 + 2 * 2


def test_one_whip_over_two_tricks():
    """One colour, so 2 ** 4 ways to play; seat 0 declares the whip with its first card, its second, or never."""
    hands = ["RED-1 RED-2", "RED-3 RED-4", "RED-5 RED-6", "RED-7 RED-8"]
    assert count(hands, whips=[1, 0, 0, 0]) == 16 * 3


def test_two_whips_of_one_seat_over_two_tricks():
    """As above, but the whip with both cards too."""
    hands = ["RED-1 RED-2", "RED-3 RED-4", "RED-5 RED-6", "RED-7 RED-8"]
    assert count(hands, whips=[2, 0, 0, 0]) == 16 * 4


def test_one_whip_each_of_two_seats_over_two_tricks():
    """In each trick at most one declares: neither ever (1), one once (2 * 2), each once in different tricks (2)."""
    hands = ["RED-1 RED-2", "RED-3 RED-4", "RED-5 RED-6", "RED-7 RED-8"]
    assert count(hands, whips=[1, 0, 1, 0]) == 16 * (1 + 4 + 2)


def test_three_seats_and_a_dummy_that_cannot_choose():
    """Two cards of one colour each: 2 ** 3, whatever the dummy does."""
    assert count(["RED-1 RED-2", "RED-3 RED-4", "RED-5 RED-6", "RED-7 RED-8"], seats=3, whips=[0, 0, 0, 0]) == 8


@pytest.mark.parametrize(
    ("seats", "end", "lines"),
    [
        (3, Phase.TICKET_DOWN, 5 * 4 * 3),
        (3, Phase.PLAY, 5 * 4 * 3 * 4**3),
        (4, Phase.TICKET_DOWN, 5 * 4 * 3 * 2),
    ],
)
def test_ways_to_bet(seats, end, lines, piles, do):
    """No ticket lies face up twice; of the other four each seat lays any face down."""
    state = arrange_paddock(piles, seats=seats)
    do(state, *[f"discard {pile.split()[1]}" for pile in piles[:seats]])

    def ways(state):
        if state.phase is end:
            return 1
        seat, total = state.to_act()[0], 0
        for action in state.legal_actions(seat):
            after = state.clone()
            after.apply(seat, action)
            total += ways(after)
        return total

    assert ways(state) == lines
