"""A stretch of wire that a test can cut: a TCP proxy in front of a server on this machine."""

import asyncio
import contextlib
from collections.abc import Callable

from croupier_service.conformance.relay import Relay


class Proxy(Relay):
    """``async with Proxy(server.target) as proxy``; bots go to ``proxy.target``.

    ``tear`` is asked of each piece of data how much of it gets through: all of it, or so many bytes, and then the wire
    is cut, in the middle of a frame as like as not.
    """

    def __init__(self, target: str, tear: Callable[[bytes], int] = len) -> None:
        super().__init__(int(target.rpartition(":")[2]))
        self.cuts = 0
        self.tears = 0
        self._tear = tear

    def cut(self) -> None:
        self.cuts += 1
        super().cut()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, down: bool) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                through = self._tear(data)
                writer.write(data[:through])
                await writer.drain()
                if through < len(data):
                    self.tears += 1
                    break
        writer.transport.abort()
