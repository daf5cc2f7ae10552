"""Multipliers, points, tie-break and placings."""

import pytest

from croupier_games.trick_and_trade import arrange
from croupier_games.trick_and_trade.scoring import multipliers, points, score

NEV, ZEUS, OCTO, RATCOIN = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((5, 4, 3, 1), (3, 2, 1, -1)),
        ((5, 4, 4, 1), (3, 2, 2, -1)),
        ((5, 5, 2, 2), (3, 3, 1, 1)),
        ((4, 4, 4, 1), (3, 3, 3, -1)),
        ((7, 0, 0, 0), (3, 2, 2, 2)),
        ((2, 2, 2, 2), (3, 3, 3, 3)),
        ((1, 3, 4, 5), (-1, 1, 2, 3)),
    ],
)
def test_a_suit_s_multiplier_goes_by_how_many_suits_have_a_greater_total(values, expected):
    assert multipliers(values) == expected


def test_points_are_multiplier_times_icons():
    """The rulebook's example: Ratcoin 9, Zeus 7, Octo 6, Nev 5, and icons 3, 5, 5, 4 of them."""
    values = (5, 7, 6, 9)
    assert multipliers(values) == (-1, 2, 1, 3)
    assert points(multipliers(values), (4, 5, 5, 3)) == 20


def test_points_may_be_negative():
    assert points((-1, 2, 1, 3), (4, 0, 1, 0)) == -3


def test_more_points_win():
    result = score((5, 4, 3, 1), (*NEV, *ZEUS, *OCTO, *RATCOIN))
    assert result.points == (3, 2, 1, -1)
    assert result.placings == (1, 2, 3, 4)
    assert result.decided_by == ("", "points", "points", "points")


def test_between_equal_points_more_icons_of_the_dearest_suit_win():
    """Multipliers 3, 2, 1, -1: six points from two Nev beat six points from three Zeus."""
    result = score((5, 4, 3, 1), (*(0, 3, 0, 0), *(2, 0, 0, 0), *(0, 0, 5, 0)))
    assert result.points == (6, 6, 5)
    assert result.placings == (2, 1, 3)
    assert result.decided_by == ("top-icons", "", "points")
    assert result.tie_breaks[0].values == (0, 2, 0)


def test_icons_of_all_suits_with_the_highest_multiplier_count_together():
    """Multipliers 3, 3, 1, 1: one Nev and one Zeus are as good as two Nev, and better than six Octo."""
    result = score((5, 5, 2, 2), (*(1, 1, 0, 0), *(2, 0, 0, 0), *(0, 0, 6, 0)))
    assert result.points == (6, 6, 6)
    assert result.placings == (1, 1, 3)
    assert result.decided_by == ("", "shared", "top-icons")


def test_seats_level_in_both_share_their_placing():
    result = score((5, 4, 3, 1), (*NEV, *NEV, *ZEUS, *NEV, *RATCOIN))
    assert result.placings == (1, 1, 4, 1, 5)
    assert result.decided_by == ("", "shared", "points", "shared", "points")


def test_the_tie_break_orders_every_pair_of_seats_not_only_the_first():
    """Behind a winner: three seats with two points, of which one has two icons of multiplier 3."""
    holdings = (*(3, 0, 0, 0), *(0, 1, 0, 0), *(2, 0, 0, 4), *(0, 1, 0, 0), *(0, 0, 1, 0))
    result = score((5, 4, 3, 1), holdings)
    assert result.points == (9, 2, 2, 2, 1)
    assert result.placings == (1, 3, 2, 3, 5)
    assert result.decided_by == ("", "top-icons", "points", "shared", "points")


def test_there_is_no_result_before_the_end_and_there_is_one_then(do):
    state = arrange(
        ["NEV-1", "ZEUS-2", "OCTO-3"],
        ["NEV+NEV ZEUS OCTO+RATCOIN"],
        won="RATCOIN-8 ZEUS-9",
        held=["RATCOIN", "ZEUS+RATCOIN", "NEV"],
    )
    assert state.result() is None
    do(state, "take 2", "take 1")  # seat 0 was placed first, then 2, then 1
    result = state.result()
    assert state.values == [9, 1, 0, 2]  # multipliers 3, 1, -1, 2
    assert result.points == (2 + (-1 + 2), (1 + 2) + (3 + 3), 3 + 1)
    assert result.placings == (3, 1, 2)
