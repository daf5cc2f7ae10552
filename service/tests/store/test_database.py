"""A database: migrated, locked, written by one and read by many."""

import asyncio
import os
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from croupier_service.store import postgresql
from croupier_service.store.address import StoreAddress, StoreError
from croupier_service.store.database import open_database
from croupier_service.store.migrating import revision, upgrade
from croupier_service.store.schema import METADATA, REVISION


@pytest.fixture
async def database(address):
    opened = await open_database(address)
    yield opened
    await opened.close()


def put(number, lines=""):
    return lambda connection: connection.execute(
        text("INSERT INTO log (number, lines) VALUES (:number, :lines)"), {"number": number, "lines": lines}
    )


def count(connection):
    return connection.scalar(text("SELECT count(*) FROM log"))


async def test_the_migrations_make_the_tables_of_the_schema(database):
    def differences(connection):
        return compare_metadata(MigrationContext.configure(connection), METADATA)

    assert await database.read(differences) == []


async def test_a_fresh_database_has_the_newest_revision_and_stays_as_it_is_when_opened_again(address):
    first = await open_database(address)
    assert await first.read(revision) == REVISION
    await first.write(put(1))
    await first.close()
    second = await open_database(address)
    assert await second.write(upgrade) == REVISION
    assert await second.read(count) == 1
    await second.close()


async def test_a_database_of_a_newer_version_is_refused_and_not_touched(address):
    database = await open_database(address)
    await database.write(lambda connection: connection.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    await database.close()
    for writing in (True, False):
        with pytest.raises(StoreError, match=r"written by a newer Croupier .its schema is 9999"):
            await open_database(address, writing=writing)


async def test_what_fails_is_undone_as_a_whole(database):
    def work(connection):
        put(1)(connection)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await database.write(work)
    assert await database.read(count) == 0
    await database.write(put(1))
    assert await database.read(count) == 1


async def test_reading_cannot_write(database):
    with pytest.raises(StoreError, match=r"(?i)read-?\s?only"):
        await database.read(put(1))
    assert await database.read(count) == 0


async def test_a_second_server_is_refused_while_the_first_one_lives(address, monkeypatch):
    monkeypatch.setattr(postgresql, "LOCK_PATIENCE_S", 0.2)
    first = await open_database(address)
    with pytest.raises(StoreError, match="in use by another server"):
        await open_database(address)
    await first.write(put(1))  # and the first one does not mind
    await first.close()
    second = await open_database(address)
    assert await second.read(count) == 1
    await second.close()


async def test_others_can_read_while_a_server_is_at_work(address, database):
    await database.write(put(1))
    reader = await open_database(address, writing=False)
    assert await reader.read(count) == 1
    await reader.close()


async def test_nothing_is_made_where_there_is_nothing_to_read(address):
    with pytest.raises(StoreError, match=r"there is no store|the store is empty"):
        await open_database(address, writing=False)
    assert address.file is None or not address.file.exists()


async def test_a_lost_connection_to_postgresql_is_made_again_and_nothing_is_written_twice(postgresql_address):
    database = await open_database(postgresql_address)
    await database.write(put(1))
    killer = await open_database(postgresql_address, writing=False)
    kill = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    await killer.read(lambda connection: connection.execute(kill))
    await database.write(put(2))
    assert await database.read(count) == 2
    await killer.close()
    await database.close()


async def cancelled_write(database):
    """Give up a write while PostgreSQL is at work on it."""
    sleep = text("SELECT pg_sleep(60)")
    asleep = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
    writing = asyncio.create_task(database.write(lambda connection: connection.execute(sleep)))
    while not await database.read(lambda connection: connection.scalar(asleep)):
        pass
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing


async def test_what_is_written_after_a_cancelled_write_is_written_under_the_lock(postgresql_address):
    database = await open_database(postgresql_address)
    await cancelled_write(database)
    own = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
    assert await database.write(lambda connection: connection.scalar(own)) == 1
    await database.close()


async def test_a_server_whose_write_was_cancelled_writes_nothing_once_another_one_has_the_lock(
    postgresql_address, monkeypatch
):
    first = await open_database(postgresql_address)
    monkeypatch.setattr(first, "_patience_s", 0.0)
    await cancelled_write(first)
    second = await open_database(postgresql_address)
    monkeypatch.setattr(postgresql, "LOCK_PATIENCE_S", 0.0)
    with pytest.raises(StoreError, match="in use by another server"):
        await first.write(put(1))
    await second.write(put(2))
    await second.close()
    await first.write(put(3))
    assert await first.read(count) == 2
    await first.close()


async def test_a_postgresql_server_that_is_not_there_is_said_at_once():
    address = StoreAddress.parse("postgresql://ann:secret@127.0.0.1:1/croupier")
    with pytest.raises(StoreError, match=r"postgresql://ann:\*\*\*@127.0.0.1:1/croupier cannot be reached") as error:
        await open_database(address)
    assert "secret" not in str(error.value)


async def test_a_file_that_is_no_database_is_said_to_be_none(tmp_path):
    file = tmp_path / "croupier.db"
    file.write_text("this is not a database, " * 100)
    with pytest.raises(StoreError, match="file is not a database"):
        await open_database(StoreAddress(file=file))


async def test_a_connection_that_outlives_its_killed_server_for_a_moment_is_waited_for(postgresql_address):
    first = await open_database(postgresql_address)
    opening = asyncio.create_task(open_database(postgresql_address))
    await asyncio.sleep(0)
    assert not opening.done()
    await first.close()
    second = await opening
    assert await second.read(revision) == REVISION
    await second.close()


async def test_nobody_else_may_read_the_file(tmp_path):
    database = await open_database(StoreAddress(file=tmp_path / "croupier.db"))
    await database.write(put(1))
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    await database.close()
    assert "croupier.db-wal" in modes
    assert set(modes.values()) == {0o600}


async def test_a_second_server_is_refused_by_whatever_name_it_calls_the_file(tmp_path):
    first = await open_database(StoreAddress.parse(str(tmp_path / "a.db")))
    (tmp_path / "soft.db").symlink_to(tmp_path / "a.db")
    with pytest.raises(StoreError, match="in use by another server"):
        await open_database(StoreAddress.parse(str(tmp_path / "soft.db")))
    await first.close()
    (tmp_path / "hard.db").hardlink_to(tmp_path / "a.db")
    for name in ("hard.db", "a.db"):
        with pytest.raises(StoreError, match="has another name, a hard link"):
            await open_database(StoreAddress.parse(str(tmp_path / name)))
    (tmp_path / "hard.db").unlink()
    await (await open_database(StoreAddress.parse(str(tmp_path / "soft.db")))).close()


async def test_a_file_that_may_not_be_written_is_said_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # root may write everything
    with pytest.raises(StoreError, match="may not be written"):
        await open_database(StoreAddress.parse(str(tmp_path / "a.db")))
    monkeypatch.undo()
    await (await open_database(StoreAddress.parse(str(tmp_path / "a.db")))).close()  # nothing is left locked


async def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(StoreError, match=f"there is no folder {tmp_path / 'nowhere'}"):
        await open_database(StoreAddress(file=tmp_path / "nowhere" / "croupier.db"))


async def test_the_file_survives_a_loss_of_power(tmp_path):
    database = await open_database(StoreAddress(file=tmp_path / "croupier.db"))
    mode = await database.write(lambda connection: connection.scalar(text("PRAGMA journal_mode")))
    synchronous = await database.write(lambda connection: connection.scalar(text("PRAGMA synchronous")))
    await database.close()
    assert (mode, synchronous) == ("wal", 2)


@pytest.mark.parametrize(
    ("text_", "shown"),
    [
        ("memory:", "memory:"),
        ("games/croupier.db", "games/croupier.db"),
        ("sqlite:///croupier.db", "croupier.db"),
        ("sqlite:////var/lib/croupier.db", "/var/lib/croupier.db"),
        ("postgresql://ann@db/croupier", "postgresql://ann@db/croupier"),
        ("postgres://ann:secret@db:5433/croupier", "postgresql://ann:***@db:5433/croupier"),
        ("postgresql+asyncpg://db/croupier", "postgresql://db/croupier"),
    ],
)
def test_an_address_is_read_and_shown_without_its_password(text_, shown):
    assert str(StoreAddress.parse(text_)) == shown


@pytest.mark.parametrize(
    ("text_", "message"),
    [
        ("", "a store is memory:, a file"),
        (":memory:", "a store is memory:, a file"),
        ("sqlite://", "say memory:"),
        ("sqlite:///:memory:", "say memory:"),
        ("mysql://db/croupier", "not mysql"),
        ("postgresql://ann:secret@db", "names a database"),
        ("postgresql://ann:secret@db:port/croupier", "not a URL that can be read"),
    ],
)
def test_an_address_that_is_none_is_refused_with_what_would_be_right(text_, message):
    with pytest.raises(StoreError, match=message) as error:
        StoreAddress.parse(text_)
    assert "secret" not in str(error.value)


def test_a_home_folder_may_be_meant():
    assert StoreAddress.parse("~/croupier.db").file == Path.home() / "croupier.db"
