"""Serves the page in an event loop that has other things to do, too: signals stay those of the loop's owner."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import structlog
import uvicorn
from starlette.applications import Starlette

from croupier_tournament.web.address import Address, Site, Tls
from croupier_tournament.web.app import Shown, page

log = structlog.get_logger("croupier.web")

BACKLOG = 1024
STOP_S = 3
"""How long open answers may take when the page stops."""
RENEW_S = 5.0
"""Between two looks whether a certificate has been renewed."""


class _Server(uvicorn.Server):
    """One that leaves signals alone: whoever runs the loop stops it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(shown: Shown, site: Site, listening: socket.socket | None = None) -> AsyncIterator[str]:
    """Serve the page for as long as the context lasts; gives its URL.

    Args:
        shown: what it shows.
        site: where and how; port 0 takes a free one.
        listening: a socket that listens there already; None: none does.

    Raises:
        OSError: nothing can be served there, or its certificate cannot be used.
    """
    with listening or listen_on(site.address) as door:
        async with page(replace(shown, hosts=site.hosts)) as app:
            config = _config(app, site)
            server = _Server(config)
            tasks = [asyncio.create_task(server.serve(sockets=[door]))]
            if site.tls is not None:
                tasks.append(asyncio.create_task(_renew(config, site.tls)))
            try:
                yield url_of(site, door)
            finally:
                for farewell in app.state.farewells:
                    with suppress(Exception):  # it is a courtesy
                        await farewell()
                server.should_exit = True
                await asyncio.wait(tasks[:1])
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)


def _config(app: Starlette, site: Site) -> uvicorn.Config:
    tls = site.tls
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        loop="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(site.proxies),
        forwarded_allow_ips=list(site.proxies),
        timeout_graceful_shutdown=STOP_S,
        timeout_keep_alive=30,
        ssl_certfile=tls.cert if tls else None,
        ssl_keyfile=tls.key if tls else None,
        ssl_ca_certs=tls.client_ca if tls else None,
        ssl_cert_reqs=ssl.CERT_REQUIRED if tls and tls.client_ca else ssl.CERT_NONE,
    )
    config.load()
    return config


async def _renew(config: uvicorn.Config, tls: Tls) -> None:
    """Show the new certificate to who comes, when the files have changed. One that is no good is passed over."""
    assert config.ssl is not None
    stamp = _stamp(tls)
    while True:
        await asyncio.sleep(RENEW_S)
        found = _stamp(tls)
        if not found or found == stamp:
            continue
        stamp = found
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tls.cert, tls.key)  # half a pair spoils nothing
            config.ssl.load_cert_chain(tls.cert, tls.key)
        except OSError as error:
            log.warning("the new certificate cannot be used; going on with the old one", why=str(error))
        else:
            log.info("certificate renewed", cert=tls.cert)


def _stamp(tls: Tls) -> list[tuple[int, int, int]]:
    """Changes when a file does, or who may read it; empty while one is missing."""
    try:
        files = Path(tls.cert).stat(), Path(tls.key).stat()
        return [(found.st_ino, found.st_mtime_ns, found.st_ctime_ns) for found in files]
    except OSError:
        return []


def url_of(site: Site, listening: socket.socket) -> str:
    """Return the URL of a page that listens there."""
    return f"{'https' if site.tls else 'http'}://{Address(site.address.host, listening.getsockname()[1])}/"


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
