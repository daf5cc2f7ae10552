"""Real server processes, and an organiser who talks to them."""

import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from processes import Server

from croupier import admin
from croupier.v1 import game_pb2, session_pb2

sys.path.insert(0, str(Path(__file__).parent))  # for proxy.py

QUICK = {"--ping-interval": "0.2", "--stall-timeout": "2", "--grace": "0.2", "--drain-grace": "0"}


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Starts servers of the test's own, and looks afterwards at how they went.

    Flags are given as ``serve(think_time=1)``, switches as ``serve(auth=True)``; what is not given is quick.
    """
    with ExitStack() as servers:
        yield lambda **flags: servers.enter_context(serving(**flags))


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A quick server for all tests that leave nothing behind."""
    with serving() as shared:
        yield shared


@contextmanager
def serving(**flags: Any) -> Iterator[Server]:
    """A server, stopped in the end by SIGTERM; how it goes is part of the test."""
    given = {**QUICK, **{f"--{name.replace('_', '-')}": value for name, value in flags.items()}}
    words = ((flag,) if value is True else (flag, str(value)) for flag, value in given.items())
    with Server(*(word for flag in words for word in flag)) as server:
        yield server
        if server.running:
            server.signal(signal.SIGTERM)
        assert server.wait() in (0, 3), server.stderr()
        assert "Traceback" not in server.stderr(), server.stderr()


class Organiser:
    """Creates sessions and looks at them."""

    def __init__(self, server: admin.Server) -> None:
        self.server = server

    async def create(self, *bots: str, **fields: Any) -> str:
        """Start a session, of Trick and Trade unless ``game`` says otherwise; its id."""
        request = session_pb2.CreateSessionRequest(**{"game": "trick-and-trade", "bots": bots, **fields})
        return (await self.server.sessions.CreateSession(request)).session.session_id

    async def session(self, session_id: str) -> session_pb2.Session:
        """How it stands."""
        return (await self.server.sessions.GetSession(session_pb2.GetSessionRequest(session_id=session_id))).session

    async def faults(self, session_id: str) -> dict[str, dict[str, int]]:
        """What went wrong, by bot and kind; bots without faults are left out."""
        session = await self.session(session_id)
        return {
            seat.bot: {game_pb2.FaultKind.Name(fault.kind)[len("FAULT_KIND_") :]: fault.count for fault in seat.faults}
            for seat in session.seats
            if seat.faults
        }


@pytest.fixture
def organise() -> Callable[[Server], Any]:
    """Connect an organiser to a server, for as long as a context lasts."""

    @asynccontextmanager
    async def connect(server: Server) -> AsyncIterator[Organiser]:
        async with admin.connect(server.target) as connected:
            yield Organiser(connected)

    return connect
