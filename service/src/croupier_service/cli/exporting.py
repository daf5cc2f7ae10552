"""Records from a server: of some sessions, or of all that fit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import grpc

from croupier import admin
from croupier.errors import RequestError
from croupier.v1 import game_pb2, play_pb2, session_pb2
from croupier_games.kernel import Record, RecordError, find_game
from croupier_games.kernel.record_json import to_json

AT_ONCE = 16
"""Records asked for at the same time."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which sessions' records are wanted."""

    game: str = ""
    bot: str = ""
    labels: Mapping[str, str] | None = None
    aborted: bool = False
    """Those that were aborted too."""

    def fits(self, session: session_pb2.Session) -> bool:
        """Whether this one is over and wanted; game and bot have been looked at by the server."""
        states = [session_pb2.SESSION_STATE_FINISHED, *([session_pb2.SESSION_STATE_ABORTED] if self.aborted else [])]
        return session.state in states and (self.labels or {}).items() <= dict(session.labels).items()


@dataclass(frozen=True, slots=True)
class Exported:
    """One session's record; or why there is none."""

    session_id: str
    text: str = ""
    data: Mapping[str, Any] | None = None
    """As JSON."""
    error: RequestError | RecordError | None = None


async def found(server: admin.Server, wanted: Filter) -> list[session_pb2.Session]:
    """The sessions that fit, oldest first. Raises RequestError."""
    request = session_pb2.ListSessionsRequest(game=wanted.game, bot=wanted.bot, page_size=1000)
    if not wanted.aborted:
        request.state = session_pb2.SESSION_STATE_FINISHED
    sessions: list[session_pb2.Session] = []
    while True:
        reply = await server.sessions.ListSessions(request)
        sessions += filter(wanted.fits, reply.sessions)
        if not reply.next_page_token:
            return sessions[::-1]
        request.page_token = reply.next_page_token


async def named(server: admin.Server, session_ids: Iterable[str]) -> list[session_pb2.Session]:
    """These sessions. Raises RequestError."""
    return [
        (await server.sessions.GetSession(session_pb2.GetSessionRequest(session_id=session_id))).session
        for session_id in session_ids
    ]


async def exported(server: admin.Server, sessions: list[session_pb2.Session]) -> AsyncIterator[Exported]:
    """The records of these sessions, in order. Raises RequestError where the server is lost."""
    for first in range(0, len(sessions), AT_ONCE):
        for done in await asyncio.gather(*(_export(server, one) for one in sessions[first : first + AT_ONCE])):
            yield done


async def _export(server: admin.Server, session: session_pb2.Session) -> Exported:
    try:
        reply = await server.sessions.GetRecord(session_pb2.GetRecordRequest(session_id=session.session_id))
        record = Record.from_text(reply.text, find_game)
        data = {**to_json(record, find_game(record.game)), "session": _about(session, reply.record)}
        return Exported(session.session_id, _heading(session) + reply.text, data)
    except RequestError as error:
        if error.code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNAUTHENTICATED):
            raise
        return Exported(session.session_id, error=error)
    except RecordError as error:
        return Exported(session.session_id, error=error)


def _about(session: session_pb2.Session, record: session_pb2.Record) -> dict[str, Any]:
    """What the server says of the session, as the schema has it."""
    about: dict[str, Any] = {
        "id": session.session_id,
        "bots": list(record.bots),
        "reason": "finished" if record.reason == play_pb2.END_REASON_FINISHED else "aborted",
        "created": session.create_time.ToJsonString(),
        "ended": session.end_time.ToJsonString(),
        "charged_ms": [item.charged_ms for item in record.inputs],
    }
    if session.labels:
        about["labels"] = dict(sorted(session.labels.items()))
    if record.faults:
        about["faults"] = [
            {"after_inputs": fault.after_inputs, "seat": fault.seat, "kind": _kind(fault.kind)}
            for fault in record.faults
        ]
    return about


def _heading(session: session_pb2.Session) -> str:
    """Comments above a record's text."""
    lines = [f"session {session.session_id}", f"bots {', '.join(seat.bot for seat in session.seats)}"]
    return "".join(f"# {line}\n" for line in lines)


def _kind(kind: game_pb2.FaultKind.ValueType) -> str:
    return game_pb2.FaultKind.Name(kind).removeprefix("FAULT_KIND_").lower()
