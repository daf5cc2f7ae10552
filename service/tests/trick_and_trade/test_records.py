"""Games as records, copies that live apart, and the kernel's conformance suite."""

import pytest

from croupier_games.kernel import Record, RecordError, Seed, Table, annotated, find_game, replay, verify
from croupier_games.kernel.conformance import CHECKS, Trial
from croupier_games.kernel.playout import play_out, random_playout
from croupier_games.trick_and_trade import GAME, Options


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_conformance(check, seats):
    check(Trial(GAME, seats))


def test_the_game_is_registered():
    assert find_game("trick-and-trade") is GAME


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_record_survives_as_text_and_verifies(seats):
    seed = Seed.of(f"record/{seats}")
    *_, table = random_playout(GAME, seats, Options(first_leader=1), seed, vacate_after={2: 11}, substitute_one_in=7)
    record = Record.of(table)
    assert Record.from_text(record.to_text(GAME), find_game) == record
    assert Record.from_text(annotated(record, GAME), find_game) == record
    assert verify(record, GAME) == table.result()
    assert replay(record, GAME).moves == table.moves


def test_a_vacated_seat_is_placed_behind_all_others_whatever_its_points():
    *_, table = random_playout(GAME, 4, Options(), Seed.of("vacated"), vacate_after={3: 0})
    assert table.result().placings[3] == 4
    assert table.result().decided_by[3] == "forfeit"


def test_a_record_that_breaks_a_rule_names_it():
    table = Table(GAME, 3, Options(first_leader=0), Seed.of("cheat"))
    (legal, *_) = table.state.legal_actions(0)
    table.choose(0, legal)
    cheat = Record.of(table).to_text(GAME) + f"input 0 {GAME.notation(legal)}\n"
    with pytest.raises(RecordError, match=r"input 2 \(input 0 play .*\) breaks turn: it is the turn of seat 1"):
        replay(Record.from_text(cheat, find_game), GAME)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_clone_lives_apart(seats):
    """Whatever becomes of the copy, the original stays as it was, and the other way round."""
    dice = Seed.of("clone").dice("test")
    for game in random_playout(GAME, seats, Options(), Seed.of(f"clone/{seats}")):
        original = game.state.clone()
        before = parts(original)
        copy = original.clone()
        assert parts(copy) == before
        play_out(copy, dice)
        assert parts(original) == before
        ended = parts(copy)
        play_out(original, dice)
        assert parts(copy) == ended


def parts(state):
    """Everything that a state consists of, copied."""
    taken = {}
    for name in type(state).__slots__:
        part = getattr(state, name)
        taken[name] = [*map(dict, part)] if name == "hands" else part.copy() if isinstance(part, list | dict) else part
    return taken
