"""``croupier bot`` on a store. At a server: tests/e2e/test_secure.py."""

import json
import re

import pytest

from croupier_service.identity.main import create, delete, list_, rotate
from croupier_service.identity.registry import Identities
from croupier_service.identity.tokens import TOKEN
from croupier_service.sessions.errors import Unauthenticated
from croupier_service.store.address import StoreAddress
from croupier_service.store.database import open_database
from croupier_service.store.identities import SqlIdentities


@pytest.fixture
def store(tmp_path):
    return str(tmp_path / "croupier.db")


@pytest.fixture
def said(capsys):
    """What was said since the last time: stdout and stderr, without frames and line breaks."""

    def said():
        out, err = capsys.readouterr()
        return out, re.sub(r"[│\s]+", " ", err).strip()

    return said


async def whose(store, token):
    database = await open_database(StoreAddress.parse(store))
    try:
        return await Identities(SqlIdentities(database)).authenticate(token)
    finally:
        await database.close()


async def run(command, *argv):
    """Run a command; it has an event loop of its own."""
    import asyncio

    return await asyncio.to_thread(command, argv)


async def test_the_token_alone_goes_to_stdout_and_works(store, said):
    assert await run(create, "ann", "--role", "operator", "--expires", "30d", "--store", store) == 0
    out, err = said()
    token = out.removesuffix("\n")
    assert TOKEN.fullmatch(token)
    assert re.match(
        r"croupier bot create: created ann \(operator\); the token is good until 20\d\d-\d\d-\d\d \d\d:\d\d UTC", err
    )
    assert token not in err
    ann = await whose(store, token)
    assert (ann.name, ann.role.word, ann.expires_at - ann.issued_at) == ("ann", "operator", 30 * 86_400)


async def test_a_rotated_token_is_replaced_and_a_deleted_one_is_gone(store, said):
    await run(create, "ann", "--store", store)
    old = said()[0].strip()
    assert await run(rotate, "ann", "--store", store) == 0
    new = said()[0].strip()
    assert (await whose(store, new)).name == "ann"
    with pytest.raises(Unauthenticated):
        await whose(store, old)
    assert await run(delete, "ann", "--store", store) == 0
    assert said()[0] == "deleted ann\n"
    with pytest.raises(Unauthenticated):
        await whose(store, new)


async def test_for_programs_there_is_json(store, said):
    assert await run(create, "ann", "--store", store, "--format", "json", "--expires", "1w") == 0
    made = json.loads(said()[0])
    assert TOKEN.fullmatch(made.pop("token"))
    assert await run(list_, "--store", store, "--format", "json") == 0
    assert json.loads(said()[0]) == made
    assert (made["name"], made["role"], made["last_seen"], made["online"]) == ("ann", "bot", None, None)
    assert await run(delete, "ann", "--store", store, "--format", "json") == 0
    assert json.loads(said()[0]) == {"deleted": "ann"}


async def test_the_list_is_a_table_by_name(store, said):
    assert await run(list_, "--store", store) == 0
    assert said() == ("", "croupier bot list: nobody has a token yet; `croupier bot create NAME` makes one")
    for name in ("cat", "ann"):
        await run(create, name, "--store", store)
    said()
    assert await run(list_, "--store", store) == 0
    heads, *rows = said()[0].splitlines()
    assert heads.split() == ["name", "role", "online", "last", "seen", "expires"]
    assert [row.split() for row in rows] == [[name, "bot", "?", "never", "never"] for name in ("ann", "cat")]


@pytest.mark.parametrize(
    ("command", "argv", "says"),
    [
        (create, ["there"], "'there' is there already; for a new token, rotate it"),
        (create, ["No"], "NAME: a name is 1 to 64 characters a-z 0-9 - _ . , not 'No'"),
        (rotate, ["nobody"], "NAME: there is no 'nobody'"),
        (delete, ["nobody"], "NAME: there is no 'nobody'"),
    ],
)
async def test_what_is_refused_is_said_in_one_line(command, argv, says, store, said):
    await run(create, "there", "--store", store)
    said()
    assert await run(command, *argv, "--store", store) == 1
    out, err = said()
    assert out == ""
    assert err.startswith("croupier bot ")
    assert says in err


async def test_a_store_that_cannot_be_is_said_in_one_line(tmp_path, said):
    assert await run(list_, "--store", str(tmp_path / "no" / "folder.db")) == 1
    assert "there is no folder" in said()[1]
    assert await run(create, "ann", "--store", "memory:") == 1
    assert "there is no database in memory" in said()[1]


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ([], "NAME"),
        (["ann", "--role", "king"], "is one of bot, organiser, spectator, operator, not 'king'"),
        (["ann", "--expires", "soon"], "is a number with s, m, h, d or w after it (30d)"),
        (["ann", "--expires", "0d"], "is a number with s, m, h, d or w after it (30d)"),
        (["ann", "--expires", "5300w"], "at most a hundred years"),
        (["ann", "--frobnicate"], "No such option"),
    ],
)
async def test_wrong_usage_is_told_and_exits_with_2(argv, says, said):
    assert await run(create, *argv) == 2
    assert says in said()[1]


@pytest.mark.parametrize("command", [create, list_, rotate, delete])
async def test_help_teaches_and_is_no_error(command, said):
    assert await run(command, "--help") == 0
    out = said()[0]
    assert "Exit codes" in out
    assert command.__doc__.strip().rstrip(".")[:20] in re.sub(r"\s+", " ", out)
