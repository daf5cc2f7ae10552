"""Who may call TournamentService: those whose tokens the game servers know, by what they may do there.

The service keeps no tokens of its own: it shows a caller's to a game server, and believes for a moment what that says.
Who may create sessions and see who has a token (organisers, operators) may make and steer tournaments; whoever may look
at games may look at tournaments.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Any, TypeAlias

import grpc
import structlog

from croupier import CroupierError, RequestError, admin
from croupier.v1 import bot_pb2, session_pb2
from croupier_tournament.rpc.errors import CallError, Context, abort

log = structlog.get_logger("croupier.tournaments")

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Continuation: TypeAlias = "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]"

STEERING = frozenset({"CreateTournament", "PauseTournament", "ResumeTournament", "CancelTournament"})
OPEN_TO_ALL = "grpc.health.v1.Health/"
"""Load balancers ask, and have no token."""
TRUST_S = 5.0
"""How long a token is let in without asking again."""
MOST_TRUSTED = 1_000
NOBODY = "nobody"
"""What no server takes for a token, unless it takes anything."""
ASK_S = 5.0
"""How long a game server may take to say whose a token is."""


class Door(grpc.aio.ServerInterceptor):
    """Lets calls in, or answers them.

    Args:
        servers: the game servers, host:port; the first that answers is believed.
        tls: how to speak TLS to them.
        clock: seconds.
    """

    def __init__(self, servers: Sequence[str], *, tls: bool | str, clock: Callable[[], float] = time.monotonic) -> None:
        self._servers = servers
        self._tls = tls
        self._clock = clock
        self._trusted: dict[tuple[bytes, bool], float] = {}
        """Until when, by what identifies a token without being one, and whether it may steer."""

    async def intercept_service(
        self, continuation: "Continuation", handler_call_details: grpc.HandlerCallDetails
    ) -> "Handler | None":
        """Find out who calls before the request is read."""
        method = handler_call_details.method.removeprefix("/")
        if method.startswith(OPEN_TO_ALL):
            return await continuation(handler_call_details)
        try:
            await self.check(_token(handler_call_details), steering=method.rpartition("/")[2] in STEERING)
        except CallError as error:
            log.info("call refused", method=method, reason=error.reason, detail=str(error))
            return _refusing(error)
        return await continuation(handler_call_details)

    async def check(self, token: str, *, steering: bool = False) -> None:
        """Let a token in, to look or to steer. Raises CallError."""
        key = (sha256(token.encode()).digest(), steering)
        now = self._clock()
        if self._trusted.get(key, 0.0) > now:
            return
        await self._ask(token, steering=steering)
        if len(self._trusted) >= MOST_TRUSTED:
            self._trusted = {known: until for known, until in self._trusted.items() if until > now}
        if len(self._trusted) < MOST_TRUSTED:
            self._trusted[key] = now + TRUST_S

    async def _ask(self, token: str, *, steering: bool) -> None:
        """Let a game server say whether a token is good enough. Raises CallError."""
        why = ""
        for target in self._servers:
            try:
                async with asyncio.timeout(ASK_S):
                    if await self._lets_anybody_in(target):
                        why = f"{target} asks nobody for a token"
                        continue
                    async with admin.connect(target, token, tls=self._tls, deadline=ASK_S) as server:
                        if steering:
                            await server.bots.ListBots(bot_pb2.ListBotsRequest(page_size=1))
                        else:
                            await server.sessions.ListGames(session_pb2.ListGamesRequest())
                return
            except RequestError as error:
                if error.code is grpc.StatusCode.UNAUTHENTICATED:
                    raise CallError(error.code, error.reason or "BAD_TOKEN", error.message) from None
                if error.code is grpc.StatusCode.PERMISSION_DENIED:
                    may = "tournaments are made and steered by organisers and operators"
                    raise CallError(error.code, "WRONG_ROLE", may) from None
                why = f"{target}: {error.message}"
            except CroupierError as error:  # what this service itself has for TLS
                why = str(error)
            except TimeoutError:
                why = f"{target} does not answer"
        raise CallError(
            grpc.StatusCode.UNAVAILABLE, "NOBODY_TO_ASK", f"no game server can say whose token this is: {why}"
        )

    async def _lets_anybody_in(self, target: str) -> bool:
        """Whether a game server takes a token that is none: then its word is worth nothing. Raises RequestError."""
        async with admin.connect(target, NOBODY, tls=self._tls, deadline=ASK_S) as server:
            try:
                await server.sessions.ListGames(session_pb2.ListGamesRequest())
            except RequestError as error:
                if error.code is grpc.StatusCode.UNAUTHENTICATED:
                    return False
                raise
        return True


def _token(details: grpc.HandlerCallDetails) -> str:
    """The token that a call shows. Raises CallError."""
    shown = [str(value) for key, value in details.invocation_metadata or () if key == "authorization"]
    scheme, _, token = shown[0].partition(" ") if len(shown) == 1 else ("", "", "")
    if not shown:
        raise CallError(
            grpc.StatusCode.UNAUTHENTICATED,
            "NO_TOKEN",
            "this service asks for a token: send the metadata 'authorization: Bearer TOKEN'",
        )
    if scheme.lower() != "bearer" or not token.strip().isascii() or not token.strip():
        raise CallError(
            grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN", "the metadata 'authorization' holds one value, 'Bearer TOKEN'"
        )
    return token.strip()


def _refusing(error: CallError) -> "Handler":
    """A handler that refuses without having read anything. It fits every kind of method."""

    async def call(_requests: object, context: Context) -> None:
        await abort(context, error)

    handler: Any = grpc.stream_stream_rpc_method_handler(call)
    return handler  # type: ignore[no-any-return]
