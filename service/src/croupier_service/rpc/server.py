"""The gRPC server: services, health and reflection on one port."""

from __future__ import annotations

from collections.abc import Mapping

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from grpc_reflection.v1alpha import reflection

from croupier.v1 import session_pb2_grpc
from croupier_service.sessions.host import Host
from croupier_service.sessions.watching import Watching
from croupier_service.wire.messages import GameWire

from .interceptors import Guard
from .play import PlayServicer, PlaySettings, StreamObserver
from .session import SessionServicer
from .spectator import SpectatorServicer

SERVICES = ("croupier.v1.PlayService", "croupier.v1.SessionService", "croupier.v1.SpectatorService")
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
)


class RpcServer:
    """Serves one host."""

    def __init__(
        self,
        host: Host,
        watching: Watching,
        wires: Mapping[str, GameWire],
        *,
        version: str,
        play: PlaySettings,
        streams: StreamObserver,
    ) -> None:
        self._host = host
        self._health = HealthServicer()
        self._server = grpc.aio.server(interceptors=[Guard()], options=OPTIONS)
        self._server.add_generic_rpc_handlers((PlayServicer(host, wires, version, play, streams).handlers(),))
        self._server.add_generic_rpc_handlers((SpectatorServicer(watching).handlers(),))
        session_pb2_grpc.add_SessionServiceServicer_to_server(SessionServicer(host, wires), self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection((*SERVICES, "grpc.health.v1.Health", reflection.SERVICE_NAME), self._server)

    async def start(self, address: str) -> int:
        """Listen on ``host:port`` (port 0: any free one) and return the port. Raises OSError."""
        try:
            port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise OSError(f"cannot listen on {address}: is something else listening there?") from error
        await self._server.start()
        await self._set_health(health_pb2.HealthCheckResponse.SERVING)
        return port

    async def drain(self) -> None:
        """Say that no new work is taken."""
        await self._set_health(health_pb2.HealthCheckResponse.NOT_SERVING)

    async def stop(self, grace_s: float) -> None:
        """End all calls; unfinished ones after the grace. Streams are to be ended first, or they use the grace up."""
        await self._server.stop(grace_s)

    async def _set_health(self, status: int) -> None:
        for service in ("", *SERVICES):
            await self._health.set(service, status)
