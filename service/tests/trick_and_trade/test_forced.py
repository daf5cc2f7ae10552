"""What leaves no choice is not asked: the engine does it and says so."""

import pytest

from croupier_games.kernel import Seed, Table
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_and_trade import GAME, Options, arrange

ROWS = ["NEV OCTO ZEUS", "NEV NEV+NEV ZEUS"]


@pytest.fixture
def state():
    return arrange(["NEV-1 ZEUS-1", "NEV-2 ZEUS-2", "NEV-3 ZEUS-3"], ROWS)


def test_everyone_s_last_card_is_played_from_the_leader_clockwise(state, do, forced):
    do(state, "play NEV-1", "play NEV-2", "play NEV-3", "take 0", "take lead", "take 1")
    assert forced(state) == [(1, "play ZEUS-2"), (2, "play ZEUS-3"), (0, "play ZEUS-1")]
    assert state.to_act() == (2,)


def test_the_last_placed_seat_takes_what_is_left_while_the_lead_card_is_there(state, do, forced):
    do(state, "play NEV-1", "play NEV-2", "play NEV-3", "take 0", "take 2")
    assert forced(state)[0] == (0, "take 1")


def test_getting_the_lead_card_with_it_is_no_move(state, do, forced):
    do(state, "play NEV-1", "play NEV-2", "play NEV-3", "take 0", "take 2")
    moves = forced(state)
    assert [move for move in moves if move[1].startswith("take")] == [(0, "take 1")]
    assert moves[1] == (0, "play ZEUS-1")  # it leads now


def test_getting_the_card_left_over_is_no_move(state, do, forced):
    do(state, "play NEV-1", "play NEV-2", "play NEV-3", "take lead", "take 2", "take 0")
    assert [text for _, text in forced(state)] == ["play ZEUS-3", "play ZEUS-1", "play ZEUS-2"]


def test_the_last_placed_seat_is_asked_when_the_lead_card_is_gone(state, do, forced):
    do(state, "play NEV-1", "play NEV-2", "play NEV-3", "take lead", "take 0")
    assert forced(state) == []
    assert state.to_act() == (0,)


def test_the_last_take_of_a_game_may_be_forced(do, forced):
    state = arrange(["NEV-1", "NEV-2", "NEV-3"], ["NEV OCTO ZEUS"])
    assert forced(state) == [(0, "play NEV-1"), (1, "play NEV-2"), (2, "play NEV-3")]
    do(state, "take 1", "take 0")
    assert forced(state) == [(0, "take 2")]
    assert state.to_act() == ()
    assert state.result() is not None


def test_moves_are_reported_once(state, do, forced):
    do(state, "play NEV-1", "play NEV-2", "play NEV-3", "take 0", "take 2")
    assert forced(state)
    assert forced(state) == []


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_nobody_is_ever_asked_with_one_thing_to_do(seats):
    for table in random_playout(GAME, seats, Options(), Seed.of(f"forced/{seats}")):
        for seat in table.state.to_act():
            assert len(table.state.legal_actions(seat)) > 1


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_with_what_the_engine_did_every_seat_has_played_and_taken_once_a_round(seats):
    *_, table = random_playout(GAME, seats, Options(), Seed.of(f"moves/{seats}"))
    assert isinstance(table, Table)
    rounds = len(table.moves) // (2 * seats)
    assert rounds == table.state.rounds
    for number in range(2 * rounds):
        moves = table.moves[seats * number : seats * (number + 1)]
        assert sorted(move.seat for move in moves) == list(range(seats))
        assert {GAME.notation(move.action).split()[0] for move in moves} == {"take" if number % 2 else "play"}
