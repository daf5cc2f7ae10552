"""Several observers as one."""

from __future__ import annotations

from collections.abc import Sequence

from .sessions.seats import SeatAt
from .sessions.services import Observer
from .sessions.session import Session
from .sessions.settings import FaultKind


class Observers:
    """Tells each of them, in order."""

    def __init__(self, *observers: Observer) -> None:
        self._all: Sequence[Observer] = observers

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
