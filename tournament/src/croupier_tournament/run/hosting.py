"""Runs a tournament in its folder: what it publishes and shows before, while and after it is played."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from croupier_tournament.rating import NotConverged
from croupier_tournament.report import standings_document
from croupier_tournament.run.events import Audience, Event, Progress
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.ledger import CANCELLED, PAUSED, Ledger, LedgerError, Taken
from croupier_tournament.run.publish import announce, publish
from croupier_tournament.run.report_files import report_of, write_reports
from croupier_tournament.run.running import Running
from croupier_tournament.run.standing import Standing, compute
from croupier_tournament.run.tournament import Tournament

REFRESH_S = 2.0
"""Between two refits of the standings, at least."""
SHARE = 50
"""A refit that takes a second is followed by none for so many seconds: refits cost no more than a fiftieth."""


class Hosted:
    """A tournament in its folder. It listens to its own run, and hands on what it hears.

    Attributes:
        running: what runs it; made anew for each run.
        latest: the progress that was told last; None before the first.
        standings: as they were fitted last; None before the first block is final.
        games: final games of each entrant, since this process runs it.
        faults: faults in them, by entrant and kind.
        listeners: told of every event, beside the audience.
        place: its folder.
    """

    def __init__(self, tournament: Tournament, ledger: Ledger, audience: Audience, place: Folder) -> None:
        self.tournament = tournament
        self.latest: Progress | None = None
        self.standings: Standing | None = None
        self.games: Counter[str] = Counter()
        self.faults: Counter[tuple[str, str]] = Counter()
        self.listeners: set[Callable[[Event], None]] = set()
        self._ledger = ledger
        self._audience = audience
        self.place = place
        self._stale = asyncio.Event()
        self._state = tournament.entry.state
        """Empty: it is being run."""
        self.running = self._new_run()

    @property
    def state(self) -> str:
        """How it stands, as far as this process knows."""
        return self._state or self.running.state

    def over(self, state: str) -> None:
        """It is run no more."""
        self._state = state

    async def run(self) -> str:
        """Run it, write its files when it pauses or ends, and return its state. Raises as `Running.run`."""
        announce(self.tournament, self.tournament.entry, self.place.path)
        self.running = self._new_run()
        self.over("")
        refreshing = asyncio.create_task(self._refresh())
        try:
            outcome = await self.running.run()
        except Taken:
            self.over(PAUSED)
            raise
        except Exception as error:
            self.over(PAUSED)
            with suppress(LedgerError, SQLAlchemyError):  # it may be what has failed
                await self._ledger.set_state(self.tournament.id, PAUSED, reason=str(error))
            raise
        finally:
            refreshing.cancel()
            await asyncio.wait([refreshing])
        ended = None if outcome.state == PAUSED else time.time()
        values = {"state": outcome.state, "counted": outcome.counted, "reason": outcome.reason, "ended": ended}
        if not outcome.hurried:
            self._stand(await publish_all(self.tournament, self._ledger, self.place, values))
        await self._ledger.set_state(self.tournament.id, **values)
        if outcome.state != PAUSED:
            self.place.forget_server()
        message = f"{outcome.state}: {outcome.reason}" if outcome.reason else outcome.state
        self.over(outcome.state)
        self.event(Event("state", message, {"state": outcome.state, "reason": outcome.reason}))
        return outcome.state

    def _new_run(self) -> Running:
        return Running(self.tournament, self._ledger, self, self.place)

    def event(self, event: Event) -> None:
        if event.kind == "block":
            self._stale.set()
            for game in event.data["games"]:
                for name, faults in zip(game["entrants"], game["faults"], strict=True):
                    self.games[name] += 1
                    for kind, count in faults.items():
                        self.faults[name, kind] += count
        for listener in list(self.listeners):
            listener(event)
        self._audience.event(event)

    def progress(self, progress: Progress) -> None:
        self.latest = progress
        self._audience.progress(progress)

    def _stand(self, standing: Standing | None) -> None:
        """Know the standings, and tell them."""
        self.standings = standing
        if standing is not None:
            report = report_of(self.tournament, standing)
            self._audience.event(Event("standings", "standings", standings_document(report), report))

    async def _refresh(self) -> None:
        """Fit the standings again and again, while they change."""
        clock = asyncio.get_running_loop().time
        while True:
            await self._stale.wait()
            self._stale.clear()
            began = clock()
            if self.running.play is not None:
                await self.running.play.flush()
            with suppress(NotConverged):
                self._stand(await compute(self.tournament, self._ledger, None))
            await asyncio.sleep(max(REFRESH_S, SHARE * (clock() - began)))


async def publish_all(
    tournament: Tournament, ledger: Ledger, place: Folder, changes: Mapping[str, Any] | None = None
) -> Standing | None:
    """Write all files of a tournament; returns the standings, if there are any.

    Args:
        tournament: which.
        ledger: where its games are.
        place: its folder.
        changes: what the ledger is about to say of the tournament.

    Raises:
        NotConverged: no ratings could be fitted; all else has been written.
        OSError: the files cannot be written.
    """
    entry = await ledger.entry(tournament.id)
    assert entry is not None  # it was loaded from there
    entry = replace(entry, **(changes or {}))
    await publish(tournament, entry, ledger, place.path)
    if not (place.path / "games.jsonl").stat().st_size:
        return None
    standing = await compute(tournament, ledger, entry.counted)
    await asyncio.to_thread(write_reports, tournament, standing, entry, place.path)
    return standing


async def end(tournament: Tournament, ledger: Ledger, place: Folder) -> None:
    """Cancel a tournament that nobody runs. Raises as `publish_all`."""
    values = {"state": CANCELLED, "reason": "cancelled", "ended": time.time()}
    await publish_all(tournament, ledger, place, values)
    await ledger.set_state(tournament.id, **values)
