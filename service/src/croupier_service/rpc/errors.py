"""Errors as the contract has them.

A status with google.rpc.ErrorInfo, and google.rpc.BadRequest where a field is to blame.
"""

from __future__ import annotations

from typing import NoReturn

import grpc
import structlog
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc import error_details_pb2, status_pb2

from croupier_games.kernel import OptionError
from croupier_service.sessions.host import BadRequest, Conflict, HostError, NotFound, TooSlow, Unavailable
from croupier_service.sessions.settings import SettingError
from croupier_service.sessions.viewer import PastTheEnd, ViewerTooSlow

log = structlog.get_logger("croupier.rpc")

DOMAIN = "croupier"
_DETAILS_KEY = "grpc-status-details-bin"


def code_of(error: HostError) -> grpc.StatusCode:
    """The status code of a request that cannot be met."""
    match error:
        case BadRequest():
            return grpc.StatusCode.INVALID_ARGUMENT
        case NotFound():
            return grpc.StatusCode.NOT_FOUND
        case Conflict():
            reused = error.reason == "REQUEST_ID_REUSED"
            return grpc.StatusCode.ALREADY_EXISTS if reused else grpc.StatusCode.FAILED_PRECONDITION
        case TooSlow():
            return grpc.StatusCode.DEADLINE_EXCEEDED
        case PastTheEnd():
            return grpc.StatusCode.OUT_OF_RANGE
        case ViewerTooSlow():
            return grpc.StatusCode.ABORTED
        case Unavailable():
            full = error.reason == "TOO_MANY_SESSIONS"
            return grpc.StatusCode.RESOURCE_EXHAUSTED if full else grpc.StatusCode.UNAVAILABLE
    return grpc.StatusCode.INTERNAL


def as_host_error(error: OptionError | SettingError, prefix: str) -> BadRequest:
    """A bad option or setting as a bad request naming the field."""
    return BadRequest("OUT_OF_RANGE", f"{prefix}{error.field} {error}", prefix + error.field)


async def abort(context: grpc.aio.ServicerContext[object, object], error: HostError) -> NoReturn:
    """End the call with this error. Raises what grpc raises to end a call."""
    code = code_of(error)
    details = [error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN)]
    packed = [_pack(details[0])]
    if error.field:
        violation = error_details_pb2.BadRequest.FieldViolation(field=error.field, description=str(error))
        packed.append(_pack(error_details_pb2.BadRequest(field_violations=[violation])))
    message = f"{error.field}: {error}" if error.field and not str(error).startswith(error.field) else str(error)
    status = status_pb2.Status(code=code.value[0], message=message, details=packed)
    await context.abort(code, message, ((_DETAILS_KEY, status.SerializeToString()),))
    raise AssertionError("context.abort raises")


def _pack(detail: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(detail)
    return packed
