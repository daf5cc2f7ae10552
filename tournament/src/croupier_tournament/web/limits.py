"""How much one visitor may ask for. Meant to stop what has gone wild, not to ration what is honest."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

MOST_KNOWN = 10_000
"""Addresses that are remembered at once; the one that has been quiet longest is forgotten first."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a second in the long run, and so many at once."""

    per_second: float
    at_once: float


@dataclass(frozen=True, slots=True)
class Limits:
    """For each address that asks."""

    requests: Rate = Rate(50, 300)
    heavy: Rate = Rate(5, 30)
    """What has to be computed: replays, histories."""
    logins: Rate = Rate(0.2, 5)
    streams: int = 400
    """Open at once; a whole class room may sit behind one address."""
    all_streams: int = 4000
    """Open at once, of everybody."""


class TooMuch(Exception):
    """Somebody asks too much. `retry_after_s`: when to try again."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Meters:
    """Counts what each address asks for."""

    def __init__(self, limits: Limits, clock: Callable[[], float] | None = None) -> None:
        self._limits = limits
        self._clock = clock or asyncio.get_running_loop().time
        self._levels: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()
        self._streams: dict[str, int] = {}

    def request(self, address: str) -> None:
        """Count a request. Raises TooMuch."""
        self._take(address, "requests", self._limits.requests)

    def heavy(self, address: str) -> None:
        """Count something that has to be computed. Raises TooMuch."""
        self._take(address, "replays", self._limits.heavy)

    def login(self, address: str) -> None:
        """Count an attempt to log in. Raises TooMuch."""
        self._take(address, "attempts to log in", self._limits.logins)

    @contextmanager
    def stream(self, address: str) -> Iterator[None]:
        """Count a stream for as long as it is open. Raises TooMuch."""
        if self._streams.get(address, 0) >= self._limits.streams:
            raise TooMuch(f"there are {self._limits.streams} streams open to your address: close other pages", 5)
        if sum(self._streams.values()) >= self._limits.all_streams:
            raise TooMuch("too many people are watching just now", 10)
        self._streams[address] = self._streams.get(address, 0) + 1
        try:
            yield
        finally:
            self._streams[address] -= 1
            if not self._streams[address]:
                del self._streams[address]

    def _take(self, address: str, what: str, rate: Rate) -> None:
        now = self._clock()
        level, at = self._levels.pop((address, what), (0.0, now))
        level = max(0.0, level - (now - at) * rate.per_second)
        allowed = level + 1 <= rate.at_once
        self._levels[address, what] = (level + allowed, now)
        while len(self._levels) > MOST_KNOWN:
            self._levels.popitem(last=False)
        if not allowed:
            wait = (level + 1 - rate.at_once) / rate.per_second
            raise TooMuch(f"too many {what} from your address; try again in {max(1, round(wait))} s", max(1.0, wait))
