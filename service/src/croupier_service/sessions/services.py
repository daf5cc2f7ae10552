"""What sessions need of their host: time, somebody to tell, somewhere to keep what happened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .events import SessionState
from .seats import SeatAt
from .settings import FaultKind
from .steps import Step
from .timing import LagMeter, Time, Timers

if TYPE_CHECKING:
    from .session import Session


class Observer(Protocol):
    """Who is told of what happens, for metrics and logs. Must be quick and must not raise."""

    def session_started(self, session: Session) -> None:
        """Dealt."""

    def session_ended(self, session: Session) -> None:
        """Finished or aborted."""

    def faulted(self, session: Session, seat: SeatAt, kind: FaultKind, message: str) -> None:
        """A bot failed."""

    def vacated(self, session: Session, seat: SeatAt) -> None:
        """A seat was given up."""


class Follower(Protocol):
    """Follows one session for its spectators. Must be quick: it is told of each event."""

    def note(self) -> None:
        """Something has happened: an input has been taken, or there is an event."""


class Meter(Protocol):
    """Counts one game's decisions. Must be quick: it is called for each of them."""

    def decided(self, outcome: str, ms: float, session_id: str) -> None:
        """A decision was closed (``chosen``, ``substituted``, ``vacated``) and its seat charged ``ms``."""

    def handled(self, acts: int, ms: float, session_id: str) -> None:
        """So many acts took the server ``ms``; the last of them was for this session."""


class Journal(Protocol):
    """Where steps and results go to be kept."""

    def put(self, session: Session, step: Step, charged_ms: int) -> None:
        """Keep the latest step of a session."""

    def finish(self, session: Session, state: SessionState, then: Callable[[], None]) -> None:
        """Keep the end; call ``then`` once everything of the session is safe."""


@dataclass(frozen=True, slots=True)
class Services:
    """What sessions share."""

    time: Time
    timers: Timers
    lag: LagMeter
    observer: Observer
    meter: Callable[[str], Meter]
    """The meter of a game, by name."""
    journal: Journal
    wall_clock: Callable[[], float]
    """Seconds since 1970, for people; no rule depends on it."""
    ended: Callable[[Session], None]
    """Called when a session is over, kept and told."""
    grace_ms: float
    """How long a bot may be gone before that counts."""
