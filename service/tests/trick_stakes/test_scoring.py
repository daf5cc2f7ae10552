"""What a race pays, what it makes of the odds, and who wins in the end."""

import pytest

from croupier_games.trick_stakes.cards import HORSES, WIN
from croupier_games.trick_stakes.scoring import bet, next_odds, payout, score

A, B, C, D = HORSES
NOTHING = (C, D)


def test_the_first_two_horses_bring_prizes_to_their_seats():
    assert payout([C, A, B, D], [2, 2, 2, 2], [A, B, C, D], [(WIN, D)] * 4) == [3, 0, 5, 0]


def test_the_second_race_of_the_rulebook():
    """Odds of the first horse 2, of the second 4; a win bet hit, two quinellas hit: 2, and 6 each; plus 5 and 3."""
    gateau, silver = D, C
    odds = [5, 3, 4, 2]
    horses = [A, B, gateau, silver]
    tickets = [(WIN, gateau), (silver, gateau), (gateau, silver), (WIN, silver)]
    assert payout([gateau, silver, A, B], odds, horses, tickets) == [2, 6, 6 + 5, 3]


@pytest.mark.parametrize("tickets", [(WIN, A), (A, WIN)])
def test_a_win_bet_pays_the_odds_of_the_first_horse_in_either_order_of_its_tickets(tickets):
    assert bet([A, B, C, D], [7, 3, 2, 2], *tickets) == 7
    assert bet([B, A, C, D], [7, 3, 2, 2], *tickets) == 0


@pytest.mark.parametrize("tickets", [(A, B), (B, A)])
def test_a_quinella_pays_both_odds_if_both_horses_are_the_first_two_in_any_order(tickets):
    assert bet([A, B, C, D], [7, 3, 2, 2], *tickets) == 10
    assert bet([B, A, C, D], [7, 3, 2, 2], *tickets) == 10
    assert bet([A, C, B, D], [7, 3, 2, 2], *tickets) == 0


def test_two_seats_can_hit_the_same_bet():
    assert payout([A, B, C, D], [2, 2, 2, 2], [C, D, A, B], [(A, B), (B, A), NOTHING, NOTHING]) == [4, 4, 5, 3]


def test_the_dummy_is_paid_nothing():
    """It holds the first horse; with three seats there are three lists of tickets."""
    assert payout([D, B, C, A], [2, 2, 2, 2], [A, B, C, D], [(WIN, A), (WIN, D), (WIN, B)]) == [0, 3 + 2, 0]


def test_odds_grow_the_more_the_worse_a_horse_did():
    """2,2,2,2 after a race that finished 0,1,2,3: 2,3,4,5."""
    assert next_odds([A, B, C, D], [2, 2, 2, 2]) == [2, 3, 4, 5]
    assert next_odds([D, B, A, C], [2, 3, 4, 5]) == [4, 4, 7, 5]


def test_most_points_win():
    result = score([10, 30, 20, 5], [A, B, C, D], [A, B, C, D])
    assert result.placings == (3, 1, 2, 4)


def test_of_equal_points_the_seat_whose_horse_did_better_in_the_last_race_is_ahead():
    result = score([10, 10, 20, 10], [D, B, A, C], [A, B, C, D])
    assert result.placings == (4, 3, 1, 2)
    assert result.decided_by == ("last-race", "last-race", "", "points")


def test_with_three_seats_the_dummy_s_horse_is_no_one_s():
    result = score([10, 10, 10], [D, B, A, C], [A, B, C, D])
    assert result.placings == (2, 1, 3)
    assert result.tie_breaks[0].values == (1, 2, 0)


def test_nobody_shares_a_placing():
    for order in ([A, B, C, D], [D, C, B, A], [B, D, A, C]):
        assert sorted(score([7] * 4, order, [C, A, D, B]).placings) == [1, 2, 3, 4]
