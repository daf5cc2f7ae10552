"""What bots for Trick and Trade need: the game's messages under short names, and what can be read off its cards.

>>> name(Card.CARD_ZEUS_9), rank(Card.CARD_ZEUS_9), value(Card.CARD_ZEUS_9), suit(Card.CARD_ZEUS_9) == Suit.SUIT_ZEUS
('Zeus 9', 9, 1, True)
>>> icons(TradeCard.TRADE_CARD_NEV_OCTO), icons(TradeCard.TRADE_CARD_RATCOIN_RATCOIN)
((1, 0, 1, 0), (0, 0, 0, 2))
>>> multipliers([5, 4, 4, 1])
(3, 2, 2, -1)
"""

from collections.abc import Sequence
from typing import TypeAlias

from croupier import bot
from croupier.games.trick_and_trade.v1.trick_and_trade_pb2 import (
    Action,
    Card,
    Options,
    Phase,
    Suit,
    Table,
    TradeCard,
    View,
)

__all__ = [
    "GAME",
    "SUITS",
    "Action",
    "Card",
    "Decision",
    "Options",
    "Phase",
    "Suit",
    "Table",
    "TradeCard",
    "View",
    "icons",
    "multipliers",
    "name",
    "rank",
    "suit",
    "value",
]

GAME = "trick-and-trade"
SUITS = ("Nev", "Zeus", "Octo", "Ratcoin")
"""The suits' names, in the order in which every list of four runs."""

Decision: TypeAlias = bot.Decision[View, Action]
"""A decision of this game, for the type checker."""


def suit(card: Card.ValueType) -> Suit.ValueType:
    """Return a trick card's suit, 1 to 4; its place in lists of four is one less."""
    return Suit.ValueType((card - 1) // 10 + 1)


def rank(card: Card.ValueType) -> int:
    """Return a trick card's rank, 1 to 10."""
    return (card - 1) % 10 + 1


def value(card: Card.ValueType) -> int:
    """Return what a trick card adds to its suit when it wins the trick: 10 less its rank."""
    return 10 - rank(card)


def name(card: Card.ValueType) -> str:
    """Return a trick card's name for people."""
    return f"{SUITS[(card - 1) // 10]} {rank(card)}"


def icons(card: TradeCard.ValueType) -> tuple[int, int, int, int]:
    """Return how many icons of each suit a trade card shows; none where it is unspecified."""
    return ICONS[card]


def multipliers(values: Sequence[int]) -> tuple[int, ...]:
    """Return what an icon of each suit pays at these value totals: x3, x2, x1 or x-1 by how many suits stand higher."""
    return tuple((3, 2, 1, -1)[sum(other > mine for other in values)] for mine in values)


def count(card: str) -> tuple[int, int, int, int]:
    """Count the icons that a trade card's name in the contract lists: TRADE_CARD_NEV_OCTO."""
    shown = card.removeprefix("TRADE_CARD_").split("_")
    nev, zeus, octo, ratcoin = (shown.count(suit.upper()) for suit in SUITS)
    return nev, zeus, octo, ratcoin


ICONS = tuple(count(card) for card in TradeCard.keys())  # noqa: SIM118 -- an enum of the contract is no dict
