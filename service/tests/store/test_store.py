"""What every store does. A store that is added is added to ``STORES``."""

from dataclasses import replace

import pytest
from hall import Hall, play_on

from croupier_service.sessions.journal import InputKept
from croupier_service.sessions.summary import Archived
from croupier_service.store.memory import MemoryStore

STORES = [MemoryStore]


@pytest.fixture(params=STORES, ids=lambda store: store.__name__)
def store(request):
    return request.param()


def archived(seed="a seed", **changes):
    """A session that is over."""
    hall = Hall()
    bots = hall.bots("ann bob cat")
    session = hall.session(seed=seed)
    play_on(bots)
    kept = hall.archived(session)
    return replace(kept, summary=replace(kept.summary, **changes))


async def test_what_was_committed_can_be_loaded_as_it_was(store):
    one = archived()
    await store.commit([one])
    assert await store.load(one.summary.session_id) == one


async def test_what_was_never_committed_is_not_there(store):
    assert await store.load("nowhere") is None
    assert list(await store.ended()) == []


async def test_a_batch_holds_inputs_and_ends_of_many_sessions(store):
    one, other = archived(session_id="one"), archived(session_id="other")
    inputs = [InputKept("third", item, 0) for item in one.record.inputs]
    await store.commit([*inputs[:5], one, *inputs[5:], other])
    assert await store.load("one") == one
    assert await store.load("other") == other


async def test_a_session_of_which_only_inputs_are_kept_is_not_over(store):
    await store.commit([InputKept("running", item, 0) for item in archived().record.inputs])
    assert await store.load("running") is None
    assert list(await store.ended()) == []


async def test_summaries_come_in_the_order_in_which_sessions_ended(store):
    names = ["c", "a", "b", "e", "d"]
    for name in names[:2]:
        await store.commit([archived(session_id=name)])
    await store.commit([archived(session_id=name) for name in names[2:]])
    assert [summary.session_id for summary in await store.ended()] == names


async def test_an_empty_batch_changes_nothing(store):
    await store.commit([])
    assert list(await store.ended()) == []


async def test_a_store_can_be_closed(store):
    await store.commit([archived()])
    await store.close()


async def test_a_seat_knows_who_sat_there():
    one = archived()
    assert isinstance(one, Archived)
    assert [one.bot_at(seat) for seat in (0, 1, 2, 3, 99)] == ["ann", "bob", "cat", "", ""]
