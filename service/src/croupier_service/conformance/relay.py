"""The wire between the bot and the server by script: it can be cut, be missing, or be slow."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import Self

CRUMB = 48
"""Bytes that get through at once while the wire is slow."""
CRUMB_S = 0.004
"""How long the next ones take."""


class Relay:
    """``async with Relay(port) as relay``; the bot goes to ``relay.target``."""

    def __init__(self, port: int, tls: ssl.SSLContext | None = None) -> None:
        """``port``: where the server listens on this machine; ``tls``: what the bot's side of the wire speaks."""
        self.target = ""
        self.away = False
        """Whether nobody seems to be there: connections are broken off at once."""
        self.slow = False
        """Whether what the server says trickles."""
        self.arrivals: asyncio.Queue[None] = asyncio.Queue()
        """One for each connection on which a bot has begun to speak TLS, also where it then turned away."""
        self.certificate = ""
        """The name in the certificate that the latest bot has shown; empty: none."""
        self._port = port
        self._tls = tls
        if tls is not None:
            tls.sni_callback = lambda *_: self.arrivals.put_nowait(None)
        self._ends: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._relay, "127.0.0.1", 0, ssl=self._tls)
        self.target = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.cut()
        await self._server.wait_closed()

    def cut(self) -> None:
        """Cut every connection that there is, without a goodbye. New ones are let through."""
        for end in self._ends:
            end.transport.abort()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.away:
            writer.transport.abort()
            return
        subject = (writer.get_extra_info("peercert") or {}).get("subject", ())
        self.certificate = dict(part for parts in subject for part in parts).get("commonName", "")
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.transport.abort()
            return
        self._ends |= {writer, up_writer}
        try:
            await asyncio.gather(self._copy(reader, up_writer, down=False), self._copy(up_reader, writer, down=True))
        finally:
            self._ends -= {writer, up_writer}
            for end in (writer, up_writer):
                end.transport.abort()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, down: bool) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                if down and self.slow:
                    for at in range(0, len(data), CRUMB):
                        writer.write(data[at : at + CRUMB])
                        await writer.drain()
                        await asyncio.sleep(CRUMB_S)
                else:
                    writer.write(data)
                    await writer.drain()
        writer.transport.abort()
