from collections import Counter
from itertools import combinations, pairwise, permutations

import pytest

from croupier_tournament.plan.round_robin import deal_seed, games_per_round, round_robin, seatings

BOTS = ("alice", "bob", "carol", "dave", "eve")

every_size = pytest.mark.parametrize("seats", [3, 4, 5])


@every_size
@pytest.mark.parametrize("games", [1, 19, 20, 21, 60, 200, 201])
def test_at_least_as_many_games_as_asked_for_and_less_than_a_round_more(seats, games):
    planned = len(round_robin(BOTS, seats, games))
    assert games <= planned < games + games_per_round(len(BOTS), seats)


def test_two_hundred_games_of_four_are_fifty_deals():
    plan = round_robin(BOTS, 4, 200)
    assert len(plan) == 200
    assert {game.deal for game in plan} == set(range(50))
    assert [game.number for game in plan] == list(range(200))


@every_size
def test_every_table_is_played_equally_often(seats):
    tables = Counter(frozenset(game.bots) for game in round_robin(BOTS, seats, 200))
    assert set(tables) == {frozenset(table) for table in combinations(BOTS, seats)}
    assert len(set(tables.values())) == 1


@every_size
def test_a_deal_belongs_to_one_table_and_shows_each_bot_each_seat_once(seats):
    by_deal: dict = {}
    for game in round_robin(BOTS, seats, 200):
        by_deal.setdefault(game.deal, []).append(game)
    for games in by_deal.values():
        assert [game.replay for game in games] == list(range(seats))
        for at in range(seats):
            assert sorted(game.bots[at] for game in games) == sorted(games[0].bots)


@every_size
def test_neighbours_are_balanced_after_as_many_deals_as_there_are_other_seats(seats):
    """Every ordered pair of bots takes every ordered pair of seats equally often, so left neighbours balance too."""
    times = Counter(
        (one, other, seating[one], seating[other])
        for deal in range(seats - 1)
        for seating in seatings(seats, deal)
        for one, other in permutations(range(seats), 2)
    )
    assert len(times) == (seats * (seats - 1)) ** 2
    assert set(times.values()) == {1}


@pytest.mark.parametrize("seats", [3, 4])
def test_no_deal_is_played_twice_in_a_row(seats):
    assert all(one.deal != next_.deal for one, next_ in pairwise(round_robin(BOTS, seats, 200)))


def test_the_seats_of_a_plan_are_those_of_the_square():
    plan = round_robin(("a", "b", "c"), 3, 6)
    assert [game.bots for game in plan[:3]] == [("a", "b", "c"), ("c", "a", "b"), ("b", "c", "a")]
    assert [game.bots for game in plan[3:]] == [("a", "c", "b"), ("b", "a", "c"), ("c", "b", "a")]


def test_too_few_bots_are_told():
    with pytest.raises(ValueError, match="2 bots cannot fill a table of 3"):
        round_robin(("a", "b"), 3, 10)


@pytest.mark.parametrize("seats", [2, 6])
def test_only_three_to_five_seats_have_squares(seats):
    with pytest.raises(ValueError, match=f"no seatings are known for {seats} seats"):
        seatings(seats, 0)


def test_deals_follow_from_the_secret_alone():
    assert deal_seed("a", 1) == deal_seed("a", 1)
    assert len({deal_seed(secret, deal) for secret in "ab" for deal in range(100)}) == 200
    # printf deal/0 | openssl dgst -sha256 -hmac croupier
    assert deal_seed("croupier", 0).hex() == "eb00f4ae5e93e107d92d1a293bf0d9e97d7b10fd2cb6e95a87a8f9e996c709c0"
