"""The ledger: what has been played, in a database. The only truth; standings, reports and metrics follow from it.

Rows are written in batches (`Writer`): a commit for each game would cost more than the game.
"""

import json
import zlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self

from sqlalchemy import Table, and_, func, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from croupier_tournament.plan import GameKey
from croupier_tournament.run import tables

LEASED, REPORTED, FINAL, VOID = "leased", "reported", "final", "void"
"""States of a game. Reported: over, but not all of its block are. Void: to be played again with its block."""
RUNNING, PAUSED, FINISHED, CANCELLED = "running", "paused", "finished", "cancelled"
STATES = (RUNNING, PAUSED, FINISHED, CANCELLED)
"""States of a tournament."""
LEASE_S = 15.0
"""Seconds without a heartbeat after which a runner counts as gone."""
START = GameKey(-1, -1)
"""Before the first game."""
ADD_TRIES = 20
"""How often a tournament is tried to be added while others are; each time at least one of them is."""
PAGE = 2000
"""Rows read at once."""


class LedgerError(Exception):
    """The ledger cannot be used. The message says why, and what would help."""


class Taken(LedgerError):
    """Another runner has the tournament."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A tournament, as the ledger has it. Times are seconds since 1970."""

    id: str
    number: int
    title: str
    spec: Mapping[str, Any]
    """As a table, see `spec.reading.spec_of`."""
    plan_hash: str
    rules_version: int
    secret: bytes
    state: str
    created: float
    request_id: str | None = None
    wish: str = ""
    counted: int | None = None
    reason: str = ""
    ended: float | None = None
    owner: str | None = None
    heartbeat: float | None = None

    @property
    def over(self) -> bool:
        """Whether it has come to its end, one way or the other."""
        return self.state in (FINISHED, CANCELLED)


@dataclass(frozen=True, slots=True)
class Game:
    """One game of the plan. Tuples are by seat, and empty before it is over."""

    block: int
    replay: int
    state: str
    attempt: int
    """How often its block has been voided before."""
    owner: str
    leased: float
    server: str
    bots: tuple[str, ...]
    """As they sat: an entrant that was disqualified has its seat played by a house bot."""
    session: str = ""
    points: tuple[int, ...] = ()
    placings: tuple[int, ...] = ()
    forfeited: tuple[bool, ...] = ()
    faults: tuple[Mapping[str, int], ...] = ()
    decisions: tuple[int, ...] = ()
    charged: tuple[int, ...] = ()
    """Thinking time in milliseconds."""
    ended: float | None = None

    @property
    def key(self) -> GameKey:
        """Which game of the plan it is."""
        return GameKey(self.block, self.replay)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is kept of how a game went."""

    text: bytes
    """Its record, compressed."""
    charged: bytes
    """What each of its inputs was charged, in milliseconds, as a list in JSON, compressed."""

    @classmethod
    def of(cls, text: str, charged_ms: Sequence[int] = ()) -> Self:
        """Keep a record; `charged_ms`: empty where it is not known."""
        return cls(*(zlib.compress(part.encode(), 6) for part in (text, _json(list(charged_ms)))))

    def record(self) -> str:
        """The record."""
        return zlib.decompress(self.text).decode()

    def charged_ms(self) -> list[int]:
        """What each of its inputs was charged."""
        found: list[int] = json.loads(zlib.decompress(self.charged))
        return found


@dataclass(frozen=True, slots=True)
class Voided:
    """A block that was voided."""

    block: int
    attempt: int
    games: int
    reason: str
    at: float


@dataclass(frozen=True, slots=True)
class Mark:
    """What is known against an entrant."""

    crashes: int = 0
    disqualified: str | None = None
    """Why; None: it is not."""


class Ledger:
    """An open ledger. An async context manager; made by `open_ledger`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._upsert: Any = sqlite.insert if engine.dialect.name == "sqlite" else postgresql.insert

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()

    # -- tournaments -----------------------------------------------------------------------------------------------

    async def add(self, entry: Entry, commitment: str) -> Entry:
        """Add a tournament and return it with its number; or the one that the same request has added before."""
        for _ in range(ADD_TRIES - 1):
            with suppress(IntegrityError):  # somebody has just taken its number, or made the same request
                return await self._add(entry, commitment)
        return await self._add(entry, commitment)

    async def _add(self, entry: Entry, commitment: str) -> Entry:
        async with self._engine.begin() as connection:
            if entry.request_id:
                at = select(tables.tournaments).where(tables.tournaments.c.request_id == entry.request_id)
                known = (await connection.execute(at)).mappings().first()
                if known is not None:
                    return _entry(known)
            latest = await connection.scalar(select(func.max(tables.tournaments.c.number)))
            entry = replace(entry, number=(latest or 0) + 1)
            await connection.execute(
                insert(tables.tournaments).values(
                    id=entry.id,
                    number=entry.number,
                    request_id=entry.request_id,
                    title=entry.title,
                    spec=json.dumps(entry.spec),
                    plan_hash=entry.plan_hash,
                    rules_version=entry.rules_version,
                    secret=entry.secret.hex(),
                    commitment=commitment,
                    state=entry.state,
                    created=entry.created,
                )
            )
        return entry

    async def entry(self, tournament: str) -> Entry | None:
        """A tournament; None where there is none of that id."""
        async with self._engine.connect() as connection:
            at = select(tables.tournaments).where(tables.tournaments.c.id == tournament)
            row = (await connection.execute(at)).mappings().first()
        return None if row is None else _entry(row)

    async def entries(self, most: int, before: int | None = None) -> list[Entry]:
        """So many tournaments, newest first; only those made before the one of that number."""
        query = select(tables.tournaments).order_by(tables.tournaments.c.number.desc()).limit(most)
        if before is not None:
            query = query.where(tables.tournaments.c.number < before)
        async with self._engine.connect() as connection:
            return [_entry(row) for row in (await connection.execute(query)).mappings()]

    async def set_state(self, tournament: str, state: Any, **others: Any) -> None:  # noqa: ANN401 -- columns
        """Set a tournament's state, and other columns with it."""
        await self._set(tournament, state=state, **others)

    async def wish(self, tournament: str, wish: str) -> None:
        """Leave a wish for whoever runs it: `paused`, `cancelled`, or nothing."""
        await self._set(tournament, wish=wish)

    async def _set(self, tournament: str, **values: Any) -> None:  # noqa: ANN401 -- columns
        async with self._engine.begin() as connection:
            await connection.execute(
                update(tables.tournaments).where(tables.tournaments.c.id == tournament).values(**values)
            )

    # -- who runs it -----------------------------------------------------------------------------------------------

    async def take(
        self, tournament: str, owner: str, now: float, gone: Callable[[str], bool] = lambda _: False
    ) -> None:
        """Become the one who runs a tournament.

        Args:
            tournament: which.
            owner: who wants to run it.
            now: seconds since 1970.
            gone: tells of an owner whether it is known to run no more; others count as gone after `LEASE_S`.

        Raises:
            Taken: somebody else is running it.
        """
        row = tables.tournaments.c
        before = await self.entry(tournament)
        free = or_(row.owner.is_(None), row.owner == owner, row.heartbeat < now - LEASE_S)
        if before is not None and before.owner is not None and gone(before.owner):
            free = or_(free, row.owner == before.owner)
        async with self._engine.begin() as connection:
            taken = await connection.execute(
                update(tables.tournaments).where(row.id == tournament, free).values(owner=owner, heartbeat=now, wish="")
            )
        if not taken.rowcount:
            entry = await self.entry(tournament)
            if entry is None:
                raise LedgerError(f"the ledger has no tournament {tournament!r}")
            age = now - (entry.heartbeat or now)
            raise Taken(
                f"the tournament is being run by {entry.owner}, which was last heard of {max(age, 0):.0f} s ago; "
                f"where that is a process which has been killed, try again in {max(1, LEASE_S - age):.0f} s"
            )

    async def beat(self, tournament: str, owner: str, now: float) -> str:
        """Say that the owner is alive, and return what it is wished to do.

        Raises:
            Taken: somebody else has taken the tournament over.
        """
        row = tables.tournaments.c
        async with self._engine.begin() as connection:
            done = await connection.execute(
                update(tables.tournaments).where(row.id == tournament, row.owner == owner).values(heartbeat=now)
            )
            wish = await connection.scalar(select(row.wish).where(row.id == tournament))
        if not done.rowcount:
            raise Taken("another runner has taken the tournament over")
        return wish or ""

    async def leave(self, tournament: str, owner: str) -> None:
        """Be the one who runs it no longer."""
        row = tables.tournaments.c
        async with self._engine.begin() as connection:
            await connection.execute(
                update(tables.tournaments)
                .where(row.id == tournament, row.owner == owner)
                .values(owner=None, heartbeat=None)
            )

    # -- games -----------------------------------------------------------------------------------------------------

    async def write(
        self,
        tournament: str,
        games: Sequence[Game] = (),
        records: Mapping[GameKey, Recorded] | None = None,
        voids: Sequence[Voided] = (),
    ) -> None:
        """Write rows, in one commit; those that are there already are overwritten."""
        async with self._engine.begin() as connection:
            if games:
                await self._put(connection, tables.games, [_row(tournament, game) for game in games], 3)
            if records:
                rows = [
                    {
                        "tournament": tournament,
                        "block": key.block,
                        "replay": key.replay,
                        "text": kept.text,
                        "charged": kept.charged,
                    }
                    for key, kept in records.items()
                ]
                await self._put(connection, tables.records, rows, 3)
            if voids:
                await connection.execute(
                    insert(tables.voids),
                    [
                        {
                            "tournament": tournament,
                            "block": void.block,
                            "attempt": void.attempt,
                            "games": void.games,
                            "reason": void.reason,
                            "at": void.at,
                        }
                        for void in voids
                    ],
                )

    async def _put(self, connection: AsyncConnection, table: Table, rows: list[dict[str, Any]], keys: int) -> None:
        statement = self._upsert(table)
        columns = list(table.columns)
        statement = statement.on_conflict_do_update(
            index_elements=columns[:keys],
            set_={column.name: statement.excluded[column.name] for column in columns[keys:]},
        )
        await connection.execute(statement, rows)

    async def games(
        self,
        tournament: str,
        *,
        states: Iterable[str] = (FINAL,),
        after: GameKey = START,
        before_block: int | None = None,
    ) -> AsyncIterator[Game]:
        """Yield the games in these states, in the order of the plan, a page at a time.

        Args:
            tournament: whose.
            states: which.
            after: begin after this block and replay.
            before_block: only blocks before this one.
        """
        row = tables.games.c
        wanted = [row.tournament == tournament, row.state.in_(list(states))]
        if before_block is not None:
            wanted.append(row.block < before_block)
        while True:
            later = or_(row.block > after.block, and_(row.block == after.block, row.replay > after.replay))
            query = select(tables.games).where(*wanted, row.block >= after.block, later)
            query = query.order_by(row.block, row.replay).limit(PAGE)
            async with self._engine.connect() as connection:
                page = [_game(found) for found in (await connection.execute(query)).mappings()]
            for game in page:
                yield game
            if len(page) < PAGE:
                return
            after = page[-1].key

    async def final_blocks(self, tournament: str) -> AsyncIterator[int]:
        """Yield the numbers of the blocks that are final, ascending."""
        row = tables.games.c
        after = -1
        while True:
            query = select(row.block).where(row.tournament == tournament, row.state == FINAL, row.replay == 0)
            query = query.where(row.block > after).order_by(row.block).limit(PAGE * 10)
            async with self._engine.connect() as connection:
                page = list((await connection.execute(query)).scalars())
            for block in page:
                yield block
            if len(page) < PAGE * 10:
                return
            after = page[-1]

    async def counts(self, tournament: str) -> dict[str, int]:
        """How many games are in each state; those that have not begun are in none."""
        row = tables.games.c
        query = select(row.state, func.count()).where(row.tournament == tournament).group_by(row.state)
        async with self._engine.connect() as connection:
            return {row[0]: row[1] for row in await connection.execute(query)}

    async def records(
        self, tournament: str, *, before_block: int | None = None
    ) -> AsyncIterator[tuple[GameKey, bytes]]:
        """Yield key and compressed text of each record of a final game, in the order of the plan."""
        row, game = tables.records.c, tables.games.c
        after = START
        joined = tables.records.join(
            tables.games,
            and_(game.tournament == row.tournament, game.block == row.block, game.replay == row.replay),
        )
        while True:
            later = or_(row.block > after.block, and_(row.block == after.block, row.replay > after.replay))
            query = select(row.block, row.replay, row.text).select_from(joined)
            query = query.where(row.tournament == tournament, game.state == FINAL, row.block >= after.block, later)
            if before_block is not None:
                query = query.where(row.block < before_block)
            query = query.order_by(row.block, row.replay).limit(PAGE)
            async with self._engine.connect() as connection:
                page = [(GameKey(block, replay), text) for block, replay, text in await connection.execute(query)]
            for found in page:
                yield found
            if len(page) < PAGE:
                return
            after = page[-1][0]

    async def record(self, tournament: str, key: GameKey) -> Recorded | None:
        """How one final game went; None where it is not known (yet)."""
        row, game = tables.records.c, tables.games.c
        at = and_(game.tournament == row.tournament, game.block == row.block, game.replay == row.replay)
        query = select(row.text, row.charged).select_from(tables.records.join(tables.games, at))
        query = query.where(row.tournament == tournament, row.block == key.block, row.replay == key.replay)
        async with self._engine.connect() as connection:
            found = (await connection.execute(query.where(game.state == FINAL))).first()
        return None if found is None else Recorded(found.text, found.charged)

    async def voids(self, tournament: str) -> list[Voided]:
        """The blocks that were voided, oldest first."""
        row = tables.voids.c
        query = select(row.block, row.attempt, row.games, row.reason, row.at).where(row.tournament == tournament)
        async with self._engine.connect() as connection:
            return [Voided(*found) for found in await connection.execute(query.order_by(row.id))]

    async def voided_games(self, tournament: str) -> int:
        """How many games were voided."""
        query = select(func.coalesce(func.sum(tables.voids.c.games), 0)).where(tables.voids.c.tournament == tournament)
        async with self._engine.connect() as connection:
            return int(await connection.scalar(query) or 0)

    # -- entrants --------------------------------------------------------------------------------------------------

    async def mark(self, tournament: str, name: str, mark: Mark) -> None:
        """Note what is known against an entrant."""
        row = {
            "tournament": tournament,
            "name": name,
            "crashes": mark.crashes,
            "disqualified": mark.disqualified,
        }
        async with self._engine.begin() as connection:
            await self._put(connection, tables.entrants, [row], 2)

    async def marks(self, tournament: str) -> dict[str, Mark]:
        """What is known against entrants, by name."""
        row = tables.entrants.c
        query = select(row.name, row.crashes, row.disqualified).where(row.tournament == tournament)
        async with self._engine.connect() as connection:
            return {name: Mark(crashes, why) for name, crashes, why in await connection.execute(query)}


def _entry(row: Mapping[Any, Any]) -> Entry:
    names = (
        *("id", "number", "title", "plan_hash", "rules_version", "state", "created", "request_id", "wish", "counted"),
        *("reason", "ended", "owner", "heartbeat"),
    )
    return Entry(
        **{name: row[name] for name in names}, spec=json.loads(row["spec"]), secret=bytes.fromhex(row["secret"])
    )


TUPLES = ("bots", "points", "placings", "forfeited", "faults", "decisions", "charged")
PLAIN = ("block", "replay", "state", "attempt", "owner", "leased", "server", "session", "ended")

_json = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode


def _row(tournament: str, game: Game) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(game, name) for name in PLAIN}
    row |= {name: _json(value) if (value := getattr(game, name)) else "[]" for name in TUPLES}
    return {"tournament": tournament, **row}


def _game(row: Mapping[Any, Any]) -> Game:
    values: dict[str, Any] = {name: row[name] for name in PLAIN}
    values |= {name: tuple(json.loads(row[name] or "[]")) for name in TUPLES}
    return Game(**values)
