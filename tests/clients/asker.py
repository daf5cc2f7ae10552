"""The asking side of the benchmark: a server that does nothing but ask, at a fraction of what answering costs.

gRPC's server for Python takes some 300 µs for a frame and its answer, several times what a fast bot does: that would
measure the server. So here is as much of HTTP/2 (RFC 9113) as it takes to serve one call for a connection, on uvloop.
"""

import asyncio
import struct
from collections.abc import Callable
from typing import Any

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
ACK, END_HEADERS, PADDED = 1, 4, 8
INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE = 4, 5  # settings
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
WINDOW = 65_535  # bytes that may be sent at first
FRAME = 16_384  # bytes of payload that every peer takes
WIDE = (1 << 31) - 1  # bytes that the peer may send: more than any benchmark lasts for
STATUS_OK = b"\x88\x0f\x10\x10application/grpc"  # ":status: 200", and "content-type" as a literal (RFC 7541)


class Ended(Exception):
    """The bot has ended its stream, or lost its connection."""


class Stream(asyncio.Protocol):
    """A bot's connection, with its one call.

    Args:
        opened: is called with this once the bot has sent its request.
    """

    def __init__(self, opened: Callable[["Stream"], object]) -> None:
        self._opened = opened
        self._greeted = False
        self._call = 0  # HTTP/2's number of the stream; 0 before there is one
        self._bytes = bytearray()  # not yet taken in
        self._message = bytearray()  # of gRPC, not yet complete
        self._heard = asyncio.Queue[bytes | None]()
        self._connection_window = self._stream_window = self._initial_window = WINDOW
        self._held = bytearray()  # of messages, until a window opens

    async def read(self) -> bytes:
        """The next message. Raises Ended."""
        message = await self._heard.get()
        if message is None:
            self._heard.put_nowait(None)
            raise Ended
        return message

    def write(self, message: bytes) -> None:
        """Send a message as soon as the peer takes it."""
        self._held += struct.pack(">BI", 0, len(message)) + message
        self._send()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        settings = struct.pack(">HI", INITIAL_WINDOW_SIZE, WIDE)
        more = struct.pack(">I", WIDE - WINDOW)
        transport.write(framed(SETTINGS, 0, 0, settings) + framed(WINDOW_UPDATE, 0, 0, more))

    def connection_lost(self, _error: Exception | None) -> None:
        self._heard.put_nowait(None)

    def data_received(self, data: bytes) -> None:
        self._bytes += data
        if not self._greeted:
            if len(self._bytes) < len(PREFACE):
                return
            del self._bytes[: len(PREFACE)]
            self._greeted = True
        while len(self._bytes) >= 9:
            end = 9 + int.from_bytes(self._bytes[:3])
            if len(self._bytes) < end:
                return
            payload = bytes(self._bytes[9:end])
            kind, flags = self._bytes[3], self._bytes[4]
            number = int.from_bytes(self._bytes[5:9])
            del self._bytes[:end]
            self._take(kind, flags, number, payload)

    def _take(self, kind: int, flags: int, number: int, payload: bytes) -> None:
        if kind == DATA:
            self._message += payload[1 : len(payload) - payload[0]] if flags & PADDED else payload
            self._complete()
        elif kind == WINDOW_UPDATE:
            if number:
                self._stream_window += int.from_bytes(payload)
            else:
                self._connection_window += int.from_bytes(payload)
            self._send()
        elif kind == PING and not flags & ACK:
            self._transport.write(framed(PING, ACK, 0, payload))
        elif kind == SETTINGS and not flags & ACK:
            for name, value in struct.iter_unpack(">HI", payload):
                if name == INITIAL_WINDOW_SIZE:
                    self._stream_window += value - self._initial_window
                    self._initial_window = value
            self._transport.write(framed(SETTINGS, ACK, 0, b""))
        elif kind == HEADERS and not self._call:
            self._call = number
            self._transport.write(framed(HEADERS, END_HEADERS, number, STATUS_OK))
            self._opened(self)
        elif kind in {RST_STREAM, GOAWAY}:
            self._heard.put_nowait(None)

    def _complete(self) -> None:
        """Hand on the messages that are complete."""
        while len(self._message) >= 5:
            end = 5 + int.from_bytes(self._message[1:5])
            if len(self._message) < end:
                return
            self._heard.put_nowait(bytes(self._message[5:end]))
            del self._message[:end]

    def _send(self) -> None:
        """Send what the windows let through."""
        while size := min(len(self._held), FRAME, self._connection_window, self._stream_window):
            if size < 0:  # settings may make a window smaller than what is on its way
                return
            self._transport.write(framed(DATA, 0, self._call, bytes(self._held[:size])))
            del self._held[:size]
            self._connection_window -= size
            self._stream_window -= size


def framed(kind: int, flags: int, number: int, payload: bytes) -> bytes:
    """A frame of HTTP/2."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, number) + payload
