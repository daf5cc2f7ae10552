"""Time as the sessions see it: injected, in milliseconds, and honest about the server's own lateness."""

from __future__ import annotations

import asyncio
import heapq
import weakref
from collections.abc import Callable
from typing import Protocol

import structlog

log = structlog.get_logger("croupier.timing")


class Cancellable(Protocol):
    """A call that has not happened yet."""

    def cancel(self) -> None:
        """Make sure it does not happen."""


class Time(Protocol):
    """A monotonic clock that can call back. Tests bring one that they move by hand."""

    def now(self) -> float:
        """Milliseconds since some fixed moment."""

    def call_at(self, when_ms: float, callback: Callable[[], None]) -> Cancellable:
        """Call once, not before ``when_ms``."""

    def call_soon(self, callback: Callable[[], None]) -> Cancellable:
        """Call once, after what is running now."""


class LoopTime:
    """The event loop's clock."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = loop or asyncio.get_running_loop()

    def now(self) -> float:
        return self._loop.time() * 1000

    def call_at(self, when_ms: float, callback: Callable[[], None]) -> Cancellable:
        return self._loop.call_at(when_ms / 1000, callback)

    def call_soon(self, callback: Callable[[], None]) -> Cancellable:
        return self._loop.call_soon(callback)


class LagMeter:
    """How late the server itself has been, so that it can be taken off what a bot is charged.

    A beat is due every ``interval_ms``; whatever a beat (or an ``observe`` in between) comes late by is the event
    loop's fault. A bot is charged the time that passed less the growth of ``total_ms`` meanwhile.
    """

    def __init__(self, time: Time, interval_ms: float = 20.0) -> None:
        self.total_ms = 0.0
        self.heard: Callable[[float], None] = _nobody
        """Told at each beat how late the event loop has been since the last one, in milliseconds."""
        self._heard_ms = 0.0
        self._time = time
        self._interval_ms = interval_ms
        self._due = time.now() + interval_ms
        self._beat: Cancellable | None = None

    def start(self) -> None:
        """Begin to beat."""
        self._beat = self._time.call_at(self._due, self._on_beat)

    def stop(self) -> None:
        """Stop beating."""
        if self._beat is not None:
            self._beat.cancel()
            self._beat = None

    def observe(self, now: float) -> None:
        """Count lateness up to now; called before anything is charged."""
        if now > self._due:
            self.total_ms += now - self._due
            self._due = now  # the next beat, when it comes, finds only what is late after this

    def _on_beat(self) -> None:
        now = self._time.now()
        self.observe(now)
        self.heard(self.total_ms - self._heard_ms)
        self._heard_ms = self.total_ms
        self._due = now + self._interval_ms
        self._beat = self._time.call_at(self._due, self._on_beat)


def _nobody(_ms: float) -> None:
    pass


class Timed(Protocol):
    """Something with deadlines: a session."""

    due: float
    """The time for which it is in the heap; infinity when it is not."""

    def on_time(self, now: float) -> None:
        """Do what is due. It may ask for another call by ``Timers.at``."""


class Timers:
    """One heap for the deadlines of all sessions, over one call-back of the event loop.

    A session is in the heap for its earliest deadline; one that has become moot is found so when it comes. That keeps
    the heap small, however many decisions are made before their time is up. It keeps no session alive that is over.
    """

    def __init__(self, time: Time, lag: LagMeter) -> None:
        self._time = time
        self._lag = lag
        self._heap: list[tuple[float, int, weakref.ref[Timed]]] = []
        self._pushed = 0
        self._call: Cancellable | None = None
        self._call_at = float("inf")

    def at(self, when: float, timed: Timed) -> None:
        """Call ``timed.on_time`` not before ``when``, unless it is to be called earlier anyway."""
        if when >= timed.due:
            return
        timed.due = when
        self._pushed += 1
        heapq.heappush(self._heap, (when, self._pushed, weakref.ref(timed)))
        if when < self._call_at:
            self._arm(when)

    def close(self) -> None:
        """Forget everything."""
        self._heap.clear()
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _arm(self, when: float) -> None:
        if self._call is not None:
            self._call.cancel()
        self._call_at = when
        self._call = self._time.call_at(when, self._fire)

    def _fire(self) -> None:
        self._call, self._call_at = None, float("inf")
        now = self._time.now()
        self._lag.observe(now)
        heap = self._heap
        due = []
        while heap and heap[0][0] <= now:
            when, _, ref = heapq.heappop(heap)
            timed = ref()
            if timed is not None and when == timed.due:  # otherwise it is over, or an earlier entry has served it
                timed.due = float("inf")
                due.append(timed)
        for timed in due:  # what becomes due meanwhile is served by a call of its own
            try:
                timed.on_time(now)
            except Exception:  # a bug in one game must not stop the clocks of all the others
                log.exception("a deadline could not be served")
        if heap and heap[0][0] < self._call_at:
            self._arm(heap[0][0])
