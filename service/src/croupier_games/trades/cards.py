"""The components: one pack of 52 cards, or two packs of 104.

A card is a plain integer with a type of its own, numbered as in the contract (``trades.proto``), so nothing needs
converting on the way to the wire: ``52 * pack + 13 * suit + rank``. What is printed on a card is looked up by its
number: ``VALUE[card]``, ``CARD_NAMES[card]``. Entry 0 of these tables is a card face down.

    >>> [CARD_NAMES[card] for card in (1, 10, 13, 52, 53)]
    ['AC', '10C', 'KC', 'KS', 'AC.2']
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NewType

Card = NewType("Card", int)
"""A card, 1 to 104; the second pack begins at 53. ``FACE_DOWN`` (0) is one that the viewer may not know."""

FACE_DOWN = Card(0)

PACK = 52
"""Cards in a pack."""
PACKS = 2
"""The most packs in a game."""
HAND = 7
"""Cards in a hand, at any time."""

SUITS = "CDHS"
"""Clubs, diamonds, hearts, spades. They tell cards apart and mean nothing else."""
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")

CARDS = tuple(Card(number) for number in range(1, PACK * PACKS + 1))
"""Every card of two packs once, ascending: by pack, suit, rank."""

VALUE = (0, *((card - 1) % len(RANKS) + 1 for card in CARDS))
"""What a card counts in the end: ace 1, the number, jack 11, queen 12, king 13."""


def _name(card: Card) -> str:
    pack, number = divmod(card - 1, PACK)
    suit, rank = divmod(number, len(RANKS))
    return f"{RANKS[rank]}{SUITS[suit]}{'.2' if pack else ''}"


CARD_NAMES = ("?", *map(_name, CARDS))
"""``AC``, ``10H``, ``KS``; those of the second pack ``AC.2``; ``?`` for a card face down."""

_BY_NAME = {CARD_NAMES[card]: card for card in CARDS}


def pack(packs: int) -> tuple[Card, ...]:
    """All cards of so many packs, ascending."""
    return CARDS[: PACK * packs]


def cards(text: str) -> list[Card]:
    """Cards from their names, ``"KC 10H AS.2"``, in that order. Raises ValueError naming what is none."""
    try:
        return [_BY_NAME[name] for name in text.split()]
    except KeyError as error:
        raise ValueError(
            f"{error.args[0]!r} is no card; write rank (A, 2 to 10, J, Q, K) and suit (C, D, H, S), such as 10H, "
            "and .2 behind it for a card of the second pack"
        ) from None


def names(held: Iterable[int]) -> str:
    """Cards by their names, one blank apart: ``KC 10H AS.2``."""
    return " ".join(CARD_NAMES[card] for card in held)
