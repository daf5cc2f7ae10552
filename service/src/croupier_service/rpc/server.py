"""The gRPC server: services, health and reflection on one port."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Protocol

import grpc
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from croupier.v1 import bot_pb2_grpc, session_pb2_grpc
from croupier_service.identity.limits import Limits
from croupier_service.identity.live import LiveCalls
from croupier_service.identity.registry import Identities
from croupier_service.sessions.host import Host
from croupier_service.sessions.watching import Watching
from croupier_service.wire.messages import GameWire

from .bots import BotServicer
from .counting import Calls, Counting
from .health import Health
from .interceptors import Gate, Guard, Refusals
from .play import PlayServicer, PlaySettings, StreamObserver
from .session import SessionServicer
from .spectator import SpectatorServicer
from .tls import Certificates

SERVICES = (
    "croupier.v1.PlayService",
    "croupier.v1.SessionService",
    "croupier.v1.SpectatorService",
    "croupier.v1.BotService",
)
log = structlog.get_logger("croupier.rpc")

SEEN_EVERY = 10
"""When somebody was last seen is kept each time that open calls have been looked at so often."""
TRANSPORT_LIMIT_BYTES = 4 * 1024 * 1024
"""A larger message ends its call: the transport does not read it. PlayService refuses smaller ones by itself."""

# Why each of these: docs/explanation/throughput.md
OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    ("grpc.max_receive_message_length", TRANSPORT_LIMIT_BYTES),
    ("grpc.max_send_message_length", TRANSPORT_LIMIT_BYTES),
    ("grpc.max_concurrent_streams", 4_096),
)


class Observer(StreamObserver, Calls, Refusals, Protocol):
    """Told of streams, of calls and of refused ones, for metrics."""


class RpcServer:
    """Serves one host.

    ``ask_for_tokens`` False: whoever can reach the server may do everything. ``certificates`` None: without TLS.
    """

    def __init__(
        self,
        host: Host,
        watching: Watching,
        wires: Mapping[str, GameWire],
        identities: Identities,
        *,
        ask_for_tokens: bool,
        certificates: Certificates | None,
        version: str,
        play: PlaySettings,
        limits: Limits,
        observer: Observer,
    ) -> None:
        self._host = host
        self._identities = identities
        self._certificates = certificates
        self.live = LiveCalls(limits.streams, identities.seen)
        self._health = Health(observer)
        gate = Gate(identities if ask_for_tokens else None, self.live, host.summary, observer)
        self._server = grpc.aio.server(interceptors=[Counting(observer), Guard(), gate], options=OPTIONS)
        self._server.add_generic_rpc_handlers((PlayServicer(host, wires, version, play, limits, observer).handlers(),))
        self._server.add_generic_rpc_handlers((SpectatorServicer(watching).handlers(),))
        self._sessions = SessionServicer(host, wires)
        session_pb2_grpc.add_SessionServiceServicer_to_server(self._sessions, self._server)
        bot_pb2_grpc.add_BotServiceServicer_to_server(BotServicer(host, identities, self.live), self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection((*SERVICES, "grpc.health.v1.Health", reflection.SERVICE_NAME), self._server)

    async def start(self, address: str, door: Path | None = None) -> int:
        """Listen on ``host:port`` (port 0: any free one) and return the port. Raises OSError.

        ``door``: listen on this UNIX socket, too, without TLS.
        """
        try:
            if self._certificates is None:
                port = self._server.add_insecure_port(address)
            else:
                port = self._server.add_secure_port(address, self._certificates.credentials())
        except RuntimeError as error:
            raise OSError(f"cannot listen on {address}: is something else listening there?") from error
        if door is not None:
            self._server.add_insecure_port(f"unix:{door}")
        await self._server.start()
        await self._set_health(health_pb2.HealthCheckResponse.SERVING)
        return port

    async def watch_tokens(self, every_s: float) -> None:
        """For ever: end calls whose token another process has rotated or deleted, or that has expired."""
        for number in count(1):
            await asyncio.sleep(every_s)
            try:
                if number % SEEN_EVERY == 0:
                    await self._identities.flush()
                for name, why, good in await self._identities.revoked(self.live.identities()):
                    self.live.revoke(name, why, keep=good)
            except Exception:  # a store that cannot be asked now can be asked again
                log.exception("the tokens of open calls could not be looked at")

    async def drain(self) -> None:
        """Say that no new work is taken."""
        await self._set_health(health_pb2.HealthCheckResponse.NOT_SERVING)

    async def stop(self, grace_s: float) -> None:
        """End all calls; unfinished ones after the grace. Bots' and viewers' streams are to be ended first."""
        self._sessions.close("the server is stopping")
        await self._server.stop(grace_s)

    async def _set_health(self, status: int) -> None:
        for service in ("", *SERVICES):
            await self._health.set(service, status)
