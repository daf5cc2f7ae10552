"""Placings: 1 is best, equal ones are shared, and it is said what decided."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier_games.kernel import TieBreak, rank


@pytest.mark.parametrize(
    ("points", "placings", "decided_by"),
    [
        ((7,), (1,), ("",)),
        ((3, 9, 5), (3, 1, 2), ("points", "", "points")),
        ((9, 5, 5, 1), (1, 2, 2, 4), ("", "points", "shared", "points")),
        ((4, 4, 4), (1, 1, 1), ("", "shared", "shared")),
        ((-3, 0, -3), (2, 1, 2), ("points", "", "shared")),
    ],
)
def test_equal_points_share_a_placing(points, placings, decided_by):
    result = rank(points)
    assert result.placings == placings
    assert result.decided_by == decided_by


def test_fewest_points_can_win():
    assert rank((30, 51, 30, 44), fewest_wins=True).placings == (1, 4, 1, 3)


def test_a_tie_break_orders_equal_points_and_is_named():
    result = rank((5, 9, 5), [TieBreak("gold", (1, 0, 7))])
    assert result.placings == (3, 1, 2)
    assert result.decided_by == ("gold", "", "points")


def test_a_tie_break_does_not_outweigh_points():
    assert rank((5, 6), [TieBreak("gold", (99, 0))]).placings == (2, 1)


def test_tie_breaks_apply_in_turn():
    result = rank((5, 5, 5), [TieBreak("gold", (2, 2, 1)), TieBreak("upgrades", (0, 3, 9))])
    assert result.placings == (2, 1, 3)
    assert result.decided_by == ("upgrades", "", "gold")


def test_a_tie_break_wants_more_even_where_fewest_points_win():
    assert rank((5, 5), [TieBreak("gold", (1, 2))], fewest_wins=True).placings == (2, 1)


def test_a_forfeited_seat_is_behind_every_other_whatever_its_points():
    result = rank((90, 1, 2), forfeited=frozenset({0}))
    assert result.placings == (3, 2, 1)
    assert result.decided_by == ("forfeit", "points", "")
    assert result.forfeited == (True, False, False)


def test_forfeited_seats_keep_their_order_among_themselves():
    assert rank((1, 8, 9, 3), forfeited=frozenset({1, 2})).placings == (2, 4, 3, 1)
    assert rank((1, 8, 8, 3), forfeited=frozenset({1, 2})).placings == (2, 3, 3, 1)


def test_when_all_forfeit_the_points_decide():
    assert rank((1, 2, 2), forfeited=frozenset({0, 1, 2})).placings == (3, 1, 1)


def test_with_forfeits_keeps_everything_else():
    result = rank((5, 5, 7), [TieBreak("gold", (1, 2, 0))], fewest_wins=True, note="cap of rounds")
    again = result.with_forfeits(frozenset({1}))
    assert again == rank(
        (5, 5, 7), [TieBreak("gold", (1, 2, 0))], fewest_wins=True, note="cap of rounds", forfeited=frozenset({1})
    )
    assert (again.note, again.placings, again.decided_by) == ("cap of rounds", (1, 3, 2), ("", "forfeit", "points"))
    assert result.with_forfeits(frozenset()) == result


@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 1), st.booleans()), min_size=1, max_size=7))
def test_a_placing_counts_who_is_strictly_better(seats):
    points, gold, forfeited = zip(*seats, strict=True)
    result = rank(points, [TieBreak("gold", gold)], forfeited=frozenset(s for s, gone in enumerate(forfeited) if gone))
    keys = [(not gone, p, g) for p, g, gone in seats]
    assert list(result.placings) == [1 + sum(other > key for other in keys) for key in keys]
    assert result.decided_by.count("") == 1
