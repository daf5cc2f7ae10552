"""What is told of a tournament while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from croupier_tournament.report import Report


@dataclass(frozen=True, slots=True)
class Event:
    """Something happened. `kind` and `data` are for programs, the message is for people."""

    kind: str
    message: str
    data: Mapping[str, Any] = field(default_factory=dict)
    report: Report | None = None
    """Of standings: what a table can be made from."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is. Counts are of games."""

    planned: int
    running: int
    final: int
    voided: int
    rate: float
    """Games a second of late."""
    eta_s: float | None
    """Seconds to the end; None: not known yet."""

    def text(self) -> str:
        """Say it in a line.

        >>> Progress(200, 32, 50, 0, 25.0, 6.0).text()
        '50 of 200 games, 32 running, 25/s, 6 s left'
        >>> Progress(200, 32, 3, 4, 0.0, None).text()
        '3 of 200 games, 32 running, 4 voided'
        """
        parts = [f"{self.final:,} of {self.planned:,} games", f"{self.running} running"]
        if self.voided:
            parts.append(f"{self.voided:,} voided")
        if self.rate:
            parts.append(f"{self.rate:.{0 if self.rate >= 10 else 1}f}/s")
        if self.eta_s is not None:
            parts.append(f"{duration(self.eta_s)} left")
        return ", ".join(parts)


def duration(seconds: float) -> str:
    """Return a time for people, in its two largest units.

    >>> [duration(seconds) for seconds in (6.2, 75, 3700, 200_000)]
    ['6 s', '1 min 15 s', '1 h 1 min', '2 d 7 h']
    """
    whole = round(seconds)
    parts: list[str] = []
    for name, size in (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)):
        if whole >= size or (name == "s" and not parts):
            parts.append(f"{whole // size} {name}")
            whole %= size
        elif parts:
            break
    return " ".join(parts[:2])


class Audience(Protocol):
    """Who is told how it goes. Called in the event loop, so it must be quick."""

    def event(self, event: Event) -> None:
        """Something happened."""

    def progress(self, progress: Progress) -> None:
        """So far it is; told about twice a second."""
