"""High Card: a toy game that has one of everything, for the kernel's own tests.

* Every seat gets a hand of ``hand`` cards from 1, 2, 3, ...; two more are left over, the upper one is the prize.
* Rounds: all lay one card face down, in secret and at the same time. The highest card takes a point. The last cards are
  forced: the engine lays them.
* The bell: for ``bell_ms`` milliseconds any seat may guess, once and in secret, whether the prize is one of the higher
  cards; nobody must. When time is up, or all have guessed, the prize lies there for half a second, and nobody is to
  act. A right guess is a point more, a wrong one a point less.
* Most points win; then the highest card that ever took a point.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from croupier_games.kernel import (
    Dice,
    Game,
    IllegalAction,
    MalformedAction,
    OptionError,
    Result,
    Seat,
    Seed,
    State,
    TieBreak,
    rank,
)

PAUSE_MS = 500


class Phase(IntEnum):
    """What is going on."""

    LAYING = 1
    BELL = 2
    PAUSE = 3
    OVER = 4


@dataclass(frozen=True, slots=True)
class Options:
    """How it is set up."""

    hand: int = 3
    bell_ms: int | None = 1000

    def __post_init__(self) -> None:
        if self.hand < 1:
            raise OptionError("hand", f"at least one card, not {self.hand}")


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay this card face down."""

    card: int


@dataclass(frozen=True, slots=True)
class Guess:
    """Guess whether the prize is high."""

    high: bool


Action = Lay | Guess


@dataclass(frozen=True, slots=True)
class View:
    """What one viewer may know."""

    seat: Seat | None
    phase: Phase
    hand: tuple[int, ...]
    laid: int
    """The viewer's own card, 0 until it has laid one."""
    guess: bool | None
    waiting_for: tuple[bool, ...]
    rounds: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]
    prize: int
    """0 until the end."""


@dataclass(slots=True)
class HighCardState(State[Action, View]):
    """High Card under way."""

    hands: list[list[int]]
    rest: list[int]
    bell_ms: int | None
    seats: int = 0
    phase: Phase = Phase.LAYING
    laid: list[int] = field(default_factory=list)
    guesses: list[bool | None] = field(default_factory=list)
    rounds: list[tuple[int, ...]] = field(default_factory=list)
    points: list[int] = field(default_factory=list)
    best: list[int] = field(default_factory=list)
    now_ms: int = 0
    closes_ms: int | None = None
    moved: list[tuple[Seat, Action]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.seats:
            self.seats = len(self.hands)
            self.laid = [0] * self.seats
            self.guesses = [None] * self.seats
            self.points = [0] * self.seats
            self.best = [0] * self.seats
            self.go_on()

    def to_act(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in range(self.seats) if self.is_asked(seat))

    def is_asked(self, seat: Seat) -> bool:
        if self.phase is Phase.LAYING:
            return not self.laid[seat]
        return self.phase is Phase.BELL and self.guesses[seat] is None

    def legal_actions(self, seat: Seat) -> list[Action]:
        if not self.is_asked(seat):
            return []
        if self.phase is Phase.LAYING:
            return [Lay(card) for card in self.hands[seat]]
        return [Guess(high=False), Guess(high=True)]

    def check(self, seat: Seat, action: Action) -> None:
        if not self.is_asked(seat):
            raise IllegalAction("turn", f"seat {seat} has nothing to decide")
        if isinstance(action, Lay) is not (self.phase is Phase.LAYING):
            raise IllegalAction("phase", f"{type(action).__name__.lower()} is no action of this phase")
        if isinstance(action, Lay) and action.card not in self.hands[seat]:
            raise IllegalAction("lay.in-hand", f"seat {seat} does not hold {action.card}")

    def apply(self, seat: Seat, action: Action) -> None:
        self.check(seat, action)
        self.do(seat, action)
        self.go_on()

    def do(self, seat: Seat, action: Action) -> None:
        if isinstance(action, Lay):
            self.hands[seat].remove(action.card)
            self.laid[seat] = action.card
        else:
            self.guesses[seat] = action.high

    def go_on(self) -> None:
        """Everything that follows without anybody deciding."""
        while self.phase is Phase.LAYING:
            if all(self.laid):
                self.reveal()
            if not self.hands[0] and not any(self.laid):
                self.open_bell()
            elif any(self.laid) or len(self.hands[0]) > 1:
                return
            else:
                for seat in range(self.seats):
                    forced = Lay(self.hands[seat][0])
                    self.do(seat, forced)
                    self.moved.append((seat, forced))
        if self.phase is Phase.BELL and None not in self.guesses:
            self.pause()

    def reveal(self) -> None:
        high = max(self.laid)
        winner = self.laid.index(high)
        self.points[winner] += 1
        self.best[winner] = max(self.best[winner], high)
        self.rounds.append(tuple(self.laid))
        self.laid = [0] * self.seats

    def open_bell(self) -> None:
        if self.bell_ms is None:
            self.phase = Phase.OVER
        else:
            self.phase = Phase.BELL
            self.closes_ms = self.now_ms + self.bell_ms

    def pause(self) -> None:
        self.phase = Phase.PAUSE
        self.closes_ms = self.now_ms + PAUSE_MS

    def tick(self, now_ms: int) -> None:
        self.now_ms = now_ms
        if self.closes_ms is None or now_ms < self.closes_ms:
            return
        if self.phase is Phase.BELL:
            self.pause()
        else:
            self.closes_ms = None
            self.phase = Phase.OVER
            for seat, guess in enumerate(self.guesses):
                if guess is not None:
                    self.points[seat] += 1 if guess is self.is_high(self.rest[0]) else -1

    def is_high(self, card: int) -> bool:
        cards = len(self.rest) + self.seats * len(self.rounds)
        return 2 * card > cards

    def deadline(self) -> int | None:
        return self.closes_ms

    def may_wait(self, seat: Seat) -> bool:
        return self.phase is Phase.BELL and self.is_asked(seat)

    def view(self, seat: Seat) -> View:
        return self.seen_by(seat, tuple(self.hands[seat]), self.laid[seat], self.guesses[seat])

    def public_view(self) -> View:
        return self.seen_by(None, (), 0, None)

    def seen_by(self, seat: Seat | None, hand: tuple[int, ...], laid: int, guess: bool | None) -> View:
        return View(
            seat=seat,
            phase=self.phase,
            hand=hand,
            laid=laid,
            guess=guess,
            waiting_for=tuple(self.is_asked(seat) for seat in range(self.seats)),
            rounds=tuple(self.rounds),
            points=tuple(self.points),
            prize=self.rest[0] if self.phase is Phase.OVER else 0,
        )

    def result(self) -> Result | None:
        if self.phase is not Phase.OVER:
            return None
        return rank(self.points, [TieBreak("best card", tuple(self.best))])

    def clone(self) -> HighCardState:
        return type(self)(
            [hand.copy() for hand in self.hands],
            self.rest.copy(),
            self.bell_ms,
            self.seats,
            self.phase,
            self.laid.copy(),
            self.guesses.copy(),
            self.rounds.copy(),
            self.points.copy(),
            self.best.copy(),
            self.now_ms,
            self.closes_ms,
            self.moved.copy(),
        )

    def redeal(self, seat: Seat, dice: Dice) -> HighCardState:
        other = self.clone()
        known = {*self.hands[seat], self.laid[seat], *(card for cards in self.rounds for card in cards)}
        if self.phase is Phase.OVER:
            return other
        cards = sum(map(len, self.hands)) + sum(map(bool, self.laid)) + self.seats * len(self.rounds) + len(self.rest)
        unseen = [card for card in range(1, cards + 1) if card not in known]
        dice.shuffle(unseen)
        for rival in range(self.seats):
            if rival != seat:
                other.hands[rival] = sorted(unseen.pop() for _ in self.hands[rival])
                other.laid[rival] = unseen.pop() if self.laid[rival] else 0
                if self.guesses[rival] is not None:
                    other.guesses[rival] = bool(dice.below(2))
        other.rest = unseen
        return other

    def shown(self, viewer: Seat | None, seat: Seat, action: Action) -> Action | None:
        return action if viewer == seat else None

    def drain_engine_moves(self) -> list[tuple[Seat, Action]]:
        moved, self.moved = self.moved, []
        return moved

    def seen_components(self) -> frozenset[str]:
        return frozenset(str(card) for cards in self.rounds for card in cards)


class HighCard(Game[Options, Action, View]):
    """The game."""

    name = "high-card"
    title = "High Card"
    rules_version = 1
    seat_range = range(2, 5)
    options_type = Options
    state_type = HighCardState

    def _deal(self, seats: int, options: Options, seed: Seed) -> HighCardState:
        deck = seed.dice("deck").shuffled(range(1, seats * options.hand + 3))
        hands = [sorted(deck[seat * options.hand : (seat + 1) * options.hand]) for seat in range(seats)]
        return self.state_type(hands, deck[seats * options.hand :], options.bell_ms)

    def notation(self, action: Action) -> str:
        if isinstance(action, Lay):
            return f"lay {action.card}"
        return "guess high" if action.high else "guess low"

    def parse(self, text: str) -> Action:
        match text.split(" "):
            case ["lay", card] if card.isdecimal() and card.isascii():
                return Lay(int(card))
            case ["guess", "high"]:
                return Guess(high=True)
            case ["guess", "low"]:
                return Guess(high=False)
        raise MalformedAction(f"{text!r} is no action; write 'lay 7', 'guess high' or 'guess low'")

    def describe(self, state: State[Action, View]) -> str:
        view = state.public_view()
        return f"{view.phase.name.lower()}, points {' '.join(map(str, view.points))}"

    def components(self) -> frozenset[str]:
        return frozenset(map(str, range(1, 9)))


GAME = HighCard()
