"""Games as records, copies that live apart, and the kernel's conformance suite."""

import pytest

from croupier_games.kernel import Record, RecordError, Seed, Table, annotated, find_game, replay, verify
from croupier_games.kernel.conformance import CHECKS, ONCE, Trial
from croupier_games.kernel.playout import play_out, random_playout
from croupier_games.trick_stakes import GAME


@pytest.mark.parametrize(
    ("check", "seats"),
    [(check, seats) for check in CHECKS for seats in (3, 4) if seats == 3 or check not in ONCE],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_conformance(check, seats):
    check(Trial(GAME, seats))


def test_the_game_is_registered():
    assert find_game("trick-stakes") is GAME


@pytest.mark.parametrize("seats", [3, 4])
def test_a_record_survives_as_text_and_verifies(seats):
    seed = Seed.of(f"record/{seats}")
    *_, table = random_playout(GAME, seats, GAME.options(), seed, vacate_after={2: 11}, substitute_one_in=7)
    record = Record.of(table)
    assert Record.from_text(record.to_text(GAME), find_game) == record
    assert Record.from_text(annotated(record, GAME), find_game) == record
    assert verify(record, GAME) == table.result()
    assert replay(record, GAME).moves == table.moves


def test_the_dummy_s_moves_are_told_under_its_number():
    *_, table = random_playout(GAME, 3, GAME.options(), Seed.of("dummy"))
    assert "\n#   forced 3 play " in annotated(Record.of(table), GAME)


def test_a_record_that_breaks_a_rule_names_it():
    table = Table(GAME, 4, GAME.options(), Seed.of("cheat"))
    (legal, *_) = table.state.legal_actions(0)
    table.choose(0, legal)
    cheat = Record.of(table).to_text(GAME) + f"input 0 {GAME.notation(legal)}\n"
    with pytest.raises(RecordError, match=r"input 2 \(input 0 discard .*\) breaks turn: you have chosen"):
        replay(Record.from_text(cheat, find_game), GAME)


@pytest.mark.parametrize("seats", [3, 4])
def test_two_seatings_of_a_deal_have_the_same_cards_and_the_same_chance_in_every_race(seats):
    """Whatever the players do: stacks, top cards and cards turned up are the seed's alone."""
    seed = Seed.of("seatings")
    playouts = (random_playout(GAME, seats, GAME.options(), seed, Seed.of(who).dice("x")) for who in ("one", "two"))
    one, two = (list(playout)[-1].state for playout in playouts)
    assert one.played != two.played
    for part in ("cards", "circle", "stacks", "top_cards", "turned_up"):
        assert getattr(one, part) == getattr(two, part)


@pytest.mark.parametrize("seats", [3, 4])
def test_a_clone_lives_apart(seats):
    """Whatever becomes of the copy, the original stays as it was, and the other way round."""
    dice = Seed.of("clone").dice("test")
    for number, game in enumerate(random_playout(GAME, seats, GAME.options(), Seed.of(f"clone/{seats}"))):
        if number % 5:
            continue
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
        taken[name] = [list(p) if isinstance(p, list) else p for p in part] if isinstance(part, list) else part
    return taken
