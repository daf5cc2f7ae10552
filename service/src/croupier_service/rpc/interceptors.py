"""What surrounds every call.

``Guard``: something unexpected reaches a client only as an INTERNAL error with a number to look up in the log.
``Gate``: who calls, and whether they may, before a request is read.
"""

from __future__ import annotations

import asyncio
import inspect
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, NoReturn, Protocol, TypeAlias

import grpc
import structlog

from croupier_service.identity.access import TABLE, WITHOUT_TOKEN, Reach, reach, roles_for
from croupier_service.identity.live import LiveCalls
from croupier_service.identity.registry import Identities, Identity
from croupier_service.identity.roles import Caller
from croupier_service.sessions.errors import BadRequest, Denied, HostError, Unauthenticated
from croupier_service.sessions.summary import Summary

from .caller import CALLER
from .errors import abort

log = structlog.get_logger("croupier.rpc")

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Continuation: TypeAlias = "Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]]"
Around: TypeAlias = Callable[[Any, Context], AbstractAsyncContextManager[None]]
"""What goes around the handling of a call; it gets the request (of a stream of requests: nothing to look at)."""


class Guard(grpc.aio.ServerInterceptor):
    """Turns unexpected exceptions, a handler's own cancellation, and requests that cannot be read, into a status.

    The text of an exception stays in the log: it may hold anything.
    """

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        """Put every handler under guard, and what finds the handler too."""
        method = handler_call_details.method

        @asynccontextmanager
        async def guarded(_request: Any, context: Context) -> AsyncIterator[None]:
            try:
                yield
            except grpc.aio.AbortError:
                raise
            except asyncio.CancelledError:
                if not context.cancelled() and not context.done():
                    await context.abort(grpc.StatusCode.CANCELLED, "the call was cancelled on the server")
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is
                await _internal_error(context, _logged(error, method))

        try:
            handler = await continuation(handler_call_details)
        except Exception as error:  # noqa: BLE001 - whatever it is
            number = _logged(error, method)
            return _refusing(lambda context: _internal_error(context, number))
        return None if handler is None else surrounded(_readable(handler), guarded)


class Refusals(Protocol):
    """Told of calls that were refused at the gate, for metrics."""

    def refused(self, reason: str) -> None:
        """One was, for this reason."""


class Gate(grpc.aio.ServerInterceptor):
    """Finds out who calls, and lets them do what the table of ``identity/access.py`` says.

    ``identities`` None: the server asks for no tokens, and everybody may do everything. ``summary`` looks at a session,
    to see who sits in it.
    """

    def __init__(
        self,
        identities: Identities | None,
        live: LiveCalls,
        summary: Callable[[str], Awaitable[Summary]],
        refusals: Refusals,
    ) -> None:
        self._identities = identities
        self._live = live
        self._summary = summary
        self._refusals = refusals

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> Handler | None:
        """Let the call in, or answer in its handler's place."""
        method = handler_call_details.method.removeprefix("/")
        handler = await continuation(handler_call_details)
        if handler is None or method in WITHOUT_TOKEN:
            return handler
        if self._identities is None:
            return handler if method in TABLE else self._refusing(method, _not_in_the_table(method))
        try:
            identity = await self._identities.authenticate(_token(handler_call_details))
            _check_role(method, identity.caller)
        except HostError as error:
            return self._refusing(method, error)
        reached = reach(method, identity.role)
        streaming = handler.request_streaming or handler.response_streaming

        @asynccontextmanager
        async def known(request: Any, context: Context) -> AsyncIterator[None]:
            caller = identity.caller
            CALLER.set(caller)
            try:
                if reached is Reach.OWN and not handler.request_streaming:
                    await self._narrow(request, caller)
            except HostError as error:
                await self._refuse(context, method, error)
            if not streaming:
                yield
                return
            async with self._as_open_call(method, identity, context):
                yield

        return surrounded(handler, known)

    @asynccontextmanager
    async def _as_open_call(self, method: str, identity: Identity, context: Context) -> AsyncIterator[None]:
        """A call that stays open, for no longer than its token is good."""
        try:
            with self._live.entered(identity) as call:
                try:
                    yield
                except asyncio.CancelledError:
                    if not call.revoked:
                        raise
                    call.task.uncancel()
                    raise Unauthenticated("TOKEN_REVOKED", call.revoked) from None
        except HostError as error:
            await self._refuse(context, method, error)

    async def _narrow(self, request: Any, caller: Caller) -> None:
        """See that a request is about the caller's own things. Raises Denied or NotFound."""
        fields = request.DESCRIPTOR.fields_by_name
        if "session_id" in fields:
            summary = await self._summary(request.session_id)
            if all(seat.bot != caller.name for seat in summary.seats):
                raise Denied(
                    "NOT_YOUR_SESSION",
                    f"{caller.name} sits in no session of that id, and may see no other",
                    "session_id",
                )
        elif "bot" in fields:
            if request.bot not in ("", caller.name):
                raise Denied("NOT_YOUR_SESSION", f"{caller.name} may list its own sessions, no other bot's", "bot")
            request.bot = caller.name
        else:  # nothing tells whose it is
            raise Denied("NOT_YOUR_SESSION", "this may be called about one's own things only, and names none")

    def _refusing(self, method: str, error: HostError) -> Handler:
        return _refusing(lambda context: self._refuse(context, method, error))

    async def _refuse(self, context: Context, method: str, error: HostError) -> NoReturn:
        self._refusals.refused(error.reason)
        log.info("call refused", method=method, reason=error.reason, detail=str(error), peer=context.peer())
        await abort(context, error)


def _token(details: grpc.HandlerCallDetails) -> str:
    """The token that a call shows. Raises Unauthenticated."""
    shown = [value for key, value in details.invocation_metadata or () if key == "authorization"]
    if not shown:
        raise Unauthenticated(
            "NO_TOKEN", "this server asks for a token: send the metadata 'authorization: Bearer TOKEN'"
        )
    scheme, _, token = str(shown[0]).partition(" ")
    if len(shown) > 1 or scheme.lower() != "bearer" or not token.strip():
        raise Unauthenticated("BAD_TOKEN", "the metadata 'authorization' holds one value, 'Bearer TOKEN'")
    return token.strip()


def _check_role(method: str, caller: Caller) -> None:
    """See that a role may call a method at all. Raises Denied."""
    if method not in TABLE:
        raise _not_in_the_table(method)
    if reach(method, caller.role) is Reach.NONE:
        may = " or ".join(role.word for role in roles_for(method))
        raise Denied(
            "WRONG_ROLE", f"{method.rpartition('/')[2]} takes the role {may}; {caller.name} is {caller.role.word}"
        )


def _not_in_the_table(method: str) -> Denied:
    return Denied("NOT_IN_TABLE", f"nobody may call {method}: no role has been given for it")


def _logged(error: Exception, method: str) -> str:
    """Log what nobody expected, and return the number under which it can be found."""
    number = secrets.token_hex(4)
    log.error("unexpected error", method=method, number=number, exc_info=error)
    return number


async def _internal_error(context: Context, number: str) -> NoReturn:
    await context.abort(grpc.StatusCode.INTERNAL, f"internal error {number}; the server's log says more")
    raise AssertionError("context.abort raises")


def _refusing(refuse: Callable[[Context], Awaitable[NoReturn]]) -> Handler:
    """A handler that refuses without having read anything. It fits every kind of method."""

    async def call(_requests: Any, context: Context) -> None:
        await refuse(context)

    handler: Any = grpc.stream_stream_rpc_method_handler(call)
    return handler  # type: ignore[no-any-return]


def _readable(handler: Handler) -> Handler:
    """The same handler; a request that is no message of its kind is refused. gRPC would say that the server failed.

    What comes in a stream of requests is for the handler to read.
    """
    read = handler.request_deserializer
    if read is None or handler.request_streaming:
        return handler
    make, behaviour = _parts(handler)

    async def parsed(request: bytes, context: Context) -> Any:
        try:
            return read(request)
        except Exception:  # noqa: BLE001 - protobuf's DecodeError has no stable home
            await abort(context, BadRequest("NOT_A_MESSAGE", "the request is not a message of the contract"))

    if inspect.isasyncgenfunction(behaviour):

        async def stream(request: bytes, context: Context) -> AsyncIterator[Any]:
            async for response in behaviour(await parsed(request, context), context):
                yield response

        return make(stream, None, handler.response_serializer)

    async def call(request: bytes, context: Context) -> Any:
        return await behaviour(await parsed(request, context), context)

    return make(call, None, handler.response_serializer)


def surrounded(handler: Handler, around: Around) -> Handler:
    """The same handler with something around each call."""
    make, behaviour = _parts(handler)

    if inspect.isasyncgenfunction(behaviour):

        async def stream(request: Any, context: Context) -> AsyncIterator[Any]:
            async with around(request, context):
                async for response in behaviour(request, context):
                    yield response

        return make(stream, handler.request_deserializer, handler.response_serializer)

    assert inspect.iscoroutinefunction(behaviour), "handlers are async: others would run in a thread"

    async def call(request: Any, context: Context) -> Any:
        async with around(request, context):
            return await behaviour(request, context)

    return make(call, handler.request_deserializer, handler.response_serializer)


def _parts(handler: Handler) -> tuple[Callable[..., Handler], Any]:
    """What makes such handlers, and what it was made from."""
    return _KINDS[bool(handler.request_streaming), bool(handler.response_streaming)](handler)


_KINDS: dict[tuple[bool, bool], Callable[[Any], tuple[Callable[..., Handler], Any]]] = {
    (False, False): lambda handler: (grpc.unary_unary_rpc_method_handler, handler.unary_unary),
    (False, True): lambda handler: (grpc.unary_stream_rpc_method_handler, handler.unary_stream),
    (True, False): lambda handler: (grpc.stream_unary_rpc_method_handler, handler.stream_unary),
    (True, True): lambda handler: (grpc.stream_stream_rpc_method_handler, handler.stream_stream),
}
