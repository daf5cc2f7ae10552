"""The ledger keeps what it is given, in SQLite and in PostgreSQL alike."""

import asyncio
import sqlite3
import stat
import zlib
from dataclasses import replace

import pytest

from croupier_tournament.plan import GameKey
from croupier_tournament.run.ledger import (
    CANCELLED,
    FINAL,
    LEASED,
    PAUSED,
    REPORTED,
    RUNNING,
    VOID,
    Entry,
    Game,
    LedgerError,
    Mark,
    Recorded,
    Taken,
    Voided,
)
from croupier_tournament.run.opening import open_ledger

ENTRY = Entry("t1", 0, "Spring", {"game": "trades"}, "ab" * 32, 1, bytes(range(32)), RUNNING, 1000.0)
OTHER = Recorded.of("other")


def game(block, replay=0, state=FINAL, **others):
    it = Game(block, replay, state, 0, "me", 1.5, "host:1", ("a", "b"))
    over = {"points": (3, -1), "placings": (1, 2), "forfeited": (False, True), "faults": ({}, {"late": 2})}
    return replace(it, session="s", **over, decisions=(4, 5), charged=(10, 20), ended=2.5, **others)


async def listed(games):
    return [it async for it in games]


@pytest.fixture
async def ledger(ledger_url):
    async with await open_ledger(ledger_url, new=True) as it:
        yield it


@pytest.fixture
async def tournament(ledger):
    await ledger.add(ENTRY, "cd" * 32)
    return ENTRY.id


async def test_a_tournament_comes_out_as_it_went_in(ledger, tournament):
    assert await ledger.entry(tournament) == replace(ENTRY, number=1)
    assert await ledger.entry("t2") is None


async def test_the_same_request_adds_a_tournament_once(ledger):
    first = await ledger.add(replace(ENTRY, request_id="r"), "")
    again = await ledger.add(replace(ENTRY, id="t2", request_id="r"), "")
    assert (again.id, first.number, again.number) == ("t1", 1, 1)


async def test_tournaments_that_are_added_at_once_get_a_number_each(ledger):
    added = await asyncio.gather(*(ledger.add(replace(ENTRY, id=f"t{number}"), "") for number in range(8)))
    assert sorted(entry.number for entry in added) == list(range(1, 9))


async def test_the_same_request_adds_a_tournament_once_though_it_is_made_at_once(ledger):
    entries = [replace(ENTRY, id=f"t{number}", request_id="r") for number in range(8)]
    added = await asyncio.gather(*(ledger.add(entry, "") for entry in entries))
    assert {entry.id for entry in added} == {entry.id for entry in await ledger.entries(9)}
    assert len({entry.id for entry in added}) == 1


async def test_tournaments_are_listed_newest_first(ledger):
    for number in range(5):
        await ledger.add(replace(ENTRY, id=f"t{number}"), "")
    assert [entry.id for entry in await ledger.entries(2)] == ["t4", "t3"]
    assert [entry.id for entry in await ledger.entries(9, before=2)] == ["t0"]


async def test_games_come_out_as_they_went_in_in_the_order_of_the_plan(ledger, tournament):
    games = [game(2), game(0, 1), game(0, 0)]
    await ledger.write(tournament, games)
    assert await listed(ledger.games(tournament)) == [games[2], games[1], games[0]]
    assert await listed(ledger.games(tournament, before_block=2)) == [games[2], games[1]]
    assert await listed(ledger.games(tournament, after=GameKey(0, 0))) == [games[1], games[0]]


async def test_what_is_written_later_replaces_what_was_written_before(ledger, tournament):
    leased = Game(0, 0, LEASED, 0, "me", 1.5, "host:1", ("a", "b"))
    await ledger.write(tournament, [leased])
    assert await listed(ledger.games(tournament, states=(LEASED,))) == [leased]
    await ledger.write(tournament, [game(0)], {GameKey(0, 0): Recorded.of("text")})
    assert await listed(ledger.games(tournament, states=(LEASED, FINAL))) == [game(0)]
    await ledger.write(tournament, (), {GameKey(0, 0): OTHER})
    assert await listed(ledger.records(tournament)) == [(GameKey(0, 0), OTHER.text)]


async def test_only_records_of_final_games_are_given(ledger, tournament):
    games = [game(0), game(1, state=VOID), game(2)]
    await ledger.write(tournament, games, {it.key: Recorded.of(f"{it.block}") for it in games})
    assert [zlib.decompress(text) for _, text in await listed(ledger.records(tournament))] == [b"0", b"2"]
    before = await listed(ledger.records(tournament, before_block=2))
    assert [zlib.decompress(text) for _, text in before] == [b"0"]


async def test_how_a_game_went_is_kept_with_what_each_input_was_charged_and_told_once_it_is_final(ledger, tournament):
    kept = Recorded.of("croupier-record 1\n", (310, 0, 70_000))
    await ledger.write(tournament, [game(0, state=REPORTED)], {GameKey(0, 0): kept})
    assert await ledger.record(tournament, GameKey(0, 0)) is None
    await ledger.write(tournament, [game(0)])
    found = await ledger.record(tournament, GameKey(0, 0))
    assert (found.record(), found.charged_ms()) == ("croupier-record 1\n", [310, 0, 70_000])
    assert await ledger.record(tournament, GameKey(0, 1)) is None


async def test_games_are_read_page_by_page_and_none_is_lost(ledger, tournament, monkeypatch):
    monkeypatch.setattr("croupier_tournament.run.ledger.PAGE", 7)
    keys = [GameKey(block, replay) for block in range(11) for replay in range(3)]
    await ledger.write(tournament, [game(key.block, key.replay) for key in keys], dict.fromkeys(keys, OTHER))
    assert [it.key for it in await listed(ledger.games(tournament))] == keys
    assert [key for key, _ in await listed(ledger.records(tournament))] == keys
    assert await listed(ledger.final_blocks(tournament)) == list(range(11))


async def test_games_are_counted_by_state(ledger, tournament):
    await ledger.write(tournament, [game(0), game(1), game(2, state=REPORTED)])
    assert await ledger.counts(tournament) == {FINAL: 2, REPORTED: 1}


async def test_two_tournaments_in_one_ledger_do_not_mix(ledger, tournament):
    await ledger.add(replace(ENTRY, id="t2"), "")
    await ledger.write(tournament, [game(0)], {GameKey(0, 0): Recorded.of("one")}, [Voided(0, 0, 2, "why", 1.0)])
    await ledger.write("t2", [game(1)], {GameKey(1, 0): OTHER})
    await ledger.mark("t2", "alice", Mark(1))
    assert await listed(ledger.games("t2")) == [game(1)]
    assert [text for _, text in await listed(ledger.records("t2"))] == [OTHER.text]
    assert (await ledger.voids("t2"), await ledger.marks(tournament)) == ([], {})


async def test_voids_are_kept_and_counted(ledger, tournament):
    assert await ledger.voided_games(tournament) == 0
    voids = [Voided(3, 0, 2, "gone", 5.0), Voided(3, 1, 4, "gone again", 6.0)]
    await ledger.write(tournament, voids=voids[:1])
    await ledger.write(tournament, voids=voids[1:])
    assert (await ledger.voids(tournament), await ledger.voided_games(tournament)) == (voids, 6)


async def test_what_is_known_against_entrants_is_kept(ledger, tournament):
    await ledger.mark(tournament, "bob", Mark(1))
    await ledger.mark(tournament, "bob", Mark(2, "too many crashes"))
    assert await ledger.marks(tournament) == {"bob": Mark(2, "too many crashes")}


async def test_one_runner_at_a_time(ledger, tournament):
    await ledger.take(tournament, "one", 100.0)
    with pytest.raises(Taken, match=r"run by one, which was last heard of 10 s ago; .* try again in 5 s"):
        await ledger.take(tournament, "other", 110.0)
    assert await ledger.beat(tournament, "one", 110.0) == ""
    with pytest.raises(Taken):
        await ledger.take(tournament, "other", 120.0)


async def test_a_runner_without_heartbeat_is_replaced_and_told(ledger, tournament):
    await ledger.take(tournament, "one", 100.0)
    await ledger.take(tournament, "other", 116.0)
    with pytest.raises(Taken, match="another runner has taken the tournament over"):
        await ledger.beat(tournament, "one", 116.5)
    await ledger.leave(tournament, "one")
    assert (await ledger.entry(tournament)).owner == "other"


async def test_a_runner_that_is_known_to_be_gone_is_replaced_at_once(ledger, tournament):
    await ledger.take(tournament, "one", 100.0)
    await ledger.take(tournament, "other", 101.0, gone=lambda owner: owner == "one")
    assert (await ledger.entry(tournament)).owner == "other"


async def test_a_runner_that_leaves_can_be_followed_at_once(ledger, tournament):
    await ledger.take(tournament, "one", 100.0)
    await ledger.leave(tournament, "one")
    await ledger.take(tournament, "other", 101.0)


async def test_a_tournament_that_is_not_there_cannot_be_run(ledger):
    with pytest.raises(LedgerError, match="no tournament 'x'"):
        await ledger.take("x", "one", 100.0)


async def test_wishes_are_heard_with_the_heartbeat_and_end_with_the_next_run(ledger, tournament):
    await ledger.take(tournament, "one", 100.0)
    await ledger.wish(tournament, PAUSED)
    assert await ledger.beat(tournament, "one", 101.0) == PAUSED
    await ledger.leave(tournament, "one")
    await ledger.take(tournament, "one", 102.0)
    assert await ledger.beat(tournament, "one", 103.0) == ""


async def test_a_state_is_kept_with_what_belongs_to_it(ledger, tournament):
    await ledger.set_state(tournament, CANCELLED, reason="enough", counted=7, ended=5.0)
    entry = await ledger.entry(tournament)
    assert (entry.state, entry.reason, entry.counted, entry.ended) == (CANCELLED, "enough", 7, 5.0)


async def test_a_ledger_is_still_there_when_it_is_opened_again(ledger_url):
    async with await open_ledger(ledger_url, new=True) as ledger:
        await ledger.add(ENTRY, "")
    async with await open_ledger(ledger_url) as ledger:
        assert (await ledger.entry("t1")).secret == bytes(range(32))


# ----------------------------------------------------------------------------------------------------- opening a ledger


async def test_the_file_of_a_ledger_is_for_its_owner_alone(tmp_path):
    async with await open_ledger(f"sqlite:///{tmp_path}/l.sqlite", new=True):
        assert stat.S_IMODE((tmp_path / "l.sqlite").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("sqlite:///{folder}/none.sqlite", r"there is no ledger .*none\.sqlite"),
        ("mysql://localhost/db", "a ledger is a sqlite or postgresql database, not mysql"),
        ("what", "'what' is no database URL that can be used here"),
        ("postgresql://me:secret@127.0.0.1:1/db", r"postgresql://me:\*\*\*@127\.0\.0\.1:1/db cannot be opened: "),
    ],
)
async def test_a_ledger_that_cannot_be_opened_is_told_without_its_password(tmp_path, url, problem):
    with pytest.raises(LedgerError, match=problem) as caught:
        await open_ledger(url.format(folder=tmp_path))
    assert "secret" not in str(caught.value)


async def test_a_file_that_is_no_ledger_is_told(tmp_path):
    (tmp_path / "l.sqlite").write_text("something else, and long enough to be looked at as a database would be")
    with pytest.raises(LedgerError, match="file is not a database"):
        await open_ledger(f"sqlite:///{tmp_path}/l.sqlite")


async def test_a_ledger_of_another_version_is_refused(tmp_path):
    url = f"sqlite:///{tmp_path}/l.sqlite"
    await (await open_ledger(url, new=True)).close()
    with sqlite3.connect(tmp_path / "l.sqlite") as database:
        database.execute("UPDATE ledger_about SET version = 99")
    database.close()
    with pytest.raises(LedgerError, match="is of version 99; this program reads version 2"):
        await open_ledger(url)
