"""A database in use: one writer, several readers, off the event loop.

What is done in it are functions of a SQLAlchemy ``Connection``, the same for SQLite (run in threads) and for PostgreSQL
(run over asyncpg). A database has one server at a time: whoever opens it for writing locks it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy import Connection

from .address import StoreAddress, StoreError
from .migrating import revision, upgrade
from .schema import REVISION
from .sqlite import SqliteDatabase

T = TypeVar("T")


class Database(Protocol):
    """An open database; its name for people is ``str(database)``."""

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Do this in a transaction, after all earlier ones; when it returns, it is safe.

        Where the connection breaks, it is done again over a new one: so ``work`` must do no harm when it is done twice.
        Raises StoreError where the database cannot be reached, or another server has taken it over.
        """

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Do this in a transaction of its own, beside the writer; it cannot write. Raises StoreError."""

    async def close(self) -> None:
        """Let go of it."""


async def open_database(address: StoreAddress, *, writing: bool = True, beside: bool = False) -> Database:
    """Open a database, and bring it to this version's schema; a file that is not there is made.

    Not ``writing``: it is not locked (a server may be at work in it), not made, and not changed.
    ``beside``: it is not locked either, but written; only an empty one is brought to the schema.
    Raises StoreError: it cannot be reached, is in use, is newer than this version, or (not ``writing``, or ``beside``)
    older.
    """
    database = _open(address, writing=writing, beside=beside)
    try:
        if writing and not beside:
            await database.write(upgrade)
        elif writing:
            await database.write(_upgrade_if_empty)
        else:
            await database.read(_require_newest)
    except BaseException:
        await database.close()
        raise
    return database


def _upgrade_if_empty(connection: Connection) -> None:
    if revision(connection) is None:
        upgrade(connection)
    else:
        _require_newest(connection)


async def upgrade_database(address: StoreAddress) -> str | None:
    """Bring a database to this version's schema; returns the revision from before, None: it was empty.

    Raises StoreError as ``open_database`` does.
    """
    database = _open(address, writing=True)
    try:
        return await database.write(upgrade)
    finally:
        await database.close()


def _open(address: StoreAddress, *, writing: bool, beside: bool = False) -> Database:
    if address.file is not None:
        return SqliteDatabase(address.file, writing=writing, beside=beside)
    if address.url is not None:
        from .postgresql import PostgresqlDatabase  # noqa: PLC0415 - asyncio's side of SQLAlchemy takes time to load

        return PostgresqlDatabase(address, writing=writing, beside=beside)
    raise StoreError("there is no database in memory")


def _require_newest(connection: Connection) -> None:
    current = revision(connection)
    if current is None:
        raise StoreError("the store is empty: no server has used it yet")
    if current != REVISION:
        raise StoreError(
            f"the store has the schema {current}, this version needs {REVISION}: run `croupier store upgrade`"
        )
