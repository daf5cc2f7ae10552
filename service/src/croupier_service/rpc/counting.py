"""Counts calls by method and code, and how long those with one answer take."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Protocol

import grpc

from .interceptors import Context, Continuation, Handler, surrounded

UNKNOWN = "unknown"
"""What all methods are called that do not exist: whoever calls may make up any number of names."""
_CODES = {code.value[0]: code.name for code in grpc.StatusCode}


class Calls(Protocol):
    """Told of calls, for metrics."""

    def called(self, method: str, code: str, ms: float | None) -> None:
        """A call has ended. ``ms``: how long it took; None for a stream, which takes as long as it is wanted."""


class Counting(grpc.aio.ServerInterceptor):
    """The outermost of a server's interceptors, so that it sees how calls end."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        """Put a count around the handler."""
        method = handler_call_details.method.removeprefix("/")
        handler = await continuation(handler_call_details)
        if handler is None:
            self._calls.called(UNKNOWN, "UNIMPLEMENTED", None)
            return None
        streaming = handler.request_streaming or handler.response_streaming

        @asynccontextmanager
        async def counted(_request: Any, context: Context) -> AsyncIterator[None]:
            began = time.perf_counter()
            cancelled = False
            try:
                yield
            except (asyncio.CancelledError, GeneratorExit):
                cancelled = True
                raise
            finally:
                took = None if streaming else (time.perf_counter() - began) * 1000
                self._calls.called(method, _code(context, cancelled=cancelled), took)

        return surrounded(handler, counted)


def _code(context: Context, *, cancelled: bool) -> str:
    """How a call has ended. gRPC gives the code as a number, or not at all while it is 0."""
    code: Any = context.code()
    number = code.value[0] if isinstance(code, grpc.StatusCode) else int(code or 0)
    return _CODES[grpc.StatusCode.CANCELLED.value[0]] if cancelled and not number else _CODES.get(number, "UNKNOWN")
