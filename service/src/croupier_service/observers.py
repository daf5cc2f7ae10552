"""Several observers as one."""

from __future__ import annotations

from .sessions.seats import SeatAt
from .sessions.services import Observer
from .sessions.session import Session
from .sessions.settings import FaultKind


class Observers:
    """Tells each of them, in order."""

    def __init__(self, *observers: Observer) -> None:
        self._all = list(observers)

    def add(self, observer: Observer) -> None:
        """Tell this one too, after the others."""
        self._all.append(observer)

    def session_started(self, session: Session) -> None:
        for observer in self._all:
            observer.session_started(session)

    def session_ended(self, session: Session) -> None:
        for observer in self._all:
            observer.session_ended(session)

    def faulted(self, session: Session, seat: SeatAt, kind: FaultKind, message: str) -> None:
        for observer in self._all:
            observer.faulted(session, seat, kind, message)

    def vacated(self, session: Session, seat: SeatAt) -> None:
        for observer in self._all:
            observer.vacated(session, seat)
