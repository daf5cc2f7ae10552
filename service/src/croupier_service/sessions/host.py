"""The host: all sessions and all bots of one server. Single-threaded, in the event loop; no gRPC in it."""

from __future__ import annotations

import asyncio
import re
import secrets
import time as wall
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog

from croupier_games.kernel import Game, OptionError, Seed, Table

from .bots import BotAt, BotLink
from .calls import Calls
from .errors import BadRequest, Conflict, NotFound, OverLimit, Unavailable
from .journal import Query, Store, StoreJournal, Unreadable
from .recovery import Lost, restore
from .seats import Link, SeatAt
from .services import Meter, Observer, Services
from .session import Session
from .settings import DEFAULT_CLOCK, DEFAULT_FAULTS, ClockSettings, FaultSettings
from .summary import Archived, Summary, summarise
from .timing import LagMeter, Time, Timers

log = structlog.get_logger("croupier.host")

BOT_NAME = re.compile(r"[a-z0-9_.-]{1,64}")
HOUSE = "house:"
REMEMBERED_REQUESTS = 10_000
"""In memory; all others are looked up in the store."""
REMEMBERED_BOTS = 1_000
"""Bots that have left and sit in no session; a bot beyond that is known again when it comes back."""
RETRY_S = 1.0
"""When to try again what was over a limit: sessions are short."""
_PROGRESS_MS = 5_000.0


def still_running(session_id: str) -> Conflict:
    """What whoever asks for something is told that is there only once a session is over."""
    return Conflict("SESSION_RUNNING", f"session {session_id!r} is still running", "session_id")


@dataclass(frozen=True, slots=True)
class NewSession:
    """What a session is to be. ``seed`` None: drawn here, committed to, revealed at the end."""

    game: str
    bots: Sequence[str]
    options: Any = None
    clock: ClockSettings = DEFAULT_CLOCK
    faults: FaultSettings = DEFAULT_FAULTS
    seed: Seed | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    spectator_delay_ms: int = 0
    request_id: str = ""
    """Makes the request idempotent; empty: it is not."""
    fingerprint: bytes = b""
    """Tells requests with one id apart."""
    owner: str = ""
    """Who asks for it, where the server knows."""


@dataclass(frozen=True, slots=True)
class HostSettings:
    """What an operator can set. Times in milliseconds."""

    grace_ms: float = 10_000.0
    """How long a bot may be gone before that counts against it."""
    restart_grace_ms: float = 30_000.0
    """The same after the server itself was gone: bots look for it ever more rarely, in the end every ten seconds."""
    max_backlog: int = 200_000
    """Steps that may wait for the store; beyond, no sessions are started."""
    max_sessions: int = 20_000
    """Running sessions at once."""
    max_sessions_each: int = 0
    """Running sessions in which one bot sits, or that one owner has asked for; 0: any number."""
    clock: ClockSettings = DEFAULT_CLOCK
    """For sessions that do not say."""
    faults: FaultSettings = DEFAULT_FAULTS
    """For sessions that do not say."""


class Host:
    """See the module.

    ``house`` maps a house bot's name (without ``house:``) to a function that makes its link to a game, or None where it
    does not play that game.
    """

    def __init__(
        self,
        games: Mapping[str, Game[Any, Any, Any]],
        house: Mapping[str, Callable[[str, Time], Link | None]],
        store: Store,
        observer: Observer,
        meter: Callable[[str], Meter],
        time: Time,
        settings: HostSettings,
        *,
        wall_clock: Callable[[], float] = wall.time,
    ) -> None:
        self.games = games
        self.settings = settings
        self.time = time
        self.wall_clock = wall_clock
        self.lag = LagMeter(time)
        self.timers = Timers(time, self.lag)
        self.journal = StoreJournal(store, time)
        self.sessions: dict[str, Session] = {}
        """The running ones, oldest first."""
        self.bots: dict[str, BotAt] = {}
        self.ends: Calls[str] = Calls()
        """To be made when a running session is over and safe, by its id."""
        self.deals_over: Calls[bytes] = Calls()
        """To be made when no running session plays a deal any more, by its seed."""
        self.draining = False
        self._idle: asyncio.Event | None = None
        self._drain_notice: tuple[float, str] = (0.0, "")
        self._house = house
        self._store = store
        self._requests: dict[str, tuple[bytes, str]] = {}
        self._left: dict[str, None] = {}
        """Bots that have left and sit in no session, in the order in which they did."""
        self._owners: dict[str, str] = {}
        """Who asked for a running session, by its id."""
        self._owned: Counter[str] = Counter()
        self._deals: Counter[bytes] = Counter()
        """How many running sessions play a deal, by its seed."""
        self._services = Services(
            time=time,
            timers=self.timers,
            lag=self.lag,
            observer=observer,
            meter=meter,
            journal=self.journal,
            wall_clock=wall_clock,
            ended=self._ended,
            grace_ms=settings.grace_ms,
        )

    # -- sessions --------------------------------------------------------------------------------------------------

    async def open(self, new: NewSession) -> str:
        """Deal and start a session; when its id is returned, the session is kept, and survives whatever comes.

        Does the same as ``create``, and knows requests and bots from before the server's latest start as well.
        """
        await self.look_up([new])
        session_id = self.create(new)
        await self.kept()
        return session_id

    async def look_up(self, wanted: Iterable[NewSession]) -> None:
        """Learn from the store what is to be known before these are created: requests and bots of earlier times."""
        requests, names = set[str](), set[str]()
        for new in wanted:
            if new.request_id and new.request_id not in self._requests:
                requests.add(new.request_id)
            game = self.games.get(new.game)
            if game is not None and len(new.bots) <= game.seat_range[-1]:
                names.update(bot for bot in new.bots if bot not in self.bots and BOT_NAME.fullmatch(bot))
        if requests:
            for request_id, known in (await self._store.requests(requests)).items():
                self._requests.setdefault(request_id, known)
        if names:
            for name in await self._store.have_played(names):
                self._forget_if_gone(self.bots.setdefault(name, BotAt(name)))

    async def kept(self) -> None:
        """Return when all sessions are kept that have been created. Raises Unavailable where they cannot be."""
        try:
            await self.journal.safe()
        except Exception as error:  # whatever a store raises
            raise Unavailable("STORE_FAILED", "the session could not be kept; the server is about to stop") from error

    def create(self, new: NewSession) -> str:
        """Deal and start a session, and return its id; or that of the one which the same request has started before.

        Raises BadRequest, NotFound, Conflict, OverLimit or Unavailable, naming the field.
        """
        if new.request_id and new.request_id in self._requests:
            fingerprint, session_id = self._requests[new.request_id]
            if fingerprint != new.fingerprint:
                raise Conflict("REQUEST_ID_REUSED", "the request id was used for another request", "request_id")
            return session_id
        if self.journal.backlog > self.settings.max_backlog:
            raise Unavailable("STORE_BEHIND", "the store does not keep up with the games; try again later")
        if self.draining:
            raise Unavailable("DRAINING", "the server is about to stop and takes no new sessions")
        if len(self.sessions) >= self.settings.max_sessions:
            raise OverLimit(
                "TOO_MANY_SESSIONS", f"{self.settings.max_sessions:,} sessions are running; try again later", RETRY_S
            )
        most = self.settings.max_sessions_each
        if most and new.owner and self._owned[new.owner] >= most:
            raise OverLimit(
                "TOO_MANY_SESSIONS_EACH",
                f"{new.owner} has {most:,} sessions running, as many as it may have; try again when one is over",
                RETRY_S,
            )
        game = self.game(new.game)
        links = self._links_for(game, new.bots)
        options = game.options() if new.options is None else new.options
        try:
            table = Table(game, len(new.bots), options, new.seed or Seed(secrets.token_bytes(32)))
        except OptionError as error:
            raise BadRequest(
                "BAD_OPTION", str(error), "bots" if error.field == "seats" else f"options.{error.field}"
            ) from error
        session = Session(
            self._new_id(),
            table,
            new.bots,
            self._services,
            clock=new.clock,
            faults=new.faults,
            labels=new.labels,
            seed_given=new.seed is not None,
            spectator_delay_ms=new.spectator_delay_ms,
        )
        self._running(session)
        self.journal.open(session, new.request_id, new.fingerprint)
        if new.owner:
            self._owners[session.id] = new.owner
            self._owned[new.owner] += 1
        if new.request_id:
            self._requests[new.request_id] = (new.fingerprint, session.id)
            if len(self._requests) > REMEMBERED_REQUESTS:
                del self._requests[next(iter(self._requests))]
        for seat, link in zip(session.seats, links, strict=True):
            self._sit_down(session, seat, link)
        session.begin()
        return session.id

    def game(self, name: str) -> Game[Any, Any, Any]:
        """A game by name. Raises NotFound naming the field ``game``."""
        try:
            return self.games[name]
        except KeyError:
            known = ", ".join(self.games)
            raise NotFound("UNKNOWN_GAME", f"no game is called {name!r}; there are: {known}", "game") from None

    def house_bots(self, game: str) -> list[str]:
        """The house bots that play this game, as sessions name them."""
        return [HOUSE + name for name, make in self._house.items() if make(game, self.time) is not None]

    async def recover(self) -> int:
        """Go on with all sessions that the store has as unfinished; returns how many. To be called once, at the start.

        What cannot be gone on with is aborted, or where it is damaged set aside, and said; the rest goes on.
        """
        told = self.time.now()
        async for unfinished in self._store.unfinished():
            try:
                self._resume(restore(unfinished, self.games, self._services))
            except Lost as lost:
                await self._give_up(unfinished.session_id, lost)
            if self.time.now() > told + _PROGRESS_MS:
                told = self.time.now()
                log.info("replaying unfinished sessions", so_far=len(self.sessions))
        await self.journal.flush()
        return len(self.sessions)

    async def _give_up(self, session_id: str, lost: Lost) -> None:
        if lost.broken:
            log.error("a session is set aside: it cannot be replayed", session=session_id, why=str(lost))
        else:
            log.warning("a session is aborted", session=session_id, why=str(lost))
        await self._store.set_aside(session_id, str(lost), self.wall_clock())

    async def summary(self, session_id: str) -> Summary:
        """A session, running or over. Raises NotFound."""
        session = self.sessions.get(session_id)
        if session is not None:
            return summarise(session)
        summary = await self._store.summary(session_id)
        if summary is None:
            raise NotFound("UNKNOWN_SESSION", f"there is no session {session_id!r}", "session_id")
        return summary

    async def archived(self, session_id: str) -> Archived:
        """A session that is over. Raises Conflict while it runs, or where it cannot be read any more; NotFound."""
        if session_id in self.sessions:
            raise still_running(session_id)
        archived = await self.find_archived(session_id)
        if archived is None:
            raise NotFound("UNKNOWN_SESSION", f"there is no session {session_id!r}", "session_id")
        return archived

    def check_may_be_shown(self, archived: Archived) -> None:
        """Raise Conflict where the deal of a session that is over is in play elsewhere: its seed shows the cards."""
        if self.deal_in_play(archived.record.seed):
            raise Conflict("DEAL_IN_PLAY", "another session is still playing the same deal", "session_id")

    def deal_in_play(self, seed: Seed) -> bool:
        """Whether a running session plays the deal of this seed: what shows its cards has to wait."""
        return seed.raw in self._deals

    async def find_archived(self, session_id: str) -> Archived | None:
        """A session that is over; None where there is none of that id (or it is still running).

        Raises Conflict where it cannot be read any more.
        """
        try:
            return await self._store.load(session_id)
        except Unreadable as error:
            raise Conflict("RECORD_UNREADABLE", f"session {session_id!r}: {error}", "session_id") from error

    async def page(self, query: Query, before: str, limit: int) -> list[Summary] | None:
        """Sessions, running or over, newest first, from the one after ``before`` (empty: the newest) on.

        None where no session is called ``before``.
        """
        await self.journal.flush()  # what has just been opened or ended is asked of the store as well
        found = await self._store.page(query, before, limit)
        if found is None:
            return None
        running = self.sessions
        return [summarise(running[one.session_id]) if one.session_id in running else one for one in found]

    async def abort(self, session_id: str) -> Summary:
        """End a running session without a result. Raises NotFound; Conflict when it is over."""
        session = self.sessions.get(session_id)
        if session is None or not session.running:
            await self.journal.flush()  # its end may be about to be kept
            await self.archived(session_id)  # raises NotFound where there is none at all
            raise Conflict("SESSION_OVER", f"session {session_id!r} is over already", "session_id")
        session.abort()
        await self.journal.flush()
        return await self.summary(session_id)

    # -- bots ------------------------------------------------------------------------------------------------------

    def connect(self, name: str, link: BotLink, *, games: Collection[str] = (), max_sessions: int = 0) -> BotAt:
        """A bot is there, perhaps again: it sits down in all its sessions. The newest connection wins.

        ``games`` are those it plays (none: any), ``max_sessions`` how many at once at most (0: any number); both hold
        for sessions that are yet to come. Raises BadRequest naming ``bot``.
        """
        if not BOT_NAME.fullmatch(name):
            raise BadRequest("BAD_BOT_NAME", f"a bot's name is 1 to 64 characters a-z 0-9 - _ . , not {name!r}", "bot")
        bot = self.bots.setdefault(name, BotAt(name))
        self._left.pop(name, None)
        bot.games = frozenset(games)
        bot.max_sessions = self.most_sessions(max_sessions)
        if bot.link is not None:
            bot.link.close("a newer connection of this bot has taken over")
        bot.link = link
        for session in list(bot.sessions.values()):
            for seat in session.seats:
                if seat.bot == name:  # of a vacated seat too: it is asked nothing, but told how it ends
                    session.attach(seat, link, resumed=session.id in bot.told)
            bot.told.add(session.id)
        if self.draining:
            link.drain(*self._drain_notice)
        return bot

    def disconnect(self, bot: BotAt, link: BotLink, *, stalled: str = "") -> None:
        """A bot's connection has ended.

        ``stalled`` says why, where the server ended it because the bot had stopped reading or answering.
        """
        if bot.link is not link:
            return  # a newer connection has taken over
        now = self.time.now()
        bot.link = None
        for session in list(bot.sessions.values()):
            for seat in session.seats:
                if seat.link is link:
                    session.detach(seat, now)
                    if stalled:
                        session.stalled(seat, stalled)
        self._forget_if_gone(bot)

    def most_sessions(self, asked_for: int) -> int:
        """How many sessions a bot may sit in that plays so many at once; 0: any number."""
        limits = [limit for limit in (asked_for, self.settings.max_sessions_each) if limit]
        return min(limits, default=0)

    def sessions_of(self, name: str) -> int:
        """How many running sessions a bot sits in."""
        bot = self.bots.get(name)
        return len(bot.sessions) if bot is not None else 0

    def connected(self, name: str) -> bool:
        """Whether a bot is connected now."""
        bot = self.bots.get(name)
        return bot is not None and bot.link is not None

    def drain(self, grace_ms: float, reason: str) -> None:
        """Take no new sessions, and tell every bot."""
        self.draining = True
        self._drain_notice = grace_ms, reason
        for bot in self.bots.values():
            if bot.link is not None:
                bot.link.drain(grace_ms, reason)

    async def idle(self) -> None:
        """Wait until no session is running."""
        if self.sessions:
            if self._idle is None or self._idle.is_set():
                self._idle = asyncio.Event()
            await self._idle.wait()

    def close(self, reason: str) -> None:
        """End every connection and stop all clocks; running sessions stay as they are."""
        self.timers.close()
        self.lag.stop()
        for bot in self.bots.values():
            if bot.link is not None:
                bot.link.close(reason, come_back=True)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _links_for(self, game: Game[Any, Any, Any], bots: Sequence[str]) -> list[Link | BotAt]:
        """One for each seat; none where there are too few or too many: the game says how many there must be."""
        if len(bots) not in game.seat_range:
            return []
        return [self._link_for(game, bot, f"bots[{number}]") for number, bot in enumerate(bots)]

    def _link_for(self, game: Game[Any, Any, Any], bot: str, field_name: str) -> Link | BotAt:
        if bot.startswith(HOUSE):
            make = self._house.get(bot.removeprefix(HOUSE))
            link = make(game.name, self.time) if make is not None else None
            if link is None:
                known = ", ".join(self.house_bots(game.name))
                raise NotFound("UNKNOWN_BOT", f"no house bot {bot!r} plays {game.name}; there are: {known}", field_name)
            return link
        known_bot = self.bots.get(bot)
        if known_bot is None:
            raise NotFound(
                "UNKNOWN_BOT", f"no bot called {bot!r} is connected, or has been lately; start it first", field_name
            )
        if known_bot.games and game.name not in known_bot.games:
            raise Conflict(
                "BOT_DOES_NOT_PLAY",
                f"{bot} does not play {game.name}; it plays {', '.join(sorted(known_bot.games))}",
                field_name,
            )
        if 0 < known_bot.max_sessions <= len(known_bot.sessions):
            raise OverLimit(
                "BOT_FULL",
                f"{bot} sits in {len(known_bot.sessions):,} sessions, as many as it plays at once; "
                "try again when one is over",
                RETRY_S,
                field_name,
            )
        return known_bot

    def _sit_down(self, session: Session, seat: SeatAt, link: Link | BotAt) -> None:
        if not isinstance(link, BotAt):
            session.attach(seat, link, resumed=False)
            return
        link.sessions[session.id] = session
        self._left.pop(link.name, None)
        if link.link is not None:
            session.attach(seat, link.link, resumed=False)
            link.told.add(session.id)

    def _resume(self, session: Session) -> None:
        """Go on with a session that was restored. Raises Lost where one of its house bots does not exist any more."""
        game = session.table.game
        try:
            house = [
                (seat, self._link_for(game, seat.bot, "bots")) for seat in session.seats if seat.bot.startswith(HOUSE)
            ]
        except NotFound as error:
            raise Lost(str(error), broken=False) from error
        for name in {seat.bot for seat in session.seats if not seat.bot.startswith(HOUSE)}:
            bot = self.bots.setdefault(name, BotAt(name))
            bot.sessions[session.id] = session
            bot.told.add(session.id)
        self._running(session)
        session.resume(self._services, grace_ms=self.settings.restart_grace_ms)
        for seat, link in house:
            session.attach(seat, link, resumed=True)

    def _running(self, session: Session) -> None:
        self.sessions[session.id] = session
        self._deals[session.table.seed.raw] += 1

    def _ended(self, session: Session) -> None:
        """A session is over and safe: forget its live part."""
        del self.sessions[session.id]
        deal = session.table.seed.raw
        self._deals[deal] -= 1
        if not self._deals[deal]:
            del self._deals[deal]
        self.ends.make(session.id)
        if deal not in self._deals:
            self.deals_over.make(deal)
        owner = self._owners.pop(session.id, "")
        if owner:
            self._owned[owner] -= 1
            if not self._owned[owner]:
                del self._owned[owner]
        if not self.sessions and self._idle is not None:
            self._idle.set()
        for name in {seat.bot for seat in session.seats}:
            bot = self.bots.get(name)
            if bot is not None:
                bot.sessions.pop(session.id, None)
                bot.told.discard(session.id)
                self._forget_if_gone(bot)

    def _forget_if_gone(self, bot: BotAt) -> None:
        """Remember a bot that has left with nothing to come back to, but not all of them for ever."""
        if bot.link is None and not bot.sessions:
            self._left[bot.name] = None
            if len(self._left) > REMEMBERED_BOTS:
                oldest = next(iter(self._left))
                del self._left[oldest], self.bots[oldest]

    def _new_id(self) -> str:
        while True:
            session_id = secrets.token_hex(8)
            if session_id not in self.sessions:
                return session_id
