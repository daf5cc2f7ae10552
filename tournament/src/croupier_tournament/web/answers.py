"""How the page answers: JSON, and errors that say which field is wrong and what would be right."""

import ipaddress
import json
from collections.abc import Mapping
from typing import Any

import grpc
from starlette.requests import Request
from starlette.responses import Response

from croupier import RequestError
from croupier_tournament.web.feeds import encoded
from croupier_tournament.web.frames import UnknownViewer
from croupier_tournament.web.limits import TooMuch

MOST_BODY = 64 * 1024
"""Bytes of a request's body."""

STATUS = {
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.OUT_OF_RANGE: 400,
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.ALREADY_EXISTS: 409,
    grpc.StatusCode.FAILED_PRECONDITION: 409,
    grpc.StatusCode.ABORTED: 409,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNIMPLEMENTED: 501,
    grpc.StatusCode.UNAVAILABLE: 503,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
}


class WebError(Exception):
    """What a request fails for.

    Attributes:
        status: of HTTP.
        message: for people.
        fields: what is wrong with which field.
    """

    def __init__(self, status: int, message: str, fields: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.fields = dict(fields or {})


def answer(document: object, status: int = 200) -> Response:
    """JSON."""
    return Response(encoded(document), status, media_type="application/json")


def error_answer(_: Request, error: Exception) -> Response:
    """What went wrong, as JSON: `{"error": message, "fields": {name: what is wrong}}`."""
    headers: dict[str, str] = {}
    match error:
        case WebError():
            status, message, fields = error.status, error.message, error.fields
        case UnknownViewer():
            status, message, fields = 400, str(error), {"viewer": str(error)}
        case TooMuch():
            status, message, fields = 429, str(error), {}
            headers["Retry-After"] = str(round(error.retry_after_s) or 1)
        case RequestError():
            status, message, fields = STATUS.get(error.code, 502), error.message, dict(error.violations)
            if status == 503:
                message = f"the game server does not answer ({error.message})"
        case _:
            raise error
    return Response(
        encoded({"error": message, "fields": fields}), status, headers=headers, media_type="application/json"
    )


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object in a request's body. Raises WebError."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise WebError(415, "the body is JSON: send Content-Type: application/json")
    size = 0
    parts = []
    async for part in request.stream():
        size += len(part)
        if size > MOST_BODY:
            raise WebError(413, f"the body has at most {MOST_BODY:,} bytes")
        parts.append(part)
    try:
        document = json.loads(b"".join(parts))
    except ValueError as error:
        raise WebError(400, f"the body is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise WebError(400, "the body is a JSON object")
    return document


def text_of(document: Mapping[str, Any], name: str, most: int = 128) -> str:
    """A text of a body. Raises WebError naming it."""
    value = document.get(name, "")
    if not isinstance(value, str) or len(value) > most:
        raise WebError(400, f"{name}: is a text of at most {most} characters", {name: f"at most {most} characters"})
    return value


def number_of(value: object, name: str, low: int, high: int) -> int:
    """A whole number, from a body or (as text) a query. Raises WebError naming it."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 16:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        message = f"is a whole number from {low:,} to {high:,}, not {value!r}"
        raise WebError(400, f"{name}: {message}", {name: message})
    return value


def address_of(request: Request) -> str:
    """Who asks: an address; of IPv6 the network, since everybody there has many."""
    host = request.client.host if request.client else "?"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 6:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return host
