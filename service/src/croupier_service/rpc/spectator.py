"""SpectatorService: sessions as those see them who only watch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import grpc

from croupier.v1 import spectator_pb2 as pb
from croupier_service.sessions.errors import HostError
from croupier_service.sessions.events import SessionEvent
from croupier_service.sessions.feed import Ending
from croupier_service.sessions.watching import Watching
from croupier_service.wire.encode import message, uint
from croupier_service.wire.messages import GameWire

from .convert import end_to_wire, event_to_wire
from .errors import abort

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

MAX_SESSION_ID = 128

_UPDATE = message(1)  # WatchSessionResponse.updates
_EVENT, _VIEW, _END, _CHARGED = message(1), message(2), message(3), uint(4, explicit=True)  # SessionUpdate


class SpectatorServicer:
    """See ``spectator.proto``. Frames are written as bytes: they are made once for all viewers of a session."""

    def __init__(self, watching: Watching) -> None:
        self._watching = watching

    def handlers(self) -> grpc.GenericRpcHandler:
        """The service's handlers, for ``server.add_generic_rpc_handlers``."""
        watch: Any = grpc.unary_stream_rpc_method_handler(
            self.watch_session, request_deserializer=pb.WatchSessionRequest.FromString
        )
        return grpc.method_handlers_generic_handler("croupier.v1.SpectatorService", {"WatchSession": watch})

    async def watch_session(self, request: pb.WatchSessionRequest, context: Context) -> None:
        """Follow one session up to its end."""
        try:
            await self._watching.watch(
                request.session_id[:MAX_SESSION_ID], request.from_seq, context.write, follow=not request.no_follow
            )
        except HostError as error:
            await abort(context, error)


class SpectatorEncoder:
    """Makes bytes of steps: one or more ``WatchSessionResponse.updates``, which follow each other in a frame."""

    def __init__(self, wires: Mapping[str, GameWire]) -> None:
        self._wires = wires

    def start(self, game: str, view: Any) -> bytes:
        return _UPDATE(_VIEW(self._wires[game].view_bytes(view)))

    def step(self, game: str, events: Sequence[tuple[int, SessionEvent]], view: Any, charged_ms: int | None) -> bytes:
        wire = self._wires[game]
        updates = [_EVENT(event_to_wire(seq, event, wire).SerializeToString()) for seq, event in events] or [b""]
        if charged_ms is not None:
            updates[0] += _CHARGED(charged_ms)
        if view is not None:
            updates[-1] += _VIEW(wire.view_bytes(view))
        return b"".join(map(_UPDATE, updates))

    def end(self, session_id: str, ending: Ending, seed: bytes) -> bytes:
        return _UPDATE(_END(end_to_wire(session_id, ending.seq, ending.result, seed).SerializeToString()))
