"""The tests share ``tabletop.py`` beside this file."""

import sys
from pathlib import Path

import pytest

from croupier_games.kernel import Seed
from croupier_games.trade_and_triumph import GAME, Options, TradeAndTriumph, load

sys.path.insert(0, str(Path(__file__).parent))

from tabletop import LOOSE, TINY, give


@pytest.fixture
def tiny():
    """The game with the tiny edition."""
    return TradeAndTriumph({"tiny": TINY})


@pytest.fixture
def with_card():
    """A state at seat 0's turn, with one more card in its hand: ``with_card("specialty", "play = [{ gold = 3 }]")``."""

    def with_card(deck, text, seats=2, cost=0):
        price = "" if deck == "specialty" else f"cost = {cost}\n"
        edition = load(f'{LOOSE}[[{deck}]]\nname = "It"\n{price}{text}\n')
        state = TradeAndTriumph({"loose": edition}).deal(
            seats, Options(edition="loose", first_seat=0), Seed.of("loose")
        )
        give(state, 0, "It")
        return state

    return with_card


@pytest.fixture
def deal():
    """A game of the standard edition in which seat 0 begins."""

    def deal(seats=2, seed="a test", **options):
        return GAME.deal(seats, Options(**{"first_seat": 0} | options), Seed.of(seed))

    return deal
