"""Follows a session, and comes back where the server was lost on the way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import grpc

from croupier import admin
from croupier.backoff import Backoff
from croupier.errors import RequestError
from croupier.v1 import session_pb2, spectator_pb2

ATTEMPTS = 20
"""Attempts in a row to reach a server that was there before."""


BACKOFF = Backoff(base=0.5, cap=5.0)


@dataclass(frozen=True, slots=True)
class Follow:
    """What to follow and how."""

    session_id: str
    from_seq: int = 0
    follow: bool = True
    lost: Callable[[RequestError], None] = lambda _: None
    """Told when the server was lost."""
    backoff: Backoff = BACKOFF


async def session_of(server: admin.Server, session_id: str) -> session_pb2.Session:
    """The session as it stands. Raises RequestError."""
    return (await server.sessions.GetSession(session_pb2.GetSessionRequest(session_id=session_id))).session


async def updates(server: admin.Server, asked: Follow) -> AsyncIterator[spectator_pb2.SessionUpdate]:
    """What the session shows, each once. Raises RequestError."""
    seq, failures, begun = asked.from_seq, 0, False
    while True:
        request = spectator_pb2.WatchSessionRequest(
            session_id=asked.session_id, from_seq=seq, no_follow=not asked.follow
        )
        first = True
        try:
            async for response in server.spectators.WatchSession(request):
                failures = 0
                for update in response.updates:
                    seq = max(seq, update.event.seq)
                    if not (first and begun):  # who comes back has seen where it starts
                        yield update
                    first, begun = False, True
                    if update.HasField("end"):
                        return
        except RequestError as error:
            slow = error.code is grpc.StatusCode.ABORTED
            if not (slow or (begun and error.code is grpc.StatusCode.UNAVAILABLE and failures < ATTEMPTS)):
                raise
            if not slow:
                asked.lost(error)
                await asked.backoff.sleep(asked.backoff.delay(failures))
            failures += 1
        else:
            return
