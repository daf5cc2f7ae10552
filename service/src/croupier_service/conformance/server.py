"""A PlayService that does what a check tells it, one stream after the other."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import suppress
from typing import Any, Self, TypeAlias

import grpc

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
)
Status = tuple[grpc.StatusCode, str]


class Call:
    """A stream that a bot has opened, as bytes.

    Attributes:
        metadata: what came with it.
        frames: what the bot says, frame by frame; None at last: it has gone.
    """

    def __init__(self, context: Context) -> None:
        self.metadata = {key: str(value) for key, value in context.invocation_metadata() or ()}
        self.frames: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._context = context
        self._end: asyncio.Future[Status | None] = asyncio.get_running_loop().create_future()

    async def say(self, frame: bytes) -> bool:
        """Send a frame; say whether the bot was still there."""
        try:
            await self._context.write(frame)
        except (grpc.RpcError, grpc.aio.InternalError, asyncio.InvalidStateError):
            return False
        return True

    def end(self, status: Status | None = None) -> None:
        """End the stream, with a status or well."""
        if not self._end.done():
            self._end.set_result(status)

    async def serve(self) -> None:
        """Read until either side has ended."""
        reader = asyncio.create_task(self._read())
        try:
            ends: set[asyncio.Future[Any]] = {reader, self._end}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if self._end.done() and (status := self._end.result()) is not None:
                await self._context.abort(*status)
        finally:
            reader.cancel()
            self.frames.put_nowait(None)

    async def _read(self) -> None:
        with suppress(grpc.RpcError, grpc.aio.InternalError, asyncio.InvalidStateError):
            while (frame := await self._context.read()) is not grpc.aio.EOF:
                self.frames.put_nowait(frame)


class ScriptedServer:
    """``async with ScriptedServer() as server``: streams wait in ``calls``, ``port`` says where.

    Attributes:
        calls: streams that bots have opened.
        refusals: what the next streams are refused with.
        refuse_all: what all streams are refused with; None: they are not.
        opened: when each stream was opened, refused ones too, as ``time.monotonic()`` has it.
    """

    def __init__(self) -> None:
        self.port = 0
        self.calls: asyncio.Queue[Call] = asyncio.Queue()
        self.refusals: deque[Status] = deque()
        self.refuse_all: Status | None = None
        self.opened: list[float] = []
        self._all: list[Call] = []

    async def __aenter__(self) -> Self:
        self._server = grpc.aio.server(options=OPTIONS)
        play: Any = grpc.stream_stream_rpc_method_handler(self._play)
        handler = grpc.method_handlers_generic_handler("croupier.v1.PlayService", {"Play": play})
        self._server.add_generic_rpc_handlers((handler,))
        self.port = self._server.add_insecure_port("127.0.0.1:0")
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        for call in self._all:
            call.end()
        await self._server.stop(0)

    async def _play(self, _requests: object, context: Context) -> None:
        self.opened.append(time.monotonic())
        refusal = self.refuse_all or (self.refusals.popleft() if self.refusals else None)
        if refusal is not None:
            await context.abort(*refusal)
        call = Call(context)
        self._all.append(call)
        self.calls.put_nowait(call)
        await call.serve()
