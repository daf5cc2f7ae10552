"""What surrounds every call.

Something unexpected reaches a client only as an INTERNAL error with a number to look up in the log.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import grpc
import structlog

log = structlog.get_logger("croupier.rpc")

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


class Guard(grpc.aio.ServerInterceptor):
    """Turns unexpected exceptions, and a handler's own cancellation, into a status.

    The text of an exception stays in the log: it may hold anything.
    """

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Wrap the handlers of calls with one answer, and those that read and write by themselves."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None:
            return handler
        if handler.unary_unary is not None:
            return grpc.unary_unary_rpc_method_handler(
                _guarded(handler.unary_unary, method), handler.request_deserializer, handler.response_serializer
            )
        if handler.unary_stream is not None and asyncio.iscoroutinefunction(handler.unary_stream):
            return grpc.unary_stream_rpc_method_handler(
                _guarded(handler.unary_stream, method), handler.request_deserializer, handler.response_serializer
            )
        if handler.stream_stream is not None and asyncio.iscoroutinefunction(handler.stream_stream):
            return grpc.stream_stream_rpc_method_handler(
                _guarded(handler.stream_stream, method), handler.request_deserializer, handler.response_serializer
            )
        return handler


def _guarded(behaviour: Any, method: str) -> Any:
    async def call(request: Any, context: Context) -> Any:
        try:
            return await behaviour(request, context)
        except grpc.aio.AbortError:
            raise
        except asyncio.CancelledError:
            if not context.cancelled() and not context.done():
                await context.abort(grpc.StatusCode.CANCELLED, "the call was cancelled on the server")
            raise
        except Exception:
            number = secrets.token_hex(4)
            log.exception("unexpected error", method=method, number=number)
            await context.abort(grpc.StatusCode.INTERNAL, f"internal error {number}; the server's log says more")

    return call
