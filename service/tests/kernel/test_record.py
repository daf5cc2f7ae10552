"""Records: a game as text, and the proof that its result follows from the rules."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import GAME, Guess, Options

from croupier_games.kernel import (
    Chosen,
    Record,
    RecordError,
    Seed,
    Substituted,
    Ticked,
    Vacated,
    annotated,
    replay,
    verify,
)
from croupier_games.kernel.playout import random_playout

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


def read(text):
    return Record.from_text(text, find)


def line_with(old, new):
    assert old in TEXT
    return TEXT.replace(old, new)


def test_a_record_is_read_as_written():
    record = read(TEXT)
    assert (record.game, record.rules_version, record.seats) == ("high-card", 1, 2)
    assert record.options == Options(hand=2)
    assert record.seed == Seed.of("b")
    assert record.inputs[1:] == (Substituted(1), Vacated(1), Chosen(0, Guess(high=True)), Ticked(1000), Ticked(1500))
    assert record.to_text(GAME) == TEXT


def test_a_record_verifies():
    result = verify(read(TEXT), GAME)
    assert result.points == (1, 0)
    assert result.forfeited == (False, True)


def test_comments_and_empty_lines_are_ignored():
    assert read("# a comment\n\n" + TEXT.replace("\n", "\n  # another\n\n")) == read(TEXT)


def test_an_annotated_record_shows_what_followed_from_each_input():
    text = annotated(read(TEXT), GAME)
    assert read(text) == read(TEXT)
    lines = text.splitlines()
    at = lines.index("input 1 substitute")
    assert re.fullmatch(r"#   substituted 1 lay \d", lines[at + 1])
    assert re.fullmatch(r"#   forced 0 lay \d", lines[at + 2])
    assert re.fullmatch(r"#   forced 1 lay \d", lines[at + 3])
    assert re.fullmatch(r"#   bell, points \d \d", lines[at + 4])
    at = lines.index("input 0 lay 4")
    assert lines[at + 1] == "#   laying, points 0 0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: a record starts with 'croupier-record 1'"),
        ("# hello\n\ncroupier-record 2\n", "line 3: a record starts with 'croupier-record 1'"),
        (line_with("game high-card", "game chess"), "line 2: 'game chess': 'chess'"),
        (line_with("rules 1", "rules one"), "line 3: 'rules one': 'one' is not a whole number"),
        (line_with("seats 2\n", ""), "a record has the lines game, rules, seats and seed"),
        (line_with("option hand 2", "option hand many"), "option hand: is a whole number, not 'many'"),
        (line_with("option hand 2", "option feet 2"), "option feet: no such option; there are: hand, bell_ms"),
        (line_with("option hand 2", "option hand 0"), "option hand: at least one card, not 0"),
        (line_with("seed ", "seed 00"), "line 6: 'seed 00.*': a seed has 32 bytes, got 33"),
        (line_with("seed ", "seed x"), "line 6: 'seed x.*': non-hexadecimal number"),
        (line_with("lay 4", "lie 4"), "line 7: 'input 0 lie 4': 'lie 4' is no action; write 'lay 7'"),
        (line_with("input 0 lay 4", "input zero lay 4"), "line 7: .*: 'zero' is not a whole number"),
        (line_with("input 0 lay 4", "input 0"), "line 7: 'input 0': '' is no action"),
        (line_with("tick 1000", "tick soon"), "line 11: 'input tick soon': 'soon' is not a whole number"),
        (line_with("result points", "result medals"), "line 13: .*: results are points and placings"),
        (line_with("result points 1", "result points ?"), "line 13: .*: '\\?' is not a whole number"),
        (
            line_with("seats 2", "chairs 2"),
            "line 4: .*: lines are game, rules, seats, option, seed, commitment, input and result",
        ),
        (line_with("seats 2", "seats 2\nseats 3"), "line 5: 'seats 3': there is a line 'seats' already"),
        (line_with("seats 2", "seats 2\ngame high-card"), "line 5: .*: there is a line 'game' already"),
        (
            line_with("option hand 2", "option hand 2\noption hand 3"),
            "line 6: .*: there is a line 'option hand' already",
        ),
        (line_with("game high-card\n", "") + "game high-card\n", "line 6: .*: the game line comes first"),
    ],
)
def test_a_record_that_cannot_be_read_names_the_line(text, message):
    with pytest.raises(RecordError, match=f"^{message}"):
        read(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            line_with("input 0 lay 4", "input 0 lay 9"),
            r"input 1 \(input 0 lay 9\) breaks lay.in-hand: seat 0 does not hold 9",
        ),
        (line_with("input 1 substitute", "input 0 substitute"), r"input 2 \(input 0 substitute\) breaks seat.to-act: "),
        (
            line_with("input 0 guess high", "input 1 guess high"),
            r"input 4 \(input 1 guess high\) breaks seat.vacated: ",
        ),
        (line_with("input 1 vacate", "input 7 vacate"), r"input 3 \(input 7 vacate\) breaks seat.range: "),
        (line_with("tick 1500", "tick 999"), r"input 6 \(input tick 999\) breaks time.forward: "),
        (line_with("tick 1500\n", "tick 1500\ninput 0 vacate\n"), r"input 7 \(input 0 vacate\) breaks game.over: "),
        (line_with("seats 2", "seats 8"), "seats: High Card is played with 2 to 4 seats, not 8"),
        (line_with("rules 1", "rules 2"), "the record is of high-card rules 2, this is high-card rules 1"),
    ],
)
def test_a_record_that_does_not_follow_from_the_rules_names_the_input(text, message):
    for prove in (verify, annotated):
        with pytest.raises(RecordError, match=f"^{message}"):
            prove(read(text), GAME)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (line_with("points 1 0", "points 3 0"), r"claims points \(3, 0\), the rules give \(1, 0\)"),
        (line_with("placings 1 2", "placings 2 1"), r"claims placings \(2, 1\), the rules give \(1, 2\)"),
        (line_with("result points 1 0\nresult placings 1 2\n", ""), r"claims points \(\), the rules give"),
        (line_with("input 0 guess high", "input 0 guess low"), r"claims points \(1, 0\), the rules give \(3, 0\)"),
        (line_with("input tick 1500\n", ""), "the game is not over after its 5 inputs"),
    ],
)
def test_a_forged_record_is_found_out(text, message):
    with pytest.raises(RecordError, match=message):
        verify(read(text), GAME)


def test_another_seed_is_found_out():
    with pytest.raises(RecordError):
        verify(replace(read(TEXT), seed=Seed.of("another")), GAME)


def test_an_unfinished_record_replays_to_where_it_was_left():
    record = replace(read(TEXT), inputs=read(TEXT).inputs[:2], points=(), placings=())
    table = replay(record, GAME)
    assert table.result() is None
    assert Record.of(table) == record
    assert read(record.to_text(GAME)) == record


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=5), st.integers(2, 4), st.integers(0, 6), st.integers(1, 4))
def test_every_game_verifies_from_its_text(text, seats, leaves_after, one_in):
    options = Options(hand=3, bell_ms=None if leaves_after == 0 else 700)
    *_, table = random_playout(
        GAME, seats, options, Seed.of(text), vacate_after={0: leaves_after}, substitute_one_in=one_in
    )
    record = Record.of(table)
    assert read(record.to_text(GAME)) == record
    assert verify(read(annotated(record, GAME)), GAME) == table.result()


# What programs are told of an error.


def test_an_error_of_reading_has_the_line():
    with pytest.raises(RecordError) as error:
        read(line_with("seats 2", "chairs 2"))
    assert (error.value.line, error.value.number) == (4, None)


def test_an_error_of_the_rules_has_the_input_its_seat_and_the_rule():
    with pytest.raises(RecordError) as error:
        verify(read(line_with("input 1 substitute\n", "input 1 lay 99\n")), GAME)
    assert (error.value.number, error.value.seat, error.value.rule) == (2, 1, "lay.in-hand")


def test_an_input_of_no_seat_has_none():
    with pytest.raises(RecordError) as error:
        verify(read(line_with("input tick 1500", "input tick 999")), GAME)
    assert (error.value.number, error.value.seat, error.value.rule) == (6, None, "time.forward")


# Commitments.


def committed(seed):
    return line_with("input 0 lay 4", f"commitment {Seed.of(seed).commitment().hex()}\ninput 0 lay 4")


def test_a_commitment_is_read_and_written():
    record = read(committed("b"))
    assert record.commitment == Seed.of("b").commitment()
    assert record.to_text(GAME) == committed("b")


def test_a_seed_that_was_committed_to_verifies():
    assert verify(read(committed("b")), GAME).points == (1, 0)


def test_a_seed_that_was_not_committed_to_does_not_verify():
    with pytest.raises(
        RecordError, match=r"^the seed is not the one that was committed to: its SHA-256 is [0-9a-f]{64},"
    ):
        verify(read(committed("c")), GAME)


def test_a_commitment_has_32_bytes():
    with pytest.raises(RecordError, match=r"^line 7: 'commitment 00': a commitment has 64 hexadecimal digits, not 2"):
        read(line_with("input 0 lay 4", "commitment 00\ninput 0 lay 4"))
