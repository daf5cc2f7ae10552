"""All tournaments of a service: made, run, paused and shown. Knows nothing of gRPC but the codes of its errors."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import structlog

from croupier_tournament.plan import GameKey
from croupier_tournament.rating import NotConverged
from croupier_tournament.rpc.errors import CallError, bad_spec, echo
from croupier_tournament.rpc.planning import Planner
from croupier_tournament.run.audiences import Log
from croupier_tournament.run.events import Progress
from croupier_tournament.run.folder import Folder, FolderError
from croupier_tournament.run.hosting import Hosted, end
from croupier_tournament.run.ledger import CANCELLED, FINAL, PAUSED, RUNNING, Entry, Game, Ledger, LedgerError
from croupier_tournament.run.standing import Standing, compute
from croupier_tournament.run.tournament import Tournament, add_tournament, load
from croupier_tournament.spec import Command, Problem, Spec, SpecError
from croupier_tournament.spec.reading import spec_of

log = structlog.get_logger("croupier.tournaments")

STOP_S = 30.0
"""How long runs may take to stop when the service does."""
MOST_GAMES = 200_000
"""In a plan that is asked for here; it takes up to a minute, where one of the longest takes many."""
MOST_WAITING = 8
"""Plans that wait for their turn."""


class Hall:
    """See the module.

    Args:
        ledger: where all tournaments are noted.
        url: its URL, for the folders.
        folder: in which each tournament gets a folder of its own, named by its id.
        run: how tournaments are run: the table [run] of a spec.
        allow_commands: whether tournaments may start processes here.
    """

    def __init__(self, ledger: Ledger, url: str, folder: Path, run: Mapping[str, Any], *, allow_commands: bool) -> None:
        self.run = dict(run)
        self.hosted: dict[str, Hosted] = {}
        self._ledger = ledger
        self._url = url
        self._folder = folder
        self._allow_commands = allow_commands
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._planner = Planner()
        self._adding = asyncio.Lock()
        """To `hosted`: so that nobody hosts what somebody else is about to."""

    async def open(self) -> None:
        """Go on with the tournaments that ran when the service ended."""
        before: int | None = None
        while entries := await self._ledger.entries(100, before):
            for entry in entries:
                if entry.state == RUNNING:
                    try:
                        self._start(await self.find(entry.id))
                    except CallError as error:
                        log.warning("a tournament cannot be gone on with", tournament=entry.id, error=str(error))
            before = entries[-1].number

    async def close(self) -> None:
        """Stop all runs; the next service goes on with them."""
        for tournament in self._tasks:
            self.hosted[tournament].running.stop()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks.values(), timeout=STOP_S)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    # -- making and running ----------------------------------------------------------------------------------------

    async def create(self, table: Mapping[str, Any], request_id: str) -> Hosted:
        """Plan a tournament and begin to run it. Raises CallError."""
        try:
            spec = spec_of(table)
            self._check_commands(spec)
            if self._planner.waiting >= MOST_WAITING:
                message = f"{MOST_WAITING} tournaments are waiting to be planned, which is the most; try again later"
                raise CallError(grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_PLANS", message)
            plan = await self._planner.plan(spec, MOST_GAMES)
        except SpecError as error:
            raise bad_spec(error) from error
        async with self._adding:
            tournament = await add_tournament(self._ledger, table, spec, plan, request_id=request_id or None)
            if dict(tournament.entry.spec) != dict(table):
                raise CallError(
                    grpc.StatusCode.ALREADY_EXISTS,
                    "REQUEST_ID_REUSED",
                    "the request id was used for another tournament",
                    [("request_id", "was used for another tournament")],
                )
            if tournament.plan.hash == tournament.entry.plan_hash:  # else its rules have changed, and `find` says so
                self._host(tournament)
        hosted = await self.find(tournament.id)
        if tournament.entry.state == RUNNING and tournament.id not in self._tasks:
            self._start(hosted)
        return hosted

    async def pause(self, tournament: str) -> Hosted:
        """Let its running games end and begin no more. Raises CallError."""
        hosted = await self.find(tournament)
        if tournament not in self._tasks or hosted.running.state != RUNNING:
            raise _wrong_state("NOT_RUNNING", f"the tournament is {await self._state(hosted)}, not running")
        hosted.running.pause()
        return hosted

    async def resume(self, tournament: str) -> Hosted:
        """Go on with it. Raises CallError."""
        hosted = await self.find(tournament)
        task = self._tasks.get(tournament)
        if task is not None and hosted.running.state == PAUSED:
            await asyncio.wait([task])  # its last games are ending
        entry = await self.entry(tournament)
        if entry.state != PAUSED or tournament in self._tasks:  # somebody else may have resumed it meanwhile
            state = hosted.running.state if tournament in self._tasks else entry.state
            raise _wrong_state("NOT_PAUSED", f"the tournament is {state}, not paused")
        hosted.tournament = replace(hosted.tournament, entry=entry)
        self._start(hosted)
        return hosted

    async def cancel(self, tournament: str) -> Hosted:
        """End it for good. Raises CallError."""
        hosted = await self.find(tournament)
        if (await self.entry(tournament)).over:
            raise _wrong_state("TOURNAMENT_OVER", f"the tournament is {await self._state(hosted)} already")
        task = self._tasks.get(tournament)
        if task is not None:
            hosted.running.cancel()
            await asyncio.wait([task])
        if not (await self.entry(tournament)).over:
            await end(hosted.tournament, self._ledger, self._place(tournament))
            hosted.over(CANCELLED)
        return hosted

    # -- looking ---------------------------------------------------------------------------------------------------

    async def find(self, tournament: str) -> Hosted:
        """A tournament by its id. Raises CallError."""
        if tournament not in self.hosted:
            async with self._adding:
                if tournament not in self.hosted:
                    await self._load(tournament)
        return self.hosted[tournament]

    async def entry(self, tournament: str) -> Entry:
        """What the ledger says of a tournament, with its state as it is to be shown."""
        entry = await self._ledger.entry(tournament)
        assert entry is not None  # it was found before
        if tournament in self._tasks and not entry.over:
            return replace(entry, state=PAUSED if self.hosted[tournament].running.state == PAUSED else RUNNING)
        return entry

    async def entries(self, most: int, before: int | None) -> list[Entry]:
        """Tournaments, newest first."""
        return await self._ledger.entries(most, before)

    async def progress(self, hosted: Hosted) -> Progress:
        """How far a tournament is."""
        if hosted.tournament.id in self._tasks and hosted.latest is not None:
            return hosted.latest
        tournament = hosted.tournament
        counts = await self._ledger.counts(tournament.id)
        voided = await self._ledger.voided_games(tournament.id)
        return Progress(len(tournament.plan), 0, counts.get(FINAL, 0), voided, 0.0, None)

    async def standings(self, hosted: Hosted) -> Standing | None:
        """The standings as they are; None before the first block is final."""
        tournament = hosted.tournament
        if hosted.standings is None and (await self._ledger.counts(tournament.id)).get(FINAL):
            entry = await self.entry(tournament.id)
            try:
                hosted.standings = await compute(tournament, self._ledger, entry.counted)
            except NotConverged as error:
                raise CallError(grpc.StatusCode.FAILED_PRECONDITION, "NOT_CONVERGED", str(error)) from error
        return hosted.standings

    async def games(self, hosted: Hosted, first: GameKey, last: GameKey) -> dict[GameKey, Game]:
        """What the ledger has of the games from one to another, both included."""
        if hosted.tournament.id in self._tasks and hosted.running.play is not None:
            await hosted.running.play.flush()
        found: AsyncIterator[Game] = self._ledger.games(
            hosted.tournament.id,
            states=STATES,
            after=GameKey(first.block, first.replay - 1),
            before_block=last.block + 1,
        )
        return {game.key: game async for game in found}

    # -- inside ----------------------------------------------------------------------------------------------------

    def _check_commands(self, spec: Spec) -> None:
        commands = [number for number, entrant in enumerate(spec.entrants) if isinstance(entrant.kind, Command)]
        if commands and not self._allow_commands:
            message = "this service starts no processes; let the bot dial in (remote), or ask its operator"
            raise SpecError([Problem(f"entrants[{number}].command", message) for number in commands])

    async def _load(self, tournament: str) -> None:
        try:
            if await self._ledger.entry(tournament) is None:
                raise CallError(
                    grpc.StatusCode.NOT_FOUND,
                    "UNKNOWN_TOURNAMENT",
                    f"there is no tournament {echo(tournament)}",
                    [("tournament_id", "there is no such tournament")],
                )
            self._host(await load(self._ledger, tournament, plan=self._planner.plan))
        except (LedgerError, FolderError, SpecError) as error:
            raise CallError(grpc.StatusCode.FAILED_PRECONDITION, "UNREADABLE", str(error)) from error

    def _host(self, tournament: Tournament) -> None:
        if tournament.id in self.hosted:
            return
        place = self._place(tournament.id)
        if not place.taken:  # it is new, or the service ended just after it had come into the ledger
            place.move_in(tournament, self._url, text=None, programs=place.path)
        self.hosted[tournament.id] = Hosted(tournament, self._ledger, Log(tournament.id), place)

    def _place(self, tournament: str) -> Folder:
        return Folder(self._folder / tournament)

    async def _state(self, hosted: Hosted) -> str:
        return (await self.entry(hosted.tournament.id)).state

    def _start(self, hosted: Hosted) -> None:
        tournament = hosted.tournament.id
        task = self._tasks[tournament] = asyncio.create_task(self._run(hosted))
        task.add_done_callback(lambda _: self._ended(tournament, task))

    def _ended(self, tournament: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(tournament) is task:
            del self._tasks[tournament]

    async def _run(self, hosted: Hosted) -> None:
        try:
            await hosted.run()
        except Exception as error:
            log.exception("a tournament has stopped", tournament=hosted.tournament.id, error=str(error))


STATES = ("leased", "reported", "final", "void")


def _wrong_state(reason: str, message: str) -> CallError:
    return CallError(grpc.StatusCode.FAILED_PRECONDITION, reason, message)
