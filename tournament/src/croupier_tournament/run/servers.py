"""The game servers that a tournament is played on: those that are named, or one that is started for it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeVar

import grpc

from croupier import Backoff, BadCertificate, RequestError, admin
from croupier.organising import Organised, Organiser, StreamEnded, organise
from croupier.processes import Kept, Program, croupier_command, listening, tail
from croupier.v1 import session_pb2 as pb
from croupier_games.kernel import find_game

T = TypeVar("T")

AWAY = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
)
"""What a server that has gone, or that is not well, looks like."""
NOT_NOW = ("DRAINING", "STORE_BEHIND")
"""Why a server that is well may take no sessions."""
BUSY_S = 1.0
"""How long a server is left alone that takes no more sessions for now."""
START_S = 60.0
"""How long a server may take to get ready that is started here."""
GRACE = ("--grace", "30", "--restart-grace", "60")
"""How long a bot may be gone from a server that is started here: its process may have to be started again."""
LOCAL = "local"
"""What the ledger calls the server that is started here. It listens on another port in each run."""
CALL_S = 30.0
"""How long a call may take."""


class ServerAway(Exception):
    """A server does not answer."""


class ServerUnfit(Exception):
    """A server cannot host the tournament. The message says why."""


class GameServer:
    """One server, and what is known of it.

    Attributes:
        target: host:port.
        name: what the ledger calls it: where it listens, or, of one that is started here, `LOCAL`.
        running: games that it hosts now.
        info: what it says of the game; None before it has been reached for the first time.
        here: set while it answers.
    """

    def __init__(self, target: str, game: str, *, tls: bool | str = False, name: str = "") -> None:
        self.target = target
        self.name = name or target
        self.running = 0
        self.info: pb.GameInfo | None = None
        self.here = asyncio.Event()
        self.told: Callable[[GameServer], None] = lambda _: None
        """Called whenever it goes or comes."""
        self._game = game
        self._tls = tls
        self._access: admin.Server | None = None
        self._organiser: Organiser | None = None
        self._followed: dict[str, Organised] = {}
        """Sessions that are not final yet, by id, as the stream of the day reports them."""
        self._connection = AsyncExitStack()
        self._watch: asyncio.Task[None] | None = None
        self._busy_until = 0.0

    @property
    def ready(self) -> bool:
        """Whether it can be given a game now."""
        return self.here.is_set() and asyncio.get_running_loop().time() >= self._busy_until

    def busy(self) -> None:
        """It takes no more sessions for now."""
        self._busy_until = asyncio.get_running_loop().time() + BUSY_S

    async def reach(self) -> None:
        """Connect for the first time.

        Raises:
            ServerAway: it does not answer.
            ServerUnfit: it does not have the game, or other rules of it than are installed here.
            RequestError: it refuses to say.
        """
        await self._connect()
        self._set_here()

    def wait_for_it(self) -> None:
        """Begin to wait for a server that could not be reached."""
        self._watch = asyncio.create_task(self._keep_trying())

    async def back(self, patience_s: float) -> bool:
        """Wait for a server that is away; return whether it has come back in time."""
        try:
            async with asyncio.timeout(patience_s):
                await self.here.wait()
        except TimeoutError:
            return False
        return True

    async def create(self, request: pb.CreateSessionRequest) -> str:
        """Start a session, or find the one that the same request has started; returns its id.

        Raises ServerAway or RequestError.
        """
        organised = self._organising().create(request, record=True)
        try:
            async with asyncio.timeout(CALL_S):
                session_id = await self._reported(organised.created)
        except TimeoutError:
            self._gone()
            raise ServerAway(f"{self.target} has not answered for {CALL_S:.0f} s") from None
        self._followed[session_id] = organised
        return session_id

    async def over(self, session_id: str, within_s: float) -> pb.Session | None:
        """A session once it is over; None where it is not within that time. Raises ServerAway or RequestError."""
        over = self._follow(session_id).over
        await asyncio.wait([over], timeout=within_s)
        if not over.done():
            return None
        return await self._reported(over)

    async def session(self, session_id: str) -> pb.Session:
        """One session. Raises ServerAway or RequestError."""
        request = pb.GetSessionRequest(session_id=session_id)
        return (await self._call(lambda access: access.sessions.GetSession(request))).session

    async def record(self, session_id: str) -> tuple[str, tuple[int, ...]]:
        """The record of a session, as text, once it is over and nobody plays its deal any more.

        With it comes what each of its inputs was charged, in milliseconds. Raises ServerAway or RequestError.
        """
        followed = self._follow(session_id)
        record = await self._reported(followed.record)
        self.forget(session_id)
        return record, followed.charged_ms

    def forget(self, session_id: str) -> None:
        """Nobody wants to hear of a session any more."""
        self._followed.pop(session_id, None)

    async def abort(self, session_id: str) -> None:
        """End a session. Raises ServerAway or RequestError."""
        request = pb.AbortSessionRequest(session_id=session_id)
        await self._call(lambda access: access.sessions.AbortSession(request))

    async def close(self) -> None:
        """Let it go."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait([self._watch])
        await self._connection.aclose()

    def _organising(self) -> Organiser:
        """The stream over which sessions are organised. Raises ServerAway."""
        if self._organiser is None or not self.here.is_set():
            raise ServerAway(self.target)
        return self._organiser

    def _follow(self, session_id: str) -> Organised:
        """What is reported of a session over the stream of the day. Raises ServerAway."""
        organiser = self._organising()
        if session_id not in self._followed:
            self._followed[session_id] = organiser.follow(session_id, record=True)
        return self._followed[session_id]

    async def _reported(self, report: asyncio.Future[T]) -> T:
        """What the server reports. Raises ServerAway or RequestError."""
        organiser = self._organiser
        try:
            return await asyncio.shield(report)
        except StreamEnded as error:
            if error.code in AWAY or error.reason == "TOO_SLOW":
                if organiser is self._organiser:
                    self._gone()
                raise ServerAway(f"{self.target}: {error.message}") from error
            raise

    async def _call(self, call: Callable[[admin.Server], Awaitable[T]]) -> T:
        access = self._access
        if access is None or not self.here.is_set():
            raise ServerAway(self.target)
        try:
            return await call(access)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and not task.cancelling():  # the call was, not who made it: its channel has been closed
                raise ServerAway(f"{self.target}: the connection was closed") from None
            raise
        except RequestError as error:
            if error.code in AWAY and error.reason not in NOT_NOW:
                if access is self._access:
                    self._gone()
                raise ServerAway(f"{self.target}: {error.message}") from error
            raise

    def _gone(self) -> None:
        if self.here.is_set():
            self.here.clear()
            self.wait_for_it()
            self.told(self)

    async def _keep_trying(self) -> None:
        backoff, failures = Backoff(cap=2.0), 0
        while True:
            await backoff.sleep(backoff.delay(failures))
            failures += 1
            try:
                await self._connect()
            except (ServerAway, RequestError, ServerUnfit, BadCertificate):  # a file may be on its way of being renewed
                continue
            self._set_here()
            return

    def _set_here(self) -> None:
        self.here.set()
        self.told(self)

    async def _connect(self) -> None:
        """Open a channel of its own for each try: one that has failed waits longer and longer by itself."""
        await self._connection.aclose()
        self._connection = AsyncExitStack()
        self._organiser = None
        self._followed.clear()
        access = await self._connection.enter_async_context(admin.connect(self.target, tls=self._tls, deadline=CALL_S))
        try:
            reply = await access.sessions.GetGame(pb.GetGameRequest(name=self._game), timeout=10)
        except RequestError as error:
            if error.code in AWAY:
                raise ServerAway(f"{self.target}: {error.message}") from error
            if error.reason == "UNKNOWN_GAME":
                raise ServerUnfit(f"{self.target} {error.message}") from error
            raise
        rules = find_game(self._game).rules_version
        if reply.game.rules_version != rules:
            raise ServerUnfit(
                f"{self.target} plays {self._game} by version {reply.game.rules_version} of its rules; "
                f"here is version {rules}, so its records could not be verified"
            )
        self.info = reply.game
        self._access = access
        self._organiser = await self._connection.enter_async_context(organise(access))


class LocalServer:
    """A server that is started here, and started again on the same port whenever it ends.

    Its sessions are kept in a file, so that it goes on with them.

    Args:
        logs: where its log goes.
        store: where its sessions are kept.
        crashed: told how it has ended, each time that it has.
    """

    def __init__(self, logs: Path, store: Path, crashed: Callable[[str], None]) -> None:
        self._log = logs / "server.log"
        self._said = logs / "server.json"
        self._store = store
        self._crashed = crashed
        self._kept: Kept | None = None

    async def start(self) -> str:
        """Start it, and return where it listens: host:port.

        Raises:
            ServerAway: it does not get ready.
        """
        ends: asyncio.Queue[str] = asyncio.Queue()

        def ended_early(how: str) -> bool:
            ends.put_nowait(how)
            return False

        self._said.unlink(missing_ok=True)
        self._kept = Kept(self._program("127.0.0.1:0"), ended_early)
        try:
            async with asyncio.timeout(START_S):
                while not (target := listening(self._said)):
                    if not ends.empty():
                        raise ServerAway(f"the server {ends.get_nowait()} before it was ready:\n{tail(self._log)}")
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise ServerAway(f"the server was not ready within {START_S:.0f} s; see {self._log}") from None
        self._kept.follow(self._program(target), self._restart)
        return target

    async def close(self) -> None:
        """Stop it."""
        if self._kept is not None:
            await self._kept.close()

    def _restart(self, how: str) -> bool:
        self._crashed(how)
        return True

    def _program(self, listen: str) -> Program:
        flags = ("--listen", listen, "--metrics", "127.0.0.1:0", "--format", "json", "--drain-grace", "0")
        return Program(
            [
                *(*croupier_command(), "serve", *flags, *GRACE, "--store", str(self._store)),
                *("--log-level", "warning", "--log-format", "text"),
            ],
            log=self._log,
            stdout=self._said,
        )
