"""SessionService.Organise: many sessions over one stream, and what is refused there."""

import asyncio
from contextlib import asynccontextmanager
from itertools import count

import grpc
import pytest
from serving import Serving, refusal
from test_sessions import HOUSE, request
from toy_wire import WIRES

from croupier.v1 import session_pb2 as pb
from croupier_games.kernel import Record, Seed, find_game, verify
from croupier_games.trick_and_trade import GAME as TRICK_AND_TRADE
from croupier_service.identity.roles import Role
from croupier_service.rpc import organising
from croupier_service.rpc.creating import Creating
from croupier_service.sessions.errors import BadRequest, OverLimit, Unavailable
from croupier_service.store.address import StoreAddress
from croupier_service.store.opening import open_store

WAITING = ["ann", "house:random", "house:random"]  # ann is never heard: the session runs until it is aborted


class Organiser:
    """One stream, by hand: everything that was reported is in ``told``, by the number of its wish."""

    def __init__(self, sessions):
        self.call = sessions.Organise()
        self.told = {}
        self.frames = 0

    async def wish(self, *wishes):
        await self.call.write(pb.OrganiseRequest(wishes=wishes))

    async def create(self, number, *, record=False, **fields):
        await self.wish(pb.Wish(number=number, create=request(**fields), record=record))

    async def follow(self, number, session_id, *, record=False):
        await self.wish(pb.Wish(number=number, follow=session_id, record=record))

    async def hear(self, number, kind):
        """The report of this kind about a wish."""
        while kind not in [report.WhichOneof("report") for report in self.told.get(number, ())]:
            await self._read()
        return next(getattr(report, kind) for report in self.told[number] if report.WhichOneof("report") == kind)

    async def to_the_end(self):
        """Say that there is no more to come, and hear everything."""
        await self.call.done_writing()
        while await self._read():
            pass
        assert await self.call.code() is grpc.StatusCode.OK

    def kinds(self, number):
        return [report.WhichOneof("report") for report in self.told[number]]

    async def _read(self):
        frame = await asyncio.wait_for(self.call.read(), 20)
        if frame is grpc.aio.EOF:
            return False
        self.frames += 1
        for report in frame.reports:
            self.told.setdefault(report.number, []).append(report)
        return True


@asynccontextmanager
async def organiser_of(server):
    organiser = Organiser(server.sessions)
    try:
        yield organiser
    finally:
        organiser.call.cancel()


@pytest.fixture
async def organiser(server):
    async with organiser_of(server) as organiser:
        yield organiser


# What is wished for.


async def test_many_wishes_in_one_message_are_all_reported_in_order(server, organiser):
    await organiser.wish(*(pb.Wish(number=number, create=request(), record=True) for number in range(1, 51)))
    await organiser.to_the_end()
    assert sorted(organiser.told) == list(range(1, 51))
    assert all(organiser.kinds(number) == ["created", "over", "record"] for number in organiser.told)
    assert organiser.frames < 50
    for created, over, record in organiser.told.values():
        assert over.over.session_id == created.created
        assert over.over.state == pb.SESSION_STATE_FINISHED
        result = verify(Record.from_text(record.record, find_game), find_game("trick-and-trade"))
        assert list(result.points) == list(over.over.result.points)


async def test_what_is_reported_is_what_the_single_calls_say(server, organiser):
    await organiser.create(7, labels={"round": "1"}, record=True)
    await organiser.to_the_end()
    created, over, record = organiser.told[7]
    session_id = created.created
    assert (await server.sessions.GetSession(pb.GetSessionRequest(session_id=session_id))).session == over.over
    assert (await server.sessions.GetRecord(pb.GetRecordRequest(session_id=session_id))).text == record.record
    single = (await server.sessions.GetRecord(pb.GetRecordRequest(session_id=session_id))).record
    assert record.charged_ms == [item.charged_ms for item in single.inputs]
    assert len(record.charged_ms) > 30
    assert not over.charged_ms


async def test_without_a_record_the_end_is_the_last_report(server, organiser):
    await organiser.create(1)
    await organiser.to_the_end()
    assert organiser.kinds(1) == ["created", "over"]


async def test_a_number_can_be_used_again_once_everything_was_reported(server, organiser):
    for _ in range(2):
        await organiser.create(1)
        await organiser.hear(1, "over")
        organiser.told.clear()


async def test_a_session_that_is_over_can_be_followed_later(server, organiser):
    await organiser.create(1, record=True)
    record = await organiser.hear(1, "record")
    async with organiser_of(server) as another:
        await another.follow(2, organiser.told[1][0].created, record=True)
        await another.to_the_end()
    assert another.kinds(2) == ["over", "record"]
    assert another.told[2][1].record == record


async def test_a_running_session_can_be_followed_by_several(server, organiser):
    async with server.bots("ann"), organiser_of(server) as another:
        await organiser.create(1, bots=WAITING)
        session_id = await organiser.hear(1, "created")
        await another.follow(1, session_id)
        await another.follow(2, session_id)
        await organiser.follow(5, "nothing")
        await organiser.hear(5, "refused")
        await server.sessions.AbortSession(pb.AbortSessionRequest(session_id=session_id))
        for who, number in ((organiser, 1), (another, 1), (another, 2)):
            assert (await who.hear(number, "over")).state == pb.SESSION_STATE_ABORTED


async def test_the_same_request_twice_is_one_session_whether_it_runs_or_not(server, organiser):
    async with server.bots("ann"):
        for bots in (HOUSE, WAITING):
            for number in (1, 2):
                await organiser.create(number, bots=bots, request_id=f"of {bots[0]}")
            ids = {await organiser.hear(number, "created") for number in (1, 2)}
            assert len(ids) == 1
            if bots is WAITING:
                server.host.sessions[ids.pop()].abort()
            for number in (1, 2):
                await organiser.hear(number, "over")
                assert organiser.kinds(number) == ["created", "over"]
            organiser.told.clear()


async def test_a_request_of_before_the_start_of_the_server_is_known(tmp_path):
    told = []
    for _ in range(2):
        store = await open_store(StoreAddress(file=tmp_path / "croupier.db"), {"trick-and-trade": TRICK_AND_TRADE})
        async with Serving(store) as server, organiser_of(server) as organiser:
            await organiser.create(1, request_id="once")
            await organiser.to_the_end()
            told.append(organiser.told[1])
        await store.close()
    assert told[0] == told[1]


# Secrets.


async def test_a_record_waits_until_nobody_plays_the_deal(server, organiser):
    seed = Seed.of("duplicate").raw
    async with server.bots("ann"):
        await organiser.create(1, bots=WAITING, seed=seed)
        running = await organiser.hear(1, "created")
        await organiser.create(2, seed=seed, record=True)
        await organiser.hear(2, "over")
        await organiser.create(3, record=True)  # another deal
        await organiser.hear(3, "record")
        assert organiser.kinds(2) == ["created", "over"]
        assert not any(seed.hex() in str(report) for reports in organiser.told.values() for report in reports)
        server.host.sessions[running].abort()
        assert seed.hex() in await organiser.hear(2, "record")


@pytest.mark.parametrize("role", [Role.BOT, Role.SPECTATOR])
async def test_who_plays_or_watches_may_not_organise(role):
    async with Serving(ask_for_tokens=True) as server:
        await server.token("eve", role)
        call = server.as_("eve").sessions.Organise()
        assert (await refusal(call.read()))[:2] == ("PERMISSION_DENIED", "WRONG_ROLE")


# What is refused.


@pytest.mark.parametrize(
    ("wish", "refused"),
    [
        (pb.Wish(), (3, "EMPTY_WISH", "wish", 0)),
        (pb.Wish(follow="nothing"), (5, "UNKNOWN_SESSION", "session_id", 0)),
        (pb.Wish(create=request(game="poker")), (5, "UNKNOWN_GAME", "game", 0)),
        (pb.Wish(create=request(bots=["nobody"] * 3)), (5, "UNKNOWN_BOT", "bots[0]", 0)),
        (pb.Wish(create=request(seed=b"short")), (3, "BAD_SEED", "seed", 0)),
    ],
)
async def test_a_wish_that_cannot_be_is_refused_and_the_others_are_not(server, organiser, wish, refused):
    wish.number = 1
    await organiser.wish(wish, pb.Wish(number=2, create=request()))
    await organiser.to_the_end()
    assert organiser.kinds(1) == ["refused"]
    refusal = organiser.told[1][0].refused
    assert (refusal.code, refusal.reason, refusal.field, refusal.retry_ms) == refused
    assert refusal.message
    assert organiser.kinds(2) == ["created", "over"]


async def test_over_a_limit_it_is_said_when_to_try_again():
    from croupier_service.sessions.host import HostSettings

    async with (
        Serving(host=HostSettings(max_sessions=1)) as server,
        server.bots("ann"),
        organiser_of(server) as organiser,
    ):
        await organiser.create(1, bots=WAITING)
        await organiser.create(2)
        refused = await organiser.hear(2, "refused")
        assert (refused.code, refused.reason, refused.retry_ms) == (8, "TOO_MANY_SESSIONS", 1000)


async def test_sessions_that_cannot_be_kept_are_refused(server, organiser, monkeypatch):
    async def fail():
        raise Unavailable("STORE_FAILED", "no")

    monkeypatch.setattr(server.host, "kept", fail)
    await organiser.create(1, record=True)
    assert (await organiser.hear(1, "refused")).reason == "STORE_FAILED"
    await organiser.to_the_end()
    assert organiser.kinds(1) == ["refused"]


@pytest.mark.parametrize("number", [0, 1])
async def test_a_number_that_cannot_be_ends_the_stream_and_no_session(server, organiser, number):
    async with server.bots("ann"):
        await organiser.create(1, bots=WAITING)
        session_id = await organiser.hear(1, "created")
        await organiser.follow(number, session_id)
        reason = "NUMBER_IN_USE" if number else "OUT_OF_RANGE"
        assert await refusal(organiser.call.read()) == ("INVALID_ARGUMENT", reason, ["wishes.number"])
        assert session_id in server.host.sessions


async def test_what_is_no_message_ends_the_stream(server):
    call = server.channel.stream_stream("/croupier.v1.SessionService/Organise")()
    await call.write(b"\xff\xff")
    assert (await refusal(call.read()))[:2] == ("INVALID_ARGUMENT", "NOT_A_MESSAGE")


async def test_a_stream_has_a_limit_of_open_wishes(server, organiser, monkeypatch):
    monkeypatch.setattr(organising, "MAX_WISHES", 2)
    async with server.bots("ann"):
        for number in (1, 2, 3):
            await organiser.create(number, bots=WAITING)
        async with asyncio.timeout(20):
            with pytest.raises(grpc.aio.AioRpcError) as ended:
                await organiser.hear(3, "created")
        assert ended.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "2 wishes are open" in ended.value.details()
        assert len(server.host.sessions) == 2


# Streams that end.


async def test_an_organiser_that_goes_leaves_its_sessions_and_nothing_else(server):
    seed = Seed.of("duplicate").raw
    async with server.bots("ann"):
        async with organiser_of(server) as organiser:
            await organiser.create(1, bots=WAITING, seed=seed)
            await organiser.hear(1, "created")
            await organiser.create(2, seed=seed, record=True)
            await organiser.hear(2, "over")
            assert server.host.ends._calls
            assert server.host.deals_over._calls
        async with asyncio.timeout(20):
            while server.host.ends._calls or server.host.deals_over._calls:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0)
        assert len(server.host.sessions) == 1


async def test_when_the_server_stops_organisers_are_told_to_come_back():
    async with Serving() as server, server.bots("ann"):
        organiser = Organiser(server.sessions)
        await organiser.create(1, bots=WAITING)
        await organiser.hear(1, "created")
        await server.server._rpc.stop(1.0)
        assert (await refusal(organiser.call.read()))[:2] == ("UNAVAILABLE", "STOPPING")


async def test_an_organiser_that_does_not_read_is_cut_off(hall, monkeypatch):
    monkeypatch.setattr(organising, "WAITING_BYTES", 10_000)
    numbers = count(1)

    async def read():
        await asyncio.sleep(0)
        return pb.OrganiseRequest(wishes=[pb.Wish(number=next(numbers), follow="nothing")])

    async def write(_frame):
        await asyncio.Event().wait()

    stream = organising.Organising(hall.host, WIRES, None)
    with pytest.raises(Exception, match="wait to be read") as cut_off:
        await asyncio.wait_for(stream.converse(read, write), 20)
    assert cut_off.value.reason == "TOO_SLOW"


async def test_a_message_holds_so_many_wishes_and_no_more(organiser):
    await organiser.wish(*[pb.Wish()] * (organising.MESSAGE_WISHES + 1))
    assert await refusal(organiser.call.read()) == ("INVALID_ARGUMENT", "TOO_LONG", ["wishes"])


def turns(coroutine):
    """How often it lets others have their turn."""
    count = 0
    try:
        while True:
            coroutine.send(None)
            count += 1
    except StopIteration:
        return count


async def test_a_message_of_many_wishes_holds_up_nobody(hall):
    stream = organising.Organising(hall.host, WIRES, Creating(hall.host, WIRES))
    empty = [pb.Wish(number=number) for number in range(1, 1_001)]
    assert turns(stream._take(empty)) == 1_000 / organising.AT_ONCE
    assert len(stream._reports) == 1_000
    sessions = [pb.Wish(number=number, create=request(bots=HOUSE)) for number in range(1, 201)]
    assert turns(stream._take(sessions)) == 2 * 200 / organising.AT_ONCE
    assert len(hall.host.sessions) == 200


async def test_nothing_more_is_taken_of_a_stream_that_cannot_go_on(hall, monkeypatch):
    monkeypatch.setattr(organising, "WAITING_BYTES", 10_000)
    stream = organising.Organising(hall.host, WIRES, Creating(hall.host, WIRES))
    await stream._take([pb.Wish(number=number) for number in range(1, 1_001)])
    assert stream._waiting < 11_000
    with pytest.raises(OverLimit):
        await stream._broken


async def test_reports_are_spread_over_messages_of_a_bounded_size(server, organiser, monkeypatch):
    monkeypatch.setattr(organising, "FRAME_BYTES", 1)
    await organiser.wish(*(pb.Wish(number=number, follow="nothing") for number in range(1, 11)))
    await organiser.to_the_end()
    assert organiser.frames == 10


async def test_a_stream_ends_only_when_the_message_on_its_way_has_gone(server):
    asked = [pb.OrganiseRequest(wishes=[pb.Wish(number=1, follow="nothing")])]
    writing, gone = asyncio.Event(), asyncio.Event()

    async def read():
        if asked:
            return asked.pop()
        await writing.wait()
        return pb.OrganiseRequest(wishes=[pb.Wish(number=0)])  # ends the stream

    async def write(_frame):
        writing.set()
        await gone.wait()

    conversing = asyncio.create_task(organising.Organising(server.host, {}, None).converse(read, write))
    await writing.wait()
    for _ in range(20):
        await asyncio.sleep(0)
    assert not conversing.done()
    gone.set()
    with pytest.raises(BadRequest):
        await conversing
