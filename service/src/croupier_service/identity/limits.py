"""What one identity may use at once. Running sessions are counted by the host (``HostSettings.max_sessions_each``)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """For each identity. Meant to stop what has gone wild, not to ration what is honest."""

    streams: int = 64
    """Calls that stay open, at once. Nothing to a server that asks for no tokens: there, everybody is the same."""
    frame_bytes: int = 256 * 1024
    """The largest frame that a bot may send."""
    acts_per_second: int = 50_000
    """Of one bot, in the long run; it may be ahead by one second's worth."""


class Bucket:
    """Counts acts against a rate. Whoever is ahead of it by more than a second's worth has to wait."""

    __slots__ = ("_level", "_per_ms", "_at", "_room")

    def __init__(self, per_second: float, now: float) -> None:
        self._per_ms = per_second / 1000
        self._room = per_second
        self._level = 0.0
        self._at = now

    def take(self, amount: float, now: float) -> float:
        """Count so many at a time in milliseconds. Returns how long nothing more should be taken, in milliseconds."""
        self._level = max(0.0, self._level - (now - self._at) * self._per_ms) + amount
        self._at = now
        over = self._level - self._room
        return over / self._per_ms if over > 0 else 0.0
