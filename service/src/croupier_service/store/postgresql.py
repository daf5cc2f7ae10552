"""PostgreSQL by URL. One connection writes and holds the lock; a few others read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from itertools import chain, repeat
from typing import TypeVar

import structlog
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from .address import StoreAddress, StoreError

log = structlog.get_logger("croupier.store")

T = TypeVar("T")
READERS = 4
LOCK = 0x63726F7570696572
"""The advisory lock of a database's one server ("croupier")."""
LOCK_PATIENCE_S = 3.0
"""How long to try for the lock: the connection of a server that was killed may outlive it by a moment."""
PATIENCE_S = 60.0
"""How long a database may be away until its server gives up."""
PAUSES_S = (0.1, 0.2, 0.5, 1.0, 2.0)
"""Between tries to reach it; the last one again and again."""


class _Unreachable(Exception):
    """The database is not there, or not there for us: it may be worth another try."""


class PostgresqlDatabase:
    """See the module.

    The lock lives as long as the connection that writes. So a server which has lost the database cannot write into it
    once another one has taken over: it would have to get the lock again first.
    """

    def __init__(
        self, address: StoreAddress, *, writing: bool, beside: bool = False, patience_s: float = PATIENCE_S
    ) -> None:
        """``beside``: without the lock of a database's one server. Raises StoreError where the driver is missing."""
        if find_spec("asyncpg") is None:
            raise StoreError("PostgreSQL needs a driver: pip install 'croupier-service[postgresql]'")
        assert address.url is not None
        self._address = address
        self._writing = writing
        self._locks = not beside
        self._patience_s = patience_s
        self._engine = create_async_engine(address.url, pool_size=READERS + 1)
        self._writer: AsyncConnection | None = None
        self._one_at_a_time = asyncio.Lock()
        self._reached = False
        """Whether it has ever been: a wrong address is not worth a second try."""

    def __str__(self) -> str:
        return str(self._address)

    async def write(self, work: Callable[[Connection], T]) -> T:
        assert self._writing, "opened for reading"
        async with self._one_at_a_time:
            return await self._try_again(lambda: self._write(work))

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._try_again(lambda: self._read(work))

    async def close(self) -> None:
        await self._drop_writer()
        await self._engine.dispose()

    async def _write(self, work: Callable[[Connection], T]) -> T:
        if self._writer is None:
            self._writer = await self._connect(lock=self._locks)
        try:
            return await self._transact(self._writer, work)
        except StoreError:
            raise
        except BaseException:  # a cancelled one as well: SQLAlchemy would connect again by itself, without the lock
            await self._drop_writer()
            raise

    async def _read(self, work: Callable[[Connection], T]) -> T:
        connection = await self._connect(lock=False)
        try:
            connection = await connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            return await self._transact(connection, work)
        finally:
            await connection.close()

    async def _transact(self, connection: AsyncConnection, work: Callable[[Connection], T]) -> T:
        try:
            async with connection.begin():
                return await connection.run_sync(work)
        except DBAPIError as error:
            if error.connection_invalidated:
                raise _Unreachable(str(error.orig)) from error
            raise StoreError(f"the store {self} cannot be used: {error.orig}") from error
        except OSError as error:
            raise _Unreachable(str(error)) from error

    async def _connect(self, *, lock: bool) -> AsyncConnection:
        try:
            connection = await self._engine.connect()
            if lock:
                try:
                    await self._lock(connection)
                except BaseException:
                    await connection.close()
                    raise
        except (OSError, SQLAlchemyError) as error:
            raise _Unreachable(str(getattr(error, "orig", error))) from error
        self._reached = True
        return connection

    async def _lock(self, connection: AsyncConnection) -> None:
        loop = asyncio.get_running_loop()
        give_up = loop.time() + LOCK_PATIENCE_S
        while True:
            async with connection.begin():
                await connection.execute(text("SET synchronous_commit = on"))
                if await connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": LOCK}):
                    return
            if loop.time() > give_up:
                raise _Unreachable("it is in use by another server; stop it, or give this one another database")
            await asyncio.sleep(PAUSES_S[0])

    async def _drop_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            await writer.invalidate()  # not back into the pool: it has the lock
            await writer.close()

    async def _try_again(self, once: Callable[[], Awaitable[T]]) -> T:
        """Try until it works, or has not worked for too long. Raises StoreError."""
        loop = asyncio.get_running_loop()
        give_up = loop.time() + self._patience_s
        for pause in chain(PAUSES_S, repeat(PAUSES_S[-1])):
            try:
                return await once()
            except _Unreachable as error:
                if not self._reached or loop.time() + pause > give_up:
                    raise StoreError(f"the store {self} cannot be reached: {error}") from error
                log.warning("the store cannot be reached; trying again", store=str(self), after_s=pause, why=str(error))
                await asyncio.sleep(pause)
        raise AssertionError("the pauses have no end")
