"""What a server may say no to, and why."""

import re
from collections.abc import Iterator
from typing import Any, Self

import grpc
from google.protobuf import any_pb2
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

HINTS = {
    grpc.StatusCode.UNAUTHENTICATED: "give the bot's token: token=..., or CROUPIER_TOKEN in the environment",
    grpc.StatusCode.UNIMPLEMENTED: "is this a Croupier server?",
}

GRPC_ITSELF = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL)
"""What gRPC reports of its own troubles."""

CAUSES = {
    "certificate_verify_failed": "the server's certificate is signed by none of the authorities that this side trusts: "
    "name the right one (tls='ca.pem', or CROUPIER_TLS_CA)",
    "hostname verification": "the server's certificate is for another host name",
    "wrong_version_number": "the server speaks plain text, not TLS",
    "failed to connect.*socket closed": "the server closed the connection at once: does it speak TLS (tls=True), or "
    "ask for a certificate (CROUPIER_TLS_CERT)?",
    "connection refused": "connection refused",
    "connection reset": "connection lost",
    "socket closed": "connection lost",
    "internal error from core": "connection lost",  # the stream broke while the bot was writing
    "cancelling all calls": "the server has stopped",
    "dns resolution failed": "no such host",
    "name resolution": "no such host",
    "handshak": "no TLS connection: does the server speak TLS, with a certificate that this bot trusts?",
    "unreachable": "network unreachable",
    "keepalive": "no sign of life",
    "ping timeout": "no sign of life",
    "timed out": "no answer",
    "timeout": "no answer",
}
"""What gRPC's messages contain (regular expressions, the first that is found), and what that means to people."""


class CroupierError(Exception):
    """The root of what this package raises of its own."""


class ServerError(CroupierError):
    """The server said no.

    Attributes:
        code: the gRPC status.
        message: what was wrong, for people.
        reason: what was wrong, for programs ("UNKNOWN_GAME"); empty where the server gives none.
        violations: the bad fields, each with what is wrong with it: `(("bots[2]", "no such bot"),)`.
    """

    def __init__(
        self, code: grpc.StatusCode, message: str, reason: str = "", violations: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self.code = code
        self.message = message
        self.reason = reason
        self.violations = violations
        fields = "; ".join(f"{field}: {what}" for field, what in violations if what not in message)
        notes = "".join(f" ({note})" for note in (fields, HINTS.get(code, "")) if note)
        super().__init__(f"{code.name}: {message}{notes}")

    @classmethod
    def from_rpc(cls, error: grpc.aio.AioRpcError) -> Self:
        """Read what a failed call carries: its status and, where the server sent them, the details in the trailers."""
        trailers = error.trailing_metadata() or ()
        status = next((value for key, value in trailers if key == "grpc-status-details-bin"), b"")
        reason, violations = "", list[tuple[str, str]]()
        if isinstance(status, bytes):
            for name, detail in details(status):
                if name == "google.rpc.ErrorInfo":
                    reason = text(detail, 1)
                elif name == "google.rpc.BadRequest":
                    violations += [(text(violation, 1), text(violation, 2)) for violation in fields(detail, 1)]
        return cls(error.code(), said(error), reason, tuple(violations))


class RequestError(ServerError):
    """A request of an organiser or a tool was refused."""


class Refused(ServerError):
    """The server will not have this bot, and asking again would not help: a wrong token, a bad name."""


class Replaced(ServerError):
    """A newer connection of the same bot took over. Is the bot running twice?"""


def cause_of(error: grpc.aio.AioRpcError) -> str:
    """Say in a few words why a connection failed.

    >>> cause_of(
    ...     grpc.aio.AioRpcError(
    ...         grpc.StatusCode.UNAVAILABLE,
    ...         details=(
    ...             "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:7700: "
    ...             "Failed to connect to remote host: connect: Connection refused (111)"
    ...         ),
    ...     )
    ... )
    'connection refused'
    >>> cause_of(grpc.aio.AioRpcError(grpc.StatusCode.RESOURCE_EXHAUSTED, details="too many bots"))
    'RESOURCE_EXHAUSTED: too many bots'
    """
    message = said(error)
    return message if error.code() in GRPC_ITSELF else f"{error.code().name}: {message}"


def said(error: grpc.aio.AioRpcError) -> str:
    """Return the message of a failed call, in plain words where gRPC itself failed."""
    message = error.details() or "no reason given"
    if error.code() not in GRPC_ITSELF:
        return message
    return next((meaning for sign, meaning in CAUSES.items() if re.search(sign, message.lower())), message)


# google.rpc.Status and its details are not part of protobuf, and one more dependency is not worth a few numbered
# strings: read as an empty message, all of their fields are "unknown", with number and bytes.


def details(status: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield type name and bytes of each detail of a serialised google.rpc.Status; nothing where it cannot be read."""
    try:
        packed = [any_pb2.Any.FromString(detail) for detail in fields(status, 3)]
    except DecodeError:
        return
    for detail in packed:
        yield detail.type_url.rpartition("/")[2], detail.value


def fields(message: bytes, number: int) -> list[bytes]:
    """Return the strings, bytes or messages that a serialised message has under a field number."""
    unknown: Any = UnknownFieldSet(Empty.FromString(message))
    return [field.data for field in unknown if field.field_number == number]


def text(message: bytes, number: int) -> str:
    """Return a string field of a serialised message; empty where it has none."""
    return "".join(data.decode("utf-8", "replace") for data in fields(message, number)[-1:])
