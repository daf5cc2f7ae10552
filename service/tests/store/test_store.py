"""What every store does: the one in memory, SQLite and PostgreSQL."""

from dataclasses import replace

import pytest
from hall import Hall, illegal, play_on
from playing import GAMES, after, end_of, played
from sqlalchemy import text
from toy import GAME as HIGH_CARD

from croupier_service.sessions.events import SessionState
from croupier_service.sessions.journal import Query
from croupier_service.sessions.recovery import restore
from croupier_service.sessions.settings import ClockSettings, FaultKind, FaultPolicy, FaultSettings
from croupier_service.sessions.steps import Failed
from croupier_service.sessions.summary import Archived
from croupier_service.store import sql
from croupier_service.store.address import StoreAddress
from croupier_service.store.memory import MemoryStore
from croupier_service.store.opening import open_store


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def where(request, tmp_path):
    """A place for a store, where there is none yet."""
    match request.param:
        case "memory":
            return StoreAddress()
        case "sqlite":
            return StoreAddress(file=tmp_path / "croupier.db")
        case _:
            return request.getfixturevalue("postgresql_address")


@pytest.fixture
async def store(where):
    opened = await open_store(where, GAMES)
    yield opened
    await opened.close()


async def unfinished(store):
    return [one async for one in store.unfinished()]


async def reopened(store, where):
    """The same store, after a restart of the server."""
    if isinstance(store, MemoryStore):
        return store
    await store.close()
    return await open_store(where, GAMES)


# Sessions that are over.


async def test_what_was_committed_can_be_loaded_as_it_was(store):
    entries = played(request_id="a request", fingerprint=b"fingerprint", spectator_delay_ms=500)
    await store.commit(entries)
    assert await store.load("one") == end_of(entries)
    assert await store.summary("one") == end_of(entries).summary


async def test_a_session_with_every_setting_and_every_kind_of_fault_is_loaded_as_it_was(store):
    def err(bots):
        bots[2].answer(action=illegal(bots[2].question))
        bots[2].act(bots[2].question.decision.session, 99, index=0)
        bots[2].answer(index=77)  # the third fault: the seat is given up
        bots[1].leave(stalled="silence")
        bots[1].hall.host.connect("bob", bots[1])

    entries = played(
        act=err,
        clock=ClockSettings(700, 3_000, 20),
        faults=FaultSettings(FaultPolicy.FORFEIT, 3, 2),
        seed=None,
        first_leader=2,
    )
    end = end_of(entries)
    assert end.summary.seats[2].faults
    assert end.summary.result.forfeited == (False, False, True)
    assert len(end.asides) == 4
    await store.commit(entries)
    assert await store.load("one") == end


async def test_what_was_never_committed_is_not_there(store):
    assert await store.load("nowhere") is None
    assert await store.summary("nowhere") is None
    assert await store.page(Query(), "", 10) == []
    assert await store.page(Query(), "nowhere", 10) is None
    assert await store.requests(["nothing"]) == {}
    assert not await store.have_played(["ann"])
    assert await unfinished(store) == []


async def test_what_has_a_nul_in_it_is_not_there(store):
    await store.commit(played())
    assert await store.load("o\0ne") is None
    assert await store.summary("o\0ne") is None
    assert await store.page(Query(bot="an\0n"), "", 10) == []
    assert await store.page(Query(game="poker\0"), "", 10) == []
    assert await store.page(Query(), "\0", 10) is None
    assert await store.have_played(["ann", "\0"]) == {"ann"}


async def test_a_batch_holds_what_came_of_many_sessions(store):
    one, two, three = played("one"), played("two", seed="other"), played("three", until=after(5))
    mixed = [entry for trio in zip(one, two, fillvalue(three, len(one)), strict=False) for entry in trio if entry]
    mixed += [*one[len(two) :], *two[len(one) :]]
    await store.commit(mixed[:20])
    await store.commit(mixed[20:])
    assert await store.load("one") == end_of(one)
    assert await store.load("two") == end_of(two)
    assert await store.load("three") is None


def fillvalue(entries, length):
    return [*entries, *[None] * (length - len(entries))]


async def test_an_aborted_session_is_kept_with_its_inputs_and_without_a_result(store):
    entries = played(until=after(4))
    hall = Hall()
    bots = hall.bots("ann bob cat")
    session = hall.session()
    play_on(bots, until=lambda: after(4)(session))
    session.abort()
    hall.settle()
    end = replace(hall.archived(session), summary=replace(hall.archived(session).summary, session_id="one"))
    await store.commit([*entries, end])
    kept = await store.load("one")
    assert kept == end
    assert (kept.summary.state, kept.summary.result, len(kept.record.inputs)) == (SessionState.ABORTED, None, 4)


async def test_an_empty_batch_changes_nothing(store):
    await store.commit([])
    assert await store.page(Query(), "", 10) == []


async def test_a_store_is_as_it_was_after_it_was_closed_and_opened(store, where):
    entries = played()
    await store.commit(entries)
    again = await reopened(store, where)
    assert await again.load("one") == end_of(entries)
    more = played("two")
    await again.commit(more)
    assert [summary.session_id for summary in await again.page(Query(), "", 10)] == ["two", "one"]
    await again.close()


# Sessions that are running.


async def test_a_running_session_can_be_gone_on_with_after_each_of_its_steps(store, where):
    entries = played(bots="ann bob ann")
    opened, *steps = [entry for entry in entries if not isinstance(entry, Archived)]
    await store.commit([opened])
    for count in range(0, len(steps), 7):
        await store.commit(steps[count : count + 7])
    store = await reopened(store, where)
    (one,) = await unfinished(store)
    assert replace(one.opened, request_id="") == replace(opened, request_id="")
    assert list(one.steps) == [(step.step, step.charged_ms) for step in steps]
    session = restore(one, GAMES, Hall().host._services)
    assert session.final == end_of(entries).summary.result
    await store.close()


async def test_the_first_step_may_come_with_the_opening_or_never(store, where):
    opened, *steps = played("one", until=after(3))
    bare, *_ = played("two", until=after(0))
    await store.commit([bare, opened, *steps])
    store = await reopened(store, where)
    assert [(one.session_id, len(one.steps)) for one in await unfinished(store)] == [("two", 0), ("one", 3)]
    await store.close()


async def test_faults_are_gone_on_with_too(store, where):
    def err(bots):
        bots[0].answer(action=illegal(bots[0].question))
        bots[0].answer(index=99)

    entries = played(act=err, until=after(2))
    await store.commit(entries)
    store = await reopened(store, where)
    (one,) = await unfinished(store)
    assert one.steps.asides == ((0, Failed(0, FaultKind.ILLEGAL, 1)), (0, Failed(0, FaultKind.MALFORMED, 1)))
    await store.close()


async def test_a_batch_that_comes_again_after_its_answer_was_lost_does_no_harm(store, where, monkeypatch):
    entries = played()
    middle = len(entries) // 2
    await store.commit(entries[:5])
    if not isinstance(store, MemoryStore):
        write = store.database.write

        async def write_and_lose_the_answer(work):
            await write(work)
            raise ConnectionError

        monkeypatch.setattr(store.database, "write", write_and_lose_the_answer)
        with pytest.raises(ConnectionError):
            await store.commit(entries[5:middle])
        monkeypatch.undo()
    await store.commit(entries[5:middle])
    store = await reopened(store, where)
    (one,) = await unfinished(store)
    assert [step for step, _ in one.steps] == [entry.step for entry in entries[1:middle]]
    if isinstance(store, MemoryStore):
        await store.commit(entries[middle:])
    else:
        monkeypatch.setattr(store.database, "write", twice(store.database.write))
        await store.commit(entries[middle:])
    assert await store.load("one") == end_of(entries)
    assert len(await store.page(Query(), "", 10)) == 1
    await store.close()


def twice(write):
    async def write_twice(work):
        await write(work)
        await write(work)

    return write_twice


async def test_the_log_is_tidied_up_and_no_step_is_lost(address, monkeypatch):
    monkeypatch.setattr(sql, "TIDY_EVERY", 3)
    monkeypatch.setattr(sql, "LOG_ROWS", 4)
    opened, *steps = [entry for entry in played("long") if not isinstance(entry, Archived)]
    store = await open_store(address, GAMES)
    await store.commit([opened])
    for number, step in enumerate(steps[:-3]):
        await store.commit([step])
        if number % 5 == 0:
            await store.commit(played(f"short {number}"))
    logged = await store.database.read(lambda connection: connection.scalar(text("SELECT count(*) FROM log")))
    assert logged <= 4 + 3 + 1
    store = await reopened(store, address)
    (one,) = await unfinished(store)
    assert [step for step, _ in one.steps] == [step.step for step in steps[:-3]]
    end = end_of(played("long"))
    await store.commit([*steps[-3:], end])
    assert await store.load("long") == end
    assert await store.load("short 5") == end_of(played("short 5"))
    rows = await store.database.read(
        lambda connection: connection.scalar(text("SELECT count(*) FROM steps WHERE session = 1"))
    )
    assert rows == 1
    await store.close()


async def test_steps_that_are_missing_are_found_and_named(address):
    opened, *steps = played("holey", until=after(9))
    store = await open_store(address, GAMES)
    await store.commit([opened, *steps[:3]])
    await store.commit(steps[5:])
    store = await reopened(store, address)
    (one,) = await unfinished(store)
    assert one.trouble == "steps 3 to 4 are missing"
    await store.close()


async def test_a_session_set_aside_counts_as_aborted_and_keeps_its_inputs(store, where):
    entries = played(until=after(5))
    await store.commit(entries)
    store = await reopened(store, where)
    await unfinished(store)
    await store.set_aside("one", "the cat sat on it", 1_700_000_100.0)
    summary = await store.summary("one")
    assert (summary.state, summary.ended_at, summary.result) == (SessionState.ABORTED, 1_700_000_100.0, None)
    assert [one.session_id for one in await store.page(Query(state=SessionState.ABORTED), "", 9)] == ["one"]
    again = await reopened(store, where)
    assert await unfinished(again) == []
    if not isinstance(store, MemoryStore):
        kept = await again.load("one")
        assert kept.record.inputs == tuple(entry.step for entry in entries[1:])
    await again.close()


# Finding them.


async def test_pages_go_from_the_newest_to_the_oldest_without_gaps(store):
    names = [f"session {number}" for number in range(7)]
    for name in names:
        await store.commit(played(name, until=after(0)))
    newest_first = names[::-1]
    seen, before = [], ""
    while page := await store.page(Query(), before, 3):
        seen += [summary.session_id for summary in page]
        before = seen[-1]
    assert seen == newest_first


async def test_sessions_are_found_by_state_game_and_bot(store):
    await store.commit(played("over"))
    await store.commit(played("running", until=after(2), bots="ann ann dot"))
    await store.commit(played("other", until=after(0), game=HIGH_CARD, bots="bob dot"))

    async def found(before="", **query):
        return [summary.session_id for summary in await store.page(Query(**query), before, 10)]

    assert await found(state=SessionState.FINISHED) == ["over"]
    assert await found(state=SessionState.RUNNING) == ["other", "running"]
    assert await found(state=SessionState.ABORTED) == []
    assert await found(game=HIGH_CARD.name) == ["other"]
    assert await found(bot="ann") == ["running", "over"]
    assert await found(bot="dot") == ["other", "running"]
    assert await found(bot="dot", before="other") == ["running"]
    assert await found(bot="dot", before="over") == []
    assert await found(bot="dot", game=HIGH_CARD.name, state=SessionState.RUNNING) == ["other"]
    assert await found(bot="nobody") == []


async def test_a_session_that_is_not_over_is_listed_as_it_was_opened(store):
    opened, *_ = entries = played(until=after(3), seed=None)
    await store.commit(entries)
    (summary,) = await store.page(Query(), "", 10)
    assert summary == opened.summary()
    assert summary.seed_commitment == opened.seed.commitment()


async def test_a_request_is_known_by_its_id_whatever_that_is(store):
    await store.commit(played(until=after(0), request_id="nul \0 and ☃", fingerprint=b"\0\xff"))
    name = "nul \0 and ☃"
    many = [name, "nul", *(f"never {number}" for number in range(500))]
    assert await store.requests(many) == {name: (b"\0\xff", "one")}


@pytest.mark.parametrize("most_seen", [sql.MOST_SEEN, 0], ids=["all are seen", "too many to be seen"])
async def test_a_request_is_known_after_a_restart(store, where, monkeypatch, most_seen):
    monkeypatch.setattr(sql, "MOST_SEEN", most_seen)
    await store.commit(played(until=after(0), request_id="before", fingerprint=b"1"))
    store = await reopened(store, where)
    await store.commit(played("two", until=after(0), request_id="after", fingerprint=b"2"))
    many = ["before", "after", *(f"never {number}" for number in range(500))]
    assert await store.requests(many) == {"before": (b"1", "one"), "after": (b"2", "two")}
    await store.close()


async def test_a_request_that_is_new_needs_no_look_into_the_database(tmp_path, monkeypatch):
    store = await open_store(StoreAddress(file=tmp_path / "croupier.db"), GAMES)
    await store.commit(played(until=after(0), request_id="used", fingerprint=b"1"))
    monkeypatch.setattr(store.database, "read", None)  # whoever looks fails
    assert await store.requests(["new", "newer"]) == {}
    with pytest.raises(TypeError):
        await store.requests(["used"])
    await store.close()


async def test_any_label_will_do(store):
    opened, *rest = played()
    labels = (("nul", "\0"), ("quote", "'\"\\"), ("snow", "☃"))
    end = end_of(rest)
    await store.commit([replace(opened, labels=labels), *rest[:-1]])
    assert (await store.summary("one")).labels == labels
    await store.commit([replace(end, summary=replace(end.summary, labels=labels))])
    assert (await store.load("one")).summary.labels == labels


async def test_who_has_played_is_known(store):
    await store.commit(played(until=after(0)))
    assert set(await store.have_played(["ann", "bob", "cat", "dot"])) == {"ann", "bob", "cat"}


# A seat.


async def test_a_seat_knows_who_sat_there():
    one = end_of(played())
    assert [one.bot_at(seat) for seat in (0, 1, 2, 3, 99)] == ["ann", "bob", "cat", "", ""]
