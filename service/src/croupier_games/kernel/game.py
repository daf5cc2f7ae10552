"""What a game is: ``Game`` deals, ``State`` referees.

A game is a package of small files that fills in these two classes. A state is changed in place, and only by ``apply``
(decisions) and ``tick`` (time); everything else asks. Games know nothing of clocks, networks or bots: time and chance
are inputs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from .dice import Dice, Seed
from .result import Result

Seat = int
"""Seats are numbered clockwise, from 0 on; the left neighbour of ``s`` is ``(s + 1) % seats``."""

O = TypeVar("O")  # options: a frozen dataclass  # noqa: E741
A = TypeVar("A")  # action: a union of frozen dataclasses
V = TypeVar("V")  # view: a frozen dataclass
Self = TypeVar("Self", bound="State[Any, Any]")


class IllegalAction(Exception):
    """A well-formed action that the rules forbid now.

    ``rule`` names the rule, stable for programs (``play.in-hand``); the message tells a person what would be right, in
    terms of what the acting seat knows.
    """

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


class MalformedAction(ValueError):
    """Not an action of this game at all (a text that does not parse, a card that does not exist)."""


class OptionError(ValueError):
    """An option out of range. ``field`` is the option's name, the message says what would be right."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class State(ABC, Generic[A, V]):
    """A game under way. Seats are 0-based; all methods but ``apply`` and ``tick`` leave it as it is."""

    __slots__ = ()

    seats: int

    @abstractmethod
    def to_act(self) -> tuple[Seat, ...]:
        """Who has a decision open: one seat, several at once (secret choices, free-for-alls), or nobody.

        Nobody when the game is over, or waits for the clock.
        """

    @abstractmethod
    def legal_actions(self, seat: Seat) -> Sequence[A]:
        """The legal actions in a stable order, at most about a hundred; empty when the seat has nothing to decide.

        Like its view, it depends on nothing but what the seat may know. While a seat's decision is open it stays the
        same, unless ``may_wait(seat)``.
        """

    @abstractmethod
    def check(self, seat: Seat, action: A) -> None:
        """Raise IllegalAction naming the rule unless ``apply(seat, action)`` would be legal.

        Agrees with ``legal_actions``.
        """

    @abstractmethod
    def apply(self, seat: Seat, action: A) -> None:
        """Decide: the only door for decisions. Plays on through everything forced, up to the next real decision.

        Raises IllegalAction, and then nothing has changed. Of several secret choices the last one reveals them all.
        """

    @abstractmethod
    def view(self, seat: Seat) -> V:
        """What this seat may know, complete (a bot may be stateless), built by allow-list."""

    @abstractmethod
    def public_view(self) -> V:
        """What a spectator may know while the game runs."""

    @abstractmethod
    def result(self) -> Result | None:
        """Points and placings once the game is over, else None.

        A function of the rules alone: nobody is forfeited here.
        """

    @abstractmethod
    def clone(self: Self) -> Self:
        """An independent copy, cheap enough for search."""

    @abstractmethod
    def redeal(self: Self, seat: Seat, dice: Dice) -> Self:
        """Another state that this seat cannot tell from this one: what is hidden from it is drawn anew from ``dice``.

        Equal view, equal legal actions; uniform over the hidden cards that agree with what the seat has seen; the
        chance still to come is drawn anew too. For search, and for the test that views leak nothing.
        """

    @abstractmethod
    def shown(self, viewer: Seat | None, seat: Seat, action: A) -> A | None:
        """What ``viewer`` (None: a spectator) may know of an action at the moment ``seat`` takes it.

        None when it may know only that an action was taken.
        """

    def drain_engine_moves(self) -> list[tuple[Seat, A]]:
        """The moves the engine has made by itself since the last call, in order: forced ones, and a dummy's."""
        return []

    def may_wait(self, seat: Seat) -> bool:
        """Whether the seat's open decision is a standing one.

        It has no deadline, need never be answered, and is asked anew after every change.
        """
        return False

    def deadline(self) -> int | None:
        """When the game wants to be told the time next, in milliseconds since the deal; None: never."""
        return None

    def tick(self, now_ms: int) -> None:
        """Tell the time, in milliseconds since the deal, never going back: the only door for time."""

    def seen_components(self) -> frozenset[str]:
        """Which of ``Game.components()`` have come into play so far (for the golden games' coverage)."""
        return frozenset()


class Game(ABC, Generic[O, A, V]):
    """The rules of one game: one instance per game, registered under the entry-point group ``croupier.games``."""

    name: str
    """Lower case with hyphens; stable."""
    title: str
    """For people."""
    rules_version: int
    """Raised whenever the same record would play differently."""
    seat_range: range
    """The seat counts it can be played with."""
    options_type: type[O]
    """A frozen dataclass of int, str, bool or None with defaults; its ``__post_init__`` raises OptionError."""

    def deal(self, seats: int, options: O, seed: Seed) -> State[A, V]:
        """A new game. Raises OptionError naming ``seats`` or the option that is out of range."""
        if seats not in self.seat_range:
            low, high = self.seat_range[0], self.seat_range[-1]
            raise OptionError("seats", f"{self.title} is played with {low} to {high} seats, not {seats}")
        return self._deal(seats, options, seed)

    @abstractmethod
    def _deal(self, seats: int, options: O, seed: Seed) -> State[A, V]:
        """Deal; ``seats`` is in range. Raises OptionError where an option does not fit the number of seats."""

    @abstractmethod
    def notation(self, action: A) -> str:
        """The action as text on one line, for records, logs and people: ``play NEV-7``."""

    @abstractmethod
    def parse(self, text: str) -> A:
        """The inverse of ``notation``. Raises MalformedAction saying what would be right."""

    def describe(self, state: State[A, V]) -> str:
        """The public table on one line, for the comments of golden games; empty when there is nothing to say."""
        return ""

    def components(self) -> frozenset[str]:
        """Names of the cards and other parts that golden games must between them bring into play."""
        return frozenset()

    def options(self, values: Mapping[str, str] | None = None) -> O:
        """Options from texts by name, as records and command lines give them. Raises OptionError."""
        return parse_options(self.options_type, values or {})


def parse_options(options_type: type[O], values: Mapping[str, str]) -> O:
    """Build an options dataclass from texts; ``none`` is None. Raises OptionError naming the option."""
    if not values:
        return options_type()
    hints = get_type_hints(options_type)
    known = [f.name for f in fields(options_type)]  # type: ignore[arg-type]
    parsed: dict[str, Any] = {}
    for name, text in values.items():
        if name not in known:
            raise OptionError(name, f"no such option; there are: {', '.join(known) or 'none'}")
        parsed[name] = _parse_value(name, get_args(hints[name]) or (hints[name],), text)
    return options_type(**parsed)


def _parse_value(name: str, kinds: tuple[Any, ...], text: str) -> int | str | bool | None:
    if type(None) in kinds and text == "none":
        return None
    if bool in kinds:
        if text not in ("true", "false"):
            raise OptionError(name, f"is true or false, not {text!r}")
        return text == "true"
    if int in kinds:
        try:
            return int(text)
        except ValueError:
            raise OptionError(name, f"is a whole number, not {text!r}") from None
    return text


def name_value(text: str) -> tuple[str, str]:
    """``name=value`` apart, as command lines give options. Raises ValueError."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ValueError(f"{text!r} is not name=value")
    return name, value


def option_texts(options: object) -> dict[str, str]:
    """The options that differ from their defaults, as texts by name: the inverse of ``parse_options``."""
    texts = {}
    for f in fields(options):  # type: ignore[arg-type]
        value = getattr(options, f.name)
        if value != f.default:
            texts[f.name] = "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return texts


@dataclass(frozen=True, slots=True)
class NoOptions:
    """For games that have none."""
