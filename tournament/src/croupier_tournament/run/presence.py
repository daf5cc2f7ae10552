"""Which bots are missing at which servers, and which have no room for more games."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

RETRY_S = 0.2
"""How long a bot is left alone that was not there."""


@dataclass(slots=True)
class Gap:
    """A bot that has never been at a server."""

    since: float
    retry_at: float


class Presence:
    """See the module. Times are of the clock that is handed in, in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._gaps: dict[tuple[str, str], Gap] = {}
        self._full: dict[tuple[str, str], float] = {}

    def missing(self, target: str, bot: str) -> bool:
        """A bot was not there. Returns whether that is news."""
        now = self._clock()
        gap = self._gaps.get((target, bot))
        if gap is None:
            self._gaps[target, bot] = Gap(now, now + RETRY_S)
            return True
        gap.retry_at = now + RETRY_S
        return False

    def full(self, target: str, bot: str) -> None:
        """A bot was there, and can play no more games for now."""
        self._gaps.pop((target, bot), None)
        self._full[target, bot] = self._clock() + RETRY_S

    def there(self, target: str, bots: Sequence[str]) -> None:
        """Bots were there."""
        if self._gaps or self._full:
            for bot in bots:
                self._gaps.pop((target, bot), None)
                self._full.pop((target, bot), None)

    def forget(self, bot: str) -> None:
        """A bot is not waited for any more."""
        for key in [key for key in self._gaps if key[1] == bot]:
            del self._gaps[key]

    def worth_a_try(self, target: str, bots: Sequence[str]) -> bool:
        """Whether none of these is known to be missing or full, or it is time to ask again."""
        if not self._gaps and not self._full:
            return True
        now = self._clock()
        gaps = (self._gaps.get((target, bot)) for bot in bots)
        return all(gap is None or now >= gap.retry_at for gap in gaps) and all(
            now >= self._full.get((target, bot), 0.0) for bot in bots
        )

    def overdue(self, patience_s: float) -> list[tuple[str, str]]:
        """Server and bot of each that has been missing for longer than that."""
        now = self._clock()
        return [key for key, gap in self._gaps.items() if now - gap.since > patience_s]
