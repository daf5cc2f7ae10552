"""The tournaments that a page shows: one in a folder, whoever runs it, or all of a service."""

import asyncio
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from croupier_tournament.rating import NotConverged
from croupier_tournament.report import Report, standings_document
from croupier_tournament.report.page import summary
from croupier_tournament.rpc.door import Door
from croupier_tournament.rpc.errors import CallError
from croupier_tournament.rpc.hall import Hall
from croupier_tournament.run.events import Progress
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.hosting import Hosted
from croupier_tournament.run.ledger import FINAL, LEASED, Entry, Game, Ledger
from croupier_tournament.run.owner import alive
from croupier_tournament.run.pace import Meter
from croupier_tournament.run.report_files import report_of
from croupier_tournament.run.servers import LOCAL
from croupier_tournament.run.standing import Standing, compute
from croupier_tournament.web.answers import STATUS, WebError
from croupier_tournament.web.visitors import Visitor

LOOK_S = 0.5
"""Between two looks at how far a tournament is."""
REFRESH_S, SHARE = 2.0, 20
"""Between two refits where nobody else makes them; they cost no more than a twentieth of the time."""
INTERRUPTED = "interrupted"
"""The state of a tournament that should run, and that nobody runs."""


class Gallery(ABC):
    """See the module.

    Attributes:
        ledger: where the tournaments are noted.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._shown: dict[str, tuple[Standing | None, dict[str, Any]]] = {}

    @abstractmethod
    async def all(self) -> list[Hosted]:
        """Its tournaments, newest first."""

    @abstractmethod
    async def find(self, tournament: str) -> Hosted:
        """One of them. Raises WebError."""

    @abstractmethod
    async def progress(self, hosted: Hosted) -> Progress:
        """How far it is."""

    @abstractmethod
    async def standing(self, hosted: Hosted) -> Standing | None:
        """Its standings; None before the first block is final."""

    async def standings(self, hosted: Hosted) -> dict[str, Any] | None:
        """Its standings as they are shown; the very same object for as long as they are the same."""
        standing = await self.standing(hosted)
        if standing is None:
            return None
        of, shown = self._shown.get(hosted.tournament.id, (None, {}))
        if of is not standing:
            shown = standings_part(report_of(hosted.tournament, standing))
            self._shown[hosted.tournament.id] = standing, shown
        return shown

    async def next_look(self) -> None:
        """Return when there may be something new to see."""
        await asyncio.sleep(LOOK_S)

    async def admit(self, visitor: Visitor) -> None:  # noqa: B027 -- most let everybody in
        """Let somebody in who wants to look. Raises WebError."""

    async def entry(self, hosted: Hosted) -> Entry:
        """A tournament as the ledger has it now."""
        entry = await self.ledger.entry(hosted.tournament.id)
        assert entry is not None  # it was found there
        return entry

    def state(self, entry: Entry) -> str:
        """Where it stands, for people."""
        return entry.state

    def server(self, hosted: Hosted, name: str) -> tuple[str, bool | str] | None:
        """Where the server of a game listens, and how it is spoken to; None: it is not there now."""
        running = hosted.tournament.spec.running
        places = hosted.running.places
        if places is not None:
            found = places.servers.get(name)
            return None if found is None or not found.here.is_set() else (found.target, running.tls)
        return None if name == LOCAL else (name, running.tls)

    async def running_games(self, hosted: Hosted, most: int) -> list[Game]:
        """Games that are being played, at most so many."""
        play = hosted.running.play
        if play is not None:
            begun = (game for block in play.books.open.values() for game in block.games.values())
            found = [game for game in begun if game.state == LEASED and game.session]
        else:
            found = [game async for game in self.ledger.games(hosted.tournament.id, states=(LEASED,)) if game.session]
        return sorted(found, key=lambda game: game.key)[:most]


class OfOne(Gallery):
    """One tournament, and no other."""

    def __init__(self, hosted: Hosted, ledger: Ledger) -> None:
        super().__init__(ledger)
        self.hosted = hosted
        self._fits = Fits(ledger)

    async def all(self) -> list[Hosted]:
        return [self.hosted]

    async def find(self, tournament: str) -> Hosted:
        if tournament != self.hosted.tournament.id:
            raise WebError(404, f"there is no tournament {tournament!r} here")
        return self.hosted


class InFolder(OfOne):
    """One tournament in its folder, whoever runs it. Nothing is written, and what is shown follows from the ledger."""

    def __init__(self, hosted: Hosted, ledger: Ledger, place: Folder) -> None:
        super().__init__(hosted, ledger)
        self._place = place
        clock = asyncio.get_running_loop().time
        self._meter = Meter(clock)
        self._final: int | None = None

    async def progress(self, hosted: Hosted) -> Progress:
        seen = await counted(self.ledger, hosted)
        for _ in range(seen.final - (seen.final if self._final is None else self._final)):
            self._meter.add()
        self._final = seen.final
        left = seen.planned - seen.final
        return Progress(
            seen.planned, seen.running, seen.final, seen.voided, self._meter.rate(), self._meter.eta_s(left)
        )

    async def standing(self, hosted: Hosted) -> Standing | None:
        return await self._fits.standing(hosted)

    def state(self, entry: Entry) -> str:
        return INTERRUPTED if entry.state == "running" and not alive(entry, time.time()) else entry.state

    def server(self, hosted: Hosted, name: str) -> tuple[str, bool | str] | None:
        if name != LOCAL:
            return super().server(hosted, name)
        try:  # the runner's own server says there where it listens
            said = (self._place.logs / "server.json").read_text("utf-8")
            return str(json.loads(said)["listening"]), False
        except (OSError, ValueError, KeyError):
            return None


@dataclass(slots=True)
class Told:
    """What a page has been told by whoever runs its tournament; None: nothing yet."""

    progress: Progress | None = None
    standings: dict[str, Any] | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, line: bytes) -> None:
        """Take a line. One that makes no sense is of another version: it tells nothing."""
        with suppress(ValueError, TypeError, AttributeError):
            said = json.loads(line)
            if "progress" in said:
                self.progress = Progress(**said["progress"])
                self.news.set()
            if "standings" in said:
                self.standings = said["standings"]


class RunBeside(InFolder):
    """One tournament in its folder, run by the process that has started this one, which tells how it goes."""

    def __init__(self, hosted: Hosted, ledger: Ledger, place: Folder, told: Told) -> None:
        super().__init__(hosted, ledger, place)
        self._told = told

    async def progress(self, hosted: Hosted) -> Progress:
        return self._told.progress or await super().progress(hosted)

    async def standings(self, hosted: Hosted) -> dict[str, Any] | None:
        return self._told.standings or await super().standings(hosted)

    def state(self, entry: Entry) -> str:
        return entry.state

    async def next_look(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(2 * LOOK_S):  # it is told about as often as others look
                await self._told.news.wait()
        self._told.news.clear()


class OfService(Gallery):
    """All tournaments of `croupier tournament serve`, for those whom its door lets in."""

    def __init__(self, hall: Hall, ledger: Ledger, door: Door | None = None) -> None:
        super().__init__(ledger)
        self.hall = hall
        self._door = door

    async def admit(self, visitor: Visitor) -> None:
        if self._door is None:
            return
        if not visitor.token:
            raise WebError(401, "these tournaments are shown to those who have a token of their game servers")
        try:
            await self._door.check(visitor.token)
        except CallError as error:
            raise WebError(STATUS.get(error.code, 502), str(error)) from error

    async def all(self) -> list[Hosted]:
        found = []
        for entry in await self.hall.entries(MOST_LISTED, None):
            with suppress(WebError):  # it cannot be read here: its game has other rules by now
                found.append(await self._hosted(entry.id))
        return found

    async def find(self, tournament: str) -> Hosted:
        return await self._hosted(tournament)

    async def progress(self, hosted: Hosted) -> Progress:
        return await self.hall.progress(hosted)

    async def standing(self, hosted: Hosted) -> Standing | None:
        try:
            return await self.hall.standings(hosted)
        except CallError:  # no ratings could be fitted
            return None

    async def _hosted(self, tournament: str) -> Hosted:
        try:
            return await self.hall.find(tournament)
        except CallError as error:
            raise WebError(404, str(error)) from error


MOST_LISTED = 200


class Fits:
    """Fits standings where no runner does: when games have become final, and not too often."""

    def __init__(
        self,
        ledger: Ledger,
        fit: Callable[..., Awaitable[Standing]] = compute,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._ledger = ledger
        self._fit = fit
        self._clock = clock or asyncio.get_running_loop().time
        self._lock = asyncio.Lock()
        self._standing: Standing | None = None
        self._of: tuple[int, int | None] = (0, None)
        self._next = 0.0

    async def standing(self, hosted: Hosted) -> Standing | None:
        """The standings of a moment ago at most; None where there are none."""
        async with self._lock:
            entry = await self._ledger.entry(hosted.tournament.id)
            final = (await self._ledger.counts(hosted.tournament.id)).get(FINAL, 0)
            of = (final, None if entry is None else entry.counted)
            began = self._clock()
            if not final or of == self._of or began < self._next:
                return self._standing
            try:
                self._standing = await self._fit(hosted.tournament, self._ledger, of[1])
            except NotConverged:
                return self._standing
            finally:
                self._next = self._clock() + max(REFRESH_S, SHARE * (self._clock() - began))
            self._of = of
            return self._standing


async def counted(ledger: Ledger, hosted: Hosted) -> Progress:
    """How far a tournament is, from the ledger alone."""
    counts = await ledger.counts(hosted.tournament.id)
    voided = await ledger.voided_games(hosted.tournament.id)
    planned = len(hosted.tournament.plan)
    return Progress(planned, counts.get(LEASED, 0), counts.get(FINAL, 0), voided, 0.0, None)


def standings_part(report: Report) -> dict[str, Any]:
    """The standings as their file has them, with a sentence about who is ahead, and games in vain by entrant."""
    voided = {report.subject.entrants[row.entrant]: row.voided for row in report.standings.rows if row.voided}
    return {**standings_document(report), "summary": summary(report), "voided": voided}
