"""How long a bot takes over its decisions, at next to no cost: a clock read and a count for each."""

import inspect
import math
import time
from collections import Counter
from collections.abc import Awaitable
from typing import Any

import croupier

BUCKETS = 16  # for each doubling: a time is known to within 2.2 %


class Times:
    """Durations, counted in buckets that grow by the same factor.

    >>> times = Times()
    >>> for seconds in (0.001, 0.002, 0.004, 0.1):
    ...     times.add(seconds)
    >>> times.count, [round(times.quantile(q), 4) for q in (0.5, 0.99)]
    (4, [0.002, 0.0985])
    """

    def __init__(self) -> None:
        self.count = 0
        self._buckets: Counter[int] = Counter()

    def add(self, seconds: float) -> None:
        """Count a duration; nothing is taken for less than a nanosecond."""
        self.count += 1
        self._buckets[math.floor(math.log2(max(seconds, 1e-9)) * BUCKETS)] += 1

    def quantile(self, share: float) -> float:
        """Return the seconds that so large a share of the durations did not exceed; 0 without any."""
        left = share * self.count
        for bucket, count in sorted(self._buckets.items()):
            left -= count
            if left <= 0:
                return float(2.0 ** ((bucket + 0.5) / BUCKETS))
        return 0.0


class Timed(croupier.Bot):
    """Plays like another bot, and keeps the time from the moment a decision was read to the moment it was taken."""

    def __init__(self, bot: croupier.Bot) -> None:
        self.times = Times()
        self._choose = bot.choose
        for name in (
            *("games", "max_sessions", "wants_events"),
            *("on_start", "on_events", "on_rewind", "on_result", "on_end"),
        ):
            setattr(self, name, getattr(bot, name))

    def choose(self, decision: croupier.Decision[Any, Any]) -> croupier.Choice | Awaitable[croupier.Choice]:
        choice = self._choose(decision)
        if inspect.isawaitable(choice):
            return self._wait(decision, choice)
        self.times.add(time.monotonic() - decision.received)
        return choice

    async def _wait(self, decision: croupier.Decision[Any, Any], choice: Awaitable[croupier.Choice]) -> croupier.Choice:
        chosen = await choice
        self.times.add(time.monotonic() - decision.received)
        return chosen
