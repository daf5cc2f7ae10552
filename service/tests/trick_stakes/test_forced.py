"""What leaves no choice is not asked: the engine does it and says so."""

import pytest

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_stakes import GAME, Phase, arrange
from croupier_games.trick_stakes.cards import cards

NO_WHIPS = [0, 0, 0, 0]


def test_the_only_card_of_the_colour_led_is_played_where_there_is_no_whip(do, forced):
    state = arrange(["RED-5 BLUE-1", "RED-2 BLUE-2", "BLUE-9 BLUE-3", "RED-8 GREEN-8"], whips=NO_WHIPS)
    do(state, "play RED-5")
    assert forced(state) == [(1, "play RED-2")]
    assert state.to_act() == (2,)


def test_a_seat_with_one_card_and_a_whip_is_asked(do, offered, forced):
    state = arrange(["RED-5 BLUE-1", "RED-2 BLUE-2", "BLUE-9 BLUE-3", "RED-8 GREEN-8"], whips=[0, 1, 0, 0])
    do(state, "play RED-5")
    assert forced(state) == []
    assert offered(state) == ["play RED-2", "play RED-2 whip"]


def test_nor_is_it_asked_when_somebody_has_declared(do, forced):
    state = arrange(["RED-5 BLUE-1", "RED-2 BLUE-2", "BLUE-9 BLUE-3", "RED-8 GREEN-8"], whips=[1, 1, 0, 0])
    do(state, "play RED-5 whip")
    assert forced(state) == [(1, "play RED-2")]


def test_last_cards_are_played_and_the_race_ends(do, forced):
    state = arrange(["RED-5 BLUE-1", "RED-2 BLUE-2", "RED-9 BLUE-3", "RED-8 BLUE-4"], whips=NO_WHIPS)
    do(state, "play RED-5")
    assert forced(state) == [
        *[(1, "play RED-2"), (2, "play RED-9"), (3, "play RED-8")],
        *[(2, "play BLUE-3"), (3, "play BLUE-4"), (0, "play BLUE-1"), (1, "play BLUE-2")],
    ]
    assert state.phase is Phase.OVER
    assert state.played == tuple(cards("RED-5 RED-2 RED-9 RED-8 BLUE-3 BLUE-4 BLUE-1 BLUE-2"))


def test_a_whole_race_may_be_forced(forced):
    state = arrange(["RED-5", "RED-2", "RED-9", "RED-8"], whips=NO_WHIPS)
    assert state.result() is not None
    assert len(forced(state)) == 4


def test_moves_are_reported_once(do, forced):
    state = arrange(["RED-5 BLUE-1", "RED-2 BLUE-2", "BLUE-9 BLUE-3", "RED-8 GREEN-8"], whips=NO_WHIPS)
    do(state, "play RED-5")
    assert forced(state)
    assert forced(state) == []


@pytest.mark.parametrize("seats", [3, 4])
def test_nobody_is_ever_asked_with_one_thing_to_do(seats):
    for number in range(5):
        for table in random_playout(GAME, seats, GAME.options(), Seed.of(f"forced/{seats}/{number}")):
            for seat in table.state.to_act():
                assert len(table.state.legal_actions(seat)) > 1


@pytest.mark.parametrize("seats", [3, 4])
def test_with_what_the_engine_did_every_trick_is_complete(seats):
    *_, table = random_playout(GAME, seats, GAME.options(), Seed.of(f"moves/{seats}"))
    plays = [move.action.card for move in table.moves if GAME.notation(move.action).startswith("play")]
    assert tuple(plays) == table.state.played
    assert len(plays) == 4 * sum(table.state.tricks)
