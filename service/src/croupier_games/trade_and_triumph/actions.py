"""The decisions. Choices that an effect needs are decisions of their own.

Every action there can be exists once in this module (``MOVES``, ``PLAYS``, ...; ``sale`` for resources), so that
offering and parsing makes no new ones; an equal one made by hand is as good. Cards are written by number, as those of
any edition.

    >>> parse("move 3")
    Move(route=3)
    >>> notation(sale((3, 2, 1, 1)))
    'sell-resources 3 2 1 1'
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ..kernel import MalformedAction
from .cards import MAX_CARDS, Card

MAX_SEATS = 4
MAX_OPTIONS = 9
MOST_RESOURCES = 10_000


def _require(name: str, value: int, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise MalformedAction(f"{name} is a number from {low} to {high}, not {value!r}")


@dataclass(frozen=True, slots=True)
class _OfCard:
    card: Card

    def __post_init__(self) -> None:
        _require("a card", self.card, 1, MAX_CARDS)


@dataclass(frozen=True, slots=True)
class Move:
    """Move the trader by one space: on along its route (0), or from a station into this route, 1 to 8."""

    route: int

    def __post_init__(self) -> None:
        _require("a route", self.route, 0, 8)


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw a card from this deck, 1 to 3; the specialty deck wants gold for it."""

    deck: int

    def __post_init__(self) -> None:
        _require("a deck", self.deck, 1, 3)


@dataclass(frozen=True, slots=True)
class Play(_OfCard):
    """Play this card of the hand: a trade card face down, any other face up."""


@dataclass(frozen=True, slots=True)
class Reveal(_OfCard):
    """Reveal this trade card of one's own that lies face down."""


@dataclass(frozen=True, slots=True)
class SellCard(_OfCard):
    """Sell this card of the hand."""


@dataclass(frozen=True, slots=True)
class SellResources:
    """Sell so many resources of each region: all of them, a set of the four, or a single one."""

    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if type(self.counts) is not tuple or len(self.counts) != 4:
            raise MalformedAction(f"resources are four counts, not {self.counts!r}")
        for count in self.counts:
            _require("a count of resources", count, 0, MOST_RESOURCES)
        if not any(self.counts):
            raise MalformedAction("sell one resource at least")


@dataclass(frozen=True, slots=True)
class Upgrade:
    """Buy the next square of this upgrade track, 1 to 3."""

    track: int

    def __post_init__(self) -> None:
        _require("a track", self.track, 1, 3)


@dataclass(frozen=True, slots=True)
class UseEternal(_OfCard):
    """Use this eternal card, once a turn."""


@dataclass(frozen=True, slots=True)
class EndTurn:
    """End the turn."""


@dataclass(frozen=True, slots=True)
class ChooseSeat:
    """Whom an effect concerns."""

    seat: int

    def __post_init__(self) -> None:
        _require("a seat", self.seat, 0, MAX_SEATS - 1)


@dataclass(frozen=True, slots=True)
class ChooseRegion:
    """Which region's resource an effect concerns, 1 to 4."""

    region: int

    def __post_init__(self) -> None:
        _require("a region", self.region, 1, 4)


@dataclass(frozen=True, slots=True)
class ChooseDeck:
    """Which deck an effect concerns, 1 to 3."""

    deck: int

    def __post_init__(self) -> None:
        _require("a deck", self.deck, 1, 3)


@dataclass(frozen=True, slots=True)
class ChooseOption:
    """Which of a card's alternatives is to happen, 0-based in the order of its text."""

    option: int

    def __post_init__(self) -> None:
        _require("an option", self.option, 0, MAX_OPTIONS - 1)


@dataclass(frozen=True, slots=True)
class TakeBack(_OfCard):
    """Take this card back in hand from the discard pile."""


@dataclass(frozen=True, slots=True)
class TakeSeen(_OfCard):
    """Take this one of the cards looked at. Only its seat sees which."""


@dataclass(frozen=True, slots=True)
class PutBack(_OfCard):
    """Put this one of the cards looked at on its deck: the first one will be drawn first. Only its seat sees which."""


@dataclass(frozen=True, slots=True)
class Discard(_OfCard):
    """Discard this card of the hand: made to by another seat, or down to the limit at the end of the turn."""


Action = (
    Move
    | Draw
    | Play
    | Reveal
    | SellCard
    | SellResources
    | Upgrade
    | UseEternal
    | EndTurn
    | ChooseSeat
    | ChooseRegion
    | ChooseDeck
    | ChooseOption
    | TakeBack
    | TakeSeen
    | PutBack
    | Discard
)

_CARDS = [Card(number) for number in range(1, MAX_CARDS + 1)]
_NONE: Any = None  # at the place of number 0, which is nobody's

MOVES = tuple(Move(route) for route in range(9))
DRAWS: tuple[Draw, ...] = (_NONE, *map(Draw, range(1, 4)))
PLAYS: tuple[Play, ...] = (_NONE, *map(Play, _CARDS))
REVEALS: tuple[Reveal, ...] = (_NONE, *map(Reveal, _CARDS))
CARD_SALES: tuple[SellCard, ...] = (_NONE, *map(SellCard, _CARDS))
UPGRADES: tuple[Upgrade, ...] = (_NONE, *map(Upgrade, range(1, 4)))
USES: tuple[UseEternal, ...] = (_NONE, *map(UseEternal, _CARDS))
END_TURN = EndTurn()
SEAT_CHOICES = tuple(map(ChooseSeat, range(MAX_SEATS)))
REGION_CHOICES: tuple[ChooseRegion, ...] = (_NONE, *map(ChooseRegion, range(1, 5)))
DECK_CHOICES: tuple[ChooseDeck, ...] = (_NONE, *map(ChooseDeck, range(1, 4)))
OPTION_CHOICES = tuple(map(ChooseOption, range(MAX_OPTIONS)))
TAKE_BACKS: tuple[TakeBack, ...] = (_NONE, *map(TakeBack, _CARDS))
TAKE_SEENS: tuple[TakeSeen, ...] = (_NONE, *map(TakeSeen, _CARDS))
PUT_BACKS: tuple[PutBack, ...] = (_NONE, *map(PutBack, _CARDS))
DISCARDS: tuple[Discard, ...] = (_NONE, *map(Discard, _CARDS))

SINGLE_SALES = tuple(SellResources(tuple(int(kind == region) for kind in range(4))) for region in range(4))
"""One resource, by region counted from 0."""
SET_SALE = SellResources((1, 1, 1, 1))
_SALES = {single.counts: single for single in (*SINGLE_SALES, SET_SALE)}


def sale(counts: tuple[int, ...]) -> SellResources:
    """The sale of so many resources by region; the very same object for the same counts, within reason."""
    known = _SALES.get(counts)
    if known is None:
        known = SellResources(counts)
        if len(_SALES) < 4096:
            _SALES[counts] = known
    return known


def notation(action: Action) -> str:
    """The action as text: its name, then its numbers."""
    words = [_NAMES[type(action)]]
    for field in fields(action):
        value = getattr(action, field.name)
        words += map(str, value if isinstance(value, tuple) else (value,))
    return " ".join(words)


def parse(text: str) -> Action:
    """The inverse of ``notation``. Raises MalformedAction."""
    known = _BY_NOTATION.get(text)
    if known is not None:
        return known
    name, *numbers = text.split(" ")
    if name == _NAMES[SellResources] and all(number.isdecimal() and number.isascii() for number in numbers):
        action = sale(tuple(map(int, numbers)))
        if notation(action) == text:
            return action
    raise MalformedAction(
        f"{text!r} is no action; write one of {', '.join(_NAMES.values())} and its number: 'move 0', 'play 17', "
        "'sell-resources 3 2 1 1', 'end-turn'"
    )


_NAMES: dict[type[Any], str] = {
    Move: "move",
    Draw: "draw",
    Play: "play",
    Reveal: "reveal",
    SellCard: "sell-card",
    SellResources: "sell-resources",
    Upgrade: "upgrade",
    UseEternal: "use-eternal",
    EndTurn: "end-turn",
    ChooseSeat: "choose-seat",
    ChooseRegion: "choose-region",
    ChooseDeck: "choose-deck",
    ChooseOption: "choose-option",
    TakeBack: "take-back",
    TakeSeen: "take-seen",
    PutBack: "put-back",
    Discard: "discard",
}
_BY_NOTATION: dict[str, Action] = {
    notation(action): action
    for actions in (
        *(MOVES, DRAWS[1:], PLAYS[1:], REVEALS[1:], CARD_SALES[1:], UPGRADES[1:], USES[1:], (END_TURN,), SEAT_CHOICES),
        *(REGION_CHOICES[1:], DECK_CHOICES[1:], OPTION_CHOICES, TAKE_BACKS[1:], TAKE_SEENS[1:], PUT_BACKS[1:]),
        *(DISCARDS[1:], _SALES.values()),
    )
    for action in actions
}
