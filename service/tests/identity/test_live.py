"""Calls that stay open, and end when their token does."""

import asyncio
from contextlib import suppress

import pytest

from croupier_service.identity.live import LiveCalls
from croupier_service.identity.registry import Identity
from croupier_service.identity.roles import Role
from croupier_service.sessions.errors import OverLimit

ANN, NEW_ANN = (Identity("ann", Role.BOT, token, 0.0, 0.0) for token in (b"old", b"new"))
BOB = Identity("bob", Role.BOT, b"bob", 0.0, 0.0)


class Calls:
    """Starts calls that stay open until they are cancelled; ``ended`` says why each has."""

    def __init__(self, limit=3):
        self.left = []
        self.ended = []
        self.live = LiveCalls(limit, self.left.append)

    async def open(self, *identities):
        async def call(identity):
            with self.live.entered(identity) as one:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    self.ended.append((identity, one.revoked))
                    raise

        tasks = [asyncio.create_task(call(identity)) for identity in identities]
        await asyncio.sleep(0)
        return tasks


async def wait(tasks):
    for task in tasks:
        with suppress(asyncio.CancelledError):
            await task


async def test_a_call_is_open_for_as_long_as_it_runs():
    calls = Calls()
    tasks = await calls.open(ANN, BOB)
    assert calls.live.online("ann")
    assert calls.live.identities() == {ANN, BOB}
    tasks[0].cancel()
    await wait(tasks[:1])
    assert not calls.live.online("ann")
    assert calls.left == ["ann"]
    tasks[1].cancel()


async def test_revoking_ends_the_calls_of_the_old_token_and_no_others():
    calls = Calls()
    old, new, bob = await calls.open(ANN, NEW_ANN, BOB)
    calls.live.revoke("ann", "rotated", keep=b"new")
    await wait([old])
    assert calls.ended == [(ANN, "rotated")]
    assert not new.done()
    assert not bob.done()
    calls.live.revoke("ann", "deleted")
    calls.live.revoke("nobody", "deleted")
    await wait([new])
    assert calls.ended[1:] == [(NEW_ANN, "deleted")]
    assert not bob.done()
    bob.cancel()


async def test_a_call_is_revoked_once():
    calls = Calls()
    (task,) = await calls.open(ANN)
    calls.live.revoke("ann", "the first reason")
    calls.live.revoke("ann", "the second reason")
    await wait([task])
    assert calls.ended == [(ANN, "the first reason")]
    assert task.cancelling() == 1


async def test_over_the_limit_of_one_identity_others_are_let_in():
    calls = Calls(limit=2)
    tasks = await calls.open(ANN, ANN, ANN, BOB)
    assert [task.done() for task in tasks] == [False, False, True, False]
    with pytest.raises(OverLimit, match="ann has 2 streams open") as error:
        await tasks[2]
    assert error.value.retry_s > 0
    tasks[0].cancel()
    await wait(tasks[:1])
    (again,) = await calls.open(ANN)
    assert not again.done()
    for task in (*tasks, again):
        task.cancel()
