"""Records as JSON: nothing is lost on the way, and what is wrong is named."""

import json
from pathlib import Path

import pytest
from json_schema import violations
from toy import GAME, Options

from croupier_games.kernel import Record, RecordError, Seed, find_game
from croupier_games.kernel.record_json import from_json, to_json

ROOT = Path(__file__).parents[3]
GOLDEN = sorted((ROOT / "tests/golden").glob("*/*.txt"))
RECORD = {
    "format": "croupier-record/1",
    "game": "high-card",
    "rules": 1,
    "seats": 2,
    "options": {"hand": 2},
    "seed": Seed.of("b").hex(),
    "inputs": [
        {"seat": 0, "action": "lay 4"},
        {"seat": 1, "substituted": True},
        {"seat": 1, "vacated": True},
        {"seat": 0, "action": "guess high"},
        {"now_ms": 1000},
        {"now_ms": 1500},
    ],
    "result": {"points": [1, 0], "placings": [1, 2]},
}
TEXT = f"""\
croupier-record 1
game high-card
rules 1
seats 2
option hand 2
seed {Seed.of("b").hex()}
input 0 lay 4
input 1 substitute
input 1 vacate
input 0 guess high
input tick 1000
input tick 1500
result points 1 0
result placings 1 2
"""


def find(name):
    return {GAME.name: GAME}[name]


def data(**changes):
    """The record with some members changed; None: left out."""
    return {name: value for name, value in {**RECORD, **changes}.items() if value is not None}


def test_a_record_is_what_it_is_as_text():
    assert to_json(Record.from_text(TEXT, find), GAME) == RECORD
    assert from_json(RECORD, find).to_text(GAME) == TEXT
    assert violations(RECORD) == []


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_nothing_is_lost_between_text_json_and_record(path):
    record = Record.from_text(path.read_text("utf-8"), find_game)
    game = find_game(record.game)
    line = json.dumps(to_json(record, game))
    again = from_json(json.loads(line), find_game)
    assert again == record
    assert Record.from_text(again.to_text(game), find_game) == record
    assert json.dumps(to_json(again, game)) == line
    assert violations(json.loads(line)) == []


@pytest.mark.parametrize("bell_ms", [None, 1, 1000, 10**12])
@pytest.mark.parametrize("committed", [True, False])
def test_options_and_commitments_survive(bell_ms, committed):
    seed = Seed.of("c")
    commitment = seed.commitment() if committed else b""
    record = Record("high-card", 1, 2, Options(hand=3, bell_ms=bell_ms), seed, (), (), (), commitment)
    assert from_json(json.loads(json.dumps(to_json(record, GAME))), find) == record
    assert violations(to_json(record, GAME)) == []


def test_other_members_are_not_looked_at():
    assert from_json(data(session={"id": "x", "bots": [], "reason": "finished"}), find) == from_json(data(), find)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (None, "a record is an object whose format is 'croupier-record/1'"),
        ([], "a record is an object whose format is 'croupier-record/1'"),
        (data(format="croupier-record/2"), "a record is an object whose format is 'croupier-record/1'"),
        (data(game=None), "game is missing"),
        (data(game=7), "game is a text, not 7"),
        (data(game="chess"), "game: 'chess'"),
        (data(rules="1"), "rules is a whole number, not '1'"),
        (data(seats=True), "seats is a whole number, not True"),
        (data(options=[]), "options is an object, not []"),
        (data(options={"hand": "many"}), "options.hand: is a whole number, not 'many'"),
        (data(options={"jokers": 2}), "options.jokers: no such option; there are: hand, bell_ms"),
        (data(seed="00"), "seed has 64 hexadecimal digits"),
        (data(seed="x" * 64), "seed has 64 hexadecimal digits"),
        (data(seed=None), "seed is missing"),
        (data(commitment="00"), "commitment has 64 hexadecimal digits"),
        (data(inputs=None), "inputs is missing"),
        (data(inputs={}), "inputs is a list, not {}"),
        (data(result=3), "result is an object, not 3"),
        (data(result={"points": [1.5], "placings": [1]}), "result.points are whole numbers, not [1.5]"),
    ],
)
def test_what_is_wrong_is_named(broken, message):
    with pytest.raises(RecordError) as error:
        from_json(broken, find)
    assert str(error.value) == message


@pytest.mark.parametrize(
    "item",
    [
        {"seat": 0},
        {"seat": True, "action": "lay 4"},
        {"seat": 0, "action": 4},
        {"seat": 0, "substituted": False},
        {"seat": 0, "vacated": True, "action": "lay 4"},
        {"now_ms": "1"},
        {"now_ms": True},
        "0 lay 4",
        None,
    ],
)
def test_an_input_that_is_none_is_named_by_its_number(item):
    with pytest.raises(RecordError, match=r"^input 2: is one of") as error:
        from_json(data(inputs=[{"seat": 0, "action": "lay 4"}, item]), find)
    assert error.value.number == 2


def test_an_action_that_is_none_is_named_by_its_number():
    with pytest.raises(RecordError, match=r"^input 1: ") as error:
        from_json(data(inputs=[{"seat": 0, "action": "shuffle"}]), find)
    assert error.value.number == 1


@pytest.mark.parametrize(
    "broken",
    [
        data(format="croupier-record/2"),
        data(seed="00"),
        data(inputs=[{"seat": 0}]),
        data(inputs=[{"seat": -1, "action": "lay 4"}]),
        data(inputs=[{"seat": 0, "substituted": False}]),
        data(inputs=[{"seat": 0, "vacated": True, "action": "lay 4"}]),
        data(inputs=[{"now_ms": 1.5}]),
        data(result={"points": [1]}),
        data(session={"id": "x", "bots": [], "reason": "bored"}),
        data(jokers=2),
        data(rules=None),
    ],
)
def test_the_published_schema_refuses_what_is_no_record(broken):
    assert violations(broken)
