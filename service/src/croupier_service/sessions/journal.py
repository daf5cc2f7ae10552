"""Keeping what happened.

Openings, steps and ends go to the store in batches, off the hot path; nobody is told of an end before it is safe.

``Store`` is what the host asks of a store; the implementations live in ``croupier_service.store`` and are handed in.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import structlog

from croupier_games.kernel import Seed

from .events import SessionState
from .session import Session
from .settings import ClockSettings, FaultSettings
from .steps import Step, Steps
from .summary import Archived, SeatSummary, Summary, archive, seed_commitment
from .timing import Time

log = structlog.get_logger("croupier.journal")

PAUSE_MS = 10.0
"""Steps wait at most so long for others to be committed with."""
INTERVAL_MS = 5.0
"""At least so long lies between the beginnings of two commits: each costs about two milliseconds of processor time."""
SLOW_MS = 1_000.0
"""A commit that takes longer is worth a line in the log."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A session was started: all that is needed to start it again."""

    session_id: str
    game: str
    rules_version: int
    options: Any
    bots: tuple[str, ...]
    seed: Seed
    seed_given: bool
    clock: ClockSettings
    faults: FaultSettings
    labels: tuple[tuple[str, str], ...]
    spectator_delay_ms: int
    created_at: float
    request_id: str = ""
    fingerprint: bytes = b""

    def summary(self, set_aside_at: float | None = None) -> Summary:
        """The session as it was at its start; aborted, where it was set aside."""
        return Summary(
            session_id=self.session_id,
            game=self.game,
            rules_version=self.rules_version,
            options=self.options,
            seats=tuple(SeatSummary.at_first(bot, self.clock.bank_ms) for bot in self.bots),
            clock=self.clock,
            faults=self.faults,
            state=SessionState.RUNNING if set_aside_at is None else SessionState.ABORTED,
            seq=0,
            to_act=(),
            result=None,
            labels=self.labels,
            seed_commitment=seed_commitment(self.seed, seed_given=self.seed_given),
            created_at=self.created_at,
            ended_at=set_aside_at,
            spectator_delay_ms=self.spectator_delay_ms,
        )


class StepTaken(NamedTuple):
    """A step of a session; they come in order, numbered from 0."""

    session_id: str
    number: int
    step: Step
    charged_ms: int


Entry = Opened | StepTaken | Archived
"""A session was started; a step was taken; a session is over."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A session that was running when the server stopped."""

    session_id: str
    opened: Opened | None
    """None: it cannot be read."""
    steps: Steps = field(default_factory=Steps)
    trouble: str = ""
    """Why it cannot be gone on with, as far as the store can tell; empty: nothing is known against it."""


@dataclass(frozen=True, slots=True)
class Query:
    """Which sessions to list; what is None or empty does not matter."""

    state: SessionState | None = None
    game: str = ""
    bot: str = ""


class Unreadable(Exception):
    """What is kept of a session cannot be read; the message says why."""


class Store(Protocol):
    """Keeps sessions that are over; and of running ones, all that is needed to go on with them."""

    async def commit(self, batch: Sequence[Entry]) -> None:
        """Keep these, all or none, in order. When it returns they are safe. A batch may come twice."""

    async def load(self, session_id: str) -> Archived | None:
        """A session that is over; None when there is none of that id. Raises Unreadable."""

    async def summary(self, session_id: str) -> Summary | None:
        """A session as it was opened, or ended; None when there is none of that id."""

    async def page(self, query: Query, before: str, limit: int) -> Sequence[Summary] | None:
        """Sessions, newest first, from the one after ``before`` (empty: the newest) on.

        Those that are not over are as they were opened. None where no session is called ``before``.
        """

    async def requests(self, request_ids: Collection[str]) -> Mapping[str, tuple[bytes, str]]:
        """The fingerprints of requests and the sessions that they started, by their ids; those that there were."""

    async def have_played(self, bots: Collection[str]) -> Collection[str]:
        """Those of these bots that have ever sat in a session."""

    def unfinished(self) -> AsyncIterator[Unfinished]:
        """The sessions that are not over, oldest first. Asked once, before anything is committed."""

    async def set_aside(self, session_id: str, why: str, ended_at: float) -> None:
        """Count an unfinished session as aborted, and keep all that there is of it."""

    async def close(self) -> None:
        """Let go of everything."""


class StoreJournal:
    """Collects what sessions put in while one batch is being committed into the next; one commit at a time."""

    def __init__(self, store: Store, time: Time) -> None:
        self.heard: Callable[[int, float], None] | None = None
        """Told of each batch that was committed: how many entries, how many milliseconds."""
        self._store = store
        self._time = time
        self._batch: list[Entry] = []
        self._then: list[Callable[[], None]] = []
        self._wake = asyncio.Event()
        self._alarm_set = False
        self._began = float("-inf")
        self._running = False
        self._waiting: list[asyncio.Future[None]] = []
        self._committing = asyncio.Lock()

    @property
    def backlog(self) -> int:
        """Entries that wait to be committed."""
        return len(self._batch)

    def open(self, session: Session, request_id: str = "", fingerprint: bytes = b"") -> None:
        """Keep that a session was started."""
        table = session.table
        self._batch.append(
            Opened(
                session_id=session.id,
                game=table.game.name,
                rules_version=table.game.rules_version,
                options=table.options,
                bots=tuple(seat.bot for seat in session.seats),
                seed=table.seed,
                seed_given=session.seed_given,
                clock=session.clock,
                faults=session.fault_settings,
                labels=tuple(sorted(session.labels.items())),
                spectator_delay_ms=session.spectator_delay_ms,
                created_at=session.created_at,
                request_id=request_id,
                fingerprint=fingerprint,
            )
        )
        self._wake.set()

    def put(self, session: Session, step: Step, charged_ms: int) -> None:
        number = len(session.charges) + len(session.asides) - 1
        self._batch.append(StepTaken(session.id, number, step, charged_ms))
        if not self._alarm_set:
            self._alarm_set = True
            self._time.call_at(self._time.now() + PAUSE_MS, self._wake.set)

    def finish(self, session: Session, state: SessionState, then: Callable[[], None]) -> None:
        session.kept = archive(session, state)
        self._batch.append(session.kept)
        self._then.append(then)
        self._wake.set()

    async def run(self) -> None:
        """Commit for ever. Raises what the store raises: a host that cannot keep results must not go on."""
        self._running = True
        try:
            while True:
                await self._wake.wait()
                rest = asyncio.Event()
                if self._time.now() < self._began + INTERVAL_MS:
                    self._time.call_at(self._began + INTERVAL_MS, rest.set)
                    await rest.wait()
                await self.flush()
        except Exception as error:
            for waiting in self._waiting:
                if not waiting.done():
                    waiting.set_exception(error)
            raise
        finally:
            self._running = False

    async def safe(self) -> None:
        """Wait until all that was put in before is safe; others' share the commit. Raises what the store raises."""
        if not self._running:
            await self.flush()
            return
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        self._wake.set()
        await waiting

    async def flush(self) -> None:
        """Commit what there is, and tell whoever waits for it. When it returns, all that was put in before is safe."""
        async with self._committing:
            self._wake.clear()
            self._alarm_set = False
            batch, self._batch = self._batch, []
            then, self._then = self._then, []
            waited, self._waiting = self._waiting, []
            if batch:
                began = self._began = self._time.now()
                try:
                    await self._store.commit(batch)
                except BaseException:  # nothing that comes later may be kept without it
                    self._batch, self._then = [*batch, *self._batch], [*then, *self._then]
                    self._waiting = [*waited, *self._waiting]
                    self._wake.set()
                    raise
                took = self._time.now() - began
                if self.heard is not None:
                    self.heard(len(batch), took)
                if took > SLOW_MS:
                    log.warning("the store is slow", entries=len(batch), took_ms=round(took), waiting=len(self._batch))
            for call in then:
                try:
                    call()
                except Exception:  # a bug at one session's end must not keep the others' from being told
                    log.exception("the end of a session could not be told to everybody")
            for waiting in waited:
                if not waiting.done():
                    waiting.set_result(None)
