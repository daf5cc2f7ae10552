"""Whom the door lets in: what a game server says is believed for a moment. Time is in the test's hand."""

from types import SimpleNamespace

import grpc
import pytest

from croupier_tournament.rpc import door as door_module
from croupier_tournament.rpc.door import TRUST_S, Door
from croupier_tournament.rpc.errors import CallError

LOOK = "/croupier.v1.TournamentService/GetStandings"
STEER = "/croupier.v1.TournamentService/PauseTournament"


class Asked(Door):
    """A door whose game server is in the test's hand: it keeps what it is asked, and refuses what is in `refused`."""

    def __init__(self):
        self.now = 100.0
        super().__init__(["a:1"], tls=False, clock=lambda: self.now)
        self.asked = []
        self.refused = set()

    async def _ask(self, token, *, steering):
        self.asked.append((token, steering))
        if token in self.refused:
            raise CallError(grpc.StatusCode.UNAUTHENTICATED, "UNKNOWN_TOKEN", "no")

    async def lets_in(self, method, *shown):
        """Whether a call is let in that shows this metadata."""
        inside = object()

        async def handler(_details):
            return inside

        metadata = [("authorization", value) for value in shown]
        details = SimpleNamespace(method=method, invocation_metadata=metadata)
        return await self.intercept_service(handler, details) is inside


@pytest.fixture
def door():
    return Asked()


async def test_a_token_is_believed_for_a_moment_and_then_asked_about_again(door):
    assert await door.lets_in(LOOK, "Bearer ann")
    door.refused.add("ann")
    door.now += TRUST_S - 0.1
    assert await door.lets_in(LOOK, "Bearer ann")
    door.now += 0.2
    assert not await door.lets_in(LOOK, "Bearer ann")
    assert door.asked == [("ann", False)] * 2


async def test_who_may_look_is_not_believed_to_steer(door):
    assert await door.lets_in(LOOK, "Bearer ann")
    assert await door.lets_in(STEER, "Bearer ann")
    assert door.asked == [("ann", False), ("ann", True)]


async def test_a_token_that_was_refused_is_asked_about_each_time(door):
    door.refused.add("bob")
    assert not await door.lets_in(LOOK, "Bearer bob")
    door.refused.clear()
    assert await door.lets_in(LOOK, "Bearer bob")


@pytest.mark.parametrize("shown", [(), ("ann",), ("Basic ann",), ("Bearer ",), ("Bearer é",), ("Bearer a", "Bearer b")])
async def test_what_is_no_token_is_refused_and_nobody_is_asked(door, shown):
    assert not await door.lets_in(LOOK, *shown)
    assert door.asked == []


async def test_health_is_for_everybody(door):
    assert await door.lets_in("/grpc.health.v1.Health/Check")


async def test_what_is_remembered_is_bounded_and_holds_no_token(door, monkeypatch):
    monkeypatch.setattr(door_module, "MOST_TRUSTED", 3)
    for number in range(5):
        assert await door.lets_in(LOOK, f"Bearer token-{number}")
    assert len(door._trusted) == 3
    assert "token" not in repr(door._trusted)
    door.now += TRUST_S
    assert await door.lets_in(LOOK, "Bearer token-9")
    assert len(door._trusted) == 1
