"""The decisions: name a target, lay cards, give cards, trade with the deck, pass, decline.

Actions of which there are few exist once in this module (``DECLARES``, ``DECK_TRADES``, ``LAST_DECK_TRADES``, ``PASS``,
``DECLINE``); sets of cards are remembered as they come up (``offer``, ``give``). Equal ones made by hand are as good.

    >>> parse("offer KS 2C")
    Offer(cards=(2, 52))
    >>> notation(DECLARES[3])
    'declare 3'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import eq
from typing import TypeAlias, TypeVar, overload

from ..kernel import MalformedAction, Seat
from .cards import CARDS, FACE_DOWN, Card, cards, names

SEATS = range(14)
"""Seats of the largest table."""
_REMEMBERED = 1 << 16
S = TypeVar("S")
Pick: TypeAlias = Callable[[tuple[Card, ...]], tuple[Card, ...]]
"""Picks some of a tuple of cards."""


@dataclass(frozen=True, slots=True)
class Declare:
    """Name the seat to trade with; the cards come next, by ``Offer``. Raises MalformedAction when no table has it."""

    target: Seat

    def __post_init__(self) -> None:
        if self.target not in SEATS:
            raise MalformedAction(f"seats are numbered {SEATS[0]} to {SEATS[-1]}, there is no {self.target!r}")


@dataclass(frozen=True, slots=True)
class Offer:
    """Lay these cards face down for the trade declared: 2 to 4 different ones, ascending.

    Raises MalformedAction when they are anything else. Whoever may not know them sees as many cards face down.
    """

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        _check_cards(self.cards, 2, 4)


@dataclass(frozen=True, slots=True)
class DeckTrade:
    """Put this card of the hand under the deck and take the top one. Raises MalformedAction when there is no such card.

    Whoever may not know it sees a card face down.
    """

    card: Card

    def __post_init__(self) -> None:
        _check_card(self.card)


@dataclass(frozen=True, slots=True)
class Pass:
    """Do nothing in this turn."""


@dataclass(frozen=True, slots=True)
class Give:
    """As the target of a trade, give these cards with those that were drawn: 1 or 2 different ones, ascending.

    Raises MalformedAction when they are anything else. Whoever may not know them sees as many cards face down.
    """

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        _check_cards(self.cards, 1, 2)


@dataclass(frozen=True, slots=True)
class LastDeckTrade:
    """The same as ``DeckTrade``, after the end, in secret. Raises MalformedAction when there is no such card."""

    card: Card

    def __post_init__(self) -> None:
        _check_card(self.card)


@dataclass(frozen=True, slots=True)
class Decline:
    """Do without the last deck trade, in secret."""


Action = Declare | Offer | DeckTrade | Pass | Give | LastDeckTrade | Decline


def _check_card(card: Card) -> None:
    if card != FACE_DOWN and card not in CARDS:
        raise MalformedAction(f"cards are numbered {CARDS[0]} to {CARDS[-1]}, there is no {card!r}")


def _check_cards(held: tuple[Card, ...], fewest: int, most: int) -> None:
    if type(held) is not tuple or not fewest <= len(held) <= most:
        raise MalformedAction(f"it takes {fewest} to {most} cards, not {held!r}")
    if any(held):
        for card in held:
            if card not in CARDS:
                raise MalformedAction(f"cards are numbered {CARDS[0]} to {CARDS[-1]}, there is no {card!r}")
        if any(one >= other for one, other in pairwise(held)):
            raise MalformedAction(f"the cards must be different and ascending, not {held!r}")


DECLARES = tuple(Declare(target) for target in SEATS)
DECK_TRADES = tuple(DeckTrade(card) for card in (FACE_DOWN, *CARDS))
"""By card."""
PASS = Pass()
LAST_DECK_TRADES = tuple(LastDeckTrade(card) for card in (FACE_DOWN, *CARDS))
"""By card."""
DECLINE = Decline()

_offers: dict[tuple[Card, ...], Offer] = {}
_gives: dict[tuple[Card, ...], Give] = {}


def offer(held: tuple[Card, ...]) -> Offer:
    """The ``Offer`` of cards that are known to be as they must: often one that was made before."""
    return _offers.get(held) or _made(Offer, _offers, held)


def give(held: tuple[Card, ...]) -> Give:
    """The ``Give`` of cards that are known to be as they must: often one that was made before."""
    return _gives.get(held) or _made(Give, _gives, held)


def _made(kind: type[S], remembered: dict[tuple[Card, ...], S], held: tuple[Card, ...]) -> S:
    """A set of cards without the look at each card that one made by hand needs; a hand has 91 sets to offer."""
    made = object.__new__(kind)
    object.__setattr__(made, "cards", held)
    if len(remembered) >= _REMEMBERED:
        remembered.clear()
    remembered[held] = made
    return made


class Sets(Sequence["Offer | Give"]):
    """Sets of cards to offer or to give, made when they are looked at: of 91 that there are, most never are."""

    __slots__ = ("_cards", "_make", "_picks")

    def __init__(
        self, make: Callable[[tuple[Card, ...]], Offer | Give], cards: tuple[Card, ...], picks: Sequence[Pick]
    ) -> None:
        """``make`` is ``offer`` or ``give``; each of ``picks`` picks one set of ``cards``."""
        self._make = make
        self._cards = cards
        self._picks = picks

    def __len__(self) -> int:
        return len(self._picks)

    @overload
    def __getitem__(self, index: int) -> Offer | Give: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Offer | Give]: ...
    def __getitem__(self, index: int | slice) -> Offer | Give | Sequence[Offer | Give]:
        if isinstance(index, slice):
            return Sets(self._make, self._cards, self._picks[index])
        return self._make(self._picks[index](self._cards))

    def __iter__(self) -> Iterator[Offer | Give]:
        make, cards = self._make, self._cards
        return iter([make(pick(cards)) for pick in self._picks])

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(list(self))


def ascending(held: Iterable[int]) -> tuple[Card, ...]:
    """Cards in any order as actions hold them. Raises MalformedAction where one is face down."""
    ordered = tuple(Card(card) for card in sorted(held))
    if FACE_DOWN in ordered:
        raise MalformedAction("a card must be said: face down is only how others see it")
    return ordered


def face_down(action: Action) -> Action:
    """The action as those see it who may know only that it was taken, and with how many cards."""
    match action:
        case Offer(held):
            return offer((FACE_DOWN,) * len(held))
        case Give(held):
            return give((FACE_DOWN,) * len(held))
        case DeckTrade():
            return DECK_TRADES[FACE_DOWN]
        case _:
            return action


def notation(action: Action) -> str:
    """The action as text.

    ``declare 3``, ``offer 2C KS``, ``deck KS``, ``pass``, ``give KS``, ``last KS``, ``decline``.
    """
    match action:
        case Declare(target):
            return f"declare {target}"
        case Offer(held):
            return f"offer {names(held)}"
        case DeckTrade(card):
            return f"deck {names([card])}"
        case Pass():
            return "pass"
        case Give(held):
            return f"give {names(held)}"
        case LastDeckTrade(card):
            return f"last {names([card])}"
        case Decline():
            return "decline"


def parse(text: str) -> Action:
    """The inverse of ``notation``; cards in any order. Raises MalformedAction."""
    word, _, rest = text.partition(" ")
    if text != " ".join(text.split()):
        raise _malformed(text)
    try:
        match word:
            case "declare":
                return _SEAT_NAMES[rest]
            case "offer":
                return Offer(ascending(cards(rest)))
            case "give":
                return Give(ascending(cards(rest)))
            case "deck":
                (card,) = cards(rest)
                return DECK_TRADES[card]
            case "last":
                (card,) = cards(rest)
                return LAST_DECK_TRADES[card]
    except (ValueError, KeyError) as error:
        raise _malformed(text, f"; {error}" if isinstance(error, MalformedAction) else "") from error
    try:
        return _WORDS[text]
    except KeyError:
        raise _malformed(text) from None


_SEAT_NAMES = {str(seat): DECLARES[seat] for seat in SEATS}
_WORDS: dict[str, Action] = {"pass": PASS, "decline": DECLINE}


def _malformed(text: str, more: str = "") -> MalformedAction:
    return MalformedAction(
        f"{text!r} is no action; write 'declare 3' (a seat), 'offer KC 10H' (2 to 4 cards), 'give KC' (1 or 2), "
        f"'deck KC', 'last KC', 'pass' or 'decline'{more}"
    )
