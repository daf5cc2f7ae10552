"""A stretch of wire that a test can cut: a TCP proxy in front of a server."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Self


class Proxy:
    """``async with Proxy(server.target) as proxy``; bots go to ``proxy.target``.

    ``tear`` is asked of each piece of data how much of it gets through: all of it, or so many bytes, and then the wire
    is cut, in the middle of a frame as like as not.
    """

    def __init__(self, target: str, tear: Callable[[bytes], int] = len) -> None:
        host, _, port = target.rpartition(":")
        self.upstream = (host, int(port))
        self.target = ""
        self.cuts = 0
        self.tears = 0
        self._tear = tear
        self._writers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._relay, "127.0.0.1", 0)
        self.target = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut()
        await self._server.wait_closed()

    def cut(self) -> None:
        """Cut every connection there is, without a goodbye. New ones are let through."""
        self.cuts += 1
        for writer in self._writers:
            writer.transport.abort()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            up_reader, up_writer = await asyncio.open_connection(*self.upstream)
        except OSError:
            writer.transport.abort()  # nobody is there
            return
        self._writers |= {writer, up_writer}
        try:
            await asyncio.gather(self._copy(reader, up_writer), self._copy(up_reader, writer))
        finally:
            self._writers -= {writer, up_writer}
            for end in (writer, up_writer):
                end.transport.abort()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                through = self._tear(data)
                writer.write(data[:through])
                await writer.drain()
                if through < len(data):
                    self.tears += 1
                    break
        writer.transport.abort()
