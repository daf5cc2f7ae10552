"""Opening a connection to a server."""

from collections.abc import Sequence
from importlib.metadata import version

import grpc

from croupier.tls import TLS, credentials

VERSION = version("croupier")
LOCAL = ("localhost:", "127.", "[::1]:", "unix:")
FRAME_LIMIT = 4 * 1024 * 1024  # bytes; frames stay below 256 KiB, answers to organisers may be larger

OPTIONS: tuple[tuple[str, int | str], ...] = (
    # A peer that has stopped is noticed after about half a minute. Without the ping timeout it takes a minute whatever
    # the keepalive says, and without the last one the pings of an idle stream stop.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", FRAME_LIMIT),
    ("grpc.max_send_message_length", FRAME_LIMIT),
    # Waiting before a reconnect is ours to do, with jitter: a new channel starts from nothing.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_retries", 0),
    ("grpc.primary_user_agent", f"croupier-python/{VERSION}"),
)


def open_channel(
    target: str, tls: TLS = None, interceptors: Sequence[grpc.aio.ClientInterceptor] = ()
) -> grpc.aio.Channel:
    """Return a channel to "host:port"; it connects with its first call. Close it after use.

    Raises:
        BadCertificate: a file for TLS cannot be used.
    """
    # A proxy of the environment can lead anywhere but to this machine.
    options = (*OPTIONS, ("grpc.enable_http_proxy", 0)) if target.startswith(LOCAL) else OPTIONS
    secure = credentials(tls)
    if secure is None:
        return grpc.aio.insecure_channel(target, options, interceptors=interceptors)
    return grpc.aio.secure_channel(target, secure, options, interceptors=interceptors)


def authorization(token: str | None) -> tuple[tuple[str, str], ...]:
    """Return the metadata that shows a token; none without one."""
    token = token.strip() if token else ""  # a token that was read from a file ends with a newline
    return (("authorization", f"Bearer {token}"),) if token else ()
