"""Runs a tournament from wherever it stands: what is around `Play`, from the first server to the last file."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from croupier_tournament.run.events import Audience, Event
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.ledger import CANCELLED, FINISHED, PAUSED, RUNNING, Ledger, LedgerError
from croupier_tournament.run.owner import gone, new_owner
from croupier_tournament.run.places import Places
from croupier_tournament.run.play import Play
from croupier_tournament.run.stopping import Stopping
from croupier_tournament.run.tournament import Tournament

BEAT_S = 2.0
"""Between two heartbeats."""
PROGRESS_S = 0.5


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has come of a run."""

    state: str
    """Finished, paused or cancelled."""
    counted: int | None = None
    """Blocks before this one count; None: all that are final."""
    reason: str = ""
    """Why it is over; empty where it is not."""
    hurried: bool = False
    """Whether it was stopped by somebody who does not want to wait."""


class Over(LedgerError):
    """The tournament is over already."""


class Running:
    """One run of a tournament.

    Args:
        tournament: what is played.
        ledger: where it is noted.
        audience: who is told.
        place: its folder.

    Attributes:
        play: what plays it; None before the servers have been reached.
        places: where it is played; None before that is known.
    """

    def __init__(self, tournament: Tournament, ledger: Ledger, audience: Audience, place: Folder) -> None:
        self.play: Play | None = None
        self.places: Places | None = None
        self._tournament = tournament
        self._ledger = ledger
        self._audience = audience
        self._place = place
        self._owner = new_owner()
        self._wish = ""
        self._stop = asyncio.Event()

    @property
    def state(self) -> str:
        """How it stands: paused as soon as no more games begin."""
        return self._wish or RUNNING

    def pause(self) -> None:
        """Begin no more games; when those that run are over, `run` returns."""
        self._wish = self._wish or PAUSED
        self._audience.event(Event("state", "pausing: games that run are played to their end", {"state": "pausing"}))
        if self.play is not None:
            self.play.pause()

    def cancel(self) -> None:
        """End the tournament for good; what is final stays."""
        self._wish = CANCELLED
        self._stop.set()

    def stop(self) -> None:
        """Return from `run` at once; games that run are found again by the next run, or their blocks repeated."""
        self._wish = self._wish or PAUSED
        self._stop.set()

    async def run(self) -> Outcome:
        """Run it, and return what has come of it: it is finished, paused or cancelled. The ledger does not say so yet.

        Raises:
            Over: it had come to its end before.
            Taken: somebody else is running it.
            ServerAway: no server can be reached.
            ServerUnfit: a server does not have the game, or other rules of it.
            SpecError: a server does not have a house bot.
            NobodyThere: a bot does not appear.
            Unplayable: a block comes to no end.
            RequestError: a server refuses something.
            LedgerError: the ledger cannot be used any more.
        """
        if self._tournament.entry.over:
            raise Over(f"the tournament is {self._tournament.entry.state}; there is nothing left to play")
        await self._ledger.take(self._tournament.id, self._owner, time.time(), gone)
        try:
            return await self._run()
        finally:
            await self._ledger.leave(self._tournament.id, self._owner)

    async def _run(self) -> Outcome:
        ledger, tournament = self._ledger, self._tournament
        beating = asyncio.create_task(self._beat())
        try:
            async with (
                Places(
                    tournament,
                    ledger,
                    self._audience,
                    logs=self._place.logs,
                    store=self._place.server_store,
                    programs=self._place.programs(),
                ) as self.places,
                self._playing(self.places) as play,
            ):
                stopping = Stopping(tournament, ledger, play)
                await self._until_over(play, stopping, {beating, self.places.failed})
                if self._wish == CANCELLED or stopping.counted is not None:
                    await play.drop_the_rest()
        finally:
            beating.cancel()
            await asyncio.wait([beating])
        if self._wish == PAUSED:
            return Outcome(PAUSED, hurried=self._stop.is_set())
        if self._wish == CANCELLED:
            return Outcome(CANCELLED, reason="cancelled")
        return Outcome(FINISHED, stopping.counted, stopping.reason or "every planned game is final")

    @asynccontextmanager
    async def _playing(self, places: Places) -> AsyncIterator[Play]:
        tournament = self._tournament
        play = Play(tournament, self._ledger, places, self._audience, self._owner)
        try:
            final, begun = await play.restore()
            await self._ledger.set_state(tournament.id, RUNNING, reason="")
            if final or begun:
                message = f"resumed: {final:,} games are final, {begun} had begun"
                self._audience.event(Event("resumed", message, {"final": final, "begun": begun}))
            if self._wish == PAUSED:
                play.pause()
            self.play = play
            yield play
        finally:
            await play.close()

    async def _until_over(self, play: Play, stopping: Stopping, failing: "set[asyncio.Future[None]]") -> None:
        """Play until everything is played, the stopping rule is met, something fails, or somebody wants it to stop."""
        tasks: set[asyncio.Future[Any]] = {
            asyncio.create_task(play.go()),
            asyncio.create_task(stopping.met()),
            asyncio.create_task(self._stop.wait()),
        }
        showing = asyncio.create_task(self._show(play))
        try:
            done, _ = await asyncio.wait({*tasks, *failing}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            if not self._wish:
                await play.flush()
                await stopping.look()
        finally:
            for task in (*tasks, showing):
                task.cancel()
            await asyncio.wait([*tasks, showing])
        self._audience.progress(play.progress())

    async def _beat(self) -> None:
        """Say again and again that this runner is alive, and do what the ledger says that somebody wishes."""
        while True:
            wish = await self._ledger.beat(self._tournament.id, self._owner, time.time())
            if wish == PAUSED and not self._wish:
                self.pause()
            elif wish == CANCELLED:
                self.cancel()
            await asyncio.sleep(BEAT_S)

    async def _show(self, play: Play) -> None:
        while True:
            self._audience.progress(play.progress())
            await asyncio.sleep(PROGRESS_S)
