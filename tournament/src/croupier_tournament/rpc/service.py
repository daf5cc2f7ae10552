"""TournamentService: see ``tournament.proto`` for what each call does and which errors it ends with."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import wraps
from itertools import islice
from typing import Any, TypeVar

import grpc

from croupier.v1 import tournament_pb2 as pb
from croupier.v1 import tournament_pb2_grpc
from croupier_tournament.plan import GameKey
from croupier_tournament.rpc.convert import (
    match_message,
    standings_message,
    table_of,
    tournament_message,
    unreadable_message,
)
from croupier_tournament.rpc.errors import CallError, Context, abort, bad_spec, echo
from croupier_tournament.rpc.hall import Hall
from croupier_tournament.run.events import Event
from croupier_tournament.run.hosting import Hosted
from croupier_tournament.run.ledger import Entry
from croupier_tournament.spec import SpecError

Q = TypeVar("Q")
R = TypeVar("R")

MAX_TEXT = 128
DEFAULT_PAGE, MAX_PAGE = 100, 1000
DEFAULT_INTERVAL_MS, MIN_INTERVAL_MS, MAX_INTERVAL_MS = 1000, 100, 60_000
MOST_WAITING = 10_000
"""Blocks that wait for a slow watcher; what is beyond is left out, and can be listed."""


def answering(
    call: Callable[["TournamentServicer", Q], Awaitable[R]],
) -> Callable[["TournamentServicer", Q, Context], Awaitable[R]]:
    """Let a call end with the error that it raises."""

    @wraps(call)
    async def answer(self: "TournamentServicer", request: Q, context: Context) -> R:
        try:
            return await call(self, request)
        except CallError as error:
            await abort(context, error)

    return answer


class TournamentServicer(tournament_pb2_grpc.TournamentServiceServicer):
    """See the module."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._closing = asyncio.Event()

    def close(self) -> None:
        """End all streams."""
        self._closing.set()

    @answering
    async def CreateTournament(self, request: pb.CreateTournamentRequest) -> pb.CreateTournamentResponse:
        """Plan a tournament, commit to its secret and start it."""
        if len(request.request_id) > MAX_TEXT:
            raise _out_of_range("request_id", f"has at most {MAX_TEXT} characters")
        try:
            table = table_of(request.spec, self._hall.run)
        except SpecError as error:
            raise bad_spec(error) from error
        hosted = await self._hall.create(table, request.request_id)
        return pb.CreateTournamentResponse(tournament=await self._tournament(hosted))

    @answering
    async def GetTournament(self, request: pb.GetTournamentRequest) -> pb.GetTournamentResponse:
        """One tournament."""
        hosted = await self._hall.find(request.tournament_id)
        return pb.GetTournamentResponse(tournament=await self._tournament(hosted))

    @answering
    async def ListTournaments(self, request: pb.ListTournamentsRequest) -> pb.ListTournamentsResponse:
        """Tournaments, newest first."""
        size, before = _page_size(request.page_size), _page_token(request.page_token)
        entries = await self._hall.entries(size + 1, before)
        shown = [await self._listed(entry) for entry in entries[:size]]
        token = str(entries[size - 1].number) if len(entries) > size else ""
        return pb.ListTournamentsResponse(tournaments=shown, next_page_token=token)

    @answering
    async def PauseTournament(self, request: pb.PauseTournamentRequest) -> pb.PauseTournamentResponse:
        """Let running games end and start no new ones."""
        hosted = await self._hall.pause(request.tournament_id)
        return pb.PauseTournamentResponse(tournament=await self._tournament(hosted))

    @answering
    async def ResumeTournament(self, request: pb.ResumeTournamentRequest) -> pb.ResumeTournamentResponse:
        """Go on."""
        hosted = await self._hall.resume(request.tournament_id)
        return pb.ResumeTournamentResponse(tournament=await self._tournament(hosted))

    @answering
    async def CancelTournament(self, request: pb.CancelTournamentRequest) -> pb.CancelTournamentResponse:
        """End it for good."""
        hosted = await self._hall.cancel(request.tournament_id)
        return pb.CancelTournamentResponse(tournament=await self._tournament(hosted))

    @answering
    async def GetStandings(self, request: pb.GetStandingsRequest) -> pb.GetStandingsResponse:
        """The standings as they are."""
        hosted = await self._hall.find(request.tournament_id)
        standing = await self._hall.standings(hosted)
        return pb.GetStandingsResponse(standings=standings_message(standing, hosted.tournament.names))

    @answering
    async def ListMatches(self, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
        """The games of a tournament, in the order of the plan."""
        hosted = await self._hall.find(request.tournament_id)
        size, first = _page_size(request.page_size), _page_token(request.page_token) or 0
        tournament, seats = hosted.tournament, hosted.tournament.spec.seats
        for number, name in enumerate(request.entrants):
            if name not in tournament.names:
                raise _out_of_range(f"entrants[{number}]", f"{echo(name)} is no entrant of this tournament")
        wanted = {tournament.names.index(name) for name in request.entrants}
        numbers = (
            number
            for number in range(first, len(tournament.plan))
            if not wanted or wanted <= set(tournament.table(number // seats))
        )
        found = [GameKey(*divmod(number, seats)) for number in islice(numbers, size + 1)]
        shown = found[:size]
        games = await self._hall.games(hosted, shown[0], shown[-1]) if shown else {}
        token = str(found[size].block * seats + found[size].replay) if len(found) > size else ""
        matches = [match_message(tournament, key, games.get(key)) for key in shown]
        return pb.ListMatchesResponse(matches=matches, next_page_token=token)

    async def WatchTournament(
        self, request: pb.WatchTournamentRequest, context: Context
    ) -> AsyncIterator[pb.WatchTournamentResponse]:
        """Follow progress and standings; the stream ends with the tournament."""
        interval = request.interval_ms or DEFAULT_INTERVAL_MS
        try:
            if not MIN_INTERVAL_MS <= interval <= MAX_INTERVAL_MS:
                raise _out_of_range("interval_ms", f"is {MIN_INTERVAL_MS} to {MAX_INTERVAL_MS:,}, or 0 for the default")
            hosted = await self._hall.find(request.tournament_id)
        except CallError as error:
            await abort(context, error)
        waiting: list[int] = []

        def hear(event: Event) -> None:
            if event.kind == "block" and len(waiting) < MOST_WAITING:
                waiting.append(event.data["block"])

        hosted.listeners.add(hear)
        try:
            before: bytes = b""
            shown: Any = None
            while True:
                blocks, waiting[:] = list(waiting), []
                over = (await self._hall.entry(hosted.tournament.id)).over
                response = pb.WatchTournamentResponse(tournament=await self._tournament(hosted))
                if hosted.standings is not shown and hosted.standings is not None:
                    shown = hosted.standings
                    response.standings.CopyFrom(standings_message(shown, hosted.tournament.names))
                for block in blocks:
                    response.matches.extend(await self._matches(hosted, block))
                if (now := response.SerializeToString(deterministic=True)) != before:
                    before = now
                    yield response
                if over:
                    return
                try:
                    async with asyncio.timeout(interval / 1000):
                        await self._closing.wait()
                except TimeoutError:
                    continue
                closing = CallError(
                    grpc.StatusCode.UNAVAILABLE, "STOPPING", "the service is stopping; watch again later"
                )
                await abort(context, closing)
        finally:
            hosted.listeners.discard(hear)

    async def _tournament(self, hosted: Hosted) -> pb.Tournament:
        entry = await self._hall.entry(hosted.tournament.id)
        return tournament_message(hosted.tournament, entry, await self._hall.progress(hosted))

    async def _listed(self, entry: Entry) -> pb.Tournament:
        try:
            return await self._tournament(await self._hall.find(entry.id))
        except CallError as error:  # such as rules that are no longer those of the tournament
            return unreadable_message(entry, str(error))

    async def _matches(self, hosted: Hosted, block: int) -> list[pb.Match]:
        keys = [GameKey(block, replay) for replay in range(hosted.tournament.spec.seats)]
        games = await self._hall.games(hosted, keys[0], keys[-1])
        return [match_message(hosted.tournament, key, games.get(key)) for key in keys]


def _page_size(size: int) -> int:
    if size > MAX_PAGE:
        raise _out_of_range("page_size", f"is 1 to {MAX_PAGE:,}, or 0 for {DEFAULT_PAGE}, not {size:,}")
    return size or DEFAULT_PAGE


def _page_token(token: str) -> int | None:
    if token and not (token.isdecimal() and len(token) < 16):
        raise _out_of_range("page_token", "is not the token of a previous page")
    return int(token) if token else None


def _out_of_range(field: str, message: str) -> CallError:
    return CallError(grpc.StatusCode.INVALID_ARGUMENT, "OUT_OF_RANGE", f"{field}: {message}", [(field, message)])
