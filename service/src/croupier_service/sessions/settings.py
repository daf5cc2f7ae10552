"""What a session is set up with, besides its game: clock, treatment of faults."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class FaultKind(IntEnum):
    """How a bot can fail. Numbered as in the contract."""

    ILLEGAL = 1
    LATE = 2
    DISCONNECTED = 3
    STALLED = 4
    MALFORMED = 5


class FaultPolicy(IntEnum):
    """What happens to a seat that fails to decide. Numbered as in the contract."""

    SUBSTITUTE = 1
    FORFEIT = 2


MAX_MS = 86_400_000


class SettingError(ValueError):
    """A setting out of range. ``field`` is its name, the message says what would be right."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class ClockSettings:
    """Times in milliseconds, 0 to 86,400,000."""

    think_time_ms: int = 10_000
    """For each decision."""
    bank_ms: int = 60_000
    """For the whole session, used when think time has run out."""
    increment_ms: int = 0
    """Added to the bank after each decision."""

    def __post_init__(self) -> None:
        for field in ("think_time_ms", "bank_ms", "increment_ms"):
            _within(field, getattr(self, field), 0, MAX_MS)
        if self.think_time_ms == 0 and self.bank_ms == 0:
            raise SettingError("think_time_ms", "think time and bank cannot both be 0: no decision could be made")


@dataclass(frozen=True, slots=True)
class FaultSettings:
    """How failing bots are treated."""

    policy: FaultPolicy = FaultPolicy.SUBSTITUTE
    max_faults: int = 10
    """Faults of all kinds after which the seat is vacated."""
    attempts: int = 3
    """At each decision."""

    def __post_init__(self) -> None:
        _within("max_faults", self.max_faults, 1, 1000)
        _within("attempts", self.attempts, 1, 10)


def _within(field: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise SettingError(field, f"is {low:,} to {high:,}, not {value:,}")


DEFAULT_CLOCK = ClockSettings()
DEFAULT_FAULTS = FaultSettings()
