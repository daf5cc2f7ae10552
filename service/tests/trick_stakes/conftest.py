"""Fixtures; and the tests here may import their helpers by name."""

import sys
from pathlib import Path

import pytest

from croupier_games.trick_stakes import GAME

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def do():
    """Does what the texts say, for the first seat that is to act or the one that is named: ``"2: ticket up WIN"``."""

    def do(state, *texts):
        for text in texts:
            who, colon, what = text.rpartition(": ")
            state.apply(int(who) if colon else state.to_act()[0], GAME.parse(what))

    return do


@pytest.fixture
def offered():
    """What a seat may do, as texts; by default the first one that is to act."""

    def offered(state, seat=None):
        actions = state.legal_actions(state.to_act()[0] if seat is None else seat)
        return [GAME.notation(action) for action in actions]

    return offered


@pytest.fixture
def forced():
    """The moves that the engine made since the last call, as texts by seat."""

    def forced(state):
        return [(seat, GAME.notation(action)) for seat, action in state.drain_engine_moves()]

    return forced


@pytest.fixture
def piles():
    """Four shuffled piles, the top first. Whoever starts with the first of them shows RED-9."""
    return [
        "RED-9 RED-1 BLUE-1 YELLOW-1 GREEN-1 RED-2 BLUE-2 YELLOW-2 GREEN-2 RED-3 BLUE-3 YELLOW-3",
        "GREEN-3 RED-4 BLUE-4 YELLOW-4 GREEN-4 RED-5 BLUE-5 YELLOW-5 GREEN-5 RED-6 BLUE-6 YELLOW-6",
        "GREEN-6 RED-7 BLUE-7 YELLOW-7 GREEN-7 RED-8 BLUE-8 YELLOW-8 GREEN-8 BLUE-9 YELLOW-9 GREEN-9",
        "RED-10 BLUE-10 YELLOW-10 GREEN-10 RED-11 BLUE-11 YELLOW-11 GREEN-11 RED-12 BLUE-12 YELLOW-12 GREEN-12",
    ]
