"""Keeping what happened: in batches, in order, and nobody is told of an end before it is safe."""

import asyncio

import pytest
import structlog
from hall import Ended, Hall, drive, play_on

from croupier_games.kernel import Record, verify
from croupier_games.trick_and_trade import GAME as TRICK_AND_TRADE
from croupier_service.sessions.errors import Conflict, NotFound, Unavailable
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.host import NewSession
from croupier_service.sessions.journal import INTERVAL_MS, PAUSE_MS, SLOW_MS, StepTaken
from croupier_service.sessions.summary import Archived
from croupier_service.store.memory import MemoryStore


class HeldStore(MemoryStore):
    """A store whose commits wait until the test lets them go, or fail."""

    def __init__(self) -> None:
        super().__init__()
        self.batches = []
        self.entered = asyncio.Event()
        self.let_go = asyncio.Event()
        self.fails = False

    async def commit(self, batch):
        self.entered.set()
        await self.let_go.wait()
        if self.fails:
            raise OSError("the disk is full")
        self.batches.append(list(batch))
        await super().commit(batch)

    @property
    def kept(self):
        return [entry for batch in self.batches for entry in batch]


@pytest.fixture
async def store():
    return HeldStore()


@pytest.fixture
async def hall(store):
    hall = Hall(store)
    hall.keeping = False
    return hall


@pytest.fixture
async def writer(hall):
    """The journal's one task, as the server runs it."""
    task = asyncio.create_task(hall.host.journal.run())
    yield task
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def finished(hall):
    """A session that has been played to its end, and its bots."""
    bots = hall.bots("ann bob cat")
    session = hall.session()
    play_on(bots)
    assert not session.running
    return session, bots


async def test_nobody_is_told_of_an_end_before_it_is_kept(hall, store, writer):
    session, bots = finished(hall)
    await store.entered.wait()
    assert session.state is SessionState.RUNNING
    assert session.result is None
    summary = await hall.host.summary(session.id)
    assert (summary.state, summary.result, summary.ended_at, summary.to_act) == (SessionState.RUNNING, None, None, ())
    assert not any(bot.heard(Ended) for bot in bots)
    assert ("ended", session.id, "FINISHED") not in hall.watcher.notes
    with pytest.raises(Conflict):
        await hall.host.archived(session.id)

    store.let_go.set()
    await hall.host.journal.flush()
    assert session.state is SessionState.FINISHED
    assert all(bot.heard(Ended) == [Ended(session.id, seat, session.result)] for seat, bot in enumerate(bots))
    assert (await hall.host.summary(session.id)).result == session.result
    assert hall.watcher.notes[-1] == ("ended", session.id, "FINISHED")


async def test_a_bot_that_comes_back_in_between_is_not_told_either_and_then_is(hall, store, writer):
    session, _ = finished(hall)
    await store.entered.wait()
    (ann,) = hall.bots("ann")
    assert not ann.heard(Ended)
    store.let_go.set()
    await hall.host.journal.flush()
    assert ann.heard(Ended) == [Ended(session.id, 0, session.result)]


async def test_what_comes_while_a_batch_is_being_kept_goes_into_the_next(hall, store, writer):
    bots = hall.bots("ann bob cat")
    session = hall.session()
    await store.entered.wait()
    play_on(bots, until=lambda: len(session.table.inputs) == 5)
    store.let_go.set()
    await hall.host.journal.flush()
    assert [len(batch) for batch in store.batches] == [1, 5]


async def test_a_sessions_inputs_are_kept_in_order_with_what_they_were_charged(hall, store, writer):
    store.let_go.set()
    bots = hall.bots("ann bob cat")
    sessions = [hall.session(seed="one"), hall.session(seed="two")]
    while any(session.running for session in sessions):
        for bot in bots:
            for question in bot.questions:
                hall.time.advance(7)
                bot.answer(question)
    await hall.host.journal.flush()
    for session in sessions:
        kept = [entry for entry in store.kept if isinstance(entry, StepTaken) and entry.session_id == session.id]
        assert kept == [
            StepTaken(session.id, number, item, charged)
            for number, (item, charged) in enumerate(zip(session.table.inputs, session.charges, strict=True))
        ]
        ends = [
            number
            for number, entry in enumerate(store.kept)
            if isinstance(entry, Archived) and entry.summary.session_id == session.id
        ]
        assert len(ends) == 1
        assert ends[0] > store.kept.index(kept[-1])


async def test_steps_wait_a_moment_for_company_and_no_longer(hall, store, writer):
    store.let_go.set()
    bots = hall.bots("ann bob cat")
    hall.session()
    await store.entered.wait()
    await hall.host.journal.flush()
    await asyncio.sleep(0)  # the writer has seen that there is nothing more
    bots[0].answer()
    hall.time.advance(PAUSE_MS - 1)
    bots[1].answer()
    await asyncio.sleep(0)
    assert len(store.batches) == 1
    store.entered.clear()
    hall.time.advance(1)
    await store.entered.wait()
    await hall.host.journal.flush()
    assert [len(batch) for batch in store.batches] == [1, 2]


async def test_an_opening_and_an_end_wait_for_nobody_but_the_end_of_a_short_rest(hall, store, writer):
    store.let_go.set()
    hall.bots("ann bob cat")
    session = hall.session()
    await store.entered.wait()
    store.entered.clear()
    session.abort()
    hall.time.advance(INTERVAL_MS - 1)
    await asyncio.sleep(0)
    assert not store.entered.is_set()
    await asyncio.sleep(0)
    hall.time.advance(1)
    await store.entered.wait()


async def test_who_asks_for_sessions_at_once_shares_a_commit(hall, store, writer):
    store.let_go.set()
    hall.bots("ann bob cat")
    new = NewSession("trick-and-trade", ("ann", "bob", "cat"))
    ids = await asyncio.gather(*(hall.host.open(new) for _ in range(5)))
    assert len(set(ids)) == 5
    assert [len(batch) for batch in store.batches] == [5]


async def test_who_asks_for_a_session_that_cannot_be_kept_is_told(hall, store, writer):
    store.fails = True
    store.let_go.set()
    hall.bots("ann bob cat")
    with pytest.raises(Unavailable, match="could not be kept"):
        await hall.host.open(NewSession("trick-and-trade", ("ann", "bob", "cat")))
    with pytest.raises(OSError, match="the disk is full"):
        await writer


async def test_while_too_much_waits_for_the_store_no_session_is_started(store):
    hall = Hall(store, max_backlog=20)
    hall.keeping = False
    bots = hall.bots("ann bob cat")
    session = hall.session()
    play_on(bots, until=lambda: len(session.table.inputs) == 20)
    with pytest.raises(Unavailable, match="does not keep up") as error:
        hall.session()
    assert error.value.reason == "STORE_BEHIND"
    store.let_go.set()
    await hall.host.journal.flush()
    hall.session()


async def test_a_slow_store_is_said_to_be(hall, store):
    hall.bots("ann bob cat")
    hall.session()
    with structlog.testing.capture_logs() as said:
        flushing = asyncio.create_task(hall.host.journal.flush())
        await store.entered.wait()
        hall.time.advance(SLOW_MS + 1)
        store.let_go.set()
        await flushing
    (slow,) = [entry for entry in said if entry["event"] == "the store is slow"]
    assert slow["took_ms"] == SLOW_MS + 1


async def test_one_batch_is_kept_at_a_time(hall, store, writer):
    bots = hall.bots("ann bob cat")
    hall.session()
    await store.entered.wait()
    store.entered.clear()
    bots[0].answer()
    flushed = asyncio.create_task(hall.host.journal.flush())
    await asyncio.sleep(0)
    assert not store.entered.is_set()
    store.let_go.set()
    await flushed
    assert [len(batch) for batch in store.batches] == [1, 1]


async def test_when_flush_returns_all_that_came_before_is_safe(hall, store):
    store.let_go.set()
    session, _ = finished(hall)
    await hall.host.journal.flush()
    assert (await store.load(session.id)).record == Record.of(session.table)


async def test_flushing_nothing_bothers_no_store(hall, store):
    await hall.host.journal.flush()
    assert not store.entered.is_set()


async def test_a_store_that_fails_ends_the_journal_with_its_error(hall, store, writer):
    store.fails = True
    store.let_go.set()
    session, bots = finished(hall)
    with pytest.raises(OSError, match="the disk is full"):
        await writer
    assert session.state is SessionState.RUNNING
    assert not any(bot.heard(Ended) for bot in bots)


async def test_after_a_failure_nothing_later_is_kept_without_what_came_before(hall, store, writer):
    """Or the session, replayed after a restart, would have a hole."""
    store.fails = True
    store.let_go.set()
    bots = hall.bots("ann bob cat")
    session = hall.session()
    bots[0].answer()
    with pytest.raises(OSError, match="the disk is full"):
        await writer
    store.fails = False
    bots[1].answer()
    await hall.host.journal.flush()
    assert [entry.step for entry in store.kept if isinstance(entry, StepTaken)] == session.table.inputs


async def test_who_waited_for_a_batch_that_failed_is_told_once_it_is_kept(hall, store, writer):
    store.fails = True
    store.let_go.set()
    session, bots = finished(hall)
    with pytest.raises(OSError, match="the disk is full"):
        await writer
    store.fails = False
    await hall.host.journal.flush()
    assert bots[0].heard(Ended) == [Ended(session.id, 0, session.result)]


async def test_an_aborted_session_is_kept_before_anyone_is_told_too(hall, store, writer):
    bots = hall.bots("ann bob cat")
    session = hall.session()
    bots[0].answer()
    aborting = asyncio.create_task(hall.host.abort(session.id))
    await store.entered.wait()
    assert session.state is SessionState.RUNNING
    assert not bots[0].heard(Ended)
    store.let_go.set()
    summary = await aborting
    assert (summary.state, summary.result) == (SessionState.ABORTED, None)
    assert bots[0].heard(Ended) == [Ended(session.id, 0, None)]


async def test_aborting_a_session_whose_end_is_being_kept_says_that_it_is_over(hall, store, writer):
    session, _ = finished(hall)
    await store.entered.wait()
    aborting = asyncio.create_task(hall.host.abort(session.id))
    store.let_go.set()
    with pytest.raises(Conflict, match="is over already") as error:
        await aborting
    assert error.value.reason == "SESSION_OVER"
    assert session.state is SessionState.FINISHED


# What is kept.


def test_the_record_of_a_finished_session_proves_its_result():
    hall = Hall()
    session, _ = finished(hall)
    hall.settle()
    archived = hall.archived(session)
    assert verify(archived.record, TRICK_AND_TRADE) == archived.summary.result == session.result
    assert archived.record.seed == session.table.seed


def test_the_record_of_an_aborted_session_has_its_inputs_and_no_result():
    hall = Hall()
    bots = hall.bots("ann bob cat")
    session = hall.session()
    play_on(bots, until=lambda: len(session.table.inputs) == 4)
    session.abort()
    hall.settle()
    archived = hall.archived(session)
    assert archived.record.inputs == tuple(session.table.inputs)
    assert (archived.record.points, archived.summary.result) == ((), None)


def test_a_summary_holds_no_seed_and_no_cards():
    hall = Hall()
    bots = hall.bots("ann bob cat")
    session = hall.session(seed=None)
    play_on(bots, until=lambda: len(session.table.inputs) == 4)
    text = repr(hall.summary(session))
    assert session.table.seed.hex() not in text
    assert repr(session.table.seed.raw) not in text
    assert repr(session.table.seed.commitment()) in text
    assert "Play(" not in text
    assert "hand" not in text


def test_a_session_that_was_never_there_is_not_found():
    hall = Hall()
    for ask in (hall.host.summary, hall.host.archived, hall.host.abort):
        with pytest.raises(NotFound) as error:
            drive(ask("nowhere"))
        assert error.value.field == "session_id"
