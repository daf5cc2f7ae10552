"""What has happened so far, cards and all. Nobody sees it; re-deals are made from it.

A history is a chain from the newest event back to the first, so that copies of a game share it.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from ..kernel import Seat
from .cards import Card


class Dealt(NamedTuple):
    """How a game began."""

    hands: tuple[tuple[Card, ...], ...]
    """By seat, ascending."""
    deck: tuple[Card, ...]
    """The top is its end."""
    received: tuple[tuple[Card, ...], ...]
    """By seat, what counts as received in a trade before; nothing unless the position was arranged."""


class Laid(NamedTuple):
    """A declarer has set cards aside."""

    declarer: Seat
    number: int
    cards: tuple[Card, ...]


class Traded(NamedTuple):
    """A declared trade was finished: the cards laid for it, and those drawn and chosen from the target's hand."""

    declarer: Seat
    target: Seat
    number: int
    offered: tuple[Card, ...]
    given: tuple[Card, ...]


class Voided(NamedTuple):
    """A declared trade came to nothing; what was laid for it is free again."""

    declarer: Seat
    number: int


class DeckTraded(NamedTuple):
    """A seat has put a card under the deck and drawn one."""

    seat: Seat
    put: Card
    drawn: Card


Event: TypeAlias = Laid | Traded | Voided | DeckTraded
History: TypeAlias = "tuple[History, Event] | None"


def events_of(history: History) -> list[Event]:
    """A history from its beginning on."""
    events = []
    while history is not None:
        history, event = history
        events.append(event)
    events.reverse()
    return events
