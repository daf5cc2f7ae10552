"""What a card can do: a small, closed vocabulary of parts, which are combined freely.

Each part is a frozen dataclass. An edition writes it as an inline table with a key that names it; ``reading`` turns
that into these, ``wording`` turns these into the text on the card, ``effects`` into what happens. Amounts are whole
numbers of at least 1; a region, deck or resource of 0 is "of your choice" (``ANY``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

ANY = 0
TRAVELLED = -1
"""A resource of the region just travelled."""


class Per(IntEnum):
    """What an amount is multiplied by."""

    ONCE = 0
    SPACE = 1
    """Spaces that the trader has moved in this turn."""
    RESOURCE = 2
    """Resources held."""
    KIND = 3
    """Different kinds of resource held."""
    ETERNAL = 4
    """Eternal cards in play."""
    HIDDEN = 5
    """Trade cards of one's own that lie face down."""


class Price(IntEnum):
    """What a change of prices concerns. The numbers are places in the lists of changes, ``State.prices``."""

    TRADE = 1
    INFLUENCE = 2
    SPECIALTY = 3
    UPGRADE = 4
    CARD_SALE = 5
    RESOURCE_SALE = 6
    SET_SALE = 7


SHIELD = 8
"""The place in the list of changes that holds what a seat is protected from, as bits ``1 << Threat``."""


class Threat(IntEnum):
    """What one seat can do to another."""

    STEAL = 1
    DISCARD = 2
    SEND_HOME = 3


class Insight(IntEnum):
    """What a look at the top of a deck is for."""

    TAKE = 1
    """Take one of the cards in hand; the others stay as they are."""
    ORDER = 2
    """Put them back in any order."""


class Test(IntEnum):
    """What a condition looks at."""

    TRAVELLED = 1
    """The route just completed led through the region ``value``; only while its arrival is open."""
    REGION = 2
    """The trader is in the region ``value``: on one of its routes, or at the post that it leads to."""
    AT = 3
    """The trader is in the city (1) or at a post (2)."""
    RESOURCE = 4
    """At least one resource of the kind ``value`` is held."""
    RESOURCES = 5
    """At least ``value`` resources are held."""
    ETERNALS = 6
    """At least ``value`` eternal cards are in play."""
    BEHIND = 7
    """At least ``value`` other seats have more victory points."""


@dataclass(frozen=True, slots=True)
class Gold:
    """Gain gold."""

    amount: int
    per: Per = Per.ONCE
    limit: int = 0
    """At most this much; 0: no limit."""


@dataclass(frozen=True, slots=True)
class Points:
    """Gain victory points."""

    amount: int
    per: Per = Per.ONCE
    limit: int = 0


@dataclass(frozen=True, slots=True)
class Pay:
    """Pay gold first. Only first in a list: who has not that much cannot do any of it."""

    amount: int


@dataclass(frozen=True, slots=True)
class Spend:
    """Return a resource first. Only first in a list, or right after ``Pay``."""

    resource: int


@dataclass(frozen=True, slots=True)
class Resource:
    """Gain a resource of one region, of choice, or of the region travelled (nothing when no arrival is open)."""

    resource: int


@dataclass(frozen=True, slots=True)
class DrawCards:
    """Draw cards at once, without a draw of the turn and free of charge."""

    deck: int
    count: int


@dataclass(frozen=True, slots=True)
class Extra:
    """More moves, draws or plays in this turn."""

    track: int
    count: int


@dataclass(frozen=True, slots=True)
class Again:
    """Decks drawn from already may be drawn from again in this turn."""


@dataclass(frozen=True, slots=True)
class Steal:
    """Take up to so much gold from one other seat, or from each."""

    amount: int
    each: bool = False


@dataclass(frozen=True, slots=True)
class MakeDiscard:
    """Make one other seat, or each, discard so many cards of its own choice."""

    count: int
    each: bool = False


@dataclass(frozen=True, slots=True)
class SendHome:
    """Send one other seat's trader, or each, to the city."""

    each: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """Look at the top cards of a deck."""

    deck: int
    count: int
    insight: Insight


@dataclass(frozen=True, slots=True)
class Recover:
    """Take a card back in hand from a discard pile."""

    deck: int


@dataclass(frozen=True, slots=True)
class Change:
    """Prices change by so much, to one's favour: for this turn, or for good while an eternal card is in play."""

    price: Price
    amount: int


@dataclass(frozen=True, slots=True)
class Protect:
    """Others cannot do this to the seat while the eternal card is in play."""

    threats: tuple[Threat, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that holds for the acting seat or not."""

    test: Test
    value: int


@dataclass(frozen=True, slots=True)
class When:
    """Do something only if a condition holds, or else something different."""

    condition: Condition
    do: Effects
    otherwise: Effects


@dataclass(frozen=True, slots=True)
class Either:
    """Do one of several things, as the seat chooses among those whose ``Pay`` and ``Spend`` it can meet."""

    options: tuple[Effects, ...]


Effect = (
    Gold
    | Points
    | Pay
    | Spend
    | Resource
    | DrawCards
    | Extra
    | Again
    | Steal
    | MakeDiscard
    | SendHome
    | Look
    | Recover
    | Change
    | Protect
    | When
    | Either
)

Effects = tuple[Effect, ...]
"""What happens, in this order."""
