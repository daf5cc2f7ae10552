"""The decisions: play a card, take a trade card, take the lead card.

Every action there can be exists once in this module (``PLAYS``, ``TAKES``, ``TAKE_LEAD``), so that offering and parsing
actions makes no new ones; an equal one made by hand is as good.

    >>> parse("play NEV-7")
    Play(card=7)
    >>> notation(TAKES[2])
    'take 2'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..kernel import MalformedAction
from .cards import CARD_NAMES, CARDS, Card

PLACES = range(5)
"""Places of a front row, 0-based; with fewer than five seats only the first ``seats`` of them are in use."""


@dataclass(frozen=True, slots=True)
class Play:
    """Play this card of the hand. Raises MalformedAction when there is no such card."""

    card: Card

    def __post_init__(self) -> None:
        if self.card not in CARDS:
            raise MalformedAction(f"trick cards are numbered {CARDS[0]} to {CARDS[-1]}, there is no {self.card!r}")


@dataclass(frozen=True, slots=True)
class TakeTrade:
    """Take the trade card at this place of the front row, 0-based. Raises MalformedAction when there is none."""

    place: int

    def __post_init__(self) -> None:
        if self.place not in PLACES:
            raise MalformedAction(f"places are numbered {PLACES[0]} to {PLACES[-1]}, there is no {self.place!r}")


@dataclass(frozen=True, slots=True)
class TakeLead:
    """Take the lead card: lead the next trick, and receive the trade card that is left over."""


Action = Play | TakeTrade | TakeLead

PLAYS = {card: Play(card) for card in CARDS}
TAKES = tuple(TakeTrade(place) for place in PLACES)
TAKE_LEAD = TakeLead()


def plays_of(hand: Sequence[Card]) -> dict[Card, Play]:
    """The cards of a hand, in its order, each with the action that plays it."""
    return dict(zip(hand, map(PLAYS.__getitem__, hand), strict=True))


def notation(action: Action) -> str:
    """The action as text: ``play NEV-7``, ``take 2`` (the place, 0-based), ``take lead``."""
    match action:
        case Play(card):
            return f"play {CARD_NAMES[card]}"
        case TakeTrade(place):
            return f"take {place}"
        case TakeLead():
            return "take lead"


def parse(text: str) -> Action:
    """The inverse of ``notation``. Raises MalformedAction."""
    try:
        return _BY_NOTATION[text]
    except KeyError:
        raise MalformedAction(
            f"{text!r} is no action; write 'play NEV-7' (suits NEV, ZEUS, OCTO, RATCOIN, ranks 1 to 10), "
            f"'take 2' (a place of the front row, {PLACES[0]} to {PLACES[-1]}) or 'take lead'"
        ) from None


_ACTIONS: tuple[Action, ...] = (*PLAYS.values(), *TAKES, TAKE_LEAD)
_BY_NOTATION = {notation(action): action for action in _ACTIONS}
