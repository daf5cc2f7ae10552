"""What each viewer may know."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trades import (
    GAME,
    Options,
    Phase,
    Style,
    Table,
    Trade,
    TradeStatus,
    View,
    VoidReason,
)
from croupier_games.trades.cards import cards, names
from croupier_games.trades.game import STYLES

PROTO = Path(__file__).parents[3] / "proto/croupier/games/trades/v1/trades.proto"
FREE = Options(style="free-for-all", time_limit_ms=10_000)


# The contract.


@pytest.mark.parametrize("kind", [View, Table, Trade, Options], ids=lambda kind: kind.__name__)
def test_fields_are_those_of_the_contract(kind):
    pattern = rf"message {kind.__name__} \{{\n(.*?)\n\}}"
    (body,) = re.findall(pattern, PROTO.read_text(encoding="utf-8"), re.DOTALL)
    assert re.findall(r"(\w+) = \d+;", body) == [field.name for field in fields(kind)]


@pytest.mark.parametrize("kind", [Style, Phase, TradeStatus, VoidReason], ids=lambda kind: kind.__name__)
def test_values_are_numbered_as_in_the_contract(kind):
    prefix = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).upper()
    found = re.findall(rf"^  {prefix}_(\w+) = (\d+);", PROTO.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name: int(number) for name, number in found} == {"UNSPECIFIED": 0} | kind.__members__


def test_every_style_has_a_name_as_an_option():
    assert list(STYLES.values()) == list(Style)


# The table.


def test_the_table_when_a_game_begins(table):
    assert table(first=1).table() == Table(
        seats=3,
        packs=1,
        style=Style.TURNS,
        phase=Phase.TRADING,
        first=1,
        turn=1,
        turns_left=30,
        time_limit_ms=None,
        now_ms=0,
        deck=31,
        deck_trades_left=(3, 3, 3),
        partners=(0, 0, 0),
        trades=(),
        declared=0,
        void_trades=(0, 0, 0),
        void_reasons=(0, 0, 0),
    )


def test_the_table_in_the_midst_of_a_free_for_all(table, do):
    state = table(4, options=FREE)
    do(state, "0 declare 1", "1 declare 0", "2 deck 7H", "0 offer 6C 7C", "1 offer 6D 7D")
    state.apply(1, state.legal_actions(1)[0])
    state.tick(1_000)
    do(state, "3 declare 1", "0 declare 3", "3 offer 5S 6S 7S")
    assert state.table() == Table(
        seats=4,
        packs=1,
        style=Style.FREE_FOR_ALL,
        phase=Phase.TRADING,
        first=0,
        turn=None,
        turns_left=None,
        time_limit_ms=10_000,
        now_ms=1_000,
        deck=24,
        deck_trades_left=(3, 3, 2, 3),
        partners=(2, 1, 0, 0),
        trades=(Trade(3, 3, 1, 3, TradeStatus.BEGUN), Trade(4, 0, 3, 0, TradeStatus.DECLARED)),
        declared=4,
        void_trades=(0, 2, 0, 0),
        void_reasons=(0, VoidReason.SAME_PARTNER, 0, 0),
    )


def test_viewers_share_the_very_same_table_until_something_changes(table, do):
    state = table()
    shared = state.view(0).table
    assert state.view(1).table is shared
    assert state.public_view().table is shared
    assert state.clone().view(2).table is shared
    do(state, "0 pass")
    assert state.view(0).table is not shared
    assert state.view(0).table is state.view(2).table


# What only some see.


def test_a_seat_sees_its_own_hand_and_where_it_has_seen_what(table):
    view = table().view(1)
    assert names(view.hand) == "AD 2D 3D 4D 5D 6D 7D"
    assert view.last_seen == tuple(2 if card in view.hand else 0 for card in range(1, 53))
    assert view.left_since == (0,) * 52
    assert (view.laid, view.drawn, view.received) == ((), (), ())


def test_a_spectator_sees_the_table_alone(table, do):
    state = table()
    do(state, "0 declare 1", "0 offer 6C 7C")
    assert state.public_view() == View(state.table(), None, (), (), (), (), (), ())


def test_which_cards_are_laid_only_their_owner_sees(table, do):
    state = table(4, options=FREE)
    do(state, "1 declare 2", "0 declare 1", "0 offer 6C 7C")
    assert names(state.view(0).laid) == "6C 7C"
    assert names(state.view(0).hand) == "AC 2C 3C 4C 5C 6C 7C"  # they are its cards still
    assert [state.view(seat).laid for seat in (1, 2, 3)] == [()] * 3


def test_which_cards_were_drawn_only_the_target_sees_until_they_change_hands(drawing):
    state = drawing("AD", "6C 7C")
    assert [names(state.view(seat).drawn) for seat in range(3)] == ["", "AD", ""]


def test_what_changed_hands_the_two_seats_know_and_nobody_else(table, do, trade):
    state = table()
    given = trade(state, 0, 1, "6C 7C")
    assert {*state.view(0).received} == given
    assert names(state.view(1).received) == "6C 7C"
    for card in given:
        assert [state.view(seat).last_seen[card - 1] for seat in range(3)] == [1, 1, 0]
    for card in cards("6C 7C"):
        assert [state.view(seat).last_seen[card - 1] for seat in range(3)] == [2, 2, 0]


def test_which_card_was_put_under_the_deck_and_which_was_taken_only_that_seat_knows(table, do):
    state = table()
    do(state, "0 deck 7C")
    (put,), (taken,) = cards("7C"), cards("KS")
    assert [state.view(seat).last_seen[put - 1] for seat in range(3)] == [4, 0, 0]
    assert [state.view(seat).last_seen[taken - 1] for seat in range(3)] == [1, 0, 0]


def test_last_deck_trades_are_secret_until_all_have_chosen(table, do):
    state = table(turns=1)
    do(state, "0 pass")
    before = [state.view(seat) for seat in range(3)]
    do(state, "1 last 7D")
    assert [state.view(seat) for seat in range(3)] == before


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("declare 2", "declare 2"),
        ("offer 6C 7C", "offer ? ?"),
        ("give 6C", "give ?"),
        ("deck 7C", "deck ?"),
        ("pass", "pass"),
        ("last 7C", None),
        ("decline", None),
    ],
)
def test_an_action_is_shown_in_full_to_its_seat_alone(table, text, shown):
    state, action = table(), GAME.parse(text)
    assert state.shown(0, 0, action) == action
    for viewer in (None, 1, 2):
        seen = state.shown(viewer, 0, action)
        assert (None if seen is None else GAME.notation(seen)) == shown


# Telling it.


def test_the_public_table_is_told_on_one_line(table, do):
    state = table(4, options=FREE)
    assert GAME.describe(state) == "free-for-all, 0 of 10000 ms | partners - - - - | deck trades 3 3 3 3"
    do(state, "0 declare 1", "2 declare 1", "2 offer 5H 6H 7H", "1 declare 0", "1 offer 6D 7D", "3 deck 7S")
    told = "free-for-all, 0 of 10000 ms | #1 0>1 ? declared | #2 2>1 3 laid | #3 1>0 2 laid"
    assert GAME.describe(state) == f"{told} | partners - - - - | deck trades 3 3 3 2"
    do(state, "0 offer 6C 7C")
    state.tick(10_000)
    told = "time is over | #1 0>1 2 begun | partners - - - - | deck trades 3 3 3 2 | void #3 time"
    assert GAME.describe(state) == told
    state.apply(1, state.legal_actions(1)[0])
    assert GAME.describe(state) == "last deck trades | partners 1 0 - - | deck trades 3 3 3 2 | void #3 time"


def test_turns_are_told_with_how_many_are_left(table, do):
    state = table(turns=2, deck_trades={0: 0, 1: 0, 2: 0})
    assert GAME.describe(state) == "seat 0's turn, 2 left | partners - - - | deck trades 0 0 0"
    do(state, "0 pass", "1 pass")
    assert GAME.describe(state) == "over | partners - - - | deck trades 0 0 0"


def test_seen_are_the_cards_that_have_been_in_a_hand(table, do):
    state = table()
    dealt = {name for hand in state.hands for name in names(hand).split()}
    assert state.seen_components() == dealt
    do(state, "0 deck 7C")
    assert state.seen_components() == dealt | {"KS"}


@pytest.mark.parametrize("seats", [3, 14])
@pytest.mark.parametrize("options", [Options(turns_per_seat=3), FREE], ids=["turns", "free-for-all"])
def test_views_never_hold_anybody_elses_cards(seats, options):
    """Whatever a view says of cards in hand, laid, drawn and received are the viewer's own."""
    for game in random_playout(GAME, seats, options, Seed.of(f"own/{seats}")):
        for seat in range(seats):
            view = game.state.view(seat)
            assert view.hand == tuple(game.state.hands[seat])
            assert {*view.laid, *view.drawn, *view.received} <= {*view.hand}
