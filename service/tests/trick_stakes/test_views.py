"""What each viewer may know."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_stakes import GAME, Phase, Table, View, arrange, arrange_paddock
from croupier_games.trick_stakes.cards import COLOR, HORSES, MARKS, cards, tickets
from croupier_games.trick_stakes.course import advance
from croupier_games.trick_stakes.rules import winning
from croupier_games.trick_stakes.scoring import next_odds, payout
from croupier_games.trick_stakes.seating import playing_order

PROTO = Path(__file__).parents[3] / "proto/croupier/games/trick_stakes/v1/trick_stakes.proto"


@pytest.mark.parametrize(("message", "kind"), [("View", View), ("Table", Table)])
def test_fields_are_those_of_the_contract(message, kind):
    (body,) = re.findall(rf"message {message} \{{\n(.*?)\n\}}", PROTO.read_text(encoding="utf-8"), re.DOTALL)
    assert re.findall(r"(\w+) = \d+;", body) == [field.name for field in fields(kind)]


def test_phases_are_numbered_as_in_the_contract():
    found = re.findall(r"^  PHASE_(\w+) = (\d+);", PROTO.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name: int(number) for name, number in found} == {"UNSPECIFIED": 0} | Phase.__members__


@pytest.fixture
def state(piles):
    return arrange_paddock(piles)


def test_a_seat_sees_its_own_hand_discard_and_ticket(state, do):
    do(state, "1: discard RED-4")
    view = state.view(1)
    assert (view.seat, view.discards, view.ticket_down) == (1, tuple(cards("RED-4")), 0)
    assert view.hand == tuple(cards("RED-5 RED-6 BLUE-4 BLUE-5 BLUE-6 YELLOW-4 YELLOW-5 YELLOW-6 GREEN-3 GREEN-4"))
    do(state, "discard RED-1", "discard RED-7", "discard RED-10")
    do(state, "ticket up WIN", "ticket up GATEAU_OPERA", "ticket up FORET_NOIRE", "ticket up VANILLA_BEANS")
    do(state, "1: ticket down GATEAU_OPERA")
    assert state.view(1).ticket_down == tickets("GATEAU_OPERA")[0]
    assert state.view(0).ticket_down == 0


def test_a_seat_keeps_its_discards_of_earlier_races_in_view():
    *_, table = random_playout(GAME, 4, GAME.options(), Seed.of("discards"))
    for seat in range(4):
        discarded = [
            move.action.card
            for move in table.moves
            if move.seat == seat and GAME.notation(move.action).startswith("discard")
        ]
        assert table.state.view(seat).discards == tuple(discarded)


def test_a_spectator_sees_no_hand(state):
    view = state.public_view()
    assert (view.seat, view.hand, view.discards, view.ticket_down) == (None, (), (), 0)
    assert view.table is state.table()


def test_viewers_share_the_very_same_table_until_something_changes(state, do):
    table = state.view(0).table
    assert state.view(1).table is table
    assert state.public_view().table is table
    assert state.clone().view(2).table is table
    do(state, "discard RED-1")
    assert state.view(0).table is not table
    assert state.view(0).table is state.view(2).table


def test_the_table_when_a_race_begins(piles):
    """Three seats; the start player shows RED-9, so the ninth cards are turned up and the dummy's tenth is out too."""
    assert arrange_paddock(piles, seats=3).table() == Table(
        seats=3,
        race=1,
        races=3,
        phase=Phase.DISCARD,
        start=0,
        leader=0,
        whip_at=0,
        to_act=(0, 1, 2),
        trick=(),
        horses=(1, 2, 3, 4),
        odds=(2, 2, 2, 2),
        points=(0, 0, 0),
        whips=(2, 2, 2, 2),
        spaces=(0, 0, 0, 0),
        standing=(1, 2, 3, 4),
        circle=(0, 1, 2, 3),
        hand_colors=(*(4, 3, 3, 1), *(3, 3, 3, 2), *(2, 3, 3, 3), *(2, 2, 3, 3)),
        dummy=tuple(cards("RED-10 BLUE-10 YELLOW-10 GREEN-10 RED-11 BLUE-11 YELLOW-11 GREEN-11 YELLOW-12 GREEN-12")),
        horse_colors=(*(4, 3, 3, 2), *(3, 3, 3, 3), *(2, 3, 3, 4), *(3, 3, 3, 3)),
        stacks=(1, 2, 3, 4),
        top_cards=tuple(cards("RED-9")),
        turned_up=tuple(cards("GREEN-2 GREEN-5 GREEN-8 RED-12")),
        discard_colors=(0, 0, 0, 2),
        dummy_discards=tuple(cards("BLUE-12")),
        tickets_up=(0, 0, 0),
        tickets_down=(0, 0, 0),
        finishes=(),
        tricks=(0,),
        played=(),
        leaders=(),
        whips_at=(),
    )


def test_the_table_in_the_midst_of_a_trick(do):
    hands = ["RED-5 BLUE-1 BLUE-4", "RED-2 BLUE-2 BLUE-5", "RED-9 BLUE-3 BLUE-6", "GREEN-12 BLUE-10 GREEN-1"]
    state = arrange(hands, whips=[1, 1, 1, 1])
    do(state, "play RED-5", "play RED-2", "play RED-9", "play GREEN-1 whip", "play BLUE-10", "play BLUE-1")
    table = state.table()
    assert (table.leader, table.whip_at, table.trick, table.to_act) == (3, 0, tuple(cards("BLUE-10 BLUE-1")), (1,))
    assert (table.played, table.leaders, table.whips_at) == (tuple(cards("RED-5 RED-2 RED-9 GREEN-1")), (0,), (4,))
    assert (table.spaces, table.standing, table.whips) == ((0, 0, 0, 4), (4, 1, 2, 3), (1, 1, 1, 0))
    assert table.hand_colors == (*(0, 1, 0, 0), *(0, 2, 0, 0), *(0, 2, 0, 0), *(0, 0, 0, 1))
    assert table.tricks == (1,)


def test_the_table_when_the_game_is_over(do):
    state = arrange(["RED-9", "RED-1", "RED-2", "RED-3"])
    do(state, "play RED-9", "play RED-1", "play RED-2", "play RED-3")
    table = state.table()
    assert (table.phase, table.to_act, table.trick) == (Phase.OVER, (), ())
    assert table.finishes == table.standing == (1, 2, 3, 4)
    assert table.tickets_down == tuple(tickets("VANILLA_BEANS WIN WIN WIN"))
    assert table.points == (5 + 2, 3 + 2, 0, 0)


@pytest.mark.parametrize("seats", [3, 4])
def test_a_stateless_bot_can_derive_everything_from_the_history(seats):
    """Course, odds, points, backs and horses follow from the history in the view."""
    for table in random_playout(GAME, seats, GAME.options(), Seed.of(f"history/{seats}")):
        follow(table.state.table())


def follow(table):
    """Play a table's history again from nothing but itself."""
    horses = [*table.horses]
    for _ in range(table.race - 1):  # back to the first race
        circle = table.circle
        horses = [horses[circle[(circle.index(place) + 1) % 4]] for place in range(4)]
    odds, points, trick = [2] * 4, [0] * table.seats, 0
    for race in range(table.race):
        standing, spaces = [*table.stacks[4 * race : 4 * race + 4]], [0] * 4
        backs = [*table.horse_colors]
        left = [backs[4 * (horse - 1) : 4 * horse] for horse in horses]
        for place in range(4):
            for color in (COLOR[table.turned_up[4 * race + place]], table.discard_colors[4 * race + place]):
                if color:
                    left[place][color - 1] -= 1
        for _ in range(table.tricks[race]):
            played, order = (
                table.played[4 * trick : 4 * trick + 4],
                playing_order(table.seats, table.circle, table.leaders[trick]),
            )
            best = winning(played, table.whips_at[trick])
            advance(standing, spaces, horses[order[best]], MARKS[played[best]])
            for place, card in zip(order, played, strict=True):
                left[place][COLOR[card] - 1] -= 1
            trick += 1
        if race < len(table.finishes) // 4:
            assert table.finishes[4 * race : 4 * race + 4] == tuple(standing)
            now = slice(table.seats * race, table.seats * (race + 1))
            bets = list(zip(table.tickets_up[now], table.tickets_down[now], strict=True))
            points = [a + b for a, b in zip(points, payout(standing, odds, horses, bets), strict=True)]
        if race < table.race - 1:
            odds = next_odds(standing, odds)
            before = dict(zip(table.circle, [horses[place] for place in table.circle], strict=True))
            for at, place in enumerate(table.circle):
                horses[place] = before[table.circle[at - 1]]
    order = playing_order(table.seats, table.circle, table.leader)
    for place, card in zip(order, table.trick, strict=False):
        left[place][COLOR[card] - 1] -= 1
    assert (table.standing, table.spaces) == (tuple(standing), tuple(spaces))
    assert (table.odds, table.points, table.horses) == (tuple(odds), tuple(points), tuple(horses))
    assert table.hand_colors == tuple(number for place in left for number in place)
    assert table.start == table.circle[table.race - 1]


def test_discards_and_face_down_tickets_are_shown_to_their_seat_only(state):
    for text in ("discard RED-1", "ticket down WIN"):
        action = GAME.parse(text)
        assert state.shown(0, 0, action) == action
        assert [state.shown(viewer, 0, action) for viewer in (None, 1, 2, 3)] == [None] * 4


@pytest.mark.parametrize("text", ["ticket up WIN", "play RED-1", "play RED-1 whip"])
def test_everything_else_is_done_in_the_open(state, text):
    action = GAME.parse(text)
    assert [state.shown(viewer, 0, action) for viewer in (None, 0, 1, 2, 3)] == [action] * 5


def test_the_public_table_is_told_on_one_line(piles, do):
    state = arrange_paddock(piles, seats=3)
    names = "VANILLA_BEANS FORET_NOIRE SILVER_ARRASAN GATEAU_OPERA"
    pile = "RED-10 BLUE-10 YELLOW-10 GREEN-10 RED-11 BLUE-11 YELLOW-11 GREEN-11 YELLOW-12 GREEN-12"
    assert GAME.describe(state) == (
        f"race 1/3 | points 0 0 0 | odds 2 2 2 2 | horses {names} | stack {names} | seat 0 starts and shows RED-9, "
        "discard number 9 | turned up GREEN-2 GREEN-5 GREEN-8 RED-12 | "
        f"dummy {pile}, without BLUE-12 | to discard: 0 1 2"
    )
    do(state, "1: discard RED-4")
    assert GAME.describe(state) == "race 1/3 | to discard: 0 2"
    do(state, "discard RED-1", "discard RED-7")
    assert GAME.describe(state) == "race 1/3 | seat 1 lays a ticket face up"
    do(state, "ticket up WIN")
    assert GAME.describe(state) == "race 1/3 | seat 2 lays a ticket face up | face up . WIN ."
    do(state, "ticket up FORET_NOIRE", "ticket up GATEAU_OPERA")
    assert GAME.describe(state) == (
        "race 1/3 | face up GATEAU_OPERA WIN FORET_NOIRE | to lay a ticket face down: 0 1 2"
    )
    do(state, *["ticket down VANILLA_BEANS"] * 3)
    course = " ".join(f"{name}:0" for name in names.split())
    assert GAME.describe(state) == f"race 1/3 | seat 0 leads | course {course} | whips 2 2 2 2"
    do(state, "play RED-3 whip")
    assert GAME.describe(state) == "race 1/3 | seat 1 plays | trick RED-3 whip"


def test_the_end_is_told_with_what_it_paid(do):
    state = arrange(["RED-9", "RED-1", "RED-2", "RED-3"])
    do(state, "play RED-9", "play RED-1", "play RED-2", "play RED-3")
    assert GAME.describe(state) == (
        "over | finish VANILLA_BEANS FORET_NOIRE SILVER_ARRASAN GATEAU_OPERA | tickets WIN+VANILLA_BEANS "
        "VANILLA_BEANS+WIN FORET_NOIRE+WIN SILVER_ARRASAN+WIN | points 7 5 0 0"
    )


def test_seen_are_cards_played_tickets_face_up_horses_that_moved_and_the_whip(do):
    state = arrange(["RED-9 BLUE-1", "RED-1 BLUE-2", "RED-2 BLUE-3", "RED-3 BLUE-4"])
    up = {"ticket WIN", "ticket VANILLA_BEANS", "ticket FORET_NOIRE", "ticket SILVER_ARRASAN"}
    assert state.seen_components() == up
    do(state, "play RED-9", "play RED-1", "play RED-2", "play RED-3 whip")
    assert state.seen_components() == up | {"RED-9", "RED-1", "RED-2", "RED-3", "whip", "horse VANILLA_BEANS"}


def test_horses_are_listed_in_the_order_of_the_contract():
    assert [*HORSES] == [1, 2, 3, 4]
