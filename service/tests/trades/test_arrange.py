"""Positions of one's own."""

import pytest

from croupier_games.kernel import Seed
from croupier_games.trades import GAME, Options, Phase, Style, arrange
from croupier_games.trades.cards import names

HANDS = ["AC 2C 3C 4C 5C 6C 7C", "AD 2D 3D 4D 5D 6D 7D", "AH 2H 3H 4H 5H 6H 7H"]


def test_a_position_is_as_it_was_asked_for():
    state = arrange(
        HANDS, "KS QS", first=2, turns=5, received={0: "6C 7C"}, partners=[(0, 1)], deck_trades={1: 1}, draws="x"
    )
    table = state.table()
    assert state.to_act() == (2,)
    assert (table.turns_left, table.deck_trades_left, table.partners) == (5, (3, 1, 3), (2, 1, 0))
    assert names(state.view(0).received) == "6C 7C"
    assert names(state.deck[::-1][:3]) == "KS QS 8C"
    assert len(state.deck) == 31


def test_hands_may_be_given_in_any_order():
    assert names(arrange(["7C 6C 5C 4C 3C 2C AC", *HANDS[1:]]).hands[0]) == HANDS[0]


@pytest.mark.parametrize("options", [Options(), Options(time_limit_ms=1000), Options(turns_per_seat=4)])
def test_there_are_as_many_turns_as_in_a_game_that_is_dealt(options):
    dealt = GAME.deal(3, options, Seed.of("turns"))
    assert arrange(HANDS, options=options).table().turns_left == dealt.table().turns_left


def test_when_time_is_over_no_turn_is_left(do):
    state = arrange(HANDS, options=Options(time_limit_ms=1000))
    do(state, "0 declare 1", "0 offer AC 2C")
    state.tick(1000)
    table = state.table()
    assert (table.phase, table.turn, table.turns_left) == (Phase.FINISHING, None, 0)


def test_a_free_for_all_can_be_arranged_too():
    table = arrange(HANDS, options=Options(style="free-for-all")).table()
    assert (table.style, table.phase, table.time_limit_ms, table.turns_left) == (
        Style.FREE_FOR_ALL, Phase.TRADING, 300_000, None,
    )  # fmt: skip


def test_cards_of_the_second_pack_bring_it_with_them():
    state = arrange([*HANDS[:2], "AH AH.2 3H 4H 5H 6H 7H"])
    assert state.table().packs == 2
    assert len(state.deck) == 104 - 21


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hands": HANDS[:2]}, "3 to 14 hands of 7 cards"),
        ({"hands": ["AC 2C", *HANDS[1:]]}, "3 to 14 hands of 7 cards"),
        ({"hands": ["AC 2C 3C 4C 5C 6C 1C", *HANDS[1:]]}, "'1C' is no card"),
        ({"hands": ["AC 2C 3C 4C 5C 6C AD", *HANDS[1:]]}, "AD is there 2 times"),
        ({"deck": "AC"}, "AC is there 2 times"),
        ({"received": {0: "AD"}}, "seat 0 cannot have received what it does not hold"),
        ({"deck": "KS.2", "options": Options(packs=1)}, "one pack has no such card"),
    ],
)
def test_what_no_table_can_look_like_is_refused(change, reason):
    with pytest.raises(ValueError, match=reason):
        arrange(**{"hands": HANDS} | change)
