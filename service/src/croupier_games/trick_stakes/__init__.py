"""Trick Stakes, 3 or 4 seats: win tricks to move the horse you ride, and bet on the order in which they come in.

``RULES.md`` beside this file says how it is played. The code reads in this order: ``cards``, ``actions``, ``seating``,
``rules`` with ``paddock``, ``course``, ``dummy`` and ``scoring``, then ``state``, ``redeal``, ``view``, ``game``; and
``arrange`` is for positions of your own.

    >>> from croupier_games.kernel import NoOptions, Seed
    >>> state = GAME.deal(4, NoOptions(), Seed.of("an example"))
    >>> state.to_act()
    (0, 1, 2, 3)
    >>> action = state.legal_actions(2)[0]
    >>> GAME.notation(action)
    'discard RED-6'
    >>> state.apply(2, action)
    >>> state.view(3).table.to_act
    (0, 1, 3)
"""

from .actions import Action, Discard, Play, TicketDown, TicketUp
from .arrange import arrange, arrange_paddock
from .cards import Card, Color, Horse, Ticket
from .game import TrickStakes
from .rules import Phase
from .state import State
from .view import Table, View

GAME = TrickStakes()
"""The game, as registered under ``croupier.games``."""

__all__ = [
    "GAME",
    "Action",
    "Card",
    "Color",
    "Discard",
    "Horse",
    "Phase",
    "Play",
    "State",
    "Table",
    "Ticket",
    "TicketDown",
    "TicketUp",
    "TrickStakes",
    "View",
    "arrange",
    "arrange_paddock",
]
