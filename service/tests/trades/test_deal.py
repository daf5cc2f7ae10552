"""How it is dealt, and what can be set."""

import pytest

from croupier_games.kernel import OptionError, Seed
from croupier_games.trades import GAME, Options, Phase, Style
from croupier_games.trades.cards import names, pack

EVERYBODY = list(range(3, 15))


@pytest.mark.parametrize("seats", EVERYBODY)
def test_seven_cards_each_and_the_rest_is_the_deck(seats):
    state = GAME.deal(seats, Options(), Seed.of("deal"))
    cards = pack(1 if seats <= 7 else 2)
    assert [len(hand) for hand in state.hands] == [7] * seats
    assert len(state.deck) == len(cards) - 7 * seats >= 1
    assert sorted([*state.deck, *(card for hand in state.hands for card in hand)]) == list(cards)
    assert state.table().packs == (1 if seats <= 7 else 2)
    assert state.deck_trades == [3] * seats


@pytest.mark.parametrize("seats", [3, 7])
def test_two_packs_may_be_used_with_fewer_seats(seats):
    state = GAME.deal(seats, Options(packs=2), Seed.of("deal"))
    assert len(state.deck) == 104 - 7 * seats


@pytest.mark.parametrize("seats", EVERYBODY)
def test_the_first_turn_is_drawn_by_the_seed_all_seats_alike(seats):
    firsts = [GAME.deal(seats, Options(), Seed.of(f"first/{number}")).to_act() for number in range(20 * seats)]
    assert {first for (first,) in firsts} == {*range(seats)}


def test_a_deal_is_that_of_the_rules_page():
    """RULES.md has these as its example, for authors in other languages."""
    state = GAME.deal(3, Options(), Seed.of("croupier"))
    assert state.first == FIRST
    assert [names(hand) for hand in state.hands] == HANDS
    assert names(state.deck[::-1][:5]) == TOP


FIRST = 2
HANDS = [
    "4C 8C AD 6D 6H 10H JS",
    "6C 8D 5H 8H 9H 8S QS",
    "5C 2H 4H KH 2S 3S 9S",
]
TOP = "7D 2D JD 7S QH"


def test_by_turns_ten_for_each_seat():
    table = GAME.deal(4, Options(), Seed.of("x")).table()
    assert (table.style, table.phase, table.turns_left, table.time_limit_ms) == (Style.TURNS, Phase.TRADING, 40, None)


def test_a_time_limit_replaces_the_ten_turns():
    """There are a thousand then: a game whose bots are all gone must end without time passing."""
    state = GAME.deal(4, Options(time_limit_ms=60_000), Seed.of("x"))
    assert (state.table().turns_left, state.table().time_limit_ms) == (4_000, 60_000)
    assert state.deadline() == 6_000


def test_turns_and_time_may_both_be_limited():
    table = GAME.deal(4, Options(turns_per_seat=2, time_limit_ms=60_000), Seed.of("x")).table()
    assert (table.turns_left, table.time_limit_ms) == (8, 60_000)


def test_a_free_for_all_lasts_five_minutes():
    table = GAME.deal(4, Options(style="free-for-all"), Seed.of("x")).table()
    assert (table.style, table.turn, table.turns_left) == (Style.FREE_FOR_ALL, None, None)
    assert table.time_limit_ms == 300_000
    assert table.first == 0


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"style": "both"}, "style"),
        ({"turns_per_seat": "0"}, "turns_per_seat"),
        ({"turns_per_seat": "1001"}, "turns_per_seat"),
        ({"style": "free-for-all", "turns_per_seat": "10"}, "turns_per_seat"),
        ({"time_limit_ms": "99"}, "time_limit_ms"),
        ({"time_limit_ms": "86400001"}, "time_limit_ms"),
        ({"packs": "3"}, "packs"),
        ({"packs": "0"}, "packs"),
    ],
)
def test_options_out_of_range_are_named(values, field):
    with pytest.raises(OptionError) as error:
        GAME.options(values)
    assert error.value.field == field


@pytest.mark.parametrize("seats", [8, 14])
def test_more_than_seven_seats_need_two_packs(seats):
    with pytest.raises(OptionError) as error:
        GAME.deal(seats, Options(packs=1), Seed.of("x"))
    assert error.value.field == "packs"


@pytest.mark.parametrize("seats", [2, 15])
def test_three_to_fourteen_seats(seats):
    with pytest.raises(OptionError) as error:
        GAME.deal(seats, Options(), Seed.of("x"))
    assert error.value.field == "seats"
