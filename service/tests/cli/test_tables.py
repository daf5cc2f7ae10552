"""Tables in a terminal: as they look, and that there is one for every position of every game."""

import io
import os
from pathlib import Path

import pytest
from rich.console import Console

from croupier.v1 import game_pb2
from croupier_games.kernel import Record, Seed, find_game, games, replaying
from croupier_games.kernel.playout import random_playout
from croupier_service.cli.tables import LOOKS, look_of
from croupier_service.wire.messages import GameWire
from croupier_service.wire.registry import codecs

GOLDENS = Path(__file__).parent / "goldens"
RECORDS = Path(__file__).parents[3] / "tests/golden"
BOTS = ["ann", "bob", "house:greedy", "dora", "eve"]
SHOWN = {
    "trick-and-trade": [("four-seats", (0, 3, 45)), ("three-seats", (1, 10_000))],
    "trick-stakes": [("three-seats-early-end", (0, 6, 28)), ("whip-for-another", (9, 60, 10_000))],
    "trades": [("five-greedy-bots", (0, 10, 10_000)), ("free-for-all", (0, 5, 27))],
    "trade-and-triumph": [("greedy-two-seats", (0, 40)), ("every-card", (300, 700, 10_000))],
}
"""For each game records, and steps of them to show; the last ones are the end."""


def drawn(table, width=200, **how):
    console = Console(width=width, file=io.StringIO(), highlight=False, **how)
    console.print(table)
    return "".join(line.rstrip() + "\n" for line in console.file.getvalue().splitlines())


def table_of(game, state, seats):
    view = GameWire(codecs()[game]).view(state.public_view())
    return look_of(game).table(view, BOTS[:seats])


def golden(game):
    parts = []
    for name, steps in SHOWN[game]:
        record = Record.from_text((RECORDS / game / f"{name}.txt").read_text("utf-8"), find_game)
        for number, table in enumerate(replaying(record, find_game(game))):
            if number in steps or (10_000 in steps and number == len(record.inputs)):
                parts.append(f"=== {name}, after {number} inputs\n\n{drawn(table_of(game, table.state, record.seats))}")
    return "\n".join(parts)


@pytest.mark.parametrize("game", SHOWN)
def test_the_table_looks_as_it_should(game):
    path = GOLDENS / f"{game}.txt"
    text = golden(game)
    if os.environ.get("CROUPIER_REWRITE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text("utf-8")


def test_every_game_has_a_look_and_a_golden_one():
    assert set(LOOKS) == set(games()) == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_there_is_a_table_for_every_position_at_any_number_of_seats(name):
    game = games()[name]
    look = look_of(name)
    wire = GameWire(codecs()[name])
    options = game.options({"round_cap": "8"} if name == "trade-and-triumph" else {})
    for seats in game.seat_range:
        bots = [f"bot{seat}" for seat in range(seats)]
        for number, table in enumerate(random_playout(game, seats, options, Seed.of(f"tables/{seats}"))):
            view = wire.view(table.state.public_view())
            hash(look.chapter(view))
            if number % 9 == 0 or table.state.result() is not None:
                text = drawn(look.table(view, bots))
                assert all(bot in text for bot in bots)


def test_the_dummy_has_its_row_also_when_it_has_played_all_its_cards():
    game = games()["trick-stakes"]
    *_, last = random_playout(game, 3, game.options({}), Seed.of("c0"))
    assert last.state.public_view().table.dummy == ()
    assert "3 dummy" in drawn(table_of("trick-stakes", last.state, 3)).rpartition("seat ")[2]


@pytest.mark.parametrize("name", SHOWN)
def test_every_action_has_a_text_and_those_that_nobody_may_know_show_no_card(name):
    game = games()[name]
    look = look_of(name)
    wire = GameWire(codecs()[name])
    seats = game.seat_range[0]
    options = game.options({"round_cap": "8"} if name == "trade-and-triumph" else {})
    texts = set()
    for table in random_playout(game, seats, options, Seed.of("actions")):
        look.table(wire.view(table.state.public_view()), BOTS[:seats])
        for move in table.moves[table.latest :]:
            shown = table.state.shown(None, move.seat, move.action)
            texts.add(look.action(wire.action(move.action)))
            if shown is not None:
                texts.add(look.action(wire.action(shown)))
    assert len(texts) > 10
    assert not [text for text in texts if "cannot read" in text]


def test_cards_that_are_face_down_are_counted():
    look = look_of("trades")
    trades = [{"offer": {"cards": [0, 0, 0]}}, {"give": {"cards": [0]}}, {"deck_trade": 0}]
    assert [look.action(game_pb2.GameAction(trades=own)) for own in trades] == [
        "lays 3 cards face down",
        "gives 1 card, and those that were drawn",
        "trades a card with the deck",
    ]


def test_cards_of_an_edition_that_is_not_installed_have_their_numbers():
    game = find_game("trade-and-triumph")
    table = next(random_playout(game, 2, game.options(), Seed.of("x")))
    view = GameWire(codecs()["trade-and-triumph"]).view(table.state.public_view())
    own = view.trade_and_triumph.table
    own.edition, own.shown_card = "somebody's own", 7
    look = look_of("trade-and-triumph")
    assert "card 7" in drawn(look.table(view, BOTS[:2]))
    assert look.action(game_pb2.GameAction(trade_and_triumph={"play": 7})) == "play card 7"


def test_a_game_that_is_not_known_is_shown_by_what_there_is_to_say():
    look = look_of("chess")
    view = game_pb2.GameView()
    assert drawn(look.table(view, BOTS)) == "(a table of chess, which this program cannot draw)\n"
    assert look.chapter(view) is None
    assert "cannot read" in look.action(game_pb2.GameAction())


def test_cards_have_colours_on_a_terminal_and_none_elsewhere():
    game = find_game("trick-and-trade")
    table = next(random_playout(game, 3, game.options(), Seed.of("x")))
    shown = table_of("trick-and-trade", table.state, 3)
    assert "\x1b[" in drawn(shown, force_terminal=True, color_system="standard")
    assert "\x1b[" not in drawn(shown)
