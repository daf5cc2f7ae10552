"""The health service. It answers without a token, so nobody may have much of it."""

from __future__ import annotations

from collections import Counter
from typing import Any, NoReturn, TypeAlias

import grpc
from grpc_health.v1 import health_pb2
from grpc_health.v1._async import HealthServicer

from croupier_service.sessions.errors import BadRequest, HostError, OverLimit

from .errors import abort
from .interceptors import Refusals

REQUEST_BYTES = 256
"""A request holds the name of a service, and what is watched is kept for as long as the call is open."""
MAX_WATCHES = 2_000
MAX_WATCHES_EACH = 200
"""From one address."""
RETRY_S = 1.0

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


class Health(HealthServicer):
    """What grpc has, within limits."""

    def __init__(self, refusals: Refusals) -> None:
        super().__init__()
        self._refusals = refusals
        self._watches: Counter[str] = Counter()
        """Calls that are open, by the address that they come from."""

    async def Check(self, request: health_pb2.HealthCheckRequest, context: Context) -> health_pb2.HealthCheckResponse:
        """How a service is."""
        try:
            _check_size(request)
        except HostError as error:
            await self._refuse(context, error)
        return await super().Check(request, context)

    async def Watch(self, request: health_pb2.HealthCheckRequest, context: Context) -> None:
        """How a service is, now and whenever that changes."""
        address = context.peer().rpartition(":")[0]
        try:
            _check_size(request)
            if self._watches[address] >= MAX_WATCHES_EACH or self._watches.total() >= MAX_WATCHES:
                raise OverLimit(
                    "TOO_MANY_STREAMS",
                    f"health is watched by {self._watches.total():,} calls, {self._watches[address]:,} of them from "
                    f"your address; at most {MAX_WATCHES:,} may, and {MAX_WATCHES_EACH:,} from one address",
                    RETRY_S,
                )
        except HostError as error:
            await self._refuse(context, error)
        self._watches[address] += 1
        try:
            await super().Watch(request, context)
        finally:
            self._watches[address] -= 1
            if not self._watches[address]:
                del self._watches[address]

    async def _refuse(self, context: Context, error: HostError) -> NoReturn:
        self._refusals.refused(error.reason)
        await abort(context, error)


def _check_size(request: health_pb2.HealthCheckRequest) -> None:
    if request.ByteSize() > REQUEST_BYTES:
        raise BadRequest(
            "TOO_LONG",
            f"is the name of a service; the request has {request.ByteSize():,} bytes, and may have {REQUEST_BYTES}",
            "service",
        )
