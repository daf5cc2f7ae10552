"""Serves the page in an event loop that has other things to do, too: signals stay those of the loop's owner."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace

import uvicorn

from croupier_tournament.web.address import Address
from croupier_tournament.web.app import Shown, page

BACKLOG = 1024
STOP_S = 3
"""How long open answers may take when the page stops."""
LOCAL_NAMES = ("localhost",)


class _Server(uvicorn.Server):
    """One that leaves signals alone: whoever runs the loop stops it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(
    shown: Shown, where: Address | socket.socket, tls: tuple[str, str] | None = None
) -> AsyncIterator[str]:
    """Serve the page for as long as the context lasts; gives its URL.

    Args:
        shown: what it shows.
        where: where it listens; port 0 takes a free one. Or a socket that listens already.
        tls: files with certificate and key, PEM; None: plain HTTP.

    Raises:
        OSError: nothing can be served there.
    """
    listening = listen_on(where) if isinstance(where, Address) else where
    address = where if isinstance(where, Address) else address_of_socket(where)
    if address.loopback and not shown.hosts:
        shown = replace(shown, hosts=LOCAL_NAMES)
    with listening:
        async with page(shown) as app:
            config = uvicorn.Config(
                app,
                http="h11",
                ws="none",
                lifespan="off",
                loop="none",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=STOP_S,
                timeout_keep_alive=30,
                ssl_certfile=tls[0] if tls else None,
                ssl_keyfile=tls[1] if tls else None,
            )
            server = _Server(config)
            task = asyncio.create_task(server.serve(sockets=[listening]))
            try:
                yield url_of(address, listening, tls=tls is not None)
            finally:
                for farewell in app.state.farewells:
                    with suppress(Exception):  # it is a courtesy
                        await farewell()
                server.should_exit = True
                await asyncio.gather(task, return_exceptions=True)


def url_of(address: Address, listening: socket.socket, *, tls: bool = False) -> str:
    """Return the URL of a page that listens there."""
    return f"{'https' if tls else 'http'}://{Address(address.host, listening.getsockname()[1])}/"


def address_of_socket(listening: socket.socket) -> Address:
    """Return where a socket listens."""
    host, port = listening.getsockname()[:2]
    return Address(host, port)


def listen_on(address: Address) -> socket.socket:
    """Listen there; who comes waits until a page is served. Raises OSError naming the address."""
    try:
        family, kind, proto, _, where = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, proto)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(where)
            listening.listen(BACKLOG)  # who is told the URL may ask at once
            listening.setblocking(False)  # noqa: FBT003 -- it has no name
        except OSError:
            listening.close()
            raise
    except OSError as error:
        raise OSError(f"cannot serve the page on {address}: {error.strerror or error}") from error
    return listening
