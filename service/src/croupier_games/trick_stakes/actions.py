"""The decisions: discard a card, lay a ticket face up, lay a ticket face down, play a card with or without the whip.

Every action there can be exists once in this module (``DISCARDS``, ``TICKETS_UP``, ``TICKETS_DOWN``, ``PLAYS``,
``WHIPPED``), so that offering and parsing actions makes no new ones; an equal one made by hand is as good.

    >>> parse("play RED-7 whip")
    Play(card=7, whip=True)
    >>> notation(TICKETS_DOWN[5])
    'ticket down WIN'
"""

from __future__ import annotations

from dataclasses import dataclass

from ..kernel import MalformedAction
from .cards import CARD_NAMES, CARDS, TICKET_NAMES, TICKETS, Card, Ticket


@dataclass(frozen=True, slots=True)
class Discard:
    """Take this card of the hand out of the race, face down. Raises MalformedAction when there is no such card."""

    card: Card

    def __post_init__(self) -> None:
        _check_card(self.card)


@dataclass(frozen=True, slots=True)
class TicketUp:
    """Lay this ticket face up. Raises MalformedAction when there is no such ticket."""

    ticket: Ticket

    def __post_init__(self) -> None:
        _check_ticket(self.ticket)


@dataclass(frozen=True, slots=True)
class TicketDown:
    """Lay this ticket face down. Raises MalformedAction when there is no such ticket."""

    ticket: Ticket

    def __post_init__(self) -> None:
        _check_ticket(self.ticket)


@dataclass(frozen=True, slots=True)
class Play:
    """Play this card of the hand, and declare the whip with it or not.

    Raises MalformedAction when there is no such card.
    """

    card: Card
    whip: bool = False

    def __post_init__(self) -> None:
        _check_card(self.card)


def _check_card(card: Card) -> None:
    if card not in CARDS:
        raise MalformedAction(f"race cards are numbered {CARDS[0]} to {CARDS[-1]}, there is no {card!r}")


def _check_ticket(ticket: Ticket) -> None:
    if ticket not in TICKETS:
        raise MalformedAction(f"tickets are numbered {TICKETS[0]} to {TICKETS[-1]}, there is no {ticket!r}")


Action = Discard | TicketUp | TicketDown | Play

DISCARDS = {card: Discard(card) for card in CARDS}
TICKETS_UP = {ticket: TicketUp(ticket) for ticket in TICKETS}
TICKETS_DOWN = {ticket: TicketDown(ticket) for ticket in TICKETS}
PLAYS = {card: Play(card) for card in CARDS}
WHIPPED = {card: Play(card, whip=True) for card in CARDS}


def notation(action: Action) -> str:
    """The action as text: ``discard RED-7``, ``ticket up WIN``, ``ticket down WIN``, ``play RED-7``, with ``whip``."""
    match action:
        case Discard(card):
            return f"discard {CARD_NAMES[card]}"
        case TicketUp(ticket):
            return f"ticket up {TICKET_NAMES[ticket]}"
        case TicketDown(ticket):
            return f"ticket down {TICKET_NAMES[ticket]}"
        case Play(card, whip):
            return f"play {CARD_NAMES[card]} whip" if whip else f"play {CARD_NAMES[card]}"


def parse(text: str) -> Action:
    """The inverse of ``notation``. Raises MalformedAction."""
    try:
        return _BY_NOTATION[text]
    except KeyError:
        raise MalformedAction(
            f"{text!r} is no action; write 'discard RED-7', 'play RED-7' or 'play RED-7 whip' (colours RED, BLUE, "
            f"YELLOW, GREEN, numbers 1 to 12), 'ticket up WIN' or 'ticket down WIN' ({', '.join(TICKET_NAMES[1:])})"
        ) from None


_ACTIONS: tuple[Action, ...] = (
    *DISCARDS.values(),
    *TICKETS_UP.values(),
    *TICKETS_DOWN.values(),
    *PLAYS.values(),
    *WHIPPED.values(),
)
_BY_NOTATION = {notation(action): action for action in _ACTIONS}
