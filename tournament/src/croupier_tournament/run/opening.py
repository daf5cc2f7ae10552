"""Opening a ledger: a SQLite file or a PostgreSQL database."""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event, insert, inspect, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from croupier_tournament.run import tables
from croupier_tournament.run.ledger import Ledger, LedgerError


async def open_ledger(url: str, *, new: bool = False) -> Ledger:
    """Open a ledger; its tables are made where there are none.

    Args:
        url: a database URL: `sqlite+aiosqlite:///...` or `postgresql+asyncpg://...`; the driver may be left out.
        new: whether a SQLite file that is not there yet is made.

    Raises:
        LedgerError: there is none, it is of another version, or the database cannot be reached.
    """
    try:
        engine = _engine(url, new=new)
        async with engine.begin() as connection:
            found = await connection.run_sync(_version)
            if found is None:
                await connection.run_sync(tables.metadata.create_all)
                await connection.execute(insert(tables.about).values(version=tables.VERSION))
    except (SQLAlchemyError, OSError) as error:
        raise LedgerError(f"the ledger {_shown(url)} cannot be opened: {_reason(error)}") from error
    if found not in (None, tables.VERSION):
        await engine.dispose()
        raise LedgerError(
            f"the ledger {_shown(url)} is of version {found}; this program reads version {tables.VERSION}: "
            "use the version of the program that has made it"
        )
    return Ledger(engine)


def _engine(url: str, *, new: bool) -> AsyncEngine:
    try:
        parsed = make_url(url)
        driver = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}
        parsed = parsed.set(drivername=driver.get(parsed.drivername, parsed.drivername))
        if parsed.drivername not in driver.values():
            raise LedgerError(f"a ledger is a sqlite or postgresql database, not {parsed.drivername}")
        if parsed.drivername == "sqlite+aiosqlite":
            path = Path(parsed.database or "")
            if not new and not path.exists():
                raise LedgerError(f"there is no ledger {path}")
            if not path.exists():
                path.touch(mode=0o600)  # the secret is in it until the tournament is over
            engine = create_async_engine(parsed)
            event.listen(engine.sync_engine, "connect", _prepare_sqlite)
            return engine
        return create_async_engine(parsed, pool_size=4, max_overflow=2)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise LedgerError(
            f"{_shown(url)} is no database URL that can be used here ({error}); write "
            "postgresql+asyncpg://user:password@host/database, and install croupier-tournament[postgresql]"
        ) from error


def _prepare_sqlite(connection: Any, _entry: ConnectionPoolEntry) -> None:  # noqa: ANN401 -- the driver's own
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=10000", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _version(connection: Connection) -> int | None:
    if not inspect(connection).has_table(tables.about.name):
        return None
    return connection.scalar(select(tables.about.c.version))


def _shown(url: str) -> str:
    """The URL without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return repr(url)


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]
