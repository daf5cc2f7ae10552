import pytest

from croupier_games.trick_and_trade import GAME


@pytest.fixture
def do():
    """Does what the texts say, each for the seat whose turn it is: ``do(state, "play NEV-7", "take lead")``."""

    def do(state, *texts):
        for text in texts:
            (seat,) = state.to_act()
            state.apply(seat, GAME.parse(text))

    return do


@pytest.fixture
def offered():
    """What the seat whose turn it is may do, as texts."""

    def offered(state):
        (seat,) = state.to_act()
        return [GAME.notation(action) for action in state.legal_actions(seat)]

    return offered


@pytest.fixture
def forced():
    """The moves that the engine made since the last call, as texts by seat."""

    def forced(state):
        return [(seat, GAME.notation(action)) for seat, action in state.drain_engine_moves()]

    return forced
