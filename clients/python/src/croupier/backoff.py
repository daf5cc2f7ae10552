"""How long to wait before trying again."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Backoff:
    """Exponential backoff with full jitter: anything between nothing and twice the last limit, up to a cap.

    Jitter over the whole range keeps a thousand bots that lost the same server from coming back at the same moment.

    >>> calm = Backoff(random=lambda: 1.0)
    >>> [calm.delay(failures) for failures in (0, 1, 2, 9)]
    [0.1, 0.2, 0.4, 10.0]

    Attributes:
        base: the limit after the first failure, in seconds.
        cap: the limit that is never passed, in seconds.
        random: gives a number from 0 to 1.
        sleep: waits so many seconds.
    """

    base: float = 0.1
    cap: float = 10.0
    random: Callable[[], float] = random.random
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    def delay(self, failures: int) -> float:
        """Return the seconds to wait after so many failures in a row, not counting the newest."""
        return self.random() * min(self.cap, self.base * 2.0 ** min(failures, 64))
