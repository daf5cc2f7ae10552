"""What a bot's author writes (`Bot`), and what the bot is given to decide with (`Decision`, `Session`, `End`)."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeAlias, TypeVar, overload

from google.protobuf.message import Message

from croupier.envelope import arm_of, unwrap
from croupier.v1 import game_pb2, play_pb2

V_co = TypeVar("V_co", covariant=True)
A_co = TypeVar("A_co", covariant=True)

Choice: TypeAlias = Message | int | None
"""An action, the index of one of the decision's actions or, for a standing decision, None: wait."""


class Session:
    """The bot's place in a game. It stays the same object from `on_start` to `on_end`, across reconnects.

    A bot may sit in several seats of one game; each of them is a Session of its own, with the same id.

    Attributes:
        id: its name on the server. Opaque.
        game: the game's name: "trick-and-trade".
        rules_version: the version of the game's rules.
        seat: the bot's own seat, 0-based.
        seats: number of seats.
        options: the game's own Options message.
        clock: the clock of every seat: `think_time_ms`, `bank_ms`, `increment_ms`.
        faults: how failing bots are treated: `policy`, `max_faults`, `attempts`.
        resumed: whether the server had told the bot of this session before, perhaps an earlier run of it.
        seed_commitment: SHA-256 of the session's seed, 32 bytes; empty where the organiser gave the seed.
        seq: how many events the bot knows to have happened.
        data: whatever the bot wants to keep for this session; None until it does.
    """

    __slots__ = (
        *("id", "game", "rules_version", "seat", "seats", "options", "clock", "faults", "resumed", "seed_commitment"),
        *("seq", "data"),
    )

    def __init__(self, start: play_pb2.SessionStart) -> None:
        self.id = start.session_id
        self.game = start.game
        self.rules_version = start.rules_version
        self.seat = start.seat
        self.seats = start.seats
        self.options: Any = unwrap(start.options)
        self.clock = start.clock
        self.faults = start.faults
        self.resumed = start.resumed
        self.seed_commitment = start.seed_commitment
        self.seq = start.seq
        self.data: Any = None

    def __repr__(self) -> str:
        return f"<Session {self.id}: {self.game}, seat {self.seat} of {self.seats}>"


class Actions(Sequence[A_co]):
    """The legal actions of a decision: the game's own messages, taken out of their envelopes when looked at."""

    __slots__ = ("_envelopes",)

    def __init__(self, envelopes: Sequence[game_pb2.GameAction]) -> None:
        self._envelopes = envelopes

    def __len__(self) -> int:
        return len(self._envelopes)

    def __iter__(self) -> Iterator[A_co]:
        envelopes = self._envelopes
        arm = arm_of(envelopes[0]) if envelopes else None
        return map(unwrap if arm in (None, "other") else attrgetter(arm), envelopes)

    @overload
    def __getitem__(self, index: int) -> A_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[A_co]: ...
    def __getitem__(self, index: int | slice) -> A_co | Sequence[A_co]:
        if isinstance(index, slice):
            return [unwrap(envelope) for envelope in self._envelopes[index]]
        action: A_co = unwrap(self._envelopes[index])
        return action

    def __repr__(self) -> str:
        return repr(list(self))


class Decision(Generic[V_co, A_co]):
    """The bot is asked to decide.

    The two parameters are the game's View and Action; each game's helper module names the pair, as in
    `croupier.trick_and_trade.Decision`.

    Attributes:
        session: the game in which it is asked.
        message: the decision as it came, for whatever is not offered below.
        received: when it came, as `time.monotonic()` has it: by then its think time was running.
    """

    __slots__ = ("_actions", "_view", "message", "received", "session")

    def __init__(self, session: Session, message: play_pb2.Decision, received: float = 0.0) -> None:
        self.session = session
        self.message = message
        self.received = received
        self._view: V_co | None = None
        self._actions: Actions[A_co] | None = None

    @property
    def view(self) -> V_co:
        """All that the bot may know of the game: the game's own View message."""
        if self._view is None:
            self._view = unwrap(self.message.view)
        assert self._view is not None
        return self._view

    @property
    def actions(self) -> Sequence[A_co]:
        """The legal actions: the game's own Action messages, at least one."""
        if self._actions is None:
            self._actions = Actions(self.message.actions)
        return self._actions

    @property
    def id(self) -> int:
        """The decision's number, unique and ascending in its session."""
        return self.message.decision_id

    @property
    def attempt(self) -> int:
        """1 when first asked, then one more after each illegal answer."""
        return self.message.attempt

    @property
    def seq(self) -> int:
        """How many events had happened in the session when the view was made."""
        return self.message.seq

    @property
    def standing(self) -> bool:
        """Whether this may be answered at any time or never (None); it is asked anew after every change."""
        return self.message.standing

    @property
    def think_time(self) -> float | None:
        """Seconds to think before the bank is used; None for a standing decision."""
        return self.message.think_time_ms / 1000 if self.message.HasField("think_time_ms") else None

    @property
    def bank(self) -> float:
        """Seconds left in the bank, for all decisions that need more than their think time."""
        return self.message.bank_ms / 1000

    @property
    def last_charged(self) -> float:
        """Seconds that the seat's previous decision was charged."""
        return self.message.last_charged_ms / 1000

    def __repr__(self) -> str:
        return f"<Decision {self.id} in session {self.session.id}: {len(self.actions)} actions>"


class End:
    """How a session ended, as the bot's seat sees it.

    Attributes:
        session: the game that is over.
        message: the end as it came, for whatever is not offered below.
    """

    __slots__ = ("message", "session")

    def __init__(self, session: Session, message: play_pb2.SessionEnd) -> None:
        self.session = session
        self.message = message

    @property
    def result(self) -> game_pb2.Result | None:
        """Points and placings of all seats; None where the session was stopped before its end."""
        return self.message.result if self.message.HasField("result") else None

    @property
    def points(self) -> int | None:
        """The bot's own points; None without a result."""
        return self.message.result.points[self.session.seat] if self.message.HasField("result") else None

    @property
    def placing(self) -> int | None:
        """The bot's own placing, 1 is best; None without a result."""
        return self.message.result.placings[self.session.seat] if self.message.HasField("result") else None

    @property
    def view(self) -> Any:  # noqa: ANN401 -- which game's View it is, only the game says
        """The final view of the bot's seat, the game's own View message; None without a result."""
        return unwrap(self.message.view) if self.message.HasField("view") else None

    @property
    def seed(self) -> bytes:
        """The session's seed, 32 bytes, whose SHA-256 is `session.seed_commitment`; empty where there was none."""
        return self.message.seed

    def __repr__(self) -> str:
        return f"<End of session {self.session.id}: placing {self.placing}, points {self.points}>"


class Bot(ABC):
    """A player. Write `choose`; the hooks below it are there for those who want them.

        class First(croupier.Bot):
            def choose(self, decision):
                return decision.actions[0]

    One instance plays all of the bot's sessions, any number of them side by side; what belongs to one session goes
    into `decision.session.data`. All methods are called in one thread, one at a time. While one computes, everything
    else of the bot waits, so a bot that needs more than some milliseconds makes `choose` async and computes elsewhere:

        async def choose(self, decision):
            return await asyncio.to_thread(search, decision.view)

    Where a method raises, the error is logged, no answer is sent, and that session's clock decides; the other sessions
    go on. `croupier.run(..., on_error="raise")` stops at the first error instead, as one wants while writing a bot.

    Attributes:
        games: the games that it plays, by name; empty: any.
        max_sessions: how many sessions it plays at once, at most; 0: any number.
        wants_events: whether `on_events` is to be called. A bot that decides from the view alone is served faster
            without.
    """

    games: tuple[str, ...] = ()
    max_sessions: int = 0
    wants_events: bool = False

    @abstractmethod
    def choose(self, decision: Decision[Any, Any]) -> Choice | Awaitable[Choice]:
        """Decide: return one of `decision.actions`, or its index; for a standing decision also None: wait.

        May be an `async def`. It is cancelled when its answer is no longer wanted: when the decision is asked anew or
        another one is, when its time has run out, when the session is over.
        """

    # B027 wants what does nothing to be abstract; a hook does nothing until a bot has a use for it.

    def on_start(self, session: Session) -> None:  # noqa: B027
        """Sit down in a session: the place to set up `session.data`."""

    def on_events(self, session: Session, events: Sequence[game_pb2.Event]) -> None:  # noqa: B027
        """See what has happened, in order and without gaps; only called if the bot `wants_events`."""

    def on_rewind(self, session: Session) -> None:  # noqa: B027
        """Forget the events after `session.seq`: the server lost them in a crash, and the game goes on from there."""

    def on_result(self, session: Session, result: play_pb2.ActResult) -> None:  # noqa: B027
        """Hear that an answer was illegal, late, stale or otherwise not taken: `outcome`, `rule`, `message`."""

    def on_end(self, session: Session, end: End) -> None:  # noqa: B027
        """Leave a session that is over."""
