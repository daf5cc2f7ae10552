"""``croupier backup`` and ``croupier store`` at the command line."""

import asyncio
import json
import re
import sqlite3

import pytest
from playing import GAMES, after, end_of, played

from croupier_service.store import main
from croupier_service.store.address import StoreAddress
from croupier_service.store.opening import open_store


def fill(file, *batches):
    """A store with these batches in it."""

    async def filled():
        store = await open_store(StoreAddress.parse(str(file)), GAMES)
        for batch in batches:
            await store.commit(batch)
        await store.close()

    asyncio.run(filled())


@pytest.fixture
def file(tmp_path):
    """A store with a session that is over, and one that is running."""
    file = tmp_path / "croupier.db"
    fill(file, played("over"), played("running", until=after(7)))
    return file


def spoil(file, command):
    """Damage a store."""
    with sqlite3.connect(file) as connection:
        assert connection.execute(command).rowcount == 1
    connection.close()


def check(file, capsys, *words):
    """Exit code and report."""
    code = main.store(["check", "--store", str(file), "--format", "json", *words])
    return code, json.loads(capsys.readouterr().out)


# check


def test_a_sound_store_is_said_to_be(file, capsys):
    code, report = check(file, capsys)
    assert code == 0
    assert report == {
        "store": str(file),
        "sound": True,
        "findings": [],
        "running": 1,
        "finished": 1,
        "aborted": 0,
        "proven": 1,
    }


def test_people_are_told_on_one_line(file, capsys):
    assert main.store(["check", "--store", str(file)]) == 0
    said = capsys.readouterr().out
    assert said == f"{file}: 1 sessions finished (1 proven), 1 running (all replayed), 0 aborted; sound\n"


@pytest.mark.parametrize(
    ("session", "command", "why"),
    [
        ("over", "sessions SET seed = replace(seed, 'a', 'b')", "breaks|claims"),
        ("over", "sessions SET ending = replace(ending, 'points\": [', 'points\": [9')", "claims points"),
        ("over", "sessions SET ending = replace(ending, 'note\": \"', 'note\": \"!')", "not that of the record"),
        ("over", "sessions SET rules_version = 0", "version 0 of the rules"),
        ("over", "sessions SET game = 'whist'", "whist is not installed"),
        ("over", "steps SET lines = replace(lines, 'play ', 'eat ')", r"step \d+ cannot be read"),
        ("over", "steps SET first = 1", "steps 0 to 0 are missing"),
        ("running", "sessions SET seed = replace(seed, 'a', 'b')", r"step \d+ of 7 does not follow"),
        ("running", "sessions SET bots = '?'", "opening cannot be read"),
        ("running", "sessions SET game = 'whist'", "whist is not installed"),
        ("running", "log SET lines = substr(lines, 1 + instr(lines, char(10)))", "steps 0 to 0 are missing"),
        ("", "steps SET session = 77", "a row of steps belongs to no sessions"),
    ],
)
def test_what_is_damaged_is_found_and_named(file, capsys, session, command, why):
    of = f" WHERE id = '{session}'" if command.startswith("sessions") else ""
    spoil(file, f"UPDATE {command}{of}")
    code, report = check(file, capsys)
    assert code == 1
    assert not report["sound"]
    found = [finding for finding in report["findings"] if finding["session"] == session]
    assert found
    assert any(re.search(why, finding["what"]) for finding in found), found


def test_a_damaged_page_is_found(file, capsys):
    data = bytearray(file.read_bytes())
    place = data.index(b"play ")
    page = place // 4096 * 4096
    data[page : page + 64] = b"\xff" * 64
    file.write_bytes(data)
    code = main.store(["check", "--store", str(file)])
    said = capsys.readouterr()
    assert code == 1
    assert "malformed" in said.out + said.err or "NOT SOUND" in said.out


def test_a_session_that_was_set_aside_is_listed_and_the_store_is_sound(file, capsys):
    async def set_aside():
        store = await open_store(StoreAddress.parse(str(file)), GAMES)
        assert [one.session_id async for one in store.unfinished()] == ["running"]
        await store.set_aside("running", "the cat sat on it", 1.0)
        await store.close()

    asyncio.run(set_aside())
    code, report = check(file, capsys)
    assert code == 0
    assert report["findings"] == [{"session": "running", "what": "was set aside: the cat sat on it", "grave": False}]
    assert (report["running"], report["aborted"]) == (0, 1)


def test_of_many_sessions_a_sample_is_proven_or_all(tmp_path, capsys):
    file = tmp_path / "croupier.db"
    fill(file, *(played(f"{number}") for number in range(10)))
    assert check(file, capsys, "--sample", "3")[1]["proven"] == 3
    assert check(file, capsys, "--sample", "0")[1]["proven"] == 10
    assert check(file, capsys)[1]["proven"] == 10


def test_a_store_can_be_checked_while_a_server_has_it(file, capsys):
    async def checked():
        store = await open_store(StoreAddress.parse(str(file)), GAMES)
        code = await asyncio.to_thread(main.store, ["check", "--store", str(file)])
        await store.close()
        return code

    assert asyncio.run(checked()) == 0


@pytest.mark.parametrize("command", [["check"], ["upgrade"]])
def test_what_is_in_memory_cannot_be_looked_at(command, capsys):
    assert main.store([*command, "--store", "memory:"]) == 2
    assert "gone with its server" in " ".join(capsys.readouterr().err.split())


def test_a_store_that_is_not_there_is_not_made(tmp_path, capsys):
    file = tmp_path / "croupier.db"
    assert main.store(["check", "--store", str(file)]) == 1
    assert f"there is no store {file}" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# upgrade


def test_an_empty_place_is_brought_to_the_schema_of_today_and_stays_there(tmp_path, capsys):
    file = tmp_path / "croupier.db"
    assert main.store(["upgrade", "--store", str(file), "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {"store": str(file), "before": None, "now": said["now"]}
    assert main.store(["upgrade", "--store", str(file)]) == 0
    assert f"is up to date: its schema is {said['now']}" in capsys.readouterr().out


def test_a_newer_store_is_refused(file, capsys):
    spoil(file, "UPDATE alembic_version SET version_num = '9999'")
    for command in ("check", "upgrade"):
        assert main.store([command, "--store", str(file)]) == 1
        assert "written by a newer Croupier" in capsys.readouterr().err


def test_a_store_is_not_upgraded_under_a_server(file, capsys):
    async def tried():
        store = await open_store(StoreAddress.parse(str(file)), GAMES)
        code = await asyncio.to_thread(main.store, ["upgrade", "--store", str(file)])
        await store.close()
        return code

    assert asyncio.run(tried()) == 1
    assert "in use by another server" in capsys.readouterr().err


# backup


def test_a_backup_is_the_store_at_one_moment_while_a_server_writes_on(file, tmp_path, capsys):
    copy = tmp_path / "copy.db"

    async def copied():
        store = await open_store(StoreAddress.parse(str(file)), GAMES)
        await store.commit(played("before"))
        copying = asyncio.create_task(
            asyncio.to_thread(main.backup, ["--store", str(file), "--to", str(copy), "--format", "json"])
        )
        number = 0
        while not copying.done():
            await store.commit(played(f"meanwhile {number}"))
            number += 1
        await store.close()
        return await copying

    assert asyncio.run(copied()) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {"store": str(file), "to": str(copy), "bytes": copy.stat().st_size}
    code, report = check(copy, capsys, "--sample", "0")
    assert (code, report["running"]) == (0, 1)
    assert report["finished"] >= 2

    async def loaded():
        store = await open_store(StoreAddress.parse(str(copy)), GAMES)
        kept = await store.load("before")
        await store.close()
        return kept

    assert asyncio.run(loaded()) == end_of(played("before"))


def test_a_backup_overwrites_nothing(file, tmp_path, capsys):
    copy = tmp_path / "copy.db"
    copy.write_text("precious")
    assert main.backup(["--store", str(file), "--to", str(copy)]) == 1
    assert "exists already" in capsys.readouterr().err
    assert copy.read_text() == "precious"


def test_a_backup_that_fails_leaves_nothing_behind(file, tmp_path, capsys):
    file.write_text("this is not a database, " * 1000)
    assert main.backup(["--store", str(file), "--to", str(tmp_path / "copy.db")]) == 1
    assert "cannot copy" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == []


def test_a_backup_of_nothing_is_refused(tmp_path, capsys):
    assert main.backup(["--store", str(tmp_path / "nowhere.db"), "--to", str(tmp_path / "copy.db")]) == 1
    assert "there is no store" in capsys.readouterr().err


def test_for_postgresql_its_own_tool_is_named_without_the_password(tmp_path, capsys):
    code = main.backup(["--store", "postgresql://ann:secret@db/croupier", "--to", str(tmp_path / "copy")])
    said = " ".join(capsys.readouterr().err.replace("│", "").split())
    assert code == 2
    assert "pg_dump --format=custom" in said
    assert "secret" not in said
