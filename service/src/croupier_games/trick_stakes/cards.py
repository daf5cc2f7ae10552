"""The components: 48 race cards, four horses, and the five tickets of a seat.

A card is a plain integer with a type of its own, and so are colours, horses and tickets. The numbers are those of the
contract (``trick_stakes.proto``), so nothing needs converting on the way to the wire; 0 is nothing of its kind. What is
printed on a card is looked up by its number: ``COLOR[card]``, ``NUMBER[card]``, ``MARKS[card]``.
"""

from __future__ import annotations

from typing import NewType

Card = NewType("Card", int)
"""A race card, 1 to 48: ``12 * (color - 1) + number``."""

Color = NewType("Color", int)
"""A colour, 1 to 4. It is on the back of a card as well as on its face."""

Horse = NewType("Horse", int)
"""A horse, 1 to 4."""

Ticket = NewType("Ticket", int)
"""A ticket, 1 to 5: the four horses by their own numbers, then ``WIN``."""

NO_CARD, NO_COLOR, NO_HORSE, NO_TICKET = Card(0), Color(0), Horse(0), Ticket(0)

# Colours and race cards.

COLORS = RED, BLUE, YELLOW, GREEN = (Color(1), Color(2), Color(3), Color(4))

COLOR_NAMES = (".", "RED", "BLUE", "YELLOW", "GREEN")

HIGHEST = 12
"""The highest number of a colour, and how many cards each horse has."""

CARDS = tuple(Card(number) for number in range(1, 49))
"""Every race card once, ascending: by colour, then by number."""

COLOR = (NO_COLOR, *(COLORS[(card - 1) // HIGHEST] for card in CARDS))
"""The colour of a card."""

NUMBER = (0, *((card - 1) % HIGHEST + 1 for card in CARDS))
"""The number of a card, 1 to 12: high numbers win tricks."""

MARKS = (0, *(4 - (NUMBER[card] - 1) // 3 for card in CARDS))
"""How many spaces a card moves the horse that wins with it, 4 to 1: high numbers move little."""

CARD_NAMES = (".", *(f"{COLOR_NAMES[COLOR[card]]}-{NUMBER[card]}" for card in CARDS))
"""Names of the cards, ``RED-7``; a dot where there is none."""

# Horses and tickets.

HORSES = VANILLA_BEANS, FORET_NOIRE, SILVER_ARRASAN, GATEAU_OPERA = (Horse(1), Horse(2), Horse(3), Horse(4))
"""Every horse, in the order of every list by horse. Whoever is dealt Vanilla Beans starts the first race."""

HORSE_NAMES = (".", "VANILLA_BEANS", "FORET_NOIRE", "SILVER_ARRASAN", "GATEAU_OPERA")

WIN = Ticket(5)

TICKETS = (*(Ticket(horse) for horse in HORSES), WIN)
"""The set of tickets that each seat has."""

TICKET_NAMES = (*HORSE_NAMES, "WIN")

# Whips and the course.

WHIPS = 2
"""Whips of a seat, and of the dummy."""

FINISH = 7
"""The space that ends the course; the gate is space 0."""

# How cards are written.


def cards(text: str) -> list[Card]:
    """Cards from their names, ``"RED-7 GREEN-12"``, in that order. Raises ValueError naming what is none."""
    return [Card(_number("race card", name, CARD_NAMES)) for name in text.split()]


def horses(text: str) -> list[Horse]:
    """Horses from their names, ``"FORET_NOIRE VANILLA_BEANS"``. Raises ValueError naming what is none."""
    return [Horse(_number("horse", name, HORSE_NAMES)) for name in text.split()]


def tickets(text: str) -> list[Ticket]:
    """Tickets from their names, ``"WIN FORET_NOIRE"``. Raises ValueError naming what is none."""
    return [Ticket(_number("ticket", name, TICKET_NAMES)) for name in text.split()]


def _number(kind: str, name: str, names: tuple[str, ...]) -> int:
    try:
        return names.index(name, 1)
    except ValueError:
        raise ValueError(f"{name!r} is no {kind}; they are called {names[1]}, {names[2]}, ..., {names[-1]}") from None
