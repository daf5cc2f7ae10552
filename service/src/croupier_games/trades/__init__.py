"""Trades, 3 to 14 seats: exchange your cards with the others and with the deck, and hold the least in the end.

``RULES.md`` beside this file says how it is played. The code reads in this order: ``cards``, ``actions``, ``rules``,
``trading``, ``scoring``, ``state``, ``memory``, ``view``, ``game``; ``history`` and ``redealing`` are for re-deals, and
``arrange`` is for positions of your own.

    >>> from croupier_games.kernel import Seed
    >>> state = GAME.deal(4, Options(), Seed.of("an example"))
    >>> (seat,) = state.to_act()
    >>> action = state.legal_actions(seat)[0]
    >>> state.apply(seat, action)
    >>> GAME.notation(state.legal_actions(seat)[0])
    'offer 4C 5C'
"""

from .actions import Action, DeckTrade, Declare, Decline, Give, LastDeckTrade, Offer, Pass
from .arrange import arrange
from .cards import Card
from .game import Options, Trades
from .rules import Phase, Style
from .state import State
from .trading import TradeStatus, VoidReason
from .view import Table, Trade, View

GAME = Trades()
"""The game, as registered under ``croupier.games``."""

__all__ = [
    "GAME",
    "Action",
    "Card",
    "DeckTrade",
    "Declare",
    "Decline",
    "Give",
    "LastDeckTrade",
    "Offer",
    "Options",
    "Pass",
    "Phase",
    "State",
    "Style",
    "Table",
    "Trade",
    "TradeStatus",
    "Trades",
    "View",
    "VoidReason",
    "arrange",
]
