"""Structured logs: for people on a terminal, JSON otherwise. Never a card, never a seed, never a token."""

from __future__ import annotations

import logging
import sys
from typing import TextIO

import structlog

from .sessions.seats import SeatAt
from .sessions.session import Session
from .sessions.settings import FaultKind

LEVELS = ("debug", "info", "warning", "error")


def configure(level: str = "info", *, json: bool | None = None, stream: TextIO | None = None) -> None:
    """Set up logging for the process; ``json`` None: JSON unless the stream is a terminal.

    Raises KeyError for an unknown level.
    """
    stream = stream or sys.stderr
    number = logging.getLevelNamesMapping()[level.upper()]
    if json is None:
        json = not stream.isatty()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer() if json else structlog.dev.ConsoleRenderer(colors=stream.isatty()),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=True,
    )


class SessionLog:
    """Writes down what happens to sessions. An ``Observer``."""

    def __init__(self) -> None:
        self._log = structlog.get_logger("croupier.session")

    def session_started(self, session: Session) -> None:
        self._log.debug(
            "session started", session=session.id, game=session.table.game.name, bots=[s.bot for s in session.seats]
        )

    def session_ended(self, session: Session) -> None:
        result = session.result
        self._log.info(
            "session ended",
            session=session.id,
            game=session.table.game.name,
            state=session.state.name.lower(),
            bots=[seat.bot for seat in session.seats],
            points=result.points if result else None,
            placings=result.placings if result else None,
            faults=sum(seat.faults.total() for seat in session.seats),
            decisions=sum(seat.asked for seat in session.seats),
        )

    def faulted(self, session: Session, seat: SeatAt, kind: FaultKind, message: str) -> None:
        self._log.warning(
            "fault",
            session=session.id,
            bot=seat.bot,
            seat=seat.number,
            kind=kind.name,
            count=seat.faults.total(),
            detail=message,
        )

    def vacated(self, session: Session, seat: SeatAt) -> None:
        self._log.warning("seat vacated", session=session.id, bot=seat.bot, seat=seat.number)
