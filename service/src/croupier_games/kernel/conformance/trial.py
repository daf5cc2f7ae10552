"""What the checks work on: a game played at random, positions picked from it, and a way to say what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from hashlib import sha256
from typing import Any

from ..dice import Dice, Seed
from ..game import Game, IllegalAction, Seat, State
from ..playout import Stuck, random_playout
from ..result import Result
from ..table import Chosen, Substituted, Table
from .data import spell

MAX_KNOWN = 5000  # actions remembered
ILLEGAL = 32  # of them tried where they might be illegal, per position and seat
STAMINA = 20_000  # inputs per check, after which games are no longer played to their end


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a trial. Its state is shared by all checks: they work on clones."""

    move: int
    """Inputs so far."""
    state: State[Any, Any]
    now_ms: int


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All that can be asked of a state. The ``difference`` of two says where two states differ for those who look."""

    to_act: tuple[Seat, ...]
    deadline: int | None
    result: Result | None
    may_wait: tuple[bool, ...]
    legal: tuple[tuple[Any, ...], ...]
    public: Any
    views: tuple[Any, ...]

    @classmethod
    def of(cls, state: State[Any, Any]) -> Knowledge:
        """Ask."""
        seats = range(state.seats)
        return cls(
            to_act=state.to_act(),
            deadline=state.deadline(),
            result=state.result(),
            may_wait=tuple(state.may_wait(seat) for seat in seats),
            legal=tuple(tuple(state.legal_actions(seat)) for seat in seats),
            public=state.public_view(),
            views=tuple(state.view(seat) for seat in seats),
        )


@dataclass(slots=True)
class Tally:
    """What was played, for people to judge by."""

    games: int = 0
    inputs: int = 0
    decisions: int = 0
    lone: int = 0
    """Decisions asked although one seat alone was to act and had one action: should the engine have taken it?"""
    forced: int = 0
    """Moves that the engine made by itself."""
    longest: int = 0
    """Actions in the longest list."""

    def add(self, other: Tally) -> None:
        """Add another one to this."""
        self.games += other.games
        self.inputs += other.inputs
        self.decisions += other.decisions
        self.lone += other.lone
        self.forced += other.forced
        self.longest = max(self.longest, other.longest)


class NotConformant(AssertionError):
    """A game breaks the contract. The message says in which game, where and how, and how to see it again."""

    def __init__(self, what: str, trial: Trial, move: int | None = None) -> None:
        """``move`` is the number of inputs before it; None where no position is concerned."""
        self.what = what
        self.check = trial.check
        self.game = trial.game.name
        self.seats = trial.seats
        self.seed = trial.seed
        self.move = move
        place = f"{self.game} with {self.seats} seats, seed {self.seed!r}"
        if move is not None:
            place += f", after {move} inputs"
        super().__init__(f"{place}: {what}\n(again: {self.check}({trial.again()}))")


class Trial:
    """A game to be played at random, the same way each time it is asked for."""

    def __init__(
        self,
        game: Game[Any, Any, Any],
        seats: int,
        *,
        seed: str = "conformance",
        options: Any = None,
        positions: int = 6,
        hidden: bool = True,
        known: dict[Any, None] | None = None,
    ) -> None:
        """Nothing is played yet.

        ``options`` is of the game's options type (None: the defaults); of each kind of decision up to ``positions``
        positions are looked into; ``hidden=False`` says that the game has neither secrets nor chance, so that a re-deal
        may change nothing; ``known`` gathers actions over several trials, the wider to search for illegal ones.
        """
        self.game = game
        self.seats = seats
        self.seed = seed
        self.options = game.options() if options is None else options
        self.positions = positions
        self.hidden = hidden
        self._known = {} if known is None else known
        self._unusual = {"options": self.options} if options not in (None, game.options()) else {}
        self.check = "check_game"
        """The name of the running check."""
        self.spent = 0
        """Inputs that the running check has played in other states than the trial's own."""

    def wrong(self, what: str, move: int | None = None) -> NotConformant:
        """The exception that says so."""
        return NotConformant(what, self, move)

    def again(self) -> str:
        """How to make this trial, as Python."""
        extra = "".join(f", {name}={value!r}" for name, value in self._unusual.items())
        return f"Trial(game, {self.seats}, seed={self.seed!r}{extra})"

    def says(self, seat: Seat, action: Any) -> str:
        """Who takes which action, for messages."""
        return f"seat {seat}: {self.game.notation(action)!r}"

    def begin(self, check: str) -> None:
        """Name the check that is about to run, for ``wrong``."""
        self.check = check
        self.spent = 0

    def stamina(self) -> int | None:
        """For how many inputs to play another state on: to its end (None), until the check has done enough of that."""
        return None if self.spent < STAMINA else 200

    def dice(self, purpose: str) -> Dice:
        """Dice for a check's own whim, none of the game's streams."""
        return Seed.of(f"{self.seed}: {purpose}").dice("conformance")

    def tables(self, *, vacate_after: Mapping[Seat, int] | None = None, substitute_one_in: int = 0) -> Iterator[Table]:
        """The game, played anew: the same table at the same positions each time."""
        return random_playout(
            self.game,
            self.seats,
            self.options,
            Seed.of(self.seed),
            self.dice("players"),
            vacate_after=vacate_after,
            substitute_one_in=substitute_one_in,
        )

    def end(self) -> Table:
        """The game, played anew, at its end."""
        (*_, table) = self.tables()
        return table

    @property
    def sample(self) -> list[Position]:
        """Up to ``positions`` positions of every kind of decision, in order; the deal and the end are among them."""
        return self._walk[0]

    @cached_property
    def known(self) -> list[Any]:
        """Actions seen in this and earlier trials, legal somewhere or made by the engine."""
        assert self._walk
        return list(self._known)

    def illegal(self, legal: Sequence[Any], whim: Dice) -> list[Any]:
        """Some of the known actions that are not among these."""
        drawn = [whim.choice(self.known) for _ in range(min(ILLEGAL, len(self.known)))]
        return [action for action in dict.fromkeys(drawn) if action not in legal]

    @property
    def length(self) -> int:
        """Inputs of the whole game."""
        return self._walk[1].inputs

    @property
    def tally(self) -> Tally:
        """What was played."""
        return self._walk[1]

    @cached_property
    def _walk(self) -> tuple[list[Position], Tally]:
        whim = self.dice("sample")
        tally = Tally(games=1)
        met: dict[object, int] = {}
        kept: dict[object, list[Position]] = {}
        for table in self.tables():
            state = table.state
            lists = [state.legal_actions(seat) for seat in state.to_act()]
            self._count(table, tally, lists)
            if len(self._known) < MAX_KNOWN:
                self._known.update(dict.fromkeys(action for legal in lists for action in legal))
            kind: object = (len(lists), type(lists[0][0]) if lists and lists[0] else None, state.result() is None)
            if not table.inputs:
                kind = "deal"
            met[kind] = met.get(kind, 0) + 1
            places = kept.setdefault(kind, [])
            place = len(places) if len(places) < self.positions else whim.below(met[kind])
            if place < self.positions:  # each position of a kind is kept with the same probability
                places[place : place + 1] = [Position(len(table.inputs), state.clone(), table.now_ms)]
        self._known.update(dict.fromkeys(move.action for move in table.moves))
        tally.inputs = len(table.inputs)
        tally.decisions = sum(isinstance(item, Chosen | Substituted) for item in table.inputs)
        tally.forced = sum(move.cause == "forced" for move in table.moves)
        return sorted((p for places in kept.values() for p in places), key=lambda p: p.move), tally

    @staticmethod
    def _count(table: Table, tally: Tally, lists: list[Any]) -> None:
        tally.longest = max([tally.longest, *map(len, lists)])
        if len(lists) == 1 and len(lists[0]) == 1 and not table.state.may_wait(table.state.to_act()[0]):
            tally.lone += 1

    def fingerprint(self) -> str:
        """A digest of all that anybody saw in the game: equal wherever and however often it is played."""
        digest = sha256()
        moves = {position.move for position in self.sample}
        for table in self.tables():
            if len(table.inputs) in moves:
                digest.update(repr(spell(Knowledge.of(table.state))).encode())
        digest.update(repr(spell(tuple(table.moves))).encode())
        return digest.hexdigest()


Check = Callable[[Trial], None]


def check(run: Check) -> Check:
    """Name the check in what it raises, and make the game's own exceptions NotConformant too."""

    @wraps(run)
    def named(trial: Trial) -> None:
        trial.begin(run.__name__)
        try:
            run(trial)
        except NotConformant:
            raise
        except Stuck as stuck:
            raise trial.wrong(str(stuck)) from stuck
        except Exception as error:
            raise trial.wrong(f"it fails with {type(error).__name__}: {error}") from error

    return named


def apply(trial: Trial, state: State[Any, Any], seat: Seat, action: Any, move: int) -> None:
    """Apply an action that is listed as legal."""
    try:
        state.apply(seat, action)
    except IllegalAction as error:
        raise trial.wrong(f"{trial.says(seat, action)} is listed, but apply says: {error}", move) from None
