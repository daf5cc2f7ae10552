"""A table: one game under way together with everything needed to play it again.

The host, offline play and ``verify`` all drive a game through this class, so the record of a session and the session
cannot disagree. Intent is logged, chance is derived: what a substitute or a vacated seat plays follows from the seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .dice import Dice, Seed
from .game import Game, IllegalAction, Seat, State
from .quick import quick
from .result import Result


@dataclass(frozen=True, slots=True)
class Move:
    """One action as it happened; what kind of move it was tells why. A dummy has the seat number after the last one."""

    cause: ClassVar[str]

    seat: Seat
    action: Any


@quick
@dataclass(frozen=True, slots=True)
class Chosen(Move):
    """A seat's own decision: an input and the move that it makes."""

    cause = "chosen"


@quick
@dataclass(frozen=True, slots=True)
class Forced(Move):
    """The engine took it: the rules left no choice, or the seat is a dummy."""

    cause = "forced"


@quick
@dataclass(frozen=True, slots=True)
class Stopgap(Move):
    """It was drawn for a seat that failed to decide."""

    cause = "substituted"


@quick
@dataclass(frozen=True, slots=True)
class Neutral(Move):
    """It was drawn for a vacated seat."""

    cause = "vacated"


@dataclass(frozen=True, slots=True)
class Substituted:
    """A seat failed to decide (its clock, its attempts): a neutral action was drawn for it."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Vacated:
    """A seat's bot is gone for good: from here on neutral actions are drawn for it."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Ticked:
    """The game was told the time, in milliseconds since the deal."""

    now_ms: int


Input = Chosen | Substituted | Vacated | Ticked


class Table:
    """A game, its inputs so far and the moves that followed from them."""

    __slots__ = (
        "_substitutes",
        "_vacated_dice",
        "game",
        "inputs",
        "latest",
        "moves",
        "now_ms",
        "options",
        "seats",
        "seed",
        "state",
    )

    def __init__(self, game: Game[Any, Any, Any], seats: int, options: Any, seed: Seed) -> None:
        """Deal. Raises OptionError."""
        self.game = game
        self.seats = seats
        self.options = options
        self.seed = seed
        self.state: State[Any, Any] = game.deal(seats, options, seed)
        self.inputs: list[Input] = []
        self.moves: list[Move] = []
        self.latest = 0
        """The number of the first move that followed from the latest input."""
        self.now_ms = 0
        """The latest time that the game was told."""
        self._substitutes = [0] * seats
        self._vacated_dice: dict[Seat, Dice] = {}
        self._play_on()

    @property
    def vacated(self) -> frozenset[Seat]:
        """The seats that were given up."""
        return frozenset(self._vacated_dice)

    def is_vacated(self, seat: Seat) -> bool:
        """Whether this seat was given up."""
        return seat in self._vacated_dice

    def choose(self, seat: Seat, action: Any) -> None:
        """A seat decides. Raises IllegalAction, and then nothing has changed."""
        state = self.state
        if self._vacated_dice or not 0 <= seat < self.seats or state.result() is not None:
            self._require_playing(seat)
        state.apply(seat, action)
        moves = self.moves
        self.latest = len(moves)
        chosen = Chosen(seat, action)
        self.inputs.append(chosen)
        moves.append(chosen)
        self._play_on()

    def substitute(self, seat: Seat) -> None:
        """Decide for a seat that failed to: uniformly among its legal actions. Raises IllegalAction if it has none."""
        self._require_playing(seat)
        legal = self.state.legal_actions(seat)
        if not legal:
            raise IllegalAction("seat.to-act", f"seat {seat} has nothing to decide")
        self._substitutes[seat] += 1
        action = self.seed.dice(f"substitute/{seat}/{self._substitutes[seat]}").choice(legal)
        self.state.apply(seat, action)
        self.latest = len(self.moves)
        self.inputs.append(Substituted(seat))
        self.moves.append(Stopgap(seat, action))
        self._play_on()

    def vacate(self, seat: Seat) -> None:
        """Give a seat up: it plays neutrally from now on and is placed last.

        Vacating it again changes nothing. Raises IllegalAction when the game is over: its result stands.
        """
        if seat in self._vacated_dice:
            return
        self._require_playing(seat)
        self._vacated_dice[seat] = self.seed.dice(f"vacated/{seat}")
        self.latest = len(self.moves)
        self.inputs.append(Vacated(seat))
        self._play_on()

    def tick(self, now_ms: int) -> None:
        """Tell the game the time. Raises IllegalAction when it went back, or the game is over."""
        self._require_running()
        if now_ms < self.now_ms:
            raise IllegalAction("time.forward", f"it was {self.now_ms} ms already, {now_ms} ms is in the past")
        self.now_ms = now_ms
        self.state.tick(now_ms)
        self.latest = len(self.moves)
        self.inputs.append(Ticked(now_ms))
        self._play_on()

    def put(self, item: Input) -> None:
        """Do again what an input says. Raises IllegalAction."""
        match item:
            case Chosen(seat, action):
                self.choose(seat, action)
            case Substituted(seat):
                self.substitute(seat)
            case Vacated(seat):
                self.vacate(seat)
            case Ticked(now_ms):
                self.tick(now_ms)

    def result(self) -> Result | None:
        """The result with vacated seats placed last; None while the game runs."""
        result = self.state.result()
        return None if result is None else result.with_forfeits(self.vacated)

    def _require_running(self) -> None:
        if self.state.result() is not None:
            raise IllegalAction("game.over", "the game is over")

    def _require_playing(self, seat: Seat) -> None:
        self._require_running()
        if not 0 <= seat < self.seats:
            raise IllegalAction("seat.range", f"there is no seat {seat}, the last one is {self.seats - 1}")
        if seat in self._vacated_dice:
            raise IllegalAction("seat.vacated", f"seat {seat} was vacated")

    def _play_on(self) -> None:
        """Collect what the engine did, then play for vacated seats until somebody else must decide."""
        state = self.state
        while True:
            for seat, action in state.drain_engine_moves():
                self.moves.append(Forced(seat, action))
            if not self._vacated_dice:
                return
            seats = [seat for seat in state.to_act() if seat in self._vacated_dice and not state.may_wait(seat)]
            if not seats:
                return
            seat = seats[0]
            action = self._vacated_dice[seat].choice(state.legal_actions(seat))
            state.apply(seat, action)
            self.moves.append(Neutral(seat, action))
