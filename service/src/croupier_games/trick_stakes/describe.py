"""The public table as a line of text, for the comments of golden games."""

from __future__ import annotations

from collections.abc import Iterable

from .cards import CARD_NAMES, HORSE_NAMES, NUMBER, TICKET_NAMES, Card, Horse
from .rules import DISCARD, OVER, TICKET_DOWN, TICKET_UP
from .seating import PLACES
from .view import Table


def describe(table: Table) -> str:
    """All of the table when a race begins or the game ends; otherwise what the decision is about."""
    if table.phase is OVER:
        return " | ".join(["over", *_paid(table)])
    return " | ".join([f"race {table.race}/{table.races}", *_deciding(table)])


def _deciding(table: Table) -> list[str]:
    seats = _numbers(table.to_act)
    if table.phase is DISCARD:
        begins = len(table.to_act) == table.seats
        return [*(_paddock(table) if begins else []), f"to discard: {seats}"]
    if table.phase is TICKET_UP:
        return [f"seat {seats} lays a ticket face up", *_tickets(table.tickets_up[-table.seats :])]
    if table.phase is TICKET_DOWN:
        return [*_tickets(table.tickets_up[-table.seats :]), f"to lay a ticket face down: {seats}"]
    if table.trick:
        return [f"seat {seats} plays", f"trick {_trick(table)}"]
    return [f"seat {seats} leads", f"course {_course(table)}", f"whips {_numbers(table.whips)}"]


def _paddock(table: Table) -> list[str]:
    """What is new in this race; first what came of the one before."""
    shown = table.top_cards[-1]
    parts = _paid(table) if table.race > 1 else [f"points {_numbers(table.points)}"]
    parts += [
        f"odds {_numbers(table.odds)}",
        f"horses {_horses(table.horses)}",
        f"stack {_horses(table.stacks[-PLACES:])}",
        f"seat {table.start} starts and shows {CARD_NAMES[shown]}, discard number {NUMBER[shown]}",
        f"turned up {_cards(table.turned_up[-PLACES:])}",
    ]
    if table.dummy:
        parts.append(f"dummy {_cards(table.dummy)}, without {_cards(table.dummy_discards[-1:])}")
    return parts


def _paid(table: Table) -> list[str]:
    """The last race that was paid: its order, and the tickets of each seat."""
    paid = len(table.finishes) // PLACES
    now = slice(table.seats * (paid - 1), table.seats * paid)
    pairs = zip(table.tickets_up[now], table.tickets_down[now], strict=True)
    tickets = " ".join(f"{TICKET_NAMES[up]}+{TICKET_NAMES[down]}" for up, down in pairs)
    return [
        f"finish {_horses(table.finishes[-PLACES:])}",
        f"tickets {tickets}",
        f"points {_numbers(table.points)}",
    ]


def _tickets(face_up: Iterable[int]) -> list[str]:
    names = [TICKET_NAMES[ticket] for ticket in face_up]
    return [f"face up {' '.join(names)}"] if set(names) != {TICKET_NAMES[0]} else []


def _trick(table: Table) -> str:
    cards = [CARD_NAMES[card] for card in table.trick]
    if table.whip_at:
        cards[table.whip_at - 1] += " whip"
    return " ".join(cards)


def _course(table: Table) -> str:
    return " ".join(f"{HORSE_NAMES[horse]}:{table.spaces[horse - 1]}" for horse in table.standing)


def _cards(cards: Iterable[Card]) -> str:
    return " ".join(CARD_NAMES[card] for card in cards)


def _horses(horses: Iterable[Horse]) -> str:
    return " ".join(HORSE_NAMES[horse] for horse in horses)


def _numbers(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))
