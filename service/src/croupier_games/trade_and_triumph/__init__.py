"""Trade and Triumph, 2 to 4 seats: travel, trade and build an engine of cards; 20 victory points end the game.

``RULES.md`` beside this file says how it is played and how an edition is written. The code reads in this order:
``cards``; ``vocabulary``, ``reading``, ``wording`` and ``edition`` for the cards as data; ``actions``, ``deeds``,
``choices``, ``effects``, ``offers`` and ``rules`` for what happens; then ``scoring``, ``state``, ``redealing``,
``view`` and ``game``.

    >>> from croupier_games.kernel import Seed
    >>> state = GAME.deal(2, Options(first_seat=1), Seed.of("an example"))
    >>> [GAME.notation(action) for action in state.legal_actions(1)][:5]
    ['move 1', 'move 2', 'move 3', 'move 4', 'draw 1']
"""

from .actions import (
    Action,
    ChooseDeck,
    ChooseOption,
    ChooseRegion,
    ChooseSeat,
    Discard,
    Draw,
    EndTurn,
    Move,
    Play,
    PutBack,
    Reveal,
    SellCard,
    SellResources,
    TakeBack,
    TakeSeen,
    Upgrade,
    UseEternal,
)
from .cards import Card
from .choices import Phase
from .edition import Edition, load
from .game import Options, TradeAndTriumph
from .reading import EditionError
from .state import State
from .view import Table, View

GAME = TradeAndTriumph()
"""The game, as registered under ``croupier.games``."""

__all__ = [
    "GAME",
    "Action",
    "Card",
    "ChooseDeck",
    "ChooseOption",
    "ChooseRegion",
    "ChooseSeat",
    "Discard",
    "Draw",
    "Edition",
    "EditionError",
    "EndTurn",
    "Move",
    "Options",
    "Phase",
    "Play",
    "PutBack",
    "Reveal",
    "SellCard",
    "SellResources",
    "State",
    "Table",
    "TakeBack",
    "TakeSeen",
    "TradeAndTriumph",
    "Upgrade",
    "UseEternal",
    "View",
    "load",
]
