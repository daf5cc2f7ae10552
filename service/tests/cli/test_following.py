"""Following a session over a connection that breaks: nothing is shown twice, nothing is missed."""

import grpc
import pytest

from croupier.backoff import Backoff
from croupier.errors import RequestError
from croupier.v1 import game_pb2, play_pb2, spectator_pb2
from croupier_service.cli import watching
from croupier_service.cli.watching import Follow, updates

LOST = RequestError(grpc.StatusCode.UNAVAILABLE, "connection lost")
SLOW = RequestError(grpc.StatusCode.ABORTED, "the viewer reads too slowly; watch again from 3")
UNKNOWN = RequestError(grpc.StatusCode.NOT_FOUND, "there is no session 'x'")
START = spectator_pb2.SessionUpdate(view=game_pb2.GameView())
END = spectator_pb2.SessionUpdate(end=play_pb2.SessionEnd(seq=9))


def event(seq):
    return spectator_pb2.SessionUpdate(event=game_pb2.Event(seq=seq, vacated=game_pb2.Vacated()))


class FakeServer:
    """Answers each call as it is told: with frames, or by breaking."""

    def __init__(self, *calls):
        self.calls = list(calls)
        self.requests = []
        self.spectators = self

    async def WatchSession(self, request):  # noqa: N802 - as the RPC is called
        self.requests.append(request)
        for frame in self.calls.pop(0):
            if isinstance(frame, Exception):
                raise frame
            yield spectator_pb2.WatchSessionResponse(updates=frame)


@pytest.fixture
def waits():
    return []


@pytest.fixture
def follow(waits):
    """Follows session x of a server; gives what was shown, and what was said of the connection."""

    async def follow(server, **asked):
        async def wait(seconds):
            waits.append(seconds)

        lost = []
        backoff = Backoff(base=0.5, cap=5.0, random=lambda: 1.0, sleep=wait)
        shown = [update async for update in updates(server, Follow("x", lost=lost.append, backoff=backoff, **asked))]
        return shown, lost

    return follow


async def test_a_session_is_followed_to_its_end(follow):
    server = FakeServer([[START, event(1)], [event(2), END]])
    assert (await follow(server))[0] == [START, event(1), event(2), END]
    assert server.requests == [spectator_pb2.WatchSessionRequest(session_id="x")]


async def test_when_the_server_was_lost_it_goes_on_where_it_was(follow, waits):
    server = FakeServer([[START, event(1)], [event(2)], LOST], [LOST], [[START, event(3)], [END]])
    shown, lost = await follow(server)
    assert shown == [START, event(1), event(2), event(3), END]
    assert lost == [LOST, LOST]
    assert [request.from_seq for request in server.requests] == [0, 2, 2]
    assert waits == [0.5, 1.0]


async def test_a_viewer_that_was_too_slow_comes_back_at_once(follow, waits):
    server = FakeServer([[START, event(4)], SLOW], [[START, END]])
    assert (await follow(server, from_seq=3))[0] == [START, event(4), END]
    assert [request.from_seq for request in server.requests] == [3, 4]
    assert waits == []


async def test_a_server_that_was_never_there_is_not_waited_for(follow, waits):
    with pytest.raises(RequestError) as error:
        await follow(FakeServer([LOST]))
    assert (error.value, waits) == (LOST, [])


async def test_a_refusal_is_final(follow):
    with pytest.raises(RequestError) as error:
        await follow(FakeServer([[START], LOST], [UNKNOWN]))
    assert error.value is UNKNOWN


async def test_a_server_that_does_not_come_back_is_given_up(follow, monkeypatch, waits):
    monkeypatch.setattr(watching, "ATTEMPTS", 3)
    with pytest.raises(RequestError) as error:
        await follow(FakeServer([[START], LOST], [LOST], [LOST], [LOST]))
    assert error.value is LOST
    assert waits == [0.5, 1.0, 2.0]


async def test_whoever_does_not_follow_comes_to_an_end_before_the_session_does(follow):
    server = FakeServer([[START, event(1)]])
    assert (await follow(server, follow=False))[0] == [START, event(1)]
    assert server.requests[0].no_follow
