"""Time that stands still until a test moves it. Implements ``sessions.timing.Time``."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable


class Call:
    """A call that is to come, unless it is cancelled."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True

    def __call__(self) -> None:
        if not self.cancelled:
            self.callback()


class FakeTime:
    """Milliseconds. Whatever is due runs in the order in which it is due, and at that very moment."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self._now = now
        self._calls: list[tuple[float, int, Call]] = []
        self._soon: deque[Call] = deque()
        self._made = 0

    def now(self) -> float:
        return self._now

    def call_at(self, when_ms: float, callback: Callable[[], None]) -> Call:
        call = Call(callback)
        self._made += 1
        heapq.heappush(self._calls, (when_ms, self._made, call))
        return call

    def call_soon(self, callback: Callable[[], None]) -> Call:
        call = Call(callback)
        self._soon.append(call)
        return call

    def settle(self) -> None:
        """Run what is to run now, and what follows from it; no time passes."""
        while self._soon or (self._calls and self._calls[0][0] <= self._now):
            call = self._soon.popleft() if self._soon else heapq.heappop(self._calls)[2]
            call()

    def advance(self, ms: float) -> None:
        """Let time pass, with everything that happens meanwhile."""
        until = self._now + ms
        self.settle()
        while self._calls and self._calls[0][0] <= until:
            self._now = max(self._now, self._calls[0][0])
            self.settle()
        self._now = until

    def block(self, ms: float) -> None:
        """Let time pass in which the server does nothing: what was due comes late."""
        self._now += ms
        self.settle()

    @property
    def calls(self) -> list[float]:
        """When something is to be called, ascending."""
        return sorted(when for when, _, call in self._calls if not call.cancelled)
