"""SessionService: create, list and end sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import grpc

from croupier.v1 import session_pb2 as pb
from croupier.v1 import session_pb2_grpc
from croupier_service.identity.roles import Role
from croupier_service.sessions.errors import BadRequest, Denied, HostError, NotFound, Unavailable
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.host import Host, still_running
from croupier_service.sessions.journal import Query
from croupier_service.sessions.summary import Summary
from croupier_service.wire.messages import GameWire

from .caller import CALLER
from .convert import record_to_wire, session_to_wire
from .creating import Creating
from .errors import abort
from .organising import Organising
from .paging import bad_token, page, page_size

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"

LOOK_AT = 500
MAX_LOOKS = 20
"""To fill one page for a spectator so many sessions are looked at, so many times."""


class SessionServicer(session_pb2_grpc.SessionServiceServicer):
    """See ``session.proto`` for what each call does and which errors it ends with."""

    def __init__(self, host: Host, wires: Mapping[str, GameWire]) -> None:
        self._host = host
        self._wires = wires
        self._creating = Creating(host, wires)
        self._organising: set[Organising] = set()

    def close(self, reason: str) -> None:
        """The server is stopping: every organiser's stream is told so, and to come back."""
        for stream in self._organising:
            stream.close(Unavailable("STOPPING", reason))

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
            session_id = await self._host.open(self._creating.wanted(request))
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
        return pb.GetSessionResponse(session=session_to_wire(self._shown(summary), self._wires))

    async def ListSessions(self, request: pb.ListSessionsRequest, context: Context) -> pb.ListSessionsResponse:
        """Sessions, newest first."""
        try:
            if request.state not in pb.SessionState.values():
                raise BadRequest("OUT_OF_RANGE", f"is no SessionState: {request.state}", "state")
            size = page_size(request.page_size)
            query = Query(SessionState(request.state) if request.state else None, request.game, request.bot)
            if query.state is not None and CALLER.get().role is Role.SPECTATOR:
                found, token = await self._page_as_shown(query, query.state, request.page_token, size)
            else:
                found, token = await self._page(query, request.page_token, size)
        except HostError as error:
            await abort(context, error)
        return pb.ListSessionsResponse(
            sessions=[session_to_wire(self._shown(one), self._wires) for one in found], next_page_token=token
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
            archived = await self._host.archived(request.session_id)
            if self._lags(archived.summary):
                raise still_running(request.session_id)
            _check_may_read(archived.summary)
            self._host.check_may_be_shown(archived)
        except HostError as error:
            await abort(context, error)
        game = archived.record.game
        return record_to_wire(archived, self._host.games[game], self._wires[game])

    async def Organise(self, _requests: object, context: Context) -> None:  # type: ignore[override] # writes by itself
        """Many sessions over one stream."""
        stream = Organising(self._host, self._wires, self._creating)
        self._organising.add(stream)
        try:
            await stream.converse(context.read, context.write)
        except HostError as error:
            await abort(context, error)
        finally:
            self._organising.discard(stream)

    async def _page(self, query: Query, before: str, size: int) -> tuple[list[Summary], str]:
        """Sessions from the one after ``before`` on, and the next page's token. Raises BadRequest."""
        found = await self._host.page(query, before, size + 1)
        if found is None:
            raise bad_token()
        return found[:size], found[size - 1].session_id if len(found) > size else ""

    async def _page_as_shown(
        self, query: Query, state: SessionState, before: str, size: int
    ) -> tuple[list[Summary], str]:
        """The same for spectators, to whom a session is in the state that they are shown; what it is in gives it away.

        The page is shorter where few are found among many.
        """
        found = list[Summary]()
        every = replace(query, state=None)
        for _ in range(MAX_LOOKS):
            looked_at, token = await self._page(every, before, LOOK_AT)
            for one in looked_at:
                if self._shown(one).state is not state:
                    continue
                if len(found) == size:
                    return found, found[-1].session_id
                found.append(one)
            if not token:
                return found, ""
            before = token
        return found, before

    def _shown(self, summary: Summary) -> Summary:
        """A session as the caller may know it: spectators lag behind, and know until then only how it began.

        Labels are among organisers: they may tell which sessions play one deal.
        """
        shown = summary.at_its_start() if self._lags(summary) else summary
        return replace(shown, labels=()) if CALLER.get().role in (Role.BOT, Role.SPECTATOR) else shown

    def _lags(self, summary: Summary) -> bool:
        return CALLER.get().role is Role.SPECTATOR and summary.lags(self._host.wall_clock())

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
