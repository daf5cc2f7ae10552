"""What every store of identities does, in memory and in databases."""

import sqlite3
from dataclasses import replace

import pytest

from croupier_service.identity.registry import Identities, Identity
from croupier_service.identity.roles import Role
from croupier_service.store.address import StoreAddress, StoreError
from croupier_service.store.database import open_database
from croupier_service.store.identities import SqlIdentities
from croupier_service.store.memory import MemoryIdentities

ANN = Identity("ann", Role.BOT, b"a" * 32, 1.5, 2.5, 3.5)
BOB = Identity("bob", Role.OPERATOR, b"b" * 32, 10.0, 10.0)


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def place(request, tmp_path):
    if request.param == "postgresql":
        return request.getfixturevalue("postgresql_address")
    return StoreAddress(file=tmp_path / "croupier.db" if request.param == "sqlite" else None)


@pytest.fixture
async def store(place):
    if place == StoreAddress():
        yield MemoryIdentities()
        return
    database = await open_database(place)
    yield SqlIdentities(database)
    await database.close()


async def test_what_was_kept_comes_back(store):
    assert await store.add(ANN) is None
    assert await store.add(BOB) is None
    assert await store.by_token(ANN.token_hash) == ANN
    assert await store.by_token(b"c" * 32) is None
    assert sorted(await store.by_name(["bob", "ann", "cat"]), key=lambda one: one.name) == [ANN, BOB]
    assert await store.by_name([]) == []


async def test_a_name_and_a_request_are_there_once(store):
    first = replace(ANN, request_id="one")
    assert await store.add(first) is None
    there = await store.add(replace(BOB, name="ann"))
    assert (there.name, there.token_hash) == ("ann", ANN.token_hash)
    there = await store.add(replace(BOB, request_id="one"))
    assert (there.name, there.request_id) == ("ann", "one")
    assert (await store.add(replace(BOB, name="ann", request_id="two"))).request_id != "two"
    assert await store.by_name(["bob"]) == []
    assert await store.add(BOB) is None
    assert await store.add(replace(BOB, name="cat", token_hash=b"c" * 32)) is None  # neither has a request id


async def test_a_new_token_takes_the_place_of_the_old_one(store):
    await store.add(ANN)
    await store.seen({"ann": 7.0})
    assert await store.replace_token(replace(ANN, token_hash=b"n" * 32, issued_at=5.0, expires_at=None))
    assert await store.by_token(ANN.token_hash) is None
    found = await store.by_token(b"n" * 32)
    assert (found.issued_at, found.expires_at, found.created_at, found.last_seen_at) == (5.0, None, 1.5, 7.0)
    assert not await store.replace_token(BOB)


async def test_what_was_removed_is_gone(store):
    await store.add(ANN)
    assert await store.remove("ann")
    assert not await store.remove("ann")
    assert await store.by_token(ANN.token_hash) is None
    assert await store.add(ANN) is None


async def test_pages_go_by_name(store):
    for number in range(5):
        await store.add(replace(ANN, name=f"n{number}", token_hash=bytes([number] * 32)))
    assert [one.name for one in await store.page("", 2)] == ["n0", "n1"]
    assert [one.name for one in await store.page("n1", 9)] == ["n2", "n3", "n4"]
    assert await store.page("n4", 9) == []


async def test_when_somebody_was_seen_is_kept_and_ghosts_are_ignored(store):
    await store.add(ANN)
    await store.add(BOB)
    await store.seen({"ann": 9.0, "ghost": 1.0})
    assert {one.name: one.last_seen_at for one in await store.page("", 9)} == {"ann": 9.0, "bob": None}


async def test_many_names_at_once(store):
    await store.add(ANN)
    names = ["ann", *(f"bot-{number}" for number in range(1200))]
    assert await store.by_name(names) == [ANN]


# Databases.


async def test_no_token_is_in_the_file(tmp_path):
    file = tmp_path / "croupier.db"
    database = await open_database(StoreAddress(file=file))
    _, token = await Identities(SqlIdentities(database)).create("ann", Role.BOT)
    await database.close()
    stored = file.read_bytes()
    assert b"ann" in stored
    for part in (token, token[-64:], token[-32:]):
        assert part.encode() not in stored


async def test_what_was_kept_twice_because_the_connection_broke_is_no_conflict(address):
    database = await open_database(address)
    store = SqlIdentities(database)
    assert await store.add(ANN) is None
    assert await store.add(ANN) is None
    await database.close()


async def test_what_was_removed_twice_because_the_connection_broke_was_there(address, monkeypatch):
    database = await open_database(address)
    store = SqlIdentities(database)
    await store.add(ANN)
    write = database.write

    async def write_twice(work):
        await write(work)
        return await write(work)

    monkeypatch.setattr(database, "write", write_twice)
    assert await store.remove("ann")
    assert not await store.remove("ann")
    await database.close()


async def test_identities_can_be_made_beside_a_server_that_is_at_work(address):
    server = await open_database(address)
    beside = await open_database(address, beside=True)
    await SqlIdentities(beside).add(ANN)
    assert await SqlIdentities(server).by_token(ANN.token_hash) == ANN
    await SqlIdentities(server).add(BOB)
    await beside.close()
    await server.close()


async def test_identities_can_be_made_before_there_has_been_a_server(address):
    beside = await open_database(address, beside=True)
    await SqlIdentities(beside).add(ANN)
    server = await open_database(address)  # it is not locked out either
    assert await SqlIdentities(server).by_token(ANN.token_hash) == ANN
    await server.close()
    await beside.close()


async def test_an_older_store_is_not_brought_up_to_date_beside_its_server(tmp_path):
    file = tmp_path / "croupier.db"
    await (await open_database(StoreAddress(file=file))).close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    connection.close()
    with pytest.raises(StoreError, match="croupier store upgrade"):
        await open_database(StoreAddress(file=file), beside=True)
