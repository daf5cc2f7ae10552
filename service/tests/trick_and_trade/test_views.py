"""What each viewer may know."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_and_trade import GAME, Options, Phase, Play, Table, View, arrange
from croupier_games.trick_and_trade.cards import CARDS, SHOWN, SUIT, VALUE, cards, trade_cards

PROTO = Path(__file__).parents[3] / "proto/croupier/games/trick_and_trade/v1/trick_and_trade.proto"


@pytest.fixture
def state():
    hands = ["NEV-1 ZEUS-1 OCTO-1", "NEV-2 ZEUS-2 OCTO-2", "NEV-3 ZEUS-3 OCTO-3"]
    return arrange(hands, ["NEV OCTO ZEUS", "NEV NEV+NEV ZEUS", "OCTO ZEUS RATCOIN"], undealt="NEV-4", unused="OCTO")


@pytest.mark.parametrize(("message", "kind"), [("View", View), ("Table", Table), ("Options", Options)])
def test_fields_are_those_of_the_contract(message, kind):
    (body,) = re.findall(rf"message {message} \{{\n(.*?)\n\}}", PROTO.read_text(encoding="utf-8"), re.DOTALL)
    assert re.findall(r"(\w+) = \d+;", body) == [field.name for field in fields(kind)]


def test_phases_are_numbered_as_in_the_contract():
    found = re.findall(r"^  PHASE_(\w+) = (\d+);", PROTO.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name: int(number) for name, number in found} == {"UNSPECIFIED": 0} | Phase.__members__


def test_a_seat_sees_its_own_hand(state):
    assert state.view(1) == View(state.table(), 1, tuple(cards("NEV-2 ZEUS-2 OCTO-2")))


def test_a_spectator_sees_no_hand(state):
    assert state.public_view() == View(state.table(), None, ())


def test_viewers_share_the_very_same_table_until_something_changes(state):
    table = state.view(0).table
    assert state.view(1).table is table
    assert state.public_view().table is table
    assert state.clone().view(2).table is table
    state.apply(0, Play(1))
    assert state.view(0).table is not table
    assert state.view(0).table is state.view(2).table


def test_the_table_when_a_game_begins(state):
    assert state.table() == Table(
        seats=3,
        round=1,
        rounds=3,
        phase=Phase.PLAY,
        turn=0,
        leader=0,
        lead_taken_by=None,
        trick=(),
        placing=(),
        front_row=tuple(trade_cards("NEV OCTO ZEUS")),
        back_row=tuple(trade_cards("NEV NEV+NEV ZEUS")),
        pile=3,
        won=(),
        values=(0, 0, 0, 0),
        icons=(0,) * 12,
        taken=(0, 0, 0),
        played=(),
        leaders=(),
    )


def test_the_table_in_the_midst_of_a_round(state, do):
    do(state, "play NEV-1", "play NEV-2", "play ZEUS-3", "take lead", "take 0", "take 2")
    do(state, "play ZEUS-2", "play OCTO-3", "play ZEUS-1", "take lead")
    assert state.table() == Table(
        seats=3,
        round=2,
        rounds=3,
        phase=Phase.TAKE,
        turn=0,
        leader=1,
        lead_taken_by=1,
        trick=tuple(cards("ZEUS-2 OCTO-3 ZEUS-1")),
        placing=(1, 0, 2),
        front_row=tuple(trade_cards("NEV NEV+NEV ZEUS")),
        back_row=tuple(trade_cards("OCTO ZEUS RATCOIN")),
        pile=0,
        won=tuple(cards("NEV-2 ZEUS-2")),
        values=(8, 8, 0, 0),
        icons=(*(1, 0, 0, 0), *(0, 0, 1, 0), *(0, 1, 0, 0)),
        taken=(*trade_cards("NEV OCTO ZEUS"), 0, 0, 0),
        played=tuple(cards("NEV-1 NEV-2 ZEUS-3")),
        leaders=(0,),
    )


def test_the_table_when_the_game_is_over_is_that_of_the_last_round(do):
    state = arrange(["NEV-1", "NEV-2", "NEV-3"], ["NEV OCTO ZEUS"], leader=1)
    do(state, "take 1", "take lead", "take 0")
    table = state.table()
    assert table.phase is Phase.OVER
    assert table.turn == 0  # the last one to decide
    assert (table.leader, table.lead_taken_by) == (1, 1)
    assert table.trick == tuple(cards("NEV-2 NEV-3 NEV-1"))
    assert table.placing == (2, 1, 0)
    assert table.front_row == (0, 0, 0)
    assert table.taken == tuple(trade_cards("NEV ZEUS OCTO"))
    assert (table.played, table.leaders) == ((), ())


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_stateless_bot_can_derive_everything_from_the_history(seats):
    """Hands, totals and icons follow from the history in the view; so do all moves."""
    playout = random_playout(GAME, seats, Options(), Seed.of(f"history/{seats}"))
    dealt = None
    for game in playout:
        state = game.state
        dealt = dealt or [set(hand) for hand in state.hands]
        table = state.table()
        held = [set(hand) for hand in dealt]
        leaders, played = (*table.leaders, table.leader), (*table.played, *table.trick)
        for number, card in enumerate(played):
            trick, nth = divmod(number, seats)
            held[(leaders[trick] + nth) % seats].remove(card)
        assert [set(state.view(seat).hand) for seat in range(seats)] == held
        values, icons = [0] * 4, [0] * (4 * seats)
        for card in table.won:
            values[SUIT[card]] += VALUE[card]
        for number, trade_card in enumerate(table.taken):
            for suit in SHOWN[trade_card]:
                icons[4 * (number % seats) + suit] += 1
        assert (table.values, table.icons) == (tuple(values), tuple(icons))


def test_every_action_is_taken_in_the_open(state):
    action = Play(CARDS[0])
    assert state.shown(None, 0, action) == state.shown(2, 0, action) == action


def test_the_public_table_is_told_on_one_line(state, do):
    begin = "round 1/3 | seat 0 leads | front NEV OCTO ZEUS | back NEV NEV+NEV ZEUS"
    assert GAME.describe(state) == f"{begin} | values 0 0 0 0 | icons 0/0/0/0 0/0/0/0 0/0/0/0"
    do(state, "play NEV-1")
    assert GAME.describe(state) == "round 1/3 | seat 1 plays | trick NEV-1"
    do(state, "play NEV-2", "play ZEUS-3")
    settled = "round 1/3 | seat 1 takes | trick NEV-1 NEV-2 ZEUS-3 | placing 1 0 2"
    assert GAME.describe(state) == f"{settled} | front NEV OCTO ZEUS | lead card there"
    do(state, "take lead", "take 0")
    assert GAME.describe(state) == "round 1/3 | seat 2 takes | front . OCTO ZEUS | lead card with seat 1"


def test_the_end_is_told_with_what_the_suits_are_worth(do):
    state = arrange(["NEV-1", "NEV-2", "NEV-3"], ["NEV OCTO ZEUS"])
    do(state, "take 0", "take 1")
    assert GAME.describe(state) == ("over | values 7 0 0 0 | multipliers 3 2 2 2 | icons 0/1/0/0 0/0/1/0 1/0/0/0")


def test_seen_are_the_trick_cards_played_and_the_trade_cards_turned_up(state, do):
    assert state.seen_components() == {"NEV", "OCTO", "ZEUS", "NEV+NEV"}
    do(state, "play NEV-1", "play NEV-2", "play ZEUS-3", "take lead", "take 0", "take 2")
    assert state.seen_components() == {"NEV-1", "NEV-2", "ZEUS-3", "NEV", "OCTO", "ZEUS", "NEV+NEV", "RATCOIN"}
