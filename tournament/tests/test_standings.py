"""A small tournament by hand: three bots, two deals of three games, and one more game of a third deal.

game  deal  seats    points      placings
0     0     a b c    10  4  1    1 2 3
1     0     c a b     2  8  8    3 1 1      a and b share the win
2     0     b c a     6  6  6    1 1 1      all share it
3     1     a b c     0  9  3    3 1 2
4     1     c a b     5  5  0    1 1 3      c and a share the win
5     1     b c a     7  1  4    1 3 2
6     2     a b c    12  0  0    1 2 2
"""

from collections import Counter

import pytest

from croupier_tournament.plan.round_robin import PlannedGame
from croupier_tournament.report.standings import clustered_error, half_width, standings, t_quantile
from croupier_tournament.run.games import PlayedGame

TABLE = [
    (0, "abc", (10, 4, 1), (1, 2, 3)),
    (0, "cab", (2, 8, 8), (3, 1, 1)),
    (0, "bca", (6, 6, 6), (1, 1, 1)),
    (1, "abc", (0, 9, 3), (3, 1, 2)),
    (1, "cab", (5, 5, 0), (1, 1, 3)),
    (1, "bca", (7, 1, 4), (1, 3, 2)),
    (2, "abc", (12, 0, 0), (1, 2, 2)),
]


def played(number, deal, bots, points, placings, faults=None):
    return PlayedGame(
        planned=PlannedGame(number, deal, 0, tuple(bots)),
        session_id=f"s{number}",
        points=points,
        placings=placings,
        decisions=tuple(10 + seat for seat in range(len(bots))),
        faults=tuple(faults or [Counter()] * len(bots)),
    )


GAMES = [played(number, *row) for number, row in enumerate(TABLE)]


def rows(games=GAMES):
    return {row.bot: row for row in standings(games, ["a", "b", "c"])}


def test_games_and_deals_are_counted():
    assert {(row.games, row.deals) for row in rows().values()} == {(7, 3)}


def test_points_are_averaged():
    assert rows()["a"].mean_points == pytest.approx((10 + 8 + 6 + 0 + 5 + 4 + 12) / 7)
    assert rows()["b"].mean_points == pytest.approx((4 + 8 + 6 + 9 + 0 + 7 + 0) / 7)
    assert rows()["c"].mean_points == pytest.approx((1 + 2 + 6 + 3 + 5 + 1 + 0) / 7)


def test_a_shared_win_counts_in_part():
    assert rows()["a"].wins == pytest.approx(1 + 1 / 2 + 1 / 3 + 1 / 2 + 1)
    assert rows()["b"].wins == pytest.approx(1 / 2 + 1 / 3 + 1 + 1)
    assert rows()["c"].wins == pytest.approx(1 / 3 + 1 / 2)
    assert sum(row.wins for row in rows().values()) == pytest.approx(len(GAMES))


def test_placings_are_averaged():
    assert rows()["a"].average_placing == pytest.approx((1 + 1 + 1 + 3 + 1 + 2 + 1) / 7)
    assert rows()["b"].average_placing == pytest.approx((2 + 1 + 1 + 1 + 3 + 1 + 2) / 7)
    assert rows()["c"].average_placing == pytest.approx((3 + 3 + 1 + 2 + 1 + 3 + 2) / 7)


def test_the_best_average_placing_comes_first():
    assert [row.bot for row in standings(GAMES, ["a", "b", "c"])] == ["a", "b", "c"]
    assert [row.bot for row in standings(GAMES, ["c", "b", "a"])] == ["a", "b", "c"]


def test_equal_placings_are_ordered_by_points():
    games = [played(0, 0, "ab", (5, 3), (1, 2)), played(1, 0, "ab", (1, 2), (2, 1))]
    assert [row.bot for row in standings(games, ["b", "a"])] == ["a", "b"]


def test_decisions_are_summed_by_bot_not_by_seat():
    assert rows()["a"].decisions == 10 + 11 + 12 + 10 + 11 + 12 + 10


def test_faults_are_counted_by_kind():
    faulty = [
        played(0, 0, "ab", (1, 0), (1, 2), [Counter(late=2), Counter()]),
        played(1, 0, "ba", (1, 0), (1, 2), [Counter(), Counter(late=1, illegal=1)]),
    ]
    assert rows(faulty)["a"].faults == Counter(late=3, illegal=1)
    assert rows(faulty)["b"].faults == Counter()


def test_the_order_in_which_games_end_changes_nothing():
    assert standings(reversed(GAMES), ["a", "b", "c"]) == standings(GAMES, ["a", "b", "c"])


def test_a_bot_that_has_not_played_has_no_row():
    assert [row.bot for row in standings(GAMES[:1], ["a", "d"])] == ["a"]
    assert standings([], ["a"]) == []


def test_fewer_than_thirty_deals_give_no_interval():
    assert rows()["a"].half_width is None
    assert half_width([[1.0, 2.0]] * 29) is None
    assert half_width([[0.0, 2.0]] * 30) == 0.0  # every deal came out alike


def test_games_of_one_deal_are_no_independent_witnesses():
    """Ten deals whose four games all came out alike say as much as ten games, not as forty."""
    deals = [[float(deal % 3)] * 4 for deal in range(10)]
    assert clustered_error(deals) == pytest.approx(clustered_error([deal[:1] for deal in deals]))


def test_deals_of_different_lengths_weigh_by_their_games():
    # mean 2; residuals by deal: 1 - 2 = -1, and (2 - 2) + (3 - 2) = 1; (1 + 1) * 2 / 1 = 4; its root over 3 games
    assert clustered_error([[1.0], [2.0, 3.0]]) == pytest.approx(2 / 3)


def test_the_half_width_is_student_s_quantile_times_the_error():
    deals = [[float(deal), float(deal % 7)] for deal in range(40)]
    assert half_width(deals) == pytest.approx(2.0227 * clustered_error(deals), rel=1e-4)


@pytest.mark.parametrize(("freedom", "quantile"), [(10, 2.2281), (29, 2.0452), (49, 2.0096), (199, 1.9720)])
def test_student_s_quantiles_agree_with_the_tables(freedom, quantile):
    assert t_quantile(0.975, freedom) == pytest.approx(quantile, abs=2e-4)
