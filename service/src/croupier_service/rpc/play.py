"""PlayService: one reader, one outbox and one writer for each stream."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import grpc
import structlog

from croupier.v1 import play_pb2
from croupier_service.identity.limits import Bucket, Limits
from croupier_service.sessions.errors import BadRequest, Denied, HostError, TooSlow
from croupier_service.sessions.host import Host
from croupier_service.sessions.outbox import Outbox
from croupier_service.sessions.seats import Decision
from croupier_service.wire.messages import GameWire

from .caller import CALLER
from .errors import abort
from .link import StreamLink

log = structlog.get_logger("croupier.play")

PROTOCOL = 1
MAX_GAMES = 256
"""That Hello may name."""
_NAME_LIMIT = 64
_LAST_FRAMES_S = 0.5
"""What a bot gets to read what waits for it when the server stops."""

_pause = asyncio.sleep

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """What an operator can set. Times in milliseconds."""

    ping_interval_ms: float = 5_000.0
    stall_timeout_ms: float = 15_000.0
    hello_timeout_ms: float = 10_000.0


class PlayServicer:
    """Frames are handled as bytes: one that cannot be read is answered, and does not end the stream."""

    def __init__(
        self,
        host: Host,
        wires: Mapping[str, GameWire],
        version: str,
        settings: PlaySettings,
        limits: Limits,
        streams: StreamObserver,
    ) -> None:
        self._host = host
        self._wires = wires
        self._version = version
        self._settings = settings
        self._limits = limits
        self._streams = streams

    def handlers(self) -> grpc.GenericRpcHandler:
        """The service's handlers, for ``server.add_generic_rpc_handlers``."""
        play: Any = grpc.stream_stream_rpc_method_handler(self.play)
        return grpc.method_handlers_generic_handler("croupier.v1.PlayService", {"Play": play})

    async def play(self, _requests: object, context: Context) -> None:
        """One bot's stream, from Hello to its end."""
        try:
            hello = await self._hello(context)
        except HostError as error:
            await _refuse(context, error)
            return
        link = StreamLink(
            self._host, self._wires, hello, self._settings.ping_interval_ms, self._settings.stall_timeout_ms
        )
        link.welcome(
            play_pb2.Welcome(
                protocol=PROTOCOL,
                bot=hello.bot,
                server=f"croupier {self._version}",
                max_frame_bytes=self._limits.frame_bytes,
                max_sessions=self._host.most_sessions(hello.max_sessions),
                ping_interval_ms=int(self._settings.ping_interval_ms),
                stall_timeout_ms=int(self._settings.stall_timeout_ms),
            )
        )
        try:
            link.bot = self._host.connect(hello.bot, link, games=hello.games, max_sessions=hello.max_sessions)
        except HostError as error:
            await _refuse(context, error)
            return
        bot_log = log.bind(bot=hello.bot)
        bot_log.info(
            "bot connected", sdk=hello.sdk[:_NAME_LIMIT], language=hello.language[:_NAME_LIMIT], peer=context.peer()
        )
        self._streams.opened(link.outbox)
        ended_by = "the bot ended the stream"
        try:
            await self._converse(link, context)
        except asyncio.CancelledError:
            ended_by = "the call was cancelled, or its token is good no more"
            raise
        finally:
            self._streams.closed(link.outbox)
            self._host.disconnect(link.bot, link, stalled=link.closed_because if link.stalled else "")
            bot_log.info("bot disconnected", reason=link.closed_because or ended_by)
        if link.closed_because:
            code = grpc.StatusCode.UNAVAILABLE if link.come_back else grpc.StatusCode.ABORTED
            with suppress(grpc.aio.InternalError):  # the connection is gone, and there is nobody to tell
                await context.abort(code, link.closed_because)

    async def _hello(self, context: Context) -> play_pb2.Hello:
        """The first message. Raises BadRequest, TooSlow, or Denied where the token is another bot's."""
        try:
            async with asyncio.timeout(self._settings.hello_timeout_ms / 1000):
                frame = await context.read()
        except TimeoutError:
            raise TooSlow("NO_HELLO", "the bot did not say Hello in time", "hello") from None
        if frame is not grpc.aio.EOF and len(frame) > self._limits.frame_bytes:
            raise BadRequest(
                "TOO_LONG",
                f"the frame has {len(frame):,} bytes; at most {self._limits.frame_bytes:,} are read",
                "messages",
            )
        try:
            messages = play_pb2.PlayRequest.FromString(frame).messages
        except Exception:  # noqa: BLE001 - DecodeError, or TypeError for the end of the stream
            raise BadRequest("NO_HELLO", "the first frame is not a croupier.v1.PlayRequest", "messages") from None
        if len(messages) != 1 or messages[0].WhichOneof("message") != "hello":
            raise BadRequest("NO_HELLO", "the first frame of a stream holds Hello and nothing else", "messages")
        hello = messages[0].hello
        if hello.protocol != PROTOCOL:
            raise BadRequest(
                "BAD_PROTOCOL", f"this server speaks protocol {PROTOCOL}, the bot {hello.protocol}", "hello.protocol"
            )
        if len(hello.games) > MAX_GAMES or any(len(game) > _NAME_LIMIT for game in hello.games):
            raise BadRequest(
                "TOO_LONG", f"names at most {MAX_GAMES} games of at most {_NAME_LIMIT} characters", "hello.games"
            )
        caller = CALLER.get()
        if caller.known and caller.name != hello.bot:
            raise Denied("WRONG_BOT", f"the token is {caller.name}'s, and plays under no other name", "hello.bot")
        return hello

    async def _converse(self, link: StreamLink, context: Context) -> None:
        """Read and write until either side has enough."""
        closed = asyncio.get_running_loop().create_future()
        link.on_close(lambda: None if closed.done() else closed.set_result(None))

        def written(decisions: list[Decision]) -> None:
            waited = link.asked(decisions) if decisions else 0.0
            self._streams.wrote(len(decisions), waited)

        ends = asyncio.ensure_future(link.tell_missed_ends())
        writer = asyncio.ensure_future(link.outbox.run(context.write, written))
        tasks = [
            asyncio.ensure_future(self._read(link, context)),
            writer,
            asyncio.ensure_future(self._keep_alive(link)),
        ]
        if link.closed_because:
            link.on_close(None)
            closed.set_result(None)
        try:
            done, _ = await asyncio.wait([closed, *tasks], return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            if link.come_back and not link.stalled:  # the server is stopping: how sessions ended is told first
                link.outbox.finish()
                await asyncio.wait([writer], timeout=_LAST_FRAMES_S)
        except (grpc.aio.AbortError, grpc.RpcError, asyncio.InvalidStateError):
            pass  # the stream has broken under us; the bot will be back, or not
        finally:
            for task in (ends, *tasks):
                task.cancel()
            await asyncio.gather(ends, *tasks, return_exceptions=True)

    async def _read(self, link: StreamLink, context: Context) -> None:
        assert link.bot is not None
        bucket: Bucket | None = link.bot.rate
        if bucket is None:
            bucket = link.bot.rate = Bucket(self._limits.acts_per_second, self._host.time.now())
        taken = 0
        while True:
            now = self._host.time.now()
            wait_ms = bucket.take(taken, now)
            if wait_ms > 0:  # what it sends meanwhile waits in its connection, and at last it cannot send any more
                self._streams.throttled(wait_ms)
                link.excuse(now + wait_ms)
                await _pause(wait_ms / 1000)
            frame = await context.read()
            if frame is grpc.aio.EOF:
                return
            taken = link.frame(frame, self._limits.frame_bytes)

    async def _keep_alive(self, link: StreamLink) -> None:
        while True:
            await asyncio.sleep(self._settings.ping_interval_ms / 1000)
            link.check_alive()


async def _refuse(context: Context, error: HostError) -> None:
    """End the call with this error, unless it has ended: the transport itself ends it at too large a message."""
    with suppress(grpc.aio.InternalError):
        await abort(context, error)


class StreamObserver(Protocol):
    """Told of streams, for metrics."""

    def opened(self, outbox: Outbox[Decision]) -> None:
        """A bot has connected; this is where what it is told waits."""

    def wrote(self, decisions: int, waited_ms: float) -> None:
        """A frame has been written; so many decisions were in it, and the oldest had waited so long."""

    def throttled(self, ms: float) -> None:
        """A bot acts faster than it may: it is not read from for so long."""

    def closed(self, outbox: Outbox[Decision]) -> None:
        """It has gone."""
