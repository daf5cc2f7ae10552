"""SessionService: create, list and end sessions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, TypeAlias

import grpc

from croupier.v1 import session_pb2 as pb
from croupier.v1 import session_pb2_grpc
from croupier_games.kernel import OptionError, Seed
from croupier_service.identity.roles import Role
from croupier_service.sessions.errors import BadRequest, Denied, HostError, NotFound
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.host import Host, NewSession
from croupier_service.sessions.journal import Query
from croupier_service.sessions.settings import MAX_MS, SettingError
from croupier_service.sessions.summary import Summary
from croupier_service.wire.messages import GameWire

from .caller import CALLER
from .convert import clock_from_wire, faults_from_wire, record_to_wire, session_to_wire
from .errors import abort, as_host_error
from .paging import bad_token, page, page_size

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

MAX_LABELS = 16
MAX_TEXT = 128


class SessionServicer(session_pb2_grpc.SessionServiceServicer):
    """See ``session.proto`` for what each call does and which errors it ends with."""

    def __init__(self, host: Host, wires: Mapping[str, GameWire]) -> None:
        self._host = host
        self._wires = wires

    async def ListGames(self, request: pb.ListGamesRequest, context: Context) -> pb.ListGamesResponse:
        """The games this server can host."""
        try:
            names, token = page(list(self._host.games), request.page_size, request.page_token, str)
        except HostError as error:
            await abort(context, error)
        return pb.ListGamesResponse(games=[self._game_info(name) for name in names], next_page_token=token)

    async def GetGame(self, request: pb.GetGameRequest, context: Context) -> pb.GetGameResponse:
        """One game."""
        try:
            self._host.game(request.name)
        except NotFound as error:
            await abort(context, NotFound(error.reason, str(error), "name"))
        info = self._game_info(request.name)
        details = self._wires[request.name].codec.details()
        if details is not None:
            info.details.Pack(details)
        return pb.GetGameResponse(game=info)

    async def CreateSession(self, request: pb.CreateSessionRequest, context: Context) -> pb.CreateSessionResponse:
        """Deal and start a session."""
        try:
            session_id = await self._host.open(self._new_session(request))
            summary = await self._host.summary(session_id)
        except HostError as error:
            await abort(context, error)
        return pb.CreateSessionResponse(session=session_to_wire(summary, self._wires))

    async def GetSession(self, request: pb.GetSessionRequest, context: Context) -> pb.GetSessionResponse:
        """One session."""
        try:
            summary = await self._host.summary(request.session_id)
        except HostError as error:
            await abort(context, error)
        return pb.GetSessionResponse(session=session_to_wire(summary, self._wires))

    async def ListSessions(self, request: pb.ListSessionsRequest, context: Context) -> pb.ListSessionsResponse:
        """Sessions, newest first."""
        try:
            if request.state not in pb.SessionState.values():
                raise BadRequest("OUT_OF_RANGE", f"is no SessionState: {request.state}", "state")
            size = page_size(request.page_size)
            query = Query(SessionState(request.state) if request.state else None, request.game, request.bot)
            shown = await self._host.page(query, request.page_token, size + 1)
            if shown is None:
                raise bad_token()
        except HostError as error:
            await abort(context, error)
        return pb.ListSessionsResponse(
            sessions=[session_to_wire(summary, self._wires) for summary in shown[:size]],
            next_page_token=shown[size - 1].session_id if len(shown) > size else "",
        )

    async def AbortSession(self, request: pb.AbortSessionRequest, context: Context) -> pb.AbortSessionResponse:
        """End a session without a result."""
        try:
            summary = await self._host.abort(request.session_id)
        except HostError as error:
            await abort(context, error)
        return pb.AbortSessionResponse(session=session_to_wire(summary, self._wires))

    async def GetRecord(self, request: pb.GetRecordRequest, context: Context) -> pb.GetRecordResponse:
        """The record of a session that is over."""
        try:
            archived = await self._host.record(request.session_id)
            _check_may_read(archived.summary)
        except HostError as error:
            await abort(context, error)
        game = archived.record.game
        return record_to_wire(archived, self._host.games[game], self._wires[game])

    def _game_info(self, name: str) -> pb.GameInfo:
        game = self._host.games[name]
        return pb.GameInfo(
            name=game.name,
            title=game.title,
            rules_version=game.rules_version,
            min_seats=game.seat_range[0],
            max_seats=game.seat_range[-1],
            default_options=self._wires[name].codec.options_to_wire(game.options()),
            house_bots=self._host.house_bots(name),
        )

    def _new_session(self, request: pb.CreateSessionRequest) -> NewSession:
        """What the request asks for. Raises BadRequest or NotFound naming the field."""
        game = self._host.game(request.game)
        settings = self._host.settings
        if len(request.request_id) > MAX_TEXT:
            raise BadRequest("TOO_LONG", f"has at most {MAX_TEXT} characters", "request_id")
        if request.seed and len(request.seed) != 32:
            raise BadRequest("BAD_SEED", f"has 32 bytes or none, not {len(request.seed)}", "seed")
        if request.spectator_delay_ms > MAX_MS:
            raise BadRequest(
                "OUT_OF_RANGE", f"is 0 to {MAX_MS:,}, not {request.spectator_delay_ms:,}", "spectator_delay_ms"
            )
        return NewSession(
            game=game.name,
            bots=tuple(request.bots),
            options=self._options(request, game.name),
            clock=_setting("clock.", lambda: clock_from_wire(request.clock, settings.clock)),
            faults=_setting("faults.", lambda: faults_from_wire(request.faults, settings.faults)),
            seed=Seed(request.seed) if request.seed else None,
            labels=_labels(request.labels),
            spectator_delay_ms=request.spectator_delay_ms,
            request_id=request.request_id,
            owner=CALLER.get().name,
            fingerprint=hashlib.sha256(request.SerializeToString(deterministic=True)).digest(),
        )

    def _options(self, request: pb.CreateSessionRequest, game: str) -> Any:
        codec = self._wires[game].codec
        arm = request.options.WhichOneof("options")
        if arm is None:
            return None
        if arm != codec.arm:
            raise BadRequest("WRONG_GAME", f"holds {arm}, but the game {game} takes {codec.arm}", "options")
        return _setting("options.", lambda: codec.options_from_wire(request.options))


def _check_may_read(summary: Summary) -> None:
    """See that a record gives nothing away. Raises Denied.

    A deal whose seed was given may be played again, with other seats: whoever plays must not read it before that.
    """
    if CALLER.get().role in (Role.BOT, Role.SPECTATOR) and not summary.seed_commitment:
        raise Denied(
            "DEAL_MAY_RETURN",
            "the seed of this session was given and may be given again: only organisers and operators see its record",
            "session_id",
        )


def _setting(prefix: str, build: Any) -> Any:
    try:
        return build()
    except (OptionError, SettingError) as error:
        raise as_host_error(error, prefix) from error


def _labels(labels: Mapping[str, str]) -> dict[str, str]:
    if len(labels) > MAX_LABELS:
        raise BadRequest("TOO_MANY", f"there are at most {MAX_LABELS}, not {len(labels)}", "labels")
    for key, value in labels.items():
        if not key or len(key) > MAX_TEXT or len(value) > MAX_TEXT:
            raise BadRequest(
                "TOO_LONG",
                f"keys have 1 to {MAX_TEXT} characters, values at most {MAX_TEXT}",
                f"labels[{key[:MAX_TEXT]}]",
            )
    return dict(labels)
