"""SpectatorService on a real server: how calls go, and how they end."""

import asyncio

import grpc
import pytest
from serving import Serving, refusal, told_by

from croupier.v1 import session_pb2, spectator_pb2_grpc
from croupier.v1 import spectator_pb2 as pb
from croupier_service.sessions import feed as feeds

HOUSE = ("house:greedy", "house:random", "house:random")


def watch(server, session_id, from_seq=0, channel=None):
    stub = spectator_pb2_grpc.SpectatorServiceStub(channel or server.channel)
    return stub.WatchSession(pb.WatchSessionRequest(session_id=session_id, from_seq=from_seq))


async def create(server, *bots, **fields):
    request = session_pb2.CreateSessionRequest(**{"game": "trick-and-trade", "bots": bots, **fields})
    return (await server.sessions.CreateSession(request)).session


async def updates(call):
    shown = []
    await read_into(shown, call)
    return shown


async def read_into(shown, call):
    while (response := await call.read()) is not grpc.aio.EOF:
        shown += response.updates


async def finished(server, *bots, **fields):
    session = await create(server, *(bots or HOUSE), **fields)
    await updates(watch(server, session.session_id))
    return await server.sessions.GetSession(session_pb2.GetSessionRequest(session_id=session.session_id))


async def refused(call):
    return await refusal(updates(call))


async def test_a_game_is_watched_from_the_deal_to_its_end(server):
    async with server.bots("ann") as (ann,):
        session = await create(server, "ann", *HOUSE[1:])
        call = watch(server, session.session_id)
        first = await call.read()
        assert first.updates[0].view.trick_and_trade.table.round == 1
        await ann.play()
        shown = await updates(call)
    assert [update.event.seq for update in shown if update.HasField("event")][-1] == shown[-1].end.seq
    assert shown[-1].end.result.points
    assert await call.code() is grpc.StatusCode.OK


async def test_a_game_that_is_over_is_replayed_the_same_for_everybody(server):
    session = (await finished(server)).session
    shown = [await updates(watch(server, session.session_id)) for _ in range(2)]
    assert shown[0] == shown[1]
    assert shown[0][-1].end.result == session.result
    part = await updates(watch(server, session.session_id, session.seq - 1))
    assert part[1:] == shown[0][-2:]


async def test_what_is_wrong_is_said_with_the_field(server):
    session = (await finished(server)).session
    assert await refused(watch(server, "nothing")) == ("NOT_FOUND", "UNKNOWN_SESSION", ["session_id"])
    beyond = watch(server, session.session_id, session.seq + 1)
    assert await refused(beyond) == ("OUT_OF_RANGE", "PAST_THE_END", ["from_seq"])


async def test_a_viewer_that_reads_too_slowly_is_aborted_and_may_watch_again_from_where_it_was(server, monkeypatch):
    monkeypatch.setattr(feeds, "BEHIND_BYTES", 50_000)
    narrow = (("grpc.http2.lookahead_bytes", 4_096), ("grpc.http2.bdp_probe", 0))
    async with (
        server.bots("ann") as (ann,),
        grpc.aio.insecure_channel(server.server.address, options=narrow) as channel,
    ):
        session = await create(server, "ann", *HOUSE, game="trade-and-triumph")
        call = watch(server, session.session_id, channel=channel)
        shown = list((await call.read()).updates)
        await ann.play()  # far more to show than there is room for on the way, and nobody reads it
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await read_into(shown, call)
    assert told_by(caught.value) == ("ABORTED", "TOO_SLOW", [])
    assert caught.value.details().startswith("the viewer reads too slowly; watch again from ")
    assert server.server.watching.dropped == 1
    rest = await updates(watch(server, session.session_id, shown[-1].event.seq))
    whole = await updates(watch(server, session.session_id))
    assert [*shown, *rest[1:]] == whole


async def test_when_the_server_stops_viewers_are_told_to_come_back():
    async with Serving() as server, server.bots("ann"):
        session = await create(server, "ann", *HOUSE[1:])
        call = watch(server, session.session_id)
        await call.read()
        server.server.watching.close("the server is stopping")
        assert (await refused(call))[0] == "UNAVAILABLE"
        assert (await refused(watch(server, session.session_id)))[0] == "UNAVAILABLE"


async def test_a_server_with_viewers_stops_at_once():
    server = Serving()
    await server.__aenter__()
    async with server.bots("ann"):
        session = await create(server, "ann", *HOUSE[1:])
        call = watch(server, session.session_id)
        await call.read()
        ending = asyncio.ensure_future(updates(call))
        started = asyncio.get_running_loop().time()
        await server.server.__aexit__(None, None, None)
        took = asyncio.get_running_loop().time() - started
    assert (await refusal(ending))[0] == "UNAVAILABLE"
    assert took < 1.0, "the grace of a second was used up"
    await server.channel.close()


async def test_a_viewer_that_leaves_leaves_nothing_behind(server):
    async with server.bots("ann"):
        session = await create(server, "ann", *HOUSE[1:])
        calls = [watch(server, session.session_id) for _ in range(5)]
        for call in calls:
            await call.read()
        watching = server.server.watching
        assert watching.viewers == 5
        for call in calls:
            call.cancel()
        async with asyncio.timeout(30):
            while watching.viewers:
                await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()}, timeout=0.01)
        assert watching._feeds == {}
        assert server.host.sessions[session.session_id].feed is None


async def test_an_unexpected_error_reaches_the_viewer_as_a_number_only(server, monkeypatch):
    session = (await finished(server)).session

    def fail(*_):
        raise RuntimeError("the seed is 9f86d081")

    monkeypatch.setattr(server.server.watching, "_past", fail)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await updates(watch(server, session.session_id))
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert caught.value.details().startswith("internal error ")
    assert "9f86d081" not in caught.value.details()
