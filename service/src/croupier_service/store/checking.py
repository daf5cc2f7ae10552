"""Whether a store is sound: its pages, its unfinished sessions, the records of the finished ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection, func, select, text

from croupier_games.kernel import Game, RecordError, verify
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.journal import Unreadable
from croupier_service.sessions.recovery import Lost, restore
from croupier_service.sessions.services import Services

from . import schema
from .database import Database
from .sql import archived_from, everything_logged, finished_page, running_page, unfinished_from

Games = Mapping[str, Game[Any, Any, Any]]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong, or that an operator should know."""

    session: str
    """Empty: it is the store as a whole."""
    what: str
    grave: bool = True
    """Whether the store is not sound because of it."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a store holds."""

    running: int
    finished: int
    aborted: int


async def contents(database: Database) -> Contents:
    """How many sessions there are. Raises StoreError."""
    state = schema.sessions.c.state
    counting = select(state, func.count()).group_by(state)
    rows = await database.read(lambda connection: connection.execute(counting).all())
    counts = {SessionState(number): count for number, count in rows}
    return Contents(*(counts.get(one, 0) for one in SessionState))


async def check_pages(database: Database) -> list[Finding]:
    """What SQLite itself finds; PostgreSQL sees to its pages alone. Raises StoreError."""

    def work(connection: Connection) -> list[Finding]:
        if connection.dialect.name != "sqlite":
            return []
        said = [row[0] for row in connection.execute(text("PRAGMA integrity_check"))]
        torn = connection.execute(text("PRAGMA foreign_key_check"))
        said += [f"a row of {row[0]} belongs to no {row[2]}" for row in torn]
        return [Finding("", one) for one in said if one != "ok"]

    return await database.read(work)


async def check_set_aside(database: Database) -> list[Finding]:
    """The sessions that a server could not go on with."""
    columns = schema.sessions.c
    aside = select(columns.id, columns.set_aside).where(columns.set_aside.is_not(None)).order_by(columns.number)
    rows = await database.read(lambda connection: connection.execute(aside).all())
    return [Finding(row.id, f"was set aside: {row.set_aside}", grave=False) for row in rows]


async def check_running(
    database: Database, games: Games, services: Services, step: Callable[[], None]
) -> list[Finding]:
    """Play every session that is not over up to where it is. ``step`` is called after each."""
    findings = []
    logged = await database.read(everything_logged)
    after = 0
    while found := await database.read(partial(running_page, after=after)):
        for row, steps in found:
            try:
                restore(unfinished_from(row, logged.pop(row.number, {}) | steps, games), games, services)
            except Lost as lost:
                findings.append(Finding(row.id, f"cannot be gone on with: {lost}"))
            after = row.number
            step()
    return findings


async def check_finished(database: Database, games: Games, every: int, step: Callable[[], None]) -> list[Finding]:
    """Prove the result of every finished session, or of every so manieth. ``step`` is called after each."""
    findings = []
    after = 0
    while found := await database.read(partial(finished_page, after=after, every=every)):
        for row, steps in found:
            findings += [Finding(row.id, what) for what in _unproven(row, steps, games)]
            after = row.number
            step()
    return findings


def _unproven(row: Any, steps: Mapping[int, str], games: Games) -> Iterator[str]:
    try:
        archived = archived_from(row, steps, games)
        game = games[row.game]
        if row.rules_version != game.rules_version:
            yield f"was played by version {row.rules_version} of the rules, which is not installed"
            return
        if verify(archived.record, game) != archived.summary.result:
            yield "the result that is kept is not that of the record"
    except (Unreadable, RecordError) as error:
        yield str(error)
