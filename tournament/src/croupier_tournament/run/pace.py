"""How fast it goes, and how long it will take."""

from collections import deque
from collections.abc import Callable

WINDOW_S = 20.0
"""The time over which the rate is averaged."""
FEWEST = 8
"""Games that have to be over before a time is estimated: the first to end say little of the others."""


class Meter:
    """Counts games that are over. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._lately: deque[tuple[float, int]] = deque()
        self._count = 0

    def add(self) -> None:
        """One more is over."""
        self._count += 1
        self._lately.append((self._clock(), self._count))

    def rate(self) -> float:
        """Games a second of late; 0 while that cannot be told."""
        now = self._clock()
        while self._lately and self._lately[0][0] < now - WINDOW_S:
            self._lately.popleft()
        since = max(self._began, now - WINDOW_S)
        return len(self._lately) / (now - since) if self._count >= FEWEST and now > since else 0.0

    def eta_s(self, left: int) -> float | None:
        """Seconds until so many more are over; None while that cannot be told."""
        rate = self.rate()
        return left / rate if rate else None
