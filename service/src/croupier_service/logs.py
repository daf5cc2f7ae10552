"""Structured logs: for people on a terminal, JSON otherwise. Never a card, never a seed, never a token."""

from __future__ import annotations

import logging
import sys
import zlib
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict

from .sessions.seats import SeatAt
from .sessions.session import Session
from .sessions.settings import FaultKind

_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}
"""All but the tab and the end of a line."""

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
            *(
                [structlog.processors.JSONRenderer()]
                if json
                else [_escape, structlog.dev.ConsoleRenderer(colors=stream.isatty())]
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=True,
    )


def _escape(_logger: object, _name: str, event: EventDict) -> EventDict:
    """Show control characters as what they are: a terminal would do as they say, and bots send some of the texts."""
    return {key: value.translate(_CONTROLS) if type(value) is str else value for key, value in event.items()}


class SessionLog:
    """Writes down what happens to sessions. An ``Observer``.

    ``share`` of all sessions are followed, the same whoever asks, each of them as a whole; seats that are vacated are
    told of the others, too.
    """

    def __init__(self, share: float = 1.0) -> None:
        self._log = structlog.get_logger("croupier.session")
        self._below = share * 2**32

    def session_started(self, session: Session) -> None:
        if self._follows(session):
            bots = [seat.bot for seat in session.seats]
            self._log.debug("session started", **_ids(session), game=session.table.game.name, bots=bots)

    def session_ended(self, session: Session) -> None:
        if not self._follows(session):
            return
        result = session.result
        self._log.info(
            "session ended",
            **_ids(session),
            game=session.table.game.name,
            state=session.state.name.lower(),
            bots=[seat.bot for seat in session.seats],
            points=result.points if result else None,
            placings=result.placings if result else None,
            faults=sum(seat.faults.total() for seat in session.seats),
            decisions=sum(seat.asked for seat in session.seats),
        )

    def faulted(self, session: Session, seat: SeatAt, kind: FaultKind, message: str) -> None:
        if self._follows(session):
            count = seat.faults.total()
            self._log.warning("fault", **_ids(session, seat), kind=kind.name, count=count, detail=message)

    def vacated(self, session: Session, seat: SeatAt) -> None:
        self._log.warning("seat vacated", **_ids(session, seat))

    def _follows(self, session: Session) -> bool:
        return zlib.crc32(session.id.encode()) < self._below


def _ids(session: Session, seat: SeatAt | None = None) -> dict[str, Any]:
    """By what a line can be found."""
    ids: dict[str, Any] = {"session": session.id}
    if "tournament" in session.labels:
        ids["tournament"] = session.labels["tournament"]
    if seat is not None:
        ids |= {"bot": seat.bot, "seat": seat.number}
        if seat.open is not None:
            ids["decision"] = seat.open.id
    return ids
