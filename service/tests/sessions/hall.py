"""A host whose time, bots and store are in the test's hand. Nothing here waits, and nothing runs by itself.

``Hall`` connects bots (``hall.bots("ann bob cat")``), starts sessions (``hall.session()``: Trick and Trade, a seat for
each) and lets time pass (``hall.advance(1_000)``, in milliseconds). A ``FakeBot`` answers (``ann.answer()``: the first
legal action) and remembers what it was told (``ann.question``, ``ann.reports``, ``ann.said``).
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fake_time import FakeTime
from toy import GAME as HIGH_CARD
from toy import Guess, Lay

from croupier_games.kernel import Seed, verify
from croupier_games.trick_and_trade import GAME as TRICK_AND_TRADE
from croupier_games.trick_and_trade import Play
from croupier_service.house import house_bots
from croupier_service.observers import Observers
from croupier_service.sessions.history import events_seen
from croupier_service.sessions.host import Host, HostSettings, NewSession
from croupier_service.sessions.seats import ActReport, Decision
from croupier_service.sessions.session import Session
from croupier_service.sessions.settings import ClockSettings, FaultSettings
from croupier_service.store.memory import MemoryStore

THINK, BANK, GRACE = 1_000, 5_000, 3_000
"""Milliseconds, unless a test says otherwise."""


def drive(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """The value of a coroutine that has nothing to wait for."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    coroutine.close()
    raise AssertionError("it waits for something")


# What a bot is told.


@dataclass(frozen=True)
class Started:
    session: str
    seat: int
    resumed: bool
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Asked:
    """A question as it was put."""

    decision: Decision = field(repr=False)
    id: int
    attempt: int
    seat: int
    seq: int
    legal: tuple[Any, ...]
    view: Any = field(repr=False)
    standing: bool
    time_left: tuple[int, int]
    """Think time and bank."""
    last_charged: float


@dataclass(frozen=True)
class Happened:
    session: str
    seat: int
    events: tuple[tuple[int, Any], ...]


@dataclass(frozen=True)
class Ended:
    session: str
    seat: int
    result: Any


@dataclass(frozen=True)
class Draining:
    grace_ms: float
    reason: str


class FakeBot:
    """A bot's link; ``said`` is all that it was told, in order.

    A frame with a question is written within the moment, unless ``reading`` is False.
    """

    def __init__(self, hall: Hall, name: str, *, events: bool = False, reading: bool = True, **hello: Any) -> None:
        self.hall = hall
        self.name = name
        self.wants_events = events
        self.reading = reading
        self.said: list[Any] = []
        self.unread: list[Decision] = []
        self.closed_because: str | None = None
        self.at = hall.host.connect(name, self, **hello)
        hall.settle()

    # what sessions say

    def start(self, session, seat, *, resumed):
        seq = session.seq if seat.rewind_to is None else seat.rewind_to
        self.said.append(Started(session.id, seat.number, resumed, seq))

    def ask(self, session, decision):
        seat = decision.seat
        self.said.append(
            Asked(
                decision, decision.id, decision.attempt, seat.number, session.seq, tuple(decision.legal),
                session.table.state.view(seat.number), decision.standing, session.time_left(decision),
                seat.last_charged_ms,
            )
        )  # fmt: skip
        self.unread.append(decision)
        if self.reading:
            self.hall.time.call_soon(self.read)

    def report(self, report):
        self.said.append(report)

    def events(self, session, seat, first_seq):
        self.said.append(Happened(session.id, seat.number, tuple(events_seen(session, seat.number, first_seq))))

    def end(self, session, seat):
        self.said.append(Ended(session.id, seat.number, session.result))

    def close(self, reason, *, come_back=False):
        self.closed_because = reason
        self.may_come_back = come_back

    def drain(self, grace_ms, reason):
        self.said.append(Draining(grace_ms, reason))

    # what the bot does

    def read(self) -> None:
        """What it was asked has been written to its stream."""
        now = self.hall.time.now()
        self.hall.host.lag.observe(now)
        unread, self.unread = self.unread, []
        for decision in unread:
            decision.session.asked(decision, now)

    def answer(
        self, question: Asked | None = None, *, index: int | None = None, action: Any = None, at: float | None = None
    ) -> None:
        """Answer (by default the open question, with its first action), heard at once or at a moment in the past."""
        question = question or self.question
        if action is None and index is None:
            index = 0
        self.act(question.decision.session, question.id, index=index, action=action, at=at)

    def act(self, session: Session, decision_id: int, *, index=None, action=None, at: float | None = None) -> None:
        now = self.hall.time.now() if at is None else at
        self.hall.host.lag.observe(self.hall.time.now())
        session.act(self.name, decision_id, now, index=index, action=action)
        self.hall.settle()

    def leave(self, *, stalled: str = "") -> None:
        """The connection ends."""
        self.hall.host.disconnect(self.at, self, stalled=stalled)
        self.hall.settle()

    # what a test asks

    def heard(self, kind: type) -> list[Any]:
        """All that it was told of one kind."""
        return [said for said in self.said if isinstance(said, kind)]

    @property
    def questions(self) -> list[Asked]:
        """All questions that are open, as they were last put."""
        latest = {id(asked.decision): asked for asked in self.heard(Asked) if asked.decision.open}
        return list(latest.values())

    @property
    def question(self) -> Asked:
        """The one question that is open."""
        (question,) = self.questions
        return question

    @property
    def reports(self) -> list[ActReport]:
        return self.heard(ActReport)

    @property
    def told_events(self) -> list[tuple[int, Any]]:
        return [event for happened in self.heard(Happened) for event in happened.events]


class Watcher:
    """An observer and a meter that write down what they are told."""

    def __init__(self) -> None:
        self.notes: list[tuple[Any, ...]] = []
        self.decided_: list[tuple[str, float]] = []
        self.handled_: list[tuple[int, float]] = []

    def session_started(self, session):
        self.notes.append(("started", session.id))

    def session_ended(self, session):
        self.notes.append(("ended", session.id, session.state.name))

    def faulted(self, session, seat, kind, message):
        self.notes.append(("fault", seat.bot, kind.name, message))

    def vacated(self, session, seat):
        self.notes.append(("vacated", seat.bot))

    def decided(self, outcome, ms, session_id):
        self.decided_.append((outcome, ms))

    def handled(self, acts, ms, session_id):
        self.handled_.append((acts, ms))


class Hall:
    """See the module."""

    def __init__(self, store: Any = None, **settings: Any) -> None:
        self.time = FakeTime()
        self.store = store or MemoryStore()
        self.watcher = Watcher()
        self.observers = Observers(self.watcher)
        self.meter = lambda _game: self.watcher
        self.keeping = True
        """Whether what was put into the journal is kept at once; else ``keep`` does it."""
        self.settings = HostSettings(**{"grace_ms": GRACE, "restart_grace_ms": 2 * GRACE, **settings})
        self.host = self._host({game.name: game for game in (HIGH_CARD, TRICK_AND_TRADE)})

    def _host(self, games: Mapping[str, Any]) -> Host:
        host = Host(
            games,
            house_bots(),
            self.store,
            self.observers,
            self._meter_of,
            self.time,
            self.settings,
            wall_clock=lambda: 1_700_000_000.0 + self.time.now() / 1000,
        )
        host.lag.start()
        return host

    def restart(self, *, games: Mapping[str, Any] | None = None) -> None:
        """The server is killed and started again: what was not kept is lost, and every bot has to come again."""
        self.host.timers.close()
        self.host.lag.stop()
        self.host = self._host(self.host.games if games is None else games)
        drive(self.host.recover())
        self.settle()

    def _meter_of(self, game: str) -> Any:
        return self.meter(game)

    def bots(self, names: str, *, events: bool = False) -> list[FakeBot]:
        """Connect some bots."""
        return [FakeBot(self, name, events=events) for name in names.split()]

    def session(
        self,
        bots: str = "ann bob cat",
        game: Any = TRICK_AND_TRADE,
        *,
        clock: ClockSettings | None = None,
        faults: FaultSettings | None = None,
        seed: str | None = "a seed",
        request_id: str = "",
        fingerprint: bytes = b"",
        spectator_delay_ms: int = 0,
        **options: Any,
    ) -> Session:
        """Start a session of bots that have been connected before. In Trick and Trade seat 0 leads."""
        if game is TRICK_AND_TRADE:
            options.setdefault("first_leader", 0)
        new = NewSession(
            game=game.name,
            bots=tuple(bots.split()),
            options=game.options_type(**options),
            clock=clock or ClockSettings(THINK, BANK),
            faults=faults or FaultSettings(),
            seed=None if seed is None else Seed.of(seed),
            request_id=request_id,
            fingerprint=fingerprint,
            spectator_delay_ms=spectator_delay_ms,
        )
        session = self.host.sessions[self.host.create(new)]
        self.settle()
        return session

    def settle(self) -> None:
        """Everything that has to happen now happens; no time passes."""
        self.time.settle()
        while self.keeping and self.host.journal._batch:
            self.keep()
            self.time.settle()

    def keep(self) -> None:
        """What was put into the journal is kept."""
        drive(self.host.journal.flush())

    def advance(self, ms: float) -> None:
        """Let time pass."""
        self.time.advance(ms)
        self.settle()

    def summary(self, session: Session) -> Any:
        return drive(self.host.summary(session.id))

    def archived(self, session: Session) -> Any:
        return drive(self.host.archived(session.id))

    def verified(self, session: Session) -> Any:
        """The result of a session's record, played again."""
        archived = self.archived(session)
        assert len(archived.charges) == len(archived.record.inputs)
        return verify(archived.record, self.host.games[archived.record.game])


def play_on(bots: Sequence[FakeBot], *, until: Any = lambda: False) -> None:
    """Everybody answers every question with its first action, one after the other, until nobody is asked any more."""
    while not until():
        asked = [(question.id, bot, question) for bot in bots for question in bot.questions]
        if not asked:
            return
        _, bot, question = min(asked, key=lambda one: one[0])
        bot.answer(question)


def illegal(question: Asked) -> Any:
    """A well-formed action that the rules forbid."""
    if isinstance(question.legal[0], Lay | Guess):
        return Lay(99)
    hand = {action.card for action in question.legal if isinstance(action, Play)}
    return Play(next(card for card in range(1, 41) if card not in hand))
