"""The page as an application: what is asked where, and what holds for every answer."""

import ipaddress
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from croupier import RequestError
from croupier_tournament.web.answers import WebError, address_of, answer, body_of, error_answer, text_of
from croupier_tournament.web.channels import Channels, GameServerChannel
from croupier_tournament.web.feeds import frame
from croupier_tournament.web.frames import UnknownViewer
from croupier_tournament.web.limits import Limits, Meters, TooMuch
from croupier_tournament.web.live import Cinema
from croupier_tournament.web.seats import SeatPages
from croupier_tournament.web.sessions import SessionPages, edition
from croupier_tournament.web.streams import EventStream
from croupier_tournament.web.visitors import Visitor, Visitors, same_origin

if TYPE_CHECKING:
    from croupier_tournament.web.gallery import Gallery

STATIC = Path(__file__).parent / "static"
RULES = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)
POLICY = "; ".join(RULES)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """What the page shows.

    At least one of the two: tournaments, or a game server (by host:port) with its sessions.
    """

    gallery: "Gallery | None" = None
    target: str = ""
    tls: bool | str = False
    """How the game server is spoken to: see `croupier.run`."""
    seats: bool = False
    """Whether people may take seats and begin games."""
    public_token: str = ""
    """With which those watch who have shown none."""
    hosts: Sequence[str] = ()
    """Names by which browsers may call the page; empty: any."""
    limits: Limits = field(default_factory=Limits)


@asynccontextmanager
async def page(shown: Shown) -> AsyncIterator[Starlette]:
    """The application, for as long as the context lasts.

    What is to be said to those who watch before it stops is in its `state.farewells`.
    """
    async with AsyncExitStack() as stack:
        channels = await stack.enter_async_context(Channels())
        cinema = await stack.enter_async_context(Cinema())
        meters = Meters(shown.limits)
        visitors = Visitors(shown.public_token)

        def heavy(request: Request) -> None:
            meters.heavy(address_of(request))

        def streaming(request: Request, chunks: AsyncIterator[bytes]) -> Response:
            return EventStream(_counted(meters, address_of(request), chunks))

        channel = channels.to(shown.target, tls=shown.tls) if shown.target else None
        farewells: list[Callable[[], Awaitable[None]]] = []
        routes: list[Route | Mount] = [Route("/api/editions/{name}", edition)]
        if shown.gallery is not None:
            # Not for those who only watch a game server: it takes as long to load as all the rest.
            from croupier_tournament.web.tournaments import TournamentPages  # noqa: PLC0415

            tournaments = TournamentPages(shown.gallery, channels, cinema, visitors, heavy, streaming)
            stack.push_async_callback(tournaments.close)
            routes += tournaments.routes()
            farewells.append(tournaments.farewell)
        if channel is not None:
            routes += SessionPages(channel, cinema, visitors, heavy, streaming).routes()
        if channel is not None and shown.seats:
            seats = SeatPages(channel, visitors, streaming)
            stack.push_async_callback(seats.close)
            routes += seats.routes()
        routes += Front(shown, channel, visitors, meters).routes()
        handled = (WebError, UnknownViewer, TooMuch, RequestError)
        app = Starlette(
            routes=routes,
            middleware=[
                Middleware(Guard, meters=meters, hosts=tuple(shown.hosts)),
                Middleware(GZipMiddleware, minimum_size=1000, compresslevel=4),
            ],
            exception_handlers={**dict.fromkeys(handled, error_answer), HTTPException: _http_error},
        )
        app.state.farewells = farewells
        yield app


class Front:
    """What the page is, who visits, and the files of which it is made."""

    def __init__(self, shown: Shown, channel: GameServerChannel | None, visitors: Visitors, meters: Meters) -> None:
        self._shown = shown
        self._channel = channel
        self._visitors = visitors
        self._meters = meters

    def routes(self) -> list[Route | Mount]:
        """Where what is asked. What is not of the API is the page itself, which finds its own way."""
        return [
            Route("/api/page", self.about),
            Route("/api/login", self.log_in, methods=["POST"]),
            Route("/api/logout", self.log_out, methods=["POST"]),
            Route("/healthz", self.health),
            Mount("/static", StaticFiles(directory=STATIC)),
            Route("/api/{rest:path}", self.nothing, methods=["GET", "POST", "DELETE", "PUT", "PATCH"]),
            Route("/{rest:path}", self.index),
        ]

    async def about(self, request: Request) -> Response:
        """What there is to see here, and as whom."""
        visitor = self._visitors.of(request)
        return answer(
            {
                "version": version("croupier-tournament"),
                "tournaments": self._shown.gallery is not None,
                "sessions": self._channel is not None,
                "seats": self._shown.seats and self._channel is not None,
                "logged_in": self._visitors.logged_in(request),
                "role": visitor.role,
            }
        )

    async def log_in(self, request: Request) -> Response:
        """`{"token": ...}`: be who the token says from now on, if the game server knows it."""
        same_origin(request)
        self._meters.login(address_of(request))
        token = text_of(await body_of(request), "token", 512).strip()
        if not token or not token.isascii():
            raise WebError(400, "token: is what `croupier bot create` has shown", {"token": "is missing"})
        if self._channel is not None:
            await self._channel.check(Visitor(token))
        if self._shown.gallery is not None:
            await self._shown.gallery.admit(Visitor(token))
        response = answer({"role": Visitor(token).role})
        self._visitors.log_in(request, response, token)
        return response

    async def log_out(self, request: Request) -> Response:
        """Be nobody in particular again."""
        same_origin(request)
        response = answer({})
        self._visitors.log_out(request, response)
        return response

    async def health(self, request: Request) -> Response:
        """Whether the page is there; says nothing of game servers."""
        return Response("ok\n", media_type="text/plain")

    async def nothing(self, request: Request) -> Response:
        """There is nothing there."""
        raise WebError(404, f"there is nothing at {request.url.path}")

    async def index(self, request: Request) -> Response:
        """The page."""
        return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})


class Guard:
    """Holds every request to its limits, and gives every answer the headers that keep browsers strict."""

    def __init__(self, app: ASGIApp, meters: Meters, hosts: tuple[str, ...]) -> None:
        self._app = app
        self._meters = meters
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
            await send(message)

        request = Request(scope)
        try:
            self._check_host(request)
            self._meters.request(address_of(request))
        except (TooMuch, WebError) as error:
            await error_answer(request, error)(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)

    def _check_host(self, request: Request) -> None:
        """A page for this machine alone is not to be had by a name that somebody has pointed at it."""
        host = request.headers.get("host", "").rsplit(":", 1)[0].strip("[]")
        if self._hosts and host not in self._hosts and not _is_address(host):
            raise WebError(421, f"this page is not called {host!r}")


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def _counted(meters: Meters, address: str, chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    try:
        with meters.stream(address):
            async for chunk in chunks:
                yield chunk
    except TooMuch as error:
        yield frame("refused", {"error": str(error)})


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers: dict[str, Any] = dict(error.headers or {})
    made = answer({"error": str(error.detail), "fields": {}}, error.status_code)
    made.headers.update(headers)
    return made
