"""For those who organise games rather than play them: the other services of a server, over one channel.

from croupier import admin
from croupier.v1.session_pb2 import CreateSessionRequest

async with admin.connect("localhost:7700") as server:
    request = CreateSessionRequest(game="trick-and-trade", bots=["first", "house:random", "house:greedy"])
    reply = await server.sessions.CreateSession(request)
    print(reply.session.session_id)
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

import grpc

from croupier.channel import authorization, open_channel
from croupier.errors import RequestError
from croupier.running import DEFAULT_TARGET
from croupier.tls import TLS, chosen
from croupier.v1.bot_pb2_grpc import BotServiceStub
from croupier.v1.session_pb2_grpc import SessionServiceStub
from croupier.v1.spectator_pb2_grpc import SpectatorServiceStub
from croupier.v1.tournament_pb2_grpc import TournamentServiceStub

if TYPE_CHECKING:
    from croupier.v1.bot_pb2_grpc import BotServiceAsyncStub
    from croupier.v1.session_pb2_grpc import SessionServiceAsyncStub
    from croupier.v1.spectator_pb2_grpc import SpectatorServiceAsyncStub
    from croupier.v1.tournament_pb2_grpc import TournamentServiceAsyncStub

Q = TypeVar("Q")
R = TypeVar("R")


class Server:
    """A server's services. Every call raises `RequestError` where the server refuses, with the bad fields named.

    Attributes:
        channel: the channel under them, for services that are not named here (health, reflection).
        metadata: what shows the token, for calls that send a stream; all others show it by themselves.
        sessions: creates, shows and ends sessions.
        spectators: shows sessions as they go.
        bots: registers bots.
        tournaments: runs tournaments.
    """

    def __init__(self, channel: grpc.aio.Channel, token: str | None = None) -> None:
        self.channel = channel
        self.metadata = authorization(token)
        self.sessions: SessionServiceAsyncStub = SessionServiceStub(channel)
        self.spectators: SpectatorServiceAsyncStub = SpectatorServiceStub(channel)
        self.bots: BotServiceAsyncStub = BotServiceStub(channel)
        self.tournaments: TournamentServiceAsyncStub = TournamentServiceStub(channel)


@asynccontextmanager
async def connect(
    target: str | None = None, token: str | None = None, *, tls: TLS = None, deadline: float = 30.0
) -> AsyncIterator[Server]:
    """Open a channel to a server, for as long as the context lasts.

    Args:
        target: the server, "host:port"; None: CROUPIER_TARGET of the environment, or else "localhost:7700".
        token: an organiser's token; None: CROUPIER_TOKEN of the environment, or else none.
        tls: as for `croupier.run`.
        deadline: seconds that a call with one answer may take unless it says otherwise.

    Raises:
        BadCertificate: a file for TLS cannot be used.
    """
    target = target or os.environ.get("CROUPIER_TARGET") or DEFAULT_TARGET
    token = token or os.environ.get("CROUPIER_TOKEN")
    async with open_channel(target, chosen(tls), [Single(token, deadline), Streaming(token)]) as channel:
        yield Server(channel, token)


def with_defaults(
    call: grpc.aio.ClientCallDetails, token: str | None, timeout: float | None
) -> grpc.aio.ClientCallDetails:
    """Fill in what a call does not say itself."""
    metadata = grpc.aio.Metadata(*(call.metadata or ()), *authorization(token))
    return grpc.aio.ClientCallDetails(
        call.method, timeout if call.timeout is None else call.timeout, metadata, call.credentials, call.wait_for_ready
    )


class Single(grpc.aio.UnaryUnaryClientInterceptor):
    """Gives calls that have one answer their token, deadline and readable errors."""

    def __init__(self, token: str | None, timeout: float) -> None:
        self._token = token
        self._timeout = timeout

    async def intercept_unary_unary(
        self,
        continuation: Callable[[grpc.aio.ClientCallDetails, Q], Awaitable[grpc.aio.UnaryUnaryCall[Q, R]]],
        client_call_details: grpc.aio.ClientCallDetails,
        request: Q,
    ) -> R:
        call = await continuation(with_defaults(client_call_details, self._token, self._timeout), request)
        try:
            return await call
        except grpc.aio.AioRpcError as error:
            raise RequestError.from_rpc(error) from None


class Streaming(grpc.aio.UnaryStreamClientInterceptor):
    """Gives calls that answer with a stream their token and readable errors."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    async def intercept_unary_stream(
        self,
        continuation: Callable[[grpc.aio.ClientCallDetails, Q], Awaitable[grpc.aio.UnaryStreamCall[Q, R]]],
        client_call_details: grpc.aio.ClientCallDetails,
        request: Q,
    ) -> AsyncIterator[R]:
        return readable(await continuation(with_defaults(client_call_details, self._token, None), request))


async def readable(call: grpc.aio.UnaryStreamCall[Q, R]) -> AsyncIterator[R]:
    """Yield what a call answers; cancel it when nobody listens any more."""
    try:
        async for response in call:
            yield response
    except grpc.aio.AioRpcError as error:
        raise RequestError.from_rpc(error) from None
    finally:
        call.cancel()
