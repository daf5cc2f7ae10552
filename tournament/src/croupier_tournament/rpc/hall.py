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
from croupier_tournament.rpc.errors import CallError, bad_spec
from croupier_tournament.run.audiences import Log
from croupier_tournament.run.events import Progress
from croupier_tournament.run.folder import Folder, FolderError
from croupier_tournament.run.hosting import Hosted, end
from croupier_tournament.run.ledger import CANCELLED, FINAL, PAUSED, RUNNING, Entry, Game, Ledger, LedgerError
from croupier_tournament.run.standing import Standing, compute
from croupier_tournament.run.tournament import add_tournament, load, plan_of
from croupier_tournament.spec import Command, Problem, Spec, SpecError
from croupier_tournament.spec.reading import spec_of

log = structlog.get_logger("croupier.tournaments")

STOP_S = 30.0
"""How long runs may take to stop when the service does."""


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

    async def open(self) -> None:
        """Go on with the tournaments that ran when the service ended."""
        before: int | None = None
        while entries := await self._ledger.entries(100, before):
            for entry in entries:
                if entry.state == RUNNING:
                    self._start(await self.find(entry.id))
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
            plan = await asyncio.to_thread(plan_of, spec)
        except SpecError as error:
            raise bad_spec(error) from error
        tournament = await add_tournament(self._ledger, table, spec, plan, request_id=request_id or None)
        if dict(tournament.entry.spec) != dict(table):
            raise CallError(
                grpc.StatusCode.ALREADY_EXISTS,
                "REQUEST_ID_REUSED",
                "the request id was used for another tournament",
                [("request_id", "was used for another tournament")],
            )
        if tournament.id in self.hosted:
            return self.hosted[tournament.id]
        place = self._place(tournament.id)
        place.move_in(tournament, self._url, text=None, programs=place.path)
        hosted = self.hosted[tournament.id] = Hosted(tournament, self._ledger, Log(tournament.id), place)
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
        state = await self._state(hosted)
        if state != PAUSED:
            raise _wrong_state("NOT_PAUSED", f"the tournament is {state}, not paused")
        hosted.tournament = replace(hosted.tournament, entry=await self.entry(tournament))
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
            try:
                entry = await self._ledger.entry(tournament)
                if entry is None:
                    raise CallError(
                        grpc.StatusCode.NOT_FOUND,
                        "UNKNOWN_TOURNAMENT",
                        f"there is no tournament {tournament!r}",
                        [("tournament_id", "there is no such tournament")],
                    )
                known = await load(self._ledger, tournament)
                place = self._place(tournament)
                if not place.taken:  # it came into the ledger, and then the service ended
                    place.move_in(known, self._url, text=None, programs=place.path)
                self.hosted[tournament] = Hosted(known, self._ledger, Log(tournament), place)
            except (LedgerError, FolderError, SpecError) as error:
                raise CallError(grpc.StatusCode.FAILED_PRECONDITION, "UNREADABLE", str(error)) from error
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

    def _place(self, tournament: str) -> Folder:
        return Folder(self._folder / tournament)

    async def _state(self, hosted: Hosted) -> str:
        return (await self.entry(hosted.tournament.id)).state

    def _start(self, hosted: Hosted) -> None:
        tournament = hosted.tournament.id
        task = self._tasks[tournament] = asyncio.create_task(self._run(hosted))
        task.add_done_callback(lambda _: self._tasks.pop(tournament, None))

    async def _run(self, hosted: Hosted) -> None:
        try:
            await hosted.run()
        except Exception as error:
            log.exception("a tournament has stopped", tournament=hosted.tournament.id, error=str(error))


STATES = ("leased", "reported", "final", "void")


def _wrong_state(reason: str, message: str) -> CallError:
    return CallError(grpc.StatusCode.FAILED_PRECONDITION, reason, message)
