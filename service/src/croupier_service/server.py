"""One server process put together: host, store, metrics, gRPC."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog
from prometheus_client import make_wsgi_app

from croupier.scraping import ScrapeServer
from croupier_games.kernel import games

from .house import house_bots
from .identity.access import TABLE
from .identity.limits import Limits
from .identity.registry import TRUST_S, Identities
from .logs import SessionLog
from .metrics import Metrics
from .observers import Observers
from .rpc.play import PlaySettings
from .rpc.server import SERVICES, RpcServer
from .rpc.spectator import SpectatorEncoder
from .rpc.tls import Certificates, TlsFiles
from .sessions.host import Host, HostSettings
from .sessions.journal import Store
from .sessions.timing import LoopTime
from .sessions.watching import Watching
from .store.memory import MemoryStore
from .store.opening import identities_in
from .wire.messages import GameWire
from .wire.registry import codecs

log = structlog.get_logger("croupier.server")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What an operator can set."""

    listen: str = "127.0.0.1:7700"
    metrics_listen: str | None = "127.0.0.1:9464"
    """None: no metrics are served."""
    host: HostSettings = field(default_factory=HostSettings)
    play: PlaySettings = field(default_factory=PlaySettings)
    limits: Limits = field(default_factory=Limits)
    ask_for_tokens: bool = False
    """False: whoever can reach the server may do everything."""
    tls: TlsFiles | None = None
    door: Path | None = None
    """Where the server listens, too, for programs of this machine that may open this: a UNIX socket, without TLS.

    Tokens are asked for there as everywhere.
    """
    disk: Path | None = None
    """The folder of a store that lives in a file; None: metrics tell of no disk."""
    log_share: float = 1.0
    """The part of all sessions that the log follows."""


class Server:
    """An async context manager: started inside, stopped after. To be made inside a running event loop.

    It goes on with what the store has as unfinished. The store is closed by whoever opened it.
    """

    def __init__(self, settings: ServerSettings, store: Store | None = None) -> None:
        """Raises BadCertificate."""
        self.settings = settings
        store = store or MemoryStore()
        self.identities = Identities(identities_in(store))
        self.metrics = Metrics(settings.disk)
        wires = {name: GameWire(codec) for name, codec in codecs().items()}
        observers = Observers(self.metrics, SessionLog(settings.log_share))
        self.host = Host(
            {name: game for name, game in games().items() if name in wires},
            house_bots(),
            store,
            observers,
            self.metrics.meter,
            LoopTime(),
            settings.host,
        )
        self.watching = Watching(self.host, SpectatorEncoder(wires))
        self.metrics.look_at(self.host, self.watching)
        self.metrics.methods = [method for method in TABLE if method.partition("/")[0] in SERVICES]
        observers.add(self.watching)
        self._rpc = RpcServer(
            self.host,
            self.watching,
            wires,
            self.identities,
            ask_for_tokens=settings.ask_for_tokens,
            certificates=Certificates(settings.tls) if settings.tls else None,
            version=version("croupier-service"),
            play=settings.play,
            limits=settings.limits,
            observer=self.metrics,
        )
        self.address = ""
        """Where it listens, once started: ``host:port``."""
        self.metrics_address = ""
        self.journal_task: asyncio.Task[None] | None = None
        self._to_stop = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await self._start(stack)
            self._to_stop = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._to_stop.aclose()

    async def _start(self, stack: AsyncExitStack) -> None:
        """Start everything; what stops it goes onto the stack."""
        stack.callback(self.host.close, "the server is stopping")
        host_name = self.settings.listen.rpartition(":")[0]
        resumed = await self.host.recover()
        if resumed:
            log.info("going on with unfinished sessions", sessions=resumed)
            self.watching.resume()
        self.host.lag.start()
        self.journal_task = asyncio.create_task(self.host.journal.run())
        stack.push_async_callback(self._stop_journal, self.journal_task)
        if self.settings.ask_for_tokens:
            stack.push_async_callback(self._stop_tokens, asyncio.create_task(self._rpc.watch_tokens(TRUST_S)))
        port = await self._rpc.start(self.settings.listen, self.settings.door)
        stack.push_async_callback(self._stop_serving)
        self.address = f"{host_name}:{port}"
        if self.settings.metrics_listen is not None:
            app = make_wsgi_app(self.metrics.registry)
            web = ScrapeServer(self.settings.metrics_listen, app, _scrape_failed).__enter__()
            stack.push_async_callback(asyncio.to_thread, web.__exit__)
            self.metrics_address = web.address
        if self.settings.ask_for_tokens and not await self.identities.page("", 1):
            log.warning(
                "nobody has a token yet; make the first: croupier bot create NAME --role operator --store STORE"
            )
        log.info("listening", address=self.address, metrics=self.metrics_address, games=list(self.host.games))

    async def _stop_serving(self) -> None:
        self.host.close("the server is stopping")
        self.watching.close("the server is stopping")
        await self._rpc.stop(grace_s=1.0)

    async def _stop_tokens(self, task: asyncio.Task[None]) -> None:
        task.cancel()
        await asyncio.gather(task, self.identities.flush(), return_exceptions=True)

    async def _stop_journal(self, task: asyncio.Task[None]) -> None:
        try:
            if not task.done():  # otherwise the store has failed: what is left cannot be kept
                await self.host.journal.flush()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def drain(self, grace_s: float, reason: str) -> int:
        """Take no new sessions and wait for the running ones, at most for the grace. Returns how many are left."""
        await self._rpc.drain()
        self.host.drain(grace_s * 1000, reason)
        try:
            async with asyncio.timeout(grace_s):
                await self.host.idle()
        except TimeoutError:
            pass
        return len(self.host.sessions)


def _scrape_failed(why: str) -> None:
    log.error("metrics could not be served", why=why)
