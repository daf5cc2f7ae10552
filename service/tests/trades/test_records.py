"""Games as records, copies that live apart, and the kernel's conformance suite."""

import pytest

from croupier_games.kernel import Record, Seed, annotated, find_game, replay, verify
from croupier_games.kernel.conformance import (
    CHECKS,
    Trial,
    check_declaration,
    check_forfeits,
    check_hash_seed,
    check_records,
    check_turns,
)
from croupier_games.kernel.playout import play_out, random_playout
from croupier_games.trades import GAME, Options

STYLES = {
    "turns": Options(turns_per_seat=3),
    "turns against time": Options(turns_per_seat=20, time_limit_ms=1_000),
    "free-for-all": Options(style="free-for-all", time_limit_ms=1_000),
}
SEED = "9"
"""Of which no style makes a long game: 15, 46 and 47 inputs."""
TRIALS = [
    *((check, "turns") for check in CHECKS if check is not check_hash_seed),
    *((check, "free-for-all") for check in CHECKS if check is not check_declaration),
    *((check, "turns against time") for check in (check_turns, check_records, check_forfeits)),
]


@pytest.mark.parametrize(("check", "style"), TRIALS, ids=lambda value: getattr(value, "__name__", value))
def test_conformance(check, style):
    check(Trial(GAME, 3, options=STYLES[style], positions=2, seed=SEED))


def test_the_game_is_registered():
    assert find_game("trades") is GAME


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seats", [3, 8])
def test_a_record_survives_as_text_and_verifies(seats, style):
    seed, options = Seed.of(f"record/{seats}"), STYLES[style]
    *_, table = random_playout(GAME, seats, options, seed, vacate_after={2: 11}, substitute_one_in=7)
    record = Record.of(table)
    assert Record.from_text(record.to_text(GAME), find_game) == record
    assert Record.from_text(annotated(record, GAME), find_game) == record
    assert verify(record, GAME) == table.result()
    assert replay(record, GAME).moves == table.moves


@pytest.mark.parametrize("style", STYLES)
def test_a_clone_lives_apart(style):
    """Whatever becomes of the copy, the original stays as it was, and the other way round."""
    dice = Seed.of("clone").dice("test")
    for game in random_playout(GAME, 4, STYLES[style], Seed.of("clone")):
        if len(game.inputs) % 5:
            continue
        original = game.state.clone()
        before = parts(original)
        copy = original.clone()
        assert parts(copy) == before
        play_out(copy, dice, game.now_ms, stop_after=20)
        assert parts(original) == before
        ended = parts(copy)
        play_out(original, dice, game.now_ms, stop_after=20)
        assert parts(copy) == ended


def parts(state):
    """Everything that a state consists of, copied, but for what is only found once."""
    taken = {"memory": [(state.memory.last_seen(seat), state.memory.left_since(seat)) for seat in range(state.seats)]}
    for name in {*type(state).__slots__} - {"memory", "public", "_asked", "_acting", "sets"}:
        part = getattr(state, name)
        taken[name] = [*map(list, part)] if name == "hands" else part.copy() if isinstance(part, list | dict) else part
    return taken
