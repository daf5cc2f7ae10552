"""Calls are counted by method and by how they have ended; what is unbounded is not counted apart."""

import asyncio

import grpc
import pytest
from prometheus_client import generate_latest
from serving import Serving

from croupier.v1 import play_pb2, session_pb2, spectator_pb2, spectator_pb2_grpc


@pytest.fixture
async def server():
    async with Serving() as serving:
        yield serving


async def counted(server, least):
    """Calls by method and code, once there are so many: a stream's end is noticed a moment after the client's."""
    metrics = server.server.metrics
    count, another = metrics.called, asyncio.Event()

    def called(*call):
        count(*call)
        another.set()

    metrics.called = called
    async with asyncio.timeout(30):
        while metrics.calls.total() < least:
            another.clear()
            await another.wait()
    return dict(metrics.calls)


async def test_a_call_counts_by_its_method_and_its_code(server):
    await server.sessions.ListGames(session_pb2.ListGamesRequest())
    with pytest.raises(grpc.aio.AioRpcError):
        await server.sessions.GetSession(session_pb2.GetSessionRequest(session_id="none"))
    assert await counted(server, 2) == {
        ("croupier.v1.SessionService/ListGames", "OK"): 1,
        ("croupier.v1.SessionService/GetSession", "NOT_FOUND"): 1,
    }
    text = generate_latest(server.server.metrics.registry).decode()
    assert 'croupier_rpcs_total{code="NOT_FOUND",method="croupier.v1.SessionService/GetSession"} 1.0' in text
    assert 'croupier_rpc_seconds_count{method="croupier.v1.SessionService/GetSession"} 1.0' in text


async def test_that_no_call_has_ended_with_an_internal_error_is_shown_from_the_start(server):
    """Else Prometheus sees no increase when the first one does."""
    text = generate_latest(server.server.metrics.registry).decode()
    for method in (
        "PlayService/Play",
        "SessionService/GetRecord",
        "SpectatorService/WatchSession",
        "BotService/ListBots",
    ):
        assert f'croupier_rpcs_total{{code="INTERNAL",method="croupier.v1.{method}"}} 0.0' in text
    assert "TournamentService" not in text


async def test_names_of_methods_that_do_not_exist_are_not_kept(server):
    for number in range(3):
        call = server.channel.unary_unary(f"/no.Service/Method{number}")
        with pytest.raises(grpc.aio.AioRpcError):
            await call(b"")
    assert await counted(server, 3) == {("unknown", "UNIMPLEMENTED"): 3}


async def test_what_nobody_expected_counts_as_internal(server, monkeypatch):
    monkeypatch.setattr(server.host, "games", None)
    with pytest.raises(grpc.aio.AioRpcError):
        await server.sessions.ListGames(session_pb2.ListGamesRequest())
    assert await counted(server, 1) == {("croupier.v1.SessionService/ListGames", "INTERNAL"): 1}


async def test_streams_count_when_they_end_and_have_no_duration(server):
    watcher = spectator_pb2_grpc.SpectatorServiceStub(server.channel)
    with pytest.raises(grpc.aio.AioRpcError):
        await watcher.WatchSession(spectator_pb2.WatchSessionRequest(session_id="none")).read()
    async with server.bots("ann") as (ann,):
        await ann.leave()
    async with server.bots("bob") as (bob,):
        await bob.say(play_pb2.ClientMessage(hello=bob.greeting))  # a second Hello is answered
        await bob.hear("act_result")
    calls = await counted(server, 3)
    assert calls["croupier.v1.SpectatorService/WatchSession", "NOT_FOUND"] == 1
    assert calls["croupier.v1.PlayService/Play", "OK"] >= 1
    assert {method for method, _ in calls} == {
        "croupier.v1.SpectatorService/WatchSession",
        "croupier.v1.PlayService/Play",
    }
    assert server.server.metrics.call_times == {}


async def test_a_call_that_is_refused_at_the_gate_counts_too():
    async with Serving(ask_for_tokens=True) as server:
        with pytest.raises(grpc.aio.AioRpcError):
            await server.sessions.ListGames(session_pb2.ListGamesRequest())
        assert await counted(server, 1) == {("croupier.v1.SessionService/ListGames", "UNAUTHENTICATED"): 1}
