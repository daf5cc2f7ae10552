"""Trick and Trade, 3 to 5 seats: win tricks to move the values of four suits, take the trade cards that profit.

``RULES.md`` beside this file says how it is played. The code reads in this order: ``cards``, ``actions``, ``rules``,
``scoring``, ``state``, ``view``, ``game``; and ``arrange`` is for positions of your own.

    >>> from croupier_games.kernel import Seed
    >>> state = GAME.deal(4, Options(first_leader=2), Seed.of("an example"))
    >>> state.to_act()
    (2,)
    >>> action = state.legal_actions(2)[0]
    >>> GAME.notation(action)
    'play NEV-1'
    >>> state.apply(2, action)
    >>> state.view(3).table.trick
    (1,)
"""

from .actions import Action, Play, TakeLead, TakeTrade
from .arrange import arrange
from .cards import Card, TradeCard
from .game import Options, TrickAndTrade
from .rules import Phase
from .state import State
from .view import Table, View

GAME = TrickAndTrade()
"""The game, as registered under ``croupier.games``."""

__all__ = [
    "GAME",
    "Action",
    "Card",
    "Options",
    "Phase",
    "Play",
    "State",
    "Table",
    "TakeLead",
    "TakeTrade",
    "TradeCard",
    "TrickAndTrade",
    "View",
    "arrange",
]
