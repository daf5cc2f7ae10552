"""Keeps sessions in a database: SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Self

from sqlalchemy import Connection, Row, Table, bindparam, delete, exists, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from croupier_games.kernel import Game
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.journal import Entry, Opened, Query, StepTaken, Unfinished, Unreadable
from croupier_service.sessions.summary import Archived, Summary

from . import rows, schema
from .database import Database
from .lines import Found, Gap, Notation, find_in_log, find_in_pieces, in_order
from .seen import Seen

TIDY_EVERY = 512
"""Batches between two times that the log is tidied up."""
LOG_ROWS = 1024
"""The latest rows of the log, which are left alone."""
PAGE = 200
"""Sessions read at once."""
MOST_SEEN = 200_000
"""Request ids read at the start, so that new ones need no look; where there are more, that would take too long."""

RUNNING, FINISHED, ABORTED = (state.value for state in SessionState)


@dataclass(slots=True)
class _Batch:
    """What a batch writes."""

    sessions: list[dict[str, Any]] = field(default_factory=list)
    seats: list[dict[str, Any]] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    endings: list[dict[str, Any]] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)


class SqlStore:
    """See the module. The one server of its database: it numbers the sessions, and knows which of them are running."""

    def __init__(self, database: Database, games: Mapping[str, Game[Any, Any, Any]]) -> None:
        """Use ``open``."""
        self.database = database
        self._games = games
        self._notations = {name: Notation(game) for name, game in games.items()}
        self._running: dict[str, tuple[int, Notation]] = {}
        """Number and notation of each session that is not over."""
        self._last_session = self._last_row = 0
        self._tidied = 0
        self._seen: Seen | None = None
        """Request ids that were used; None: too many were, so that each has to be looked for."""

    @classmethod
    async def open(cls, database: Database, games: Mapping[str, Game[Any, Any, Any]]) -> Self:
        """A store in a database that is open; ``games`` by name are those whose options and actions it can read."""
        store = cls(database, games)

        def used(connection: Connection) -> Seen | None:
            key = schema.sessions.c.request_key
            keys = select(key).where(key.is_not(None))
            too_many = connection.scalar(keys.offset(MOST_SEEN).limit(1)) is not None
            return None if too_many else Seen(connection.scalars(keys))

        def numbers(connection: Connection) -> tuple[int, int, int]:
            last = connection.scalar(select(func.coalesce(func.max(schema.sessions.c.number), 0)))
            low, high = connection.execute(
                select(func.coalesce(func.min(schema.log.c.number), 1), func.coalesce(func.max(schema.log.c.number), 0))
            ).one()
            return last or 0, low - 1, high

        store._last_session, store._tidied, store._last_row = await database.read(numbers)
        store._seen = await database.read(used)
        return store

    async def close(self) -> None:
        await self.database.close()

    # -- writing ---------------------------------------------------------------------------------------------------

    async def commit(self, batch: Sequence[Entry]) -> None:
        written = self._written(batch)
        self._last_row += 1  # even if it fails: what has perhaps been written stays
        row = self._last_row
        tidy_to = row - LOG_ROWS if row - LOG_ROWS >= self._tidied + TIDY_EVERY else 0
        still_running = (
            {number for session_id, (number, _) in self._running.items() if session_id not in written.ended}
            if tidy_to
            else set()
        )

        def work(connection: Connection) -> None:
            insert = _insert(connection)
            if written.sessions:
                connection.execute(insert(schema.sessions).on_conflict_do_nothing(), written.sessions)
                connection.execute(insert(schema.seats).on_conflict_do_nothing(), written.seats)
            if written.log:
                line = {"number": row, "lines": "\n".join(written.log)}
                connection.execute(insert(schema.log).on_conflict_do_nothing(), line)
            if written.endings:
                _put_steps(connection, written.steps)
                connection.execute(_END, written.endings)
            if tidy_to:
                _tidy(connection, tidy_to, still_running)

        await self.database.write(work)
        self._tidied = tidy_to or self._tidied
        for session_id in written.ended:
            self._running.pop(session_id, None)

    def _written(self, batch: Sequence[Entry]) -> _Batch:
        written = _Batch(ended={entry.summary.session_id for entry in batch if isinstance(entry, Archived)})
        running, ended, log = self._running, written.ended, written.log
        for entry in batch:
            if isinstance(entry, StepTaken):
                session_id, number, step, charged_ms = entry
                if session_id not in ended:  # else all its steps are kept with its end
                    session, notation = running[session_id]
                    log.append(f"{session} {number} {notation.write(step, charged_ms)}")
            elif isinstance(entry, Opened):
                if entry.session_id not in running:
                    self._last_session += 1
                    running[entry.session_id] = self._last_session, self._notations[entry.game]
                session, _ = running[entry.session_id]
                opening = rows.opening(entry, session)
                written.sessions.append(opening)
                if self._seen is not None and opening["request_key"] is not None:
                    self._seen.add(opening["request_key"])
                written.seats += [{"session": session, "seat": seat, "bot": bot} for seat, bot in enumerate(entry.bots)]
            elif entry.summary.session_id in running:  # else it was kept before
                session, notation = running[entry.summary.session_id]
                lines = "\n".join(notation.write(step, charged) for step, charged in entry.steps)
                written.steps.append({"session": session, "first": 0, "lines": lines})
                written.endings.append(
                    {
                        "the_number": session,
                        "state": entry.summary.state.value,
                        "ended_at": entry.summary.ended_at,
                        "ending": rows.ending(entry.summary),
                    }
                )
        return written

    async def set_aside(self, session_id: str, why: str, ended_at: float) -> None:
        def work(connection: Connection) -> None:
            number = connection.scalar(select(schema.sessions.c.number).where(schema.sessions.c.id == session_id))
            if number is not None:
                found = _steps_of(connection, [number], in_log=True)[number]  # perhaps with gaps: for people to see
                _put_steps(connection, [{"session": number, "first": 0, "lines": _lines(found)}])
                connection.execute(
                    update(schema.sessions)
                    .where(schema.sessions.c.number == number)
                    .values(state=ABORTED, set_aside=why, ended_at=ended_at)
                )

        await self.database.write(work)
        self._running.pop(session_id, None)

    # -- reading ---------------------------------------------------------------------------------------------------

    async def load(self, session_id: str) -> Archived | None:
        def work(connection: Connection) -> tuple[Row[Any], dict[int, str]] | None:
            row = connection.execute(
                select(schema.sessions).where(
                    schema.sessions.c.id == _sought(session_id), schema.sessions.c.state != RUNNING
                )
            ).one_or_none()
            return None if row is None else (row, _steps_of(connection, [row.number])[row.number])

        found = await self.database.read(work)
        return None if found is None else archived_from(*found, self._games)

    async def summary(self, session_id: str) -> Summary | None:
        def work(connection: Connection) -> Row[Any] | None:
            wanted = schema.sessions.c.id == _sought(session_id)
            return connection.execute(select(schema.sessions).where(wanted)).one_or_none()

        row = await self.database.read(work)
        return None if row is None else rows.summary_from(row, self._games)

    async def page(self, query: Query, before: str, limit: int) -> Sequence[Summary] | None:
        sessions = schema.sessions
        wanted = select(sessions).limit(limit)
        number = sessions.c.number
        if query.bot:  # by its seats, newest first; of several in one session the first one counts
            bot = _sought(query.bot)
            seat, earlier = schema.seats.alias(), schema.seats.alias()
            number = seat.c.session
            twice = exists().where(earlier.c.session == number, earlier.c.bot == bot, earlier.c.seat < seat.c.seat)
            wanted = wanted.join_from(seat, sessions, sessions.c.number == number).where(seat.c.bot == bot, ~twice)
        wanted = wanted.order_by(number.desc())
        if query.state is not None:
            wanted = wanted.where(sessions.c.state == query.state.value)
        if query.game:
            wanted = wanted.where(sessions.c.game == _sought(query.game))

        def work(connection: Connection) -> Sequence[Row[Any]] | None:
            statement = wanted
            if before:
                last = connection.scalar(select(sessions.c.number).where(sessions.c.id == _sought(before)))
                if last is None:
                    return None
                statement = statement.where(number < last)
            return connection.execute(statement).all()

        found = await self.database.read(work)
        return None if found is None else [rows.summary_from(row, self._games) for row in found]

    async def requests(self, request_ids: Collection[str]) -> Mapping[str, tuple[bytes, str]]:
        sessions = schema.sessions.c
        keys = {rows.request_key(request_id): request_id for request_id in request_ids}
        if self._seen is not None:
            keys = {key: request_id for key, request_id in keys.items() if key in self._seen}
        if not keys:
            return {}
        asked = select(sessions.request_key, sessions.fingerprint, sessions.id)

        def work(connection: Connection) -> dict[str, tuple[bytes, str]]:
            return {
                keys[row.request_key]: (bytes.fromhex(row.fingerprint or ""), row.id)
                for some in in_pieces(keys)
                for row in connection.execute(asked.where(sessions.request_key.in_(some)))
            }

        return await self.database.read(work)

    async def have_played(self, bots: Collection[str]) -> Collection[str]:
        has_sat = select(exists().where(schema.seats.c.bot == bindparam("the_bot")))

        def work(connection: Connection) -> set[str]:
            return {bot for bot in bots if connection.scalar(has_sat, {"the_bot": _sought(bot)})}

        return await self.database.read(work)

    async def unfinished(self) -> AsyncIterator[Unfinished]:
        logged = await self.database.read(everything_logged)
        after = 0
        while found := await self.database.read(partial(running_page, after=after)):
            for row, steps in found:
                unfinished = unfinished_from(row, logged.pop(row.number, {}) | steps, self._games)
                if row.game in self._notations:
                    self._running[row.id] = row.number, self._notations[row.game]
                yield unfinished
                after = row.number


def unfinished_from(row: Row[Any], steps: Mapping[int, str], games: Mapping[str, Game[Any, Any, Any]]) -> Unfinished:
    """A session that is not over, from its row and the lines of its steps."""
    try:
        opened = rows.opened_from(row, games)
    except Exception as error:  # noqa: BLE001 - what is damaged may fail in any way
        return Unfinished(row.id, None, trouble=f"its opening cannot be read: {type(error).__name__}")
    if row.game not in games:
        return Unfinished(row.id, opened)
    try:
        return Unfinished(row.id, opened, Notation(games[row.game]).read(in_order(steps)))
    except (Gap, ValueError) as error:
        return Unfinished(row.id, opened, trouble=str(error))


def archived_from(row: Row[Any], steps: Mapping[int, str], games: Mapping[str, Game[Any, Any, Any]]) -> Archived:
    """A session that is over, from its row and the lines of its steps. Raises Unreadable."""
    game = games.get(row.game)
    if game is None:
        raise Unreadable(f"its game {row.game} is not installed here")
    try:
        return rows.archived_from(row, Notation(game).read(in_order(steps)), games)
    except (Gap, ValueError) as error:
        raise Unreadable(str(error)) from error


_END = (
    update(schema.sessions)
    .where(schema.sessions.c.number == bindparam("the_number"))
    .values(state=bindparam("state"), ended_at=bindparam("ended_at"), ending=bindparam("ending"))
)


_FORGET_PIECES = delete(schema.steps).where(schema.steps.c.session == bindparam("the_session"))


def _insert(connection: Connection) -> Callable[[Table], sqlite.Insert | postgresql.Insert]:
    """An insert that knows conflicts: both databases have it, in the same words, from different modules."""
    return sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert


def _put_steps(connection: Connection, steps: list[dict[str, Any]]) -> None:
    """Keep all steps of these sessions, in place of the pieces that there may be."""
    connection.execute(_FORGET_PIECES, [{"the_session": row["session"]} for row in steps])
    connection.execute(_insert(connection)(schema.steps), steps)


def _tidy(connection: Connection, to: int, running: set[int]) -> None:
    """Move what running sessions still need of the log's oldest rows to ``steps``, and delete those rows."""
    old = schema.log.c.number <= to
    found = Found(dict)
    find_in_log(found, connection.scalars(select(schema.log.c.lines).where(old).order_by(schema.log.c.number)), running)
    if found:
        pieces = [{"session": number, "first": min(steps), "lines": _lines(steps)} for number, steps in found.items()]
        connection.execute(_insert(connection)(schema.steps).on_conflict_do_nothing(), pieces)
    connection.execute(delete(schema.log).where(old))


def _sought(text: str) -> str:
    """What a text is looked for as: PostgreSQL takes no NUL, and no id or name that is kept has one."""
    return text.replace("\0", "\ufffd")


def in_pieces(values: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """As many values at once as any database takes in one statement."""
    left = iter(values)
    while some := tuple(islice(left, PAGE)):
        yield some


def _lines(steps: Mapping[int, str]) -> str:
    return "\n".join(steps[number] for number in sorted(steps))


def _steps_of(connection: Connection, sessions: Sequence[int], *, in_log: bool = False) -> Found:
    """The lines of the steps of these sessions."""
    found = Found(dict)
    pieces = schema.steps.c
    find_in_pieces(
        found,
        connection.execute(select(pieces.session, pieces.first, pieces.lines).where(pieces.session.in_(sessions))),
    )
    if in_log:
        find_in_log(found, connection.scalars(select(schema.log.c.lines)), set(sessions))
    return found


def everything_logged(connection: Connection) -> Found:
    """What the log has of the sessions that are not over."""
    sessions = schema.sessions.c
    running = set(connection.scalars(select(sessions.number).where(sessions.state == RUNNING)))
    found = Found(dict)
    find_in_log(found, connection.scalars(select(schema.log.c.lines)), running)
    return found


def running_page(connection: Connection, after: int) -> list[tuple[Row[Any], dict[int, str]]]:
    """Sessions that are not over, oldest first, with the lines of their steps as far as they are not in the log."""
    sessions = schema.sessions.c
    found = connection.execute(
        select(schema.sessions)
        .where(sessions.state == RUNNING, sessions.number > after)
        .order_by(sessions.number)
        .limit(PAGE)
    ).all()
    steps = _steps_of(connection, [row.number for row in found])
    return [(row, steps[row.number]) for row in found]


def finished_page(connection: Connection, after: int, every: int) -> list[tuple[Row[Any], dict[int, str]]]:
    """Sessions that were finished, every so manieth, oldest first, with the lines of their steps."""
    sessions = schema.sessions.c
    found = connection.execute(
        select(schema.sessions)
        .where(sessions.state == FINISHED, sessions.number > after, sessions.number % every == 0)
        .order_by(sessions.number)
        .limit(PAGE)
    ).all()
    steps = _steps_of(connection, [row.number for row in found])
    return [(row, steps[row.number]) for row in found]
