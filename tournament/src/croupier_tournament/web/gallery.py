"""The tournaments that a page shows: one that is run here, all of a service, or one in a folder."""

import asyncio
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable

from croupier_tournament.rating import NotConverged
from croupier_tournament.rpc.door import Door
from croupier_tournament.rpc.errors import CallError
from croupier_tournament.rpc.hall import Hall
from croupier_tournament.run.events import Progress
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.hosting import Hosted
from croupier_tournament.run.ledger import FINAL, LEASED, Entry, Game, Ledger
from croupier_tournament.run.owner import alive
from croupier_tournament.run.pace import Meter
from croupier_tournament.run.servers import LOCAL
from croupier_tournament.run.standing import Standing, compute
from croupier_tournament.web.answers import STATUS, WebError
from croupier_tournament.web.visitors import Visitor

REFRESH_S, SHARE = 2.0, 20
"""Between two refits where nobody else makes them; they cost no more than a twentieth of the time."""
INTERRUPTED = "interrupted"
"""The state of a tournament that should run, and that nobody runs."""


class Gallery(ABC):
    """See the module.

    Attributes:
        ledger: where the tournaments are noted.
    """

    ledger: Ledger

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
        self.hosted = hosted
        self.ledger = ledger
        self._fits = Fits(ledger)

    async def all(self) -> list[Hosted]:
        return [self.hosted]

    async def find(self, tournament: str) -> Hosted:
        if tournament != self.hosted.tournament.id:
            raise WebError(404, f"there is no tournament {tournament!r} here")
        return self.hosted


class RunHere(OfOne):
    """One tournament, run by this process."""

    async def progress(self, hosted: Hosted) -> Progress:
        return hosted.latest or await counted(self.ledger, hosted)

    async def standing(self, hosted: Hosted) -> Standing | None:
        if hosted.standings is None:  # resumed, and nothing final since
            return await self._fits.standing(hosted)
        return hosted.standings


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


class OfService(Gallery):
    """All tournaments of `croupier tournament serve`, for those whom its door lets in."""

    def __init__(self, hall: Hall, ledger: Ledger, door: Door | None = None) -> None:
        self.hall = hall
        self.ledger = ledger
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
        return [await self._hosted(entry.id) for entry in await self.hall.entries(MOST_LISTED, None)]

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
