"""Errors as the contract has them.

A status with google.rpc.ErrorInfo; google.rpc.BadRequest where a field is to blame, google.rpc.RetryInfo over a limit.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from croupier_games.kernel import OptionError
from croupier_service.sessions.errors import (
    BadRequest,
    Conflict,
    Denied,
    HostError,
    NotFound,
    OverLimit,
    TooSlow,
    Unauthenticated,
    Unavailable,
)
from croupier_service.sessions.settings import SettingError
from croupier_service.sessions.viewer import PastTheEnd, ViewerTooSlow

DOMAIN = "croupier"
_DETAILS_KEY = "grpc-status-details-bin"
_MESSAGE_BYTES = 1000
"""A trailer holds the message three times, encoded, and has to fit into the 8 KiB that gRPC takes."""
_LONG_WORD = re.compile(r"(\S{97})\S{2,}(\S{2})")


def code_of(error: HostError) -> grpc.StatusCode:
    """The status code of a request that cannot be met."""
    match error:
        case BadRequest():
            return grpc.StatusCode.INVALID_ARGUMENT
        case NotFound():
            return grpc.StatusCode.NOT_FOUND
        case Conflict():
            taken = error.reason in ("REQUEST_ID_REUSED", "NAME_TAKEN")
            return grpc.StatusCode.ALREADY_EXISTS if taken else grpc.StatusCode.FAILED_PRECONDITION
        case TooSlow():
            return grpc.StatusCode.DEADLINE_EXCEEDED
        case PastTheEnd():
            return grpc.StatusCode.OUT_OF_RANGE
        case ViewerTooSlow():
            return grpc.StatusCode.ABORTED
        case Unavailable():
            return grpc.StatusCode.UNAVAILABLE
        case Unauthenticated():
            return grpc.StatusCode.UNAUTHENTICATED
        case Denied():
            return grpc.StatusCode.PERMISSION_DENIED
        case OverLimit():
            return grpc.StatusCode.RESOURCE_EXHAUSTED
    return grpc.StatusCode.INTERNAL


def as_host_error(error: OptionError | SettingError, prefix: str) -> BadRequest:
    """A bad option or setting as a bad request naming the field."""
    return BadRequest("OUT_OF_RANGE", f"{prefix}{error.field} {error}", prefix + error.field)


async def abort(context: grpc.aio.ServicerContext[Any, Any], error: HostError) -> NoReturn:
    """End the call with this error. Raises what grpc raises to end a call."""
    code = code_of(error)
    what = _LONG_WORD.sub(r"\1…\2", str(error))
    packed = [_pack(error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN))]
    if error.field:
        violation = error_details_pb2.BadRequest.FieldViolation(field=error.field, description=_cut(what))
        packed.append(_pack(error_details_pb2.BadRequest(field_violations=[violation])))
    if isinstance(error, OverLimit):
        delay = Duration()
        delay.FromMilliseconds(int(error.retry_s * 1000))
        packed.append(_pack(error_details_pb2.RetryInfo(retry_delay=delay)))
    message = _cut(f"{error.field}: {what}" if error.field and not what.startswith(error.field) else what)
    status = status_pb2.Status(code=code.value[0], message=message, details=packed)
    await context.abort(code, message, ((_DETAILS_KEY, status.SerializeToString()),))
    raise AssertionError("context.abort raises")


def _cut(message: str) -> str:
    return message.encode()[:_MESSAGE_BYTES].decode(errors="ignore")


def _pack(detail: Message) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(detail)
    return packed
