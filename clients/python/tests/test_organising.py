"""Many sessions over one stream."""

import asyncio

import grpc
import pytest

from croupier import admin, organising
from croupier.organising import StreamEnded, organise
from croupier.v1 import session_pb2 as pb
from croupier.v1 import session_pb2_grpc


class Sessions(session_pb2_grpc.SessionServiceServicer):
    """Creates what is wished for and says so at once; what else it says is in the test's hand."""

    def __init__(self):
        self.frames = []
        self.tokens = []
        self.context = None
        self.heard = asyncio.Event()

    async def Organise(self, _requests, context):  # noqa: N802 -- named like its RPC
        self.tokens.append(dict(context.invocation_metadata()).get("authorization"))
        self.context = context
        while (frame := await context.read()) is not grpc.aio.EOF:
            self.frames.append(frame)
            reports = [pb.Report(number=wish.number, created=f"s{wish.number}") for wish in frame.wishes]
            await self.say(*[report for report, wish in zip(reports, frame.wishes, strict=True) if not wish.follow])
            self.heard.set()
            if frame.wishes[0].follow == "end":
                await context.abort(grpc.StatusCode.UNAVAILABLE, "the server is stopping")
            if frame.wishes[0].follow == "done":
                return

    async def say(self, *reports):
        await self.context.write(pb.OrganiseResponse(reports=reports))


@pytest.fixture
async def served(serve):
    """The service, and where it is."""
    sessions = Sessions()
    async with serve((session_pb2_grpc.add_SessionServiceServicer_to_server, sessions)) as target:
        yield sessions, target


@pytest.fixture
async def sessions(served):
    return served[0]


@pytest.fixture
async def organiser(served):
    async with admin.connect(served[1], "secret") as server, organise(server) as organiser:
        yield organiser


REQUEST = pb.CreateSessionRequest(game="trick-and-trade", bots=["ann", "bob", "cat"])


async def test_wishes_that_come_together_go_in_one_message(sessions, organiser):
    games = [organiser.create(REQUEST, record=number == 1) for number in range(3)]
    assert [await game.created for game in games] == ["s1", "s2", "s3"]
    (frame,) = sessions.frames
    assert [wish.create for wish in frame.wishes] == [REQUEST] * 3
    assert [wish.record for wish in frame.wishes] == [False, True, False]
    assert sessions.tokens == ["Bearer secret"]


async def test_a_message_has_a_limited_number_of_wishes(sessions, organiser, monkeypatch):
    monkeypatch.setattr(organising, "FRAME_WISHES", 2)
    games = [organiser.create(REQUEST) for _ in range(5)]
    assert [await game.created for game in games] == ["s1", "s2", "s3", "s4", "s5"]
    assert [len(frame.wishes) for frame in sessions.frames] == [2, 2, 1]


async def test_ends_and_records_come_to_whom_they_belong(sessions, organiser):
    one, other = organiser.create(REQUEST, record=True), organiser.create(REQUEST)
    await other.created
    await sessions.say(
        pb.Report(number=2, over=pb.Session(session_id="s2")),
        pb.Report(number=99, over=pb.Session(session_id="nobody's")),
        pb.Report(number=1),  # of a kind that only newer servers know
        pb.Report(number=1, over=pb.Session(session_id="s1")),
        pb.Report(number=1, record="a record", charged_ms=[310, 0]),
    )
    assert (await one.record, one.charged_ms) == ("a record", (310, 0))
    assert ((await one.over).session_id, (await other.over).session_id) == ("s1", "s2")
    assert not other.record.done()


async def test_a_session_can_be_followed_by_its_id(sessions, organiser):
    game = organiser.follow("old", record=True)
    assert await game.created == "old"
    await sessions.heard.wait()
    assert [(wish.follow, wish.record) for wish in sessions.frames[0].wishes] == [("old", True)]
    await sessions.say(pb.Report(number=1, over=pb.Session(session_id="old")))
    assert (await game.over).session_id == "old"


async def test_a_refusal_names_the_field(sessions, organiser):
    game = organiser.follow("nothing")
    await sessions.heard.wait()
    refusal = pb.Refusal(code=5, message="there is no session", reason="UNKNOWN_SESSION", field="session_id")
    await sessions.say(pb.Report(number=1, refused=refusal))
    with pytest.raises(admin.RequestError) as refused:
        await game.over
    error = refused.value
    assert (error.code, error.reason) == (grpc.StatusCode.NOT_FOUND, "UNKNOWN_SESSION")
    assert error.violations == (("session_id", "there is no session"),)
    assert not isinstance(error, StreamEnded)
    assert organiser.ended is None


@pytest.mark.parametrize(
    ("how", "why"), [("end", "the server is stopping"), ("done", "the server has ended the stream")]
)
async def test_when_the_stream_ends_all_that_is_waited_for_says_so(organiser, how, why):
    game = organiser.create(REQUEST, record=True)
    await game.created
    organiser.follow(how)
    for report in (game.over, game.record):
        with pytest.raises(StreamEnded, match=why) as ended:
            await report
        assert ended.value.code is grpc.StatusCode.UNAVAILABLE
    assert organiser.ended is ended.value
    with pytest.raises(StreamEnded):
        await organiser.create(REQUEST).created


async def test_a_server_that_is_not_there_is_said_so(served):
    _, target = served
    async with admin.connect(target.rpartition(":")[0] + ":1") as server, organise(server) as organiser:
        with pytest.raises(StreamEnded, match="connection refused") as ended:
            await organiser.create(REQUEST).created
    assert ended.value.code is grpc.StatusCode.UNAVAILABLE


async def test_what_is_not_reported_when_the_stream_is_closed_never_will_be(served):
    async with admin.connect(served[1]) as server, organise(server) as organiser:
        game = organiser.create(REQUEST)
        await game.created
    with pytest.raises(StreamEnded, match="the stream was closed"):
        await game.over


async def test_whoever_stops_waiting_harms_nobody(sessions, organiser):
    one, other = organiser.create(REQUEST), organiser.create(REQUEST)
    await other.created
    one.over.cancel()
    await sessions.say(pb.Report(number=1, over=pb.Session()), pb.Report(number=2, over=pb.Session(session_id="s2")))
    assert (await other.over).session_id == "s2"
