"""Malformed and hostile frames, from a seed: the server serves on, others notice nothing, memory stays as it is.

``CROUPIER_FUZZ_FRAMES`` says how many (the full measure is 10,000), ``CROUPIER_FUZZ_SEED`` which.
"""

import asyncio
import os
from contextlib import suppress

import grpc
import pytest
from bots import Fuzz, Fuzzer, Honest
from bots.honest import PLAY
from grpc_health.v1 import health_pb2, health_pb2_grpc
from processes import PATIENCE, rss_kib

from croupier.v1 import play_pb2

FRAMES = int(os.environ.get("CROUPIER_FUZZ_FRAMES", "2000"))
SEED = int(os.environ.get("CROUPIER_FUZZ_SEED", "1"))
WAVES = 10


async def strange_streams(channel, fuzzer, count):
    """Streams that begin with something else than Hello; each is refused, or lives until it is hung up."""
    for _ in range(count):
        call = channel.stream_stream(PLAY)()
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await call.write(fuzzer.frame())
            await call.done_writing()
            while await call.read() is not grpc.aio.EOF:
                pass
        assert await call.code() in (
            grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.ABORTED,
        ), (await call.code(), await call.details())  # fmt: skip


async def strange_calls(channel, fuzzer, count):
    """Single calls with requests that make no sense; none of them is an internal error."""
    for _ in range(count):
        method, request = fuzzer.call()
        call = channel.unary_stream(f"/{method}")(request, timeout=PATIENCE)
        try:
            await call.read()
        except grpc.aio.AioRpcError as error:
            internal = error.code() is grpc.StatusCode.INTERNAL
            unread = internal and "deserializing" in (error.details() or "")  # the answer to what is no message
            assert unread or not internal, (method, request, error)  # noqa: PT017 - most of them fail
            assert error.code() not in (grpc.StatusCode.UNKNOWN, grpc.StatusCode.DEADLINE_EXCEEDED)  # noqa: PT017
        finally:
            call.cancel()


@pytest.mark.timeout(60 + FRAMES // 20)
async def test_hostile_frames_leave_the_server_serving_others_unaffected_and_memory_flat(serve, organise):
    server = serve(log_level="warning", stall_timeout=60)
    fuzzer = Fuzzer(SEED, ["mallory"])
    sent, rss, outcomes = 0, [], set()
    async with (
        organise(server) as organiser,
        Honest(server.target, "ann") as ann,
        Honest(server.target, "bob") as bob,
        grpc.aio.insecure_channel(server.target) as channel,
    ):
        spared, struck = [], []
        while sent < FRAMES:
            async with Fuzz(server.target, "mallory", fuzzer) as mallory:
                struck.append(await organiser.create("ann", "mallory", "bob"))
                spared.append(await organiser.create("ann", "bob", "house:random"))
                fuzzer.sessions = [spared[-1], "nowhere"]
                sent += await mallory.attack(FRAMES // WAVES)
                if mallory.status is None:
                    await mallory.leave()
                outcomes |= set(mallory.outcomes)
            await strange_streams(channel, fuzzer, FRAMES // WAVES // 20)
            await strange_calls(channel, fuzzer, FRAMES // WAVES // 20)
            rss.append(rss_kib(server.pid))
        ends = [*await ann.over(*spared, *struck), *await bob.over(*spared, *struck)]
        assert {end.reason for end in ends} == {play_pb2.END_REASON_FINISHED}
        assert not ann.results
        assert not bob.results
        for session_id in spared:
            assert await organiser.faults(session_id) == {}
        for session_id in struck:
            assert set(await organiser.faults(session_id)) <= {"mallory"}
        health = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
        assert health.status == health_pb2.HealthCheckResponse.SERVING
        after = await organiser.create("ann", "bob", "house:greedy")
        await ann.over(after)
    assert outcomes >= {
        play_pb2.ACT_OUTCOME_MALFORMED, play_pb2.ACT_OUTCOME_UNKNOWN_SESSION, play_pb2.ACT_OUTCOME_UNKNOWN_DECISION,
    }  # fmt: skip
    assert "unexpected error" not in server.stderr()
    early, late = rss[WAVES // 4], rss[-1]
    print(f"{sent} frames; memory by wave, in KiB: {rss}")
    assert late < early * 1.05 + 2048, f"memory by wave, in KiB: {rss}"
