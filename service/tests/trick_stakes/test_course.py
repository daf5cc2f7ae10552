"""Moving along the course, and who is ahead."""

import pytest

from croupier_games.trick_stakes import arrange
from croupier_games.trick_stakes.course import advance, is_over

A, B, C, D = 1, 2, 3, 4


def ride(*moves, spaces=(0, 0, 0, 0), standing=(A, B, C, D)):
    """Standing and spaces after these moves, each a horse and its marks."""
    standing, spaces = list(standing), list(spaces)
    for horse, marks in moves:
        advance(standing, spaces, horse, marks)
    return standing, spaces


def test_nobody_has_moved():
    """The pile on the gate is the order, the top first."""
    assert ride(standing=(C, A, D, B)) == ([C, A, D, B], [0, 0, 0, 0])


def test_further_on_is_ahead():
    assert ride((D, 1), (B, 2)) == ([B, D, A, C], [0, 2, 0, 1])


def test_whoever_lands_on_a_space_later_is_on_top():
    """X entered space 5 in trick 3, Y in trick 7: Y before X."""
    x, y = A, B
    standing, spaces = ride((x, 4), (y, 4), (x, 1), (y, 1))
    assert spaces[:2] == [5, 5]
    assert standing[:2] == [y, x]


def test_a_horse_goes_no_further_than_the_finish():
    """Horse on 5, winning card 1 (4 marks): on 7, not beyond."""
    assert ride((A, 4), spaces=(5, 0, 0, 0))[1] == [7, 0, 0, 0]


def test_at_the_finish_whoever_was_there_first_is_ahead_though_the_other_lies_on_top():
    x, y = A, B
    standing, spaces = ride((x, 4), (y, 4), (x, 3), (y, 3))
    assert spaces[:2] == [7, 7]
    assert standing[:2] == [x, y]


def test_a_horse_at_the_finish_stays_as_it_is():
    x, y = A, B
    standing, spaces = ride((x, 4), (x, 3), (y, 4), (y, 4), (x, 4))
    assert (standing[:2], spaces[:2]) == ([x, y], [7, 7])


def test_the_pile_that_a_horse_leaves_stays_in_its_order():
    assert ride((B, 2)) == ([B, A, C, D], [0, 2, 0, 0])
    assert ride((C, 2), (B, 2), (C, 1)) == ([C, B, A, D], [0, 2, 3, 0])


@pytest.mark.parametrize(
    ("spaces", "over"), [((0, 0, 0, 0), False), ((7, 6, 6, 6), False), ((7, 0, 7, 0), True), ((0, 7, 7, 6), True)]
)
def test_a_race_is_over_when_a_second_horse_is_at_the_finish(spaces, over):
    assert is_over(spaces) == over


def test_a_trick_won_by_a_horse_at_the_finish_moves_nobody(do):
    state = arrange(["RED-9 BLUE-1", "RED-1 BLUE-2", "RED-2 BLUE-3", "RED-3 BLUE-4"], spaces=(7, 1, 2, 3))
    do(state, "play RED-9", "play RED-1", "play RED-2", "play RED-3")
    assert state.spaces == [7, 1, 2, 3]
    assert state.leader == 0  # but it leads
