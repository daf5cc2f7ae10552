"""Plays the games that are left: hands them to servers, keeps the books, and repeats what infrastructure has spoilt."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from croupier import RequestError
from croupier.v1 import session_pb2 as pb
from croupier_tournament.plan import GameKey
from croupier_tournament.run import games
from croupier_tournament.run.books import Books, OpenBlock
from croupier_tournament.run.events import Audience, Event, Progress
from croupier_tournament.run.ledger import FINAL, LEASED, VOID, Game, Ledger, Recorded, Voided
from croupier_tournament.run.pace import Meter
from croupier_tournament.run.places import Places
from croupier_tournament.run.schedule import Pace, Schedule, lane_of
from croupier_tournament.run.servers import GameServer, ServerAway
from croupier_tournament.run.tournament import Tournament
from croupier_tournament.run.writer import Writer
from croupier_tournament.spec import Command

MOST_ATTEMPTS = 20
"""How often a block is played before the tournament is given up as unplayable."""
OUR_FAULTS = ("disconnected", "late", "stalled")
"""What a bot cannot help whose process ended with the runner."""


class Unplayable(Exception):
    """A block comes to no end, however often it is played."""


class Play:
    """See the module. To be used in this order: `restore`, `go`, `close`.

    Args:
        tournament: what is played.
        ledger: where it is noted.
        places: where it is played.
        audience: who is told.
        owner: who runs it.
        wall_clock: gives seconds since 1970, for the ledger.

    Attributes:
        books: which blocks are final, and which have begun.
        failed: done with an exception when something makes it impossible to go on.
        voided: games that were voided.
    """

    def __init__(
        self,
        tournament: Tournament,
        ledger: Ledger,
        places: Places,
        audience: Audience,
        owner: str,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self.books = Books(tournament.plan)
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.voided = 0
        self._tournament = tournament
        self._ledger = ledger
        self._places = places
        self._audience = audience
        self._owner = owner
        self._wall_clock = wall_clock
        self._clock = asyncio.get_running_loop().time
        self._patience = tournament.spec.running.server_patience_s
        self._writer = Writer(ledger, tournament.id)
        self._meter = Meter(self._clock)
        self._pace = Pace(len(tournament.names))
        self._lengths = games.Lengths()
        self._numbers = {name: number for number, name in enumerate(tournament.names)}
        self._restored: dict[GameKey, Game] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._wake = asyncio.Event()
        self._turns = asyncio.Lock()
        self._begin_more = True
        self._schedule = self._schedule_of(iter(()))
        places.changed = self._wake.set

    # -- from outside ----------------------------------------------------------------------------------------------

    async def restore(self) -> tuple[int, int]:
        """Read what was played before. Returns how many games are final, and how many others had begun."""
        begun = await self.books.restore(self._ledger, self._tournament.id)
        self.voided = await self._ledger.voided_games(self._tournament.id)
        for number in sorted({key.block for key in begun}):
            of_block = {key.replay: game for key, game in begun.items() if key.block == number}
            server = self._places.servers.get(next(iter(of_block.values())).server)
            if server is None:
                block = OpenBlock(number, self.books.attempt(number), GameServer("", ""), of_block)
                self._note_void(block, f"it was played on {next(iter(of_block.values())).server}, which is not there")
                begun = {key: game for key, game in begun.items() if key.block != number}
                continue
            block = self.books.begin(number, server)
            block.games.update(of_block)
            self._finalise_if_complete(block)
        again = [key for key, game in begun.items() if game.state == LEASED]
        self._restored = {key: begun[key] for key in again}
        self._schedule = self._schedule_of(self.books.left(begun))
        self._schedule.again(again)
        return self.books.final_games, len(begun)

    async def go(self) -> None:
        """Play until there is nothing left, or until `pause` has been called and nothing runs any more.

        Raises:
            Exception: whatever makes it impossible to go on.
        """
        while self._running() or (self._begin_more and not self._schedule.exhausted):
            self._wake.clear()
            self._begin_games()
            with suppress(TimeoutError):
                async with asyncio.timeout(0.25):  # bots and servers are missing for a while only
                    await self._wake.wait()
            self._raise_what_failed()
            self._places.look_for_missing()
        self._raise_what_failed()
        left = len(self._tournament.plan) - self.books.final_games
        if self._begin_more and left:
            raise Unplayable(f"{left:,} games were lost sight of; what is final is kept: resume the tournament")

    def pause(self) -> None:
        """Begin no more games."""
        self._begin_more = False
        self._wake.set()

    async def drop_the_rest(self) -> None:
        """End what runs, and forget it: the tournament is over without it."""
        self._begin_more = False
        ending = []
        for block in list(self.books.open.values()):
            ending += self._end_games(block)
            for game in block.games.values():
                self._writer.put(replace(game, state=VOID))
            self.books.open.pop(block.number)
        if ending:
            await asyncio.wait(ending)

    async def flush(self) -> None:
        """Return when the ledger holds all that is known."""
        await self._writer.flush()

    async def close(self) -> None:
        """Stop at once, and write what is known; games that run can be found again."""
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._writer.close()

    def progress(self, planned: int | None = None) -> Progress:
        """How far it is; `planned` where fewer games than those of the plan are to be played."""
        planned = len(self._tournament.plan) if planned is None else planned
        final = self.books.final_games
        left = max(0, planned - final)
        return Progress(
            planned, self._schedule.running, final, self.voided, self._meter.rate(), self._meter.eta_s(left)
        )

    # -- games -----------------------------------------------------------------------------------------------------

    def _schedule_of(self, order: Any) -> Schedule:  # noqa: ANN401 -- an iterator of keys
        tournament = self._tournament
        slots = tournament.spec.running.concurrency
        return Schedule(order, tournament.table, self._pace, seats=tournament.spec.seats, slots=slots)

    def _running(self) -> bool:
        return bool(self._tasks)

    def _begin_games(self) -> None:
        while self._begin_more and (key := self._schedule.next(self._playable)) is not None:
            self._begin(key)

    def _playable(self, number: int) -> bool:
        bots = self._places.seated([self._tournament.names[entrant] for entrant in self._tournament.table(number)])
        block = self.books.open.get(number)
        if block is not None:
            return self._places.playable(block.server, bots)
        return self._places.choose(bots) is not None

    def _begin(self, key: GameKey) -> None:
        bots = self._places.seated(self._tournament.seating(key))
        block = self.books.open.get(key.block)
        if block is None:
            server = self._places.choose(bots)
            assert server is not None  # it was playable a moment ago
            block = self.books.begin(key.block, server)
        restored = self._restored.pop(key, None)
        game = restored or Game(
            block=key.block,
            replay=key.replay,
            state=LEASED,
            attempt=block.attempt,
            owner=self._owner,
            leased=self._wall_clock(),
            server=block.server.name,
            bots=bots,
        )
        block.games[key.replay] = game
        self._writer.put(game)
        block.server.running += 1
        task = block.tasks[key.replay] = self._start(self._play(block, game, restored=restored is not None))
        task.add_done_callback(lambda _: self._left(block, key.replay, task))

    async def _play(self, block: OpenBlock, game: Game, *, restored: bool) -> None:
        """Play one game to its end, whatever that is."""
        key, server = game.key, block.server
        try:
            session_id = game.session or await self._session(server, game)
            if not game.session:
                game = replace(game, session=session_id)
                block.games[key.replay] = game
                self._writer.put(game)
            lane = lane_of(self._pace.of(self._tournament.table(key.block)))
            began = self._clock()
            session = await games.until_over(
                server,
                session_id,
                expected_s=self._lengths.of(lane),
                patience_s=self._patience,
                looked=lambda session, age: self._looked(key, session, age),
            )
            if not restored:
                self._lengths.add(lane, self._clock() - began)
            self._schedule.over(key)
            _ = self._start(self._write_down(block, game, session, restored=restored))
        except games.Voided as error:
            self._void(block, str(error))
        except games.Absent as error:
            self._places.missing(server, error.bot)
            self._give_back(block, key)
        except games.Full as error:
            self._places.full(server, error.bot)
            self._give_back(block, key)
        except games.Busy:
            server.busy()
            self._give_back(block, key)

    def _left(self, block: OpenBlock, replay: int, task: asyncio.Task[None]) -> None:
        block.server.running -= 1
        if block.tasks.get(replay) is task:
            del block.tasks[replay]

    async def _session(self, server: GameServer, game: Game) -> str:
        request = self._tournament.request(game.key, game.attempt, game.bots)
        session_id = await games.begin(server, request, self._patience)
        self._places.there(server, game.bots)
        return session_id

    def _looked(self, key: GameKey, session: pb.Session, age: float) -> None:
        """A game goes on: who keeps it waiting is at least as slow as that."""
        seating = self._tournament.seating(key)
        waited = max(0.0, age - sum(seat.charged_ms for seat in session.seats) / 1000)
        for number, seat in enumerate(session.seats):
            waits = waited if number in session.to_act else 0.0
            self._pace.thinks(self._numbers[seating[number]], seat.charged_ms / 1000 + waits)
        self._schedule.grows_old(key, age)
        self._wake.set()

    async def _write_down(self, block: OpenBlock, game: Game, session: pb.Session, *, restored: bool) -> None:
        """Note a game that is over. Games end many at once: the next ones begin first."""
        await self._in_turn(block, lambda: self._over(block, game, session, restored=restored))

    def _over(self, block: OpenBlock, game: Game, session: pb.Session, *, restored: bool) -> None:
        seating = self._tournament.seating(game.key)
        game = games.reported(game, session, [self._tournament.bots[name] for name in seating], self._wall_clock())
        if restored and (name := self._ours_to_blame(seating, game)):
            self._void(block, f"the process of {name} had ended with the runner")
            return
        block.games[game.replay] = game
        self._writer.put(game)
        self._meter.add()
        for name, charged in zip(seating, game.charged, strict=True):
            self._pace.thought(self._numbers[name], charged / 1000)
        self._finalise_if_complete(block)

    def _ours_to_blame(self, seating: tuple[str, ...], game: Game) -> str:
        """Who failed to decide in a game that was found again because its process had ended with the runner."""
        for name, faults in zip(seating, game.faults, strict=True):
            kind = self._tournament.spec.entrant(name).kind
            if isinstance(kind, Command) and any(fault in faults for fault in OUR_FAULTS):
                return name
        return ""

    def _give_back(self, block: OpenBlock, key: GameKey) -> None:
        """A game could not begin: it waits for another try, its block for another server if nothing else of it runs."""
        del block.games[key.replay]
        if not block.games:
            self.books.open.pop(block.number, None)
        self._schedule.again([key])

    # -- blocks ----------------------------------------------------------------------------------------------------

    def _finalise_if_complete(self, block: OpenBlock) -> None:
        if block.complete(self._tournament.spec.seats):
            _ = self._start(self._finalise(block))

    async def _finalise(self, block: OpenBlock) -> None:
        """Fetch the records of a block whose games are all over; with them it is final."""
        records = []
        try:
            for replay in range(self._tournament.spec.seats):
                session_id = block.games[replay].session
                records.append(await games.fetch_record(block.server, session_id, self._patience))
        except games.Voided as error:
            self._void(block, str(error))
            return
        await self._in_turn(block, lambda: self._note_final(block, [Recorded.of(*record) for record in records]))

    def _note_final(self, block: OpenBlock, records: Sequence[Recorded]) -> None:
        final = [replace(block.games[replay], state=FINAL) for replay in range(len(records))]
        for game, record in zip(final, records, strict=True):
            self._writer.put(game, record)
        self.books.finish(block.number)
        deal = self._tournament.plan.blocks[block.number].deal
        self._audience.event(
            Event(
                "block",
                f"block {block.number} is final",
                {
                    "block": block.number,
                    "deal": deal,
                    "seed": self._tournament.deal_seed(deal).hex(),
                    "games": [self._shown(game) for game in final],
                },
            )
        )

    def _shown(self, game: Game) -> dict[str, Any]:
        return {
            "game": str(game.key),
            "entrants": self._tournament.seating(game.key),
            "points": game.points,
            "placings": game.placings,
            "faults": game.faults,
        }

    def _void(self, block: OpenBlock, reason: str) -> None:
        """Void a block: all its games are to be played again."""
        if self.books.open.get(block.number) is not block:
            return  # another of its games was first to see it
        self._end_games(block)
        self._schedule.again([game.key for game in block.games.values()])
        self._note_void(block, reason)
        if block.attempt + 1 >= MOST_ATTEMPTS:
            raise Unplayable(
                f"block {block.number} was played {MOST_ATTEMPTS} times without coming to its end; lately: {reason}"
            )

    def _note_void(self, block: OpenBlock, reason: str) -> None:
        for game in block.games.values():
            self._writer.put(replace(game, state=VOID))
        self._writer.void(Voided(block.number, block.attempt, len(block.games), reason, self._wall_clock()))
        self.voided += len(block.games)
        self.books.void(block)
        self._audience.event(
            Event(
                "void",
                f"block {block.number} will be repeated: {reason}",
                {"block": block.number, "attempt": block.attempt, "games": len(block.games), "reason": reason},
            )
        )

    def _end_games(self, block: OpenBlock) -> list[asyncio.Task[None]]:
        """Stop playing a block, here and on its server; returns what is still at it."""
        ending = [task for task in block.tasks.values() if task is not asyncio.current_task()]
        for task in ending:
            task.cancel()
        for game in block.games.values():
            block.server.forget(game.session)
        running = [game.session for game in block.games.values() if game.state == LEASED and game.session]
        return ending + [self._start(_abort(block.server, session_id)) for session_id in running]

    # -- tasks -----------------------------------------------------------------------------------------------------

    async def _in_turn(self, block: OpenBlock, note: Callable[[], None]) -> None:
        """Note what can wait: however much there is at once, what cannot wait comes between.

        By then the block may have been voided, or the tournament may have ended: nothing is noted of it any more.
        """
        async with self._turns:
            if self.books.open.get(block.number) is block:
                note()
            await asyncio.sleep(0)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._wake.set()
        if not task.cancelled() and (error := task.exception()) is not None and not self.failed.done():
            self.failed.set_exception(error)

    def _raise_what_failed(self) -> None:
        for future in (self.failed, self._writer.failed):
            if future.done():
                future.result()


async def _abort(server: GameServer, session_id: str) -> None:
    with suppress(ServerAway, RequestError):  # it is over already, or will be with its server
        await server.abort(session_id)
