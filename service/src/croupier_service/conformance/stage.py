"""Where a check takes place: a server by script, the wire to it, and the bot, a process of its own."""

from __future__ import annotations

import asyncio
import os
import secrets
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from croupier.processes import Process, Program, start, tail
from croupier.v1 import play_pb2
from croupier_games.kernel import Game, Table, games
from croupier_service.wire.registry import codecs

from .dialect import Dialect
from .failures import DoesNotApply, Failed
from .line import Line
from .relay import Relay
from .server import ScriptedServer
from .sitting import Sitting

T = TypeVar("T")

NAME = "checked"
FAVOURITE = "trick-and-trade"
BARRIER = 0xC0FFEE
FRAME_LIMIT = 256 * 1024
PING_INTERVAL_MS, STALL_TIMEOUT_MS = 5_000, 15_000


@dataclass(frozen=True, slots=True)
class Settings:
    """What is checked, and how."""

    command: tuple[str, ...]
    patience: float = 15.0
    """Seconds until what should have happened has not."""
    many: int = 3_000
    """What "thousands of sessions" are."""
    start_patience: float = 45.0
    """Seconds until a process that was started should have connected."""
    dialect: Dialect | None = None
    """How the server speaks, if not as this version of the contract has it."""
    start: Callable[[Program], Awaitable[Process]] = start
    """Starts a program."""


class Stage:
    """``async with Stage(settings, log) as stage``: one process of the bot, started by the first ``line()``.

    Attributes:
        settings: what is checked, and how.
        server: where the bot connects, through the wire.
        relay: the wire.
        token: what the bot should show.
        name: what it should call itself.
    """

    def __init__(self, settings: Settings, log: Path) -> None:
        """``log``: where the bot's own output goes."""
        self.settings = settings
        self.patience = settings.patience
        self.server = ScriptedServer()
        self.token = secrets.token_urlsafe(24)
        self.name = f"{NAME}-{secrets.token_hex(3)}"
        self.process: Process | None = None
        self._log = log
        self._exit: asyncio.Task[str] | None = None
        self._line: Line | None = None
        self._lines: list[Line] = []
        self._sittings: dict[str, list[Sitting]] = {}
        self._named = 0
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self.server)
            self.relay = await stack.enter_async_context(Relay(self.server.port))
            stack.push_async_callback(self._stop)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    # The bot's process.

    async def encrypt(self, tls: ssl.SSLContext) -> None:
        """Have the server speak TLS to a bot that has not been started yet."""
        self.relay = await self._stack.enter_async_context(Relay(self.server.port, tls))

    async def launch(self, **environment: str) -> Process:
        """Start the bot, with more in its environment than where to play, and as whom."""
        given = {name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")}
        given |= {"CROUPIER_TARGET": self.relay.target, "CROUPIER_NAME": self.name, "CROUPIER_TOKEN": self.token}
        given |= environment
        self.process = await self.settings.start(Program(self.settings.command, log=self._log, environment=given))
        self._exit = asyncio.create_task(self.process.end())
        return self.process

    async def exit(self) -> tuple[int, str]:
        """Wait until the bot has ended; return its exit code (below zero: a signal) and what it said on the way."""
        assert self.process is not None
        assert self._exit is not None
        patience = self.patience if self._lines else self.settings.start_patience
        done, _ = await asyncio.wait({self._exit}, timeout=patience)
        if not done:
            raise Failed(f"the bot has not ended within {patience:g} s")
        return self.process.code or 0, self.output()

    @property
    def running(self) -> bool:
        """Whether the bot is there, with a stream that can be used."""
        return self._exit is not None and not self._exit.done() and self._line is not None and self._line.open

    def output(self) -> str:
        """The last lines of what the bot said on stdout and stderr."""
        return tail(self._log)

    # Its streams.

    async def line(self) -> Line:
        """The bot's stream; starts the bot where it does not run."""
        if self._line is None or not self._line.open:
            if self.process is None:
                await self.launch()
            await self.accept()
        assert self._line is not None
        return self._line

    async def accept(
        self, server: ScriptedServer | None = None, *, patience: float | None = None, **welcome: Any
    ) -> Line:
        """Wait for the bot to open a stream, and greet it. ``welcome``: fields of Welcome that go before the usual.

        The stream becomes the one that ``line`` gives, unless it is one to another server.
        """
        patience = patience or (self.patience if self._lines else self.settings.start_patience)
        what = "the bot does not come back" if self._lines else "the bot does not connect to CROUPIER_TARGET"
        call = await self.first((server or self.server).calls.get(), what, patience)
        line = Line(self, call)
        self._lines.append(line)
        if server is None:
            self._line = line
        usual = {
            "protocol": 1,
            "bot": self.name,
            "server": "croupier check",
            "max_frame_bytes": FRAME_LIMIT,
            "ping_interval_ms": PING_INTERVAL_MS,
            "stall_timeout_ms": STALL_TIMEOUT_MS,
        }
        await line.greet(play_pb2.Welcome(**{**usual, **welcome}))
        await line.sign()
        return line

    async def first(self, waiting: Coroutine[Any, Any, T], what: str, patience: float | None = None) -> T:
        """Wait for something that the bot should do. Raises Failed where it ends instead, or takes too long."""
        patience = patience or self.patience
        task = asyncio.ensure_future(waiting)
        try:
            wanted: set[asyncio.Future[Any]] = {task} if self._exit is None else {task, self._exit}
            await asyncio.wait(wanted, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
        finally:
            task.cancel()
        await self.explain_end()
        raise Failed(f"{what} (waited for {patience:g} s)")

    async def explain_end(self) -> None:
        """Raise Failed with how the bot has ended, if it has, or is about to."""
        if self._exit is not None:
            done, _ = await asyncio.wait({self._exit}, timeout=0.5)
            if done:
                raise Failed(f"the bot {self._exit.result()}")

    # Its games.

    def games(self) -> list[Game[Any, Any, Any]]:
        """The games that it plays and that are installed here, the usual one first. Raises DoesNotApply."""
        assert self._line is not None
        wanted = set(self._line.hello.games)
        found = [game for name, game in games().items() if name in codecs() and (not wanted or name in wanted)]
        if not found:
            raise DoesNotApply(f"it plays {', '.join(sorted(wanted))} alone, which is not installed here")
        return sorted(found, key=lambda game: game.name != FAVOURITE)

    def most(self, number: int) -> int:
        """So many sessions, or as many as the bot takes at once."""
        assert self._line is not None
        return min(number, self._line.hello.max_sessions or number)

    def seat(
        self,
        game: Game[Any, Any, Any] | None = None,
        *,
        seat: int = 0,
        options: Any = None,
        table: Table | None = None,
        beside: Sitting | None = None,
    ) -> Sitting:
        """Seat the bot in a new session, or ``beside`` itself in one. It is not told yet."""
        self._named += 1
        session_id = beside.session_id if beside else f"check-{self._named}"
        sitting = Sitting(game or self.games()[0], session_id, seat=seat, options=options, table=table)
        self._sittings.setdefault(session_id, []).append(sitting)
        return sitting

    def seats(self, number: int) -> list[Sitting]:
        """Seat the bot in so many sessions, as far as it takes so many at once."""
        return [self.seat() for _ in range(self.most(number))]

    def sitting(self, act: play_pb2.Act) -> Sitting:
        """Which sitting an act is for. Raises Failed where there is none."""
        there = self._sittings.get(act.session_id)
        if there is None:
            raise Failed(f"an act for session {act.session_id!r}, which does not exist")
        for sitting in there:
            if sitting.decision_id == act.decision_id:
                return sitting
        asked = ", ".join(str(sitting.decision_id) for sitting in there)
        raise Failed(f"an act for decision {act.decision_id} of session {act.session_id}; the open one is {asked}")

    async def settle(self) -> None:
        """At the end of a check: end what is not over, and see that the bot has nothing more to say."""
        if not self.running:
            return
        line = await self.line()
        left = [one for sittings in self._sittings.values() for one in sittings if not one.over]
        if left:
            await line.say(*(sitting.end() for sitting in left))
        await line.pong(BARRIER)
        self._sittings.clear()
        self.relay.slow = False

    def transcript(self) -> list[str]:
        """What was said of late on the latest stream."""
        return self._lines[-1].transcript() if self._lines else []

    async def _stop(self) -> None:
        if self.process is not None:
            self.process.kill()
        if self._exit is not None:
            await asyncio.wait({self._exit})
