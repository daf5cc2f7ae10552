"""Server-sent events as an answer: bytes that were made once go to everybody as they are."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

STALL_S = 30.0
"""A viewer that takes nothing for so many seconds, though there is something, is let go; for up to twice as long."""


def live_route(path: str, endpoint: Callable[[Request], Awaitable[Response]]) -> Route:
    """A route whose streams cost something before they begin: not for who asks for the head alone."""
    route = Route(path, endpoint)
    route.methods = {"GET"}  # Starlette adds HEAD
    return route


class EventStream(StreamingResponse):
    """An answer that goes on until its chunks end, or its viewer goes.

    What it costs, it costs for every viewer of every piece of news: so there is no timer and no task for a piece.

    Args:
        chunks: whole events, encoded.
    """

    def __init__(self, chunks: AsyncGenerator[bytes, None]) -> None:
        super().__init__(
            chunks, media_type="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        )
        self._chunks = chunks
        self._sent = 0
        self._sending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(self._chunks):
            if scope["method"] == "HEAD":  # there is no end to wait for
                await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
                await send({"type": "http.response.body", "body": b""})
            else:
                await super().__call__(scope, receive, send)

    async def stream_response(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for chunk in self._chunks:
            self._sending = True
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
            self._sending = False
            self._sent += 1
        await send({"type": "http.response.body", "body": b""})

    async def listen_for_disconnect(self, receive: Receive) -> None:
        """Return when the viewer has gone, or takes nothing any more: then the answer ends."""
        gone = asyncio.ensure_future(super().listen_for_disconnect(receive))
        try:
            while not gone.done():
                sent = self._sent if self._sending else -1
                await asyncio.wait([gone], timeout=STALL_S)
                if self._sending and self._sent == sent:
                    return
        finally:
            gone.cancel()
