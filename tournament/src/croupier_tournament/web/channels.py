"""Game servers, asked with the token of whoever visits: one channel for each server, whoever asks."""

from contextlib import AsyncExitStack
from typing import Self

from croupier.admin import Server, Single, Streaming
from croupier.channel import authorization, open_channel
from croupier.v1 import session_pb2 as pb
from croupier_tournament.web.visitors import Visitor

CALL_S = 20.0
"""How long a call may take, in seconds."""
Metadata = tuple[tuple[str, str], ...]


class GameServerChannel:
    """One server. Every call raises RequestError where it refuses.

    Attributes:
        target: host:port.
        tls: how it is spoken to: see `croupier.run`.
        server: its services. Give each call `metadata=of(visitor)`.
    """

    def __init__(self, target: str, *, tls: bool | str) -> None:
        self.target = target
        self.tls = tls
        # The environment's token is the organiser's, not the visitors': it is not shown.
        self._channel = open_channel(target, tls, [Single(None, CALL_S), Streaming(None)])
        self.server = Server(self._channel)

    async def session(self, session_id: str, visitor: Visitor) -> pb.Session:
        """One session as it stands."""
        request = pb.GetSessionRequest(session_id=session_id)
        return (await self.server.sessions.GetSession(request, metadata=of(visitor))).session

    async def check(self, visitor: Visitor) -> None:
        """See that the server knows the visitor's token."""
        await self.server.sessions.ListGames(pb.ListGamesRequest(), metadata=of(visitor))

    async def close(self) -> None:
        """Let it go."""
        await self._channel.close()


class Channels:
    """Channels by target, opened when they are first needed. An async context manager."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, bool | str], GameServerChannel] = {}
        self._stack = AsyncExitStack()

    def to(self, target: str, *, tls: bool | str = False) -> GameServerChannel:
        """The channel to a server."""
        found = self._open.get((target, tls))
        if found is None:
            found = self._open[target, tls] = GameServerChannel(target, tls=tls)
            self._stack.push_async_callback(found.close)
        return found

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()


def of(visitor: Visitor) -> Metadata:
    """The metadata that shows a visitor's token."""
    return authorization(visitor.token)
