import sys
from pathlib import Path

import pytest

from croupier_games.trades import GAME, arrange
from croupier_games.trades.cards import names

sys.path.insert(0, str(Path(__file__).parent))  # for trades_invariants.py

HANDS = (
    "AC 2C 3C 4C 5C 6C 7C",
    "AD 2D 3D 4D 5D 6D 7D",
    "AH 2H 3H 4H 5H 6H 7H",
    "AS 2S 3S 4S 5S 6S 7S",
    "8C 9C 10C JC QC KC 8D",
)


@pytest.fixture
def table():
    """A position of so many seats: low clubs for seat 0, low diamonds for seat 1, hearts, spades, high clubs."""

    def table(seats=3, deck="KS QS JS 10S", **kept):
        return arrange(HANDS[:seats], deck, **kept)

    return table


@pytest.fixture
def do():
    """Does what the texts say, seat by seat: ``do(state, "0 declare 1", "0 offer 6C 7C", "1 give 7D")``."""

    def do(state, *texts):
        for text in texts:
            seat, _, action = text.partition(" ")
            state.apply(int(seat), GAME.parse(action))

    return do


@pytest.fixture
def trade(do):
    """Carries a trade out: the declarer offers these cards, or the first it may, and the target gives the first it may.

    Returns what the target gave.
    """

    def trade(state, declarer, target, offered=None):
        do(state, f"{declarer} declare {target}")
        offer = state.legal_actions(declarer)[0] if offered is None else GAME.parse(f"offer {offered}")
        state.apply(declarer, offer)
        held = {*state.hands[target]}
        state.apply(target, state.legal_actions(target)[0])
        return held - {*state.hands[target]}

    return trade


@pytest.fixture
def drawing(table, do):
    """A position in which seat 0 has offered cards to seat 1, and these were drawn from seat 1's hand."""

    def drawing(drawn, offered, **kept):
        for number in range(1000):
            state = table(draws=f"{number}", **kept)
            do(state, "0 declare 1", f"0 offer {offered}")
            if names(state.view(1).drawn) == drawn:
                return state
        raise AssertionError(f"{drawn} is never drawn")

    return drawing


@pytest.fixture
def may():
    """What a seat may do, as texts."""

    def may(state, seat):
        return [GAME.notation(action) for action in state.legal_actions(seat)]

    return may
