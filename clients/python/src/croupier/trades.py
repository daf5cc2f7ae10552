"""What bots for Trades need: the game's messages under short names, and what can be read off its cards and views.

>>> name(Card.CARD_HEARTS_10), value(Card.CARD_HEARTS_10), value(Card.CARD_SECOND_SPADES_KING)
('10 of hearts', 10, 13)
>>> leaving(Action(offer=Cards(cards=[Card.CARD_CLUBS_JACK, Card.CARD_CLUBS_KING])))
[11, 13]
>>> leaving(Action(declare=3))
[]
"""

from collections.abc import Sequence
from typing import TypeAlias

from croupier import bot
from croupier.games.trades.v1.trades_pb2 import (
    Action,
    Card,
    Cards,
    Options,
    Phase,
    Style,
    Table,
    Trade,
    TradeStatus,
    View,
    VoidReason,
)

__all__ = [
    "GAME",
    "Action",
    "Card",
    "Cards",
    "Decision",
    "Options",
    "Phase",
    "Style",
    "Table",
    "Trade",
    "TradeStatus",
    "View",
    "VoidReason",
    "known",
    "leaving",
    "name",
    "value",
]

GAME = "trades"
SUITS = ("clubs", "diamonds", "hearts", "spades")
RANKS = ("ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king")

Decision: TypeAlias = bot.Decision[View, Action]
"""A decision of this game, for the type checker."""


def value(card: Card.ValueType) -> int:
    """Return what a card counts in the end: ace 1, numbers as they are, jack 11, queen 12, king 13."""
    return (card - 1) % 13 + 1


def name(card: Card.ValueType) -> str:
    """Return a card's name for people."""
    return f"{RANKS[(card - 1) % 13]} of {SUITS[(card - 1) % 52 // 13]}"


def leaving(action: Action) -> Sequence[Card.ValueType]:
    """Return the cards that an action gives away; none where it only says what comes next."""
    kind = action.WhichOneof("action")
    if kind in {"offer", "give"}:
        return list(getattr(action, kind).cards)
    return [getattr(action, kind)] if kind in {"deck_trade", "last_deck_trade"} else []


def known(view: View, seat: int) -> Sequence[Card.ValueType]:
    """Return the cards that the viewer knows a seat to have: it saw them there, and nothing can have left since.

    >>> view = View(last_seen=[2, 2, 0], left_since=[0, 4, 0])
    >>> known(view, 1)
    [1]
    """
    places = zip(view.last_seen, view.left_since, strict=True)
    return [
        Card.ValueType(card) for card, (place, left) in enumerate(places, start=1) if place == seat + 1 and not left
    ]
