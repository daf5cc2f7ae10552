"""The gRPC server: TournamentService, health and reflection on one port."""

from types import TracebackType
from typing import Self

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from grpc_reflection.v1alpha import reflection

from croupier.v1 import tournament_pb2_grpc
from croupier_tournament.rpc.certificates import Certificates
from croupier_tournament.rpc.door import Door
from croupier_tournament.rpc.hall import Hall
from croupier_tournament.rpc.service import TournamentServicer

SERVICE = "croupier.v1.TournamentService"
LIMIT_BYTES = 4 * 1024 * 1024
OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    ("grpc.max_receive_message_length", LIMIT_BYTES),
    ("grpc.max_send_message_length", LIMIT_BYTES),
)


class TournamentServer:
    """An async context manager: it serves inside, and all runs are stopped after.

    Args:
        listen: host:port.
        hall: the tournaments.
        door: who may call; None: whoever can reach it.
        certificates: what is shown to callers; None: without TLS.

    Attributes:
        address: where it listens: host:port.
    """

    def __init__(
        self, listen: str, hall: Hall, *, door: Door | None = None, certificates: Certificates | None = None
    ) -> None:
        self.address = listen
        self._hall = hall
        self._certificates = certificates
        self._servicer = TournamentServicer(hall)
        self._health = HealthServicer()
        self._server = grpc.aio.server(interceptors=[door] if door is not None else [], options=OPTIONS)
        tournament_pb2_grpc.add_TournamentServiceServicer_to_server(self._servicer, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection((SERVICE, "grpc.health.v1.Health", reflection.SERVICE_NAME), self._server)

    async def __aenter__(self) -> Self:
        """Listen, and go on with what was running. Raises OSError."""
        host = self.address.rpartition(":")[0]
        try:
            if self._certificates is None:
                port = self._server.add_insecure_port(self.address)
            else:
                port = self._server.add_secure_port(self.address, self._certificates.credentials())
        except RuntimeError as error:
            raise OSError(f"cannot listen on {self.address}: is something else listening there?") from error
        self.address = f"{host}:{port}"
        await self._server.start()
        await self._hall.open()
        await self._set_health(health_pb2.HealthCheckResponse.SERVING)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._set_health(health_pb2.HealthCheckResponse.NOT_SERVING)
        self._servicer.close()
        await self._hall.close()
        await self._server.stop(1.0)

    async def _set_health(self, status: int) -> None:
        for service in ("", SERVICE):
            await self._health.set(service, status)
