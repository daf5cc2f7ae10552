"""SQLite: the embedded store, a file in WAL mode. One thread writes, others read."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from sqlite3 import Connection as DriverConnection
from typing import TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from .address import StoreError

T = TypeVar("T")
READERS = 4
PRIVATE = 0o600
"""What others may do with the files: nothing. The seeds of running games are in them."""
BUSY_S = 10.0
"""How long to wait for somebody else's lock, such as a database browser's."""


class SqliteDatabase:
    """See the module.

    ``synchronous=FULL``: what was committed survives a loss of power. Work is done with threads of its own, so that one
    hop from the event loop is enough for a whole transaction.
    """

    def __init__(self, file: Path, *, writing: bool, beside: bool = False) -> None:
        """``beside``: without the lock of a database's one server.

        Raises StoreError: another server uses it; it cannot be read, or (``writing``) made or written.
        """
        self._file = file
        if not writing and not file.exists():
            raise StoreError(f"there is no store {file}")
        if not file.absolute().parent.is_dir():
            raise StoreError(f"cannot make the store {file}: there is no folder {file.absolute().parent}")
        self._lock = _lock(file.resolve()) if writing and not beside else None
        if writing and not file.exists():
            os.close(os.open(file, os.O_CREAT | os.O_CLOEXEC, PRIVATE))
        if writing and not os.access(file, os.W_OK):
            self._unlock()
            raise StoreError(
                f"the store {file} may not be written: its owner or its mode is another than the server needs"
            )
        if writing and file.stat().st_nlink > 1:
            self._unlock()
            raise StoreError(
                f"the store {file} has another name, a hard link, by which another server could use it: remove that"
            )
        self._writer = _engine(file, writing=True) if writing else None
        self._reader = _engine(file, writing=False)
        self._write_thread = ThreadPoolExecutor(1, "store-writer")
        self._read_threads = ThreadPoolExecutor(READERS, "store-reader")

    def __str__(self) -> str:
        return str(self._file)

    async def write(self, work: Callable[[Connection], T]) -> T:
        assert self._writer is not None, "opened for reading"
        return await asyncio.get_running_loop().run_in_executor(self._write_thread, self._transact, self._writer, work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._read_threads, self._transact, self._reader, work)

    async def close(self) -> None:
        await asyncio.to_thread(self._write_thread.shutdown)
        await asyncio.to_thread(self._read_threads.shutdown)
        self._reader.dispose()
        if self._writer is not None:
            self._writer.dispose()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _transact(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        try:
            with engine.begin() as connection:
                return work(connection)
        except DBAPIError as error:
            raise StoreError(f"the store {self._file} cannot be used: {error.orig}") from error


def _engine(file: Path, *, writing: bool) -> Engine:
    engine = create_engine(
        f"sqlite:///{file}",
        connect_args={"timeout": BUSY_S, "check_same_thread": False},
        poolclass=QueuePool,
        pool_size=1 if writing else READERS,
    )

    @event.listens_for(engine, "connect")
    def connected(driver: DriverConnection, _: object) -> None:
        driver.isolation_level = None  # transactions begin where we say so, not where the driver thinks best
        if writing:
            driver.execute("PRAGMA journal_mode = WAL")
            driver.execute("PRAGMA synchronous = FULL")
            driver.execute("PRAGMA foreign_keys = ON")
        else:
            driver.execute("PRAGMA query_only = ON")

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _lock(file: Path) -> int:
    """Lock a file beside the database, for as long as the process lives: SQLite's own locks must let readers in.

    The database by its own name, not by one of a link to it.

    Returns its descriptor. Raises StoreError when another process has it.
    """
    beside = file.with_name(f"{file.name}-lock")
    try:
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
    except OSError as error:
        raise StoreError(f"cannot write in the folder of the store {file}: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.read(descriptor, 100).decode("utf-8", "replace").strip()
        os.close(descriptor)
        raise StoreError(
            f"the store {file} is in use by another server{f' (process {holder})' if holder else ''}; "
            "stop it, or give this one a store of its own"
        ) from None
    os.truncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode())
    return descriptor
