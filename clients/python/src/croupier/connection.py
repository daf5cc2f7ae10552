"""A bot's connection to one server: a stream, and after its loss another one."""

import asyncio
import contextlib
import logging
from collections.abc import Callable

import grpc

from croupier.backoff import Backoff
from croupier.channel import authorization, open_channel
from croupier.errors import Refused, Replaced, cause_of
from croupier.log import LOG
from croupier.outbox import Outbox
from croupier.playing import Playing
from croupier.seats import Seats
from croupier.sending import send
from croupier.tls import TLS, BadCertificate
from croupier.v1 import play_pb2
from croupier.v1.play_pb2_grpc import PlayServiceStub

FINAL = {
    grpc.StatusCode.ABORTED: Replaced,
    grpc.StatusCode.ALREADY_EXISTS: Refused,
    grpc.StatusCode.FAILED_PRECONDITION: Refused,
    grpc.StatusCode.INVALID_ARGUMENT: Refused,
    grpc.StatusCode.NOT_FOUND: Refused,
    grpc.StatusCode.OUT_OF_RANGE: Refused,
    grpc.StatusCode.PERMISSION_DENIED: Refused,
    grpc.StatusCode.UNAUTHENTICATED: Refused,
    grpc.StatusCode.UNIMPLEMENTED: Refused,
}
"""The statuses after which trying again would not help. All others may pass."""


class Connection:
    """The bot's seats at one server, and the streams through which they are played.

    Attributes:
        target: "host:port".
        token: what to show there when the next stream opens.
        expected: sessions that were sent here by another server and are not over yet.
        home: whether the bot stays when there is nothing left to play.
        seats: the bot's seats there.
    """

    def __init__(
        self,
        playing: Playing,
        target: str,
        token: str | None,
        *,
        tls: TLS,
        backoff: Backoff,
        home: bool,
        moved: Callable[[play_pb2.SessionStart], None],
        over: Callable[[str], None],
    ) -> None:
        """Do not connect yet: `keep` does.

        Args:
            playing: the bot, and what its connections share.
            target: "host:port".
            token: what to show there.
            tls: how to encrypt.
            backoff: how long to wait before trying again.
            home: whether to stay when there is nothing left to play.
            moved: told of a session that another server hosts.
            over: told the id of a session that is over.
        """
        self.target = target
        self.token = token
        self.home = home
        self.expected: set[str] = set()
        self.seats = Seats(playing, welcome=self._welcomed, moved=moved, over=over)
        self._name = playing.name
        self._tls = tls
        self._backoff = backoff
        self._frames = 0  # read from the stream of the day

    async def keep(self) -> None:
        """Play, over as many streams as it takes, until there is nothing left to play here or the task is cancelled.

        Raises:
            Refused: the server will not have this bot.
            Replaced: a newer connection of the same bot took over.
        """
        failures = 0
        try:
            while self._wanted():
                reason = await self._stream()
                if not self._wanted():
                    break
                if self._frames > 1:  # a greeting alone is no success: the next frame may be what breaks it
                    failures = 0
                what = "lost" if self._frames else "cannot reach"
                delay = self._backoff.delay(failures)
                failures += 1
                # The first try is told of, and the second, fourth, eighth, ...: a server may be away for days.
                level = logging.WARNING if failures & (failures - 1) == 0 else logging.DEBUG
                LOG.log(level, "%s %s (%s); trying again in %.1f s", what, self.target, reason, delay)
                await self._backoff.sleep(delay)
        finally:
            await self.seats.leave()

    def _wanted(self) -> bool:
        return self.home or bool(self.expected) or len(self.seats) > 0

    async def _stream(self) -> str:
        """Play over one stream; return why it ended."""
        self._frames = 0
        try:
            opening = open_channel(self.target, self._tls)
        except BadCertificate as error:  # they were good when the bot was started: perhaps they are being renewed
            return str(error)
        async with opening as channel:
            call = PlayServiceStub(channel).Play(metadata=authorization(self.token))
            writer = asyncio.create_task(write(call, *self.seats.open_stream()))
            try:
                while isinstance(frame := await call.read(), play_pb2.PlayResponse):
                    self._frames += 1
                    await self.seats.receive(frame)
                    if not self._wanted():
                        return "nothing left to play"
            except grpc.aio.AioRpcError as error:
                final = FINAL.get(error.code())
                if final is not None:
                    raise final.from_rpc(error) from None
                return cause_of(error)
            finally:
                writer.cancel()
                call.cancel()  # a call that is dropped without this is never collected
                await asyncio.wait([writer])
        return "the server closed the stream"

    def _welcomed(self, welcome: play_pb2.Welcome) -> None:
        self.seats.outbox.limit(welcome.max_frame_bytes)
        server = f" ({welcome.server})" if welcome.server else ""
        LOG.info("connected as %s to %s%s", welcome.bot or self._name, self.target, server)


async def write(
    call: grpc.aio.StreamStreamCall[play_pb2.PlayRequest, play_pb2.PlayResponse],
    first: play_pb2.PlayRequest,
    outbox: Outbox,
) -> None:
    """Write a first frame and then what comes into the outbox, until cancelled or the stream is lost."""
    with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # the reader sees the same, and why
        await send(call, first)
        while True:
            await send(call, await outbox.take())
