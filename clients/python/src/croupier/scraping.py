"""Serves metrics: one WSGI application over HTTP, for the few who scrape it."""

import socket
import sys
import threading
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from typing import Any, ClassVar, Self
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

AT_ONCE = 16
"""Connections that are served at the same time; others are closed at once."""
PATIENCE = 10.0
"""Seconds that a client may be silent."""

App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Request = socket.socket | tuple[bytes, socket.socket]
Address = Any  # as sockets have it


class ScrapeServer:
    """A context manager, in threads of its own.

    Args:
        listen: where, "host:port"; port 0 is any.
        app: what answers.
        failed: told what has gone wrong, but for clients that go or say nothing.

    Attributes:
        address: where it listens, "host:port".

    Raises:
        OSError: it cannot listen there.
    """

    def __init__(self, listen: str, app: App, failed: Callable[[str], object]) -> None:
        host, _, port = listen.rpartition(":")
        try:
            self._server = _Server(host.strip("[]"), int(port), failed)
        except OSError as error:
            raise OSError(f"cannot serve metrics on {listen}: {error.strerror}") from error
        self._server.set_app(_guarded(app, failed))
        self.address = f"{host}:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, name="scrapes", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(WSGIRequestHandler):
    timeout: ClassVar[float | None] = PATIENCE

    def log_message(self, *_: object) -> None:
        """Who asks is of no interest."""


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int, failed: Callable[[str], object]) -> None:
        self.address_family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        self._failed = failed
        self._room = threading.Semaphore(AT_ONCE)
        super().__init__((host, port), _Handler)

    def process_request(self, request: Request, client_address: Address) -> None:
        """Serve it in a thread, if there is room."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Request, client_address: Address) -> None:
        """Serve it, and make room."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, _request: Request, _client_address: Address) -> None:
        """Tell what has gone wrong; clients that break off are none of it."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            self._failed(repr(error))


def _guarded(app: App, failed: Callable[[str], object]) -> App:
    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        try:
            return app(environ, start)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the server goes on
            failed(repr(error))
            start("500 Internal Server Error", [("Content-Type", "text/plain")])
            return [b"the server's log says more\n"]

    return answer
