"""Told to stop, a server takes nothing new, lets go on what goes on, and says how it went."""

import asyncio
import signal
import time

import grpc
import pytest
from bots import Honest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from croupier import RequestError
from croupier.v1 import play_pb2

HOUSE = ("house:random",) * 3


class Held(Honest):
    """Decides only once it is let go."""

    def __init__(self, target, name):
        super().__init__(target, name)
        self.go = asyncio.Event()

    async def decide(self, decision):
        asyncio.ensure_future(self.later(decision))  # noqa: RUF006 - over when the test is
        return []

    async def later(self, decision):
        await self.go.wait()
        await self.say(*await super().decide(decision))

    async def warned(self):
        await self.until(lambda: bool(self.drains), "Drain")
        return self.drains[0]


async def exit_code(server):
    return await asyncio.to_thread(server.wait)


async def test_running_sessions_finish_and_nothing_new_is_taken(serve, organise):
    server = serve(drain_grace=30)
    async with organise(server) as organiser, Held(server.target, "ann") as ann:
        running = await organiser.create("ann", *HOUSE)
        await ann.until(lambda: bool(ann.decisions), "a decision")
        server.signal(signal.SIGTERM)
        drain = await ann.warned()
        assert (drain.grace_ms, drain.reason) == (30_000, "the server is stopping")
        with pytest.raises(RequestError) as refused:
            await organiser.create("ann", *HOUSE)
        assert (refused.value.code, refused.value.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        health = health_pb2_grpc.HealthStub(organiser.server.channel)
        for service in ("", "croupier.v1.PlayService", "croupier.v1.SessionService", "croupier.v1.BotService"):
            answer = await health.Check(health_pb2.HealthCheckRequest(service=service), timeout=30)
            assert answer.status == health_pb2.HealthCheckResponse.NOT_SERVING
        ann.go.set()
        [end] = await ann.over(running)
        assert end.reason == play_pb2.END_REASON_FINISHED
        code, reason = await ann.hung_up()
        assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "the server is stopping")
    assert await exit_code(server) == 0
    assert '"sessions_finished": 1, "sessions_left": 0, "left": []' in server.stderr()


async def test_a_session_that_does_not_finish_within_the_grace_is_left_and_the_exit_code_says_so(serve, organise):
    server = serve(drain_grace=0.2)
    async with organise(server) as organiser, Held(server.target, "ann") as ann:
        left = await organiser.create("ann", *HOUSE)
        server.signal(signal.SIGTERM)
        await ann.hung_up()
        assert ann.drains
    assert await exit_code(server) == 3
    assert f'"sessions_finished": 0, "sessions_left": 1, "left": ["{left}"]' in server.stderr()


async def test_a_second_signal_stops_at_once(serve, organise):
    server = serve(drain_grace=3600)
    async with organise(server) as organiser, Held(server.target, "ann") as ann:
        await organiser.create("ann", *HOUSE)
        server.signal(signal.SIGTERM)
        await ann.warned()
        server.signal(signal.SIGINT)
        code, reason = await ann.hung_up()
        assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "the server is stopping")
    assert await exit_code(server) == 3


async def test_a_server_with_nothing_to_do_stops_at_once(serve):
    server = serve(drain_grace=3600)
    async with Honest(server.target, "idle") as idle:
        began = time.monotonic()
        server.signal(signal.SIGINT)
        assert await exit_code(server) == 0
        assert time.monotonic() - began < 20
        code, _ = await idle.hung_up()
        assert code is grpc.StatusCode.UNAVAILABLE
