"""Games are played through a server that answers as it is told to."""

import asyncio
from collections import Counter
from types import SimpleNamespace

import grpc
import pytest

from croupier import RequestError
from croupier.v1.game_pb2 import FAULT_KIND_LATE, Result
from croupier.v1.session_pb2 import (
    SESSION_STATE_ABORTED,
    SESSION_STATE_FINISHED,
    SESSION_STATE_RUNNING,
    CreateSessionResponse,
    FaultCount,
    GetSessionResponse,
    SeatInfo,
    Session,
)
from croupier_tournament.plan.round_robin import deal_seed, round_robin
from croupier_tournament.run.games import GameLost, Games
from croupier_tournament.run.side_by_side import side_by_side

PLAN = round_robin(("a", "b", "c"), 3, 6)


class FakeSessions:
    """Plays each game in so many seconds; the first result is always the same."""

    def __init__(self, seconds=0.0, end=SESSION_STATE_FINISHED, unknown=0):
        self.requests = []
        self.looks = Counter()
        self.running = self.most = 0
        self._seconds, self._end, self._unknown = seconds, end, unknown
        self._over = {}

    async def CreateSession(self, request):  # noqa: N802 -- named like its RPC
        if self._unknown:
            self._unknown -= 1
            raise RequestError(grpc.StatusCode.NOT_FOUND, "no bot", "UNKNOWN_BOT")
        self.requests.append(request)
        self.running += 1
        self.most = max(self.most, self.running)
        session_id = f"s{len(self.requests)}"
        self._over[session_id] = asyncio.get_running_loop().time() + self._seconds
        return CreateSessionResponse(session=Session(session_id=session_id, state=SESSION_STATE_RUNNING))

    async def GetSession(self, request):  # noqa: N802
        self.looks[request.session_id] += 1
        session = Session(session_id=request.session_id, state=SESSION_STATE_RUNNING)
        if asyncio.get_running_loop().time() >= self._over[request.session_id]:
            self.running -= 1
            session.state = self._end
            session.result.CopyFrom(Result(points=[3, 2, 1], placings=[1, 2, 3]))
            session.seats.extend(SeatInfo(decisions=18) for _ in range(3))
            session.seats[1].faults.append(FaultCount(kind=FAULT_KIND_LATE, count=2))
        return GetSessionResponse(session=session)


async def play(sessions, concurrency=6, patience=30.0, plan=PLAN):
    told, begun = [], []
    games = Games(SimpleNamespace(sessions=sessions), "chess", "secret", patience)
    await games.play(plan, concurrency, lambda: begun.append(None), told.append)
    assert len(begun) == len(told)
    return told


async def test_every_planned_game_is_asked_for_as_planned():
    sessions = FakeSessions()
    await play(sessions)
    assert [tuple(request.bots) for request in sessions.requests] == [game.bots for game in PLAN]
    assert [request.seed for request in sessions.requests] == [deal_seed("secret", game.deal) for game in PLAN]
    assert {request.game for request in sessions.requests} == {"chess"}
    assert len({request.request_id for request in sessions.requests}) == len(PLAN)


async def test_what_the_server_says_at_the_end_is_told():
    (game,) = await play(FakeSessions(), plan=PLAN[:1])
    assert (game.planned, game.session_id) == (PLAN[0], "s1")
    assert (game.points, game.placings, game.decisions) == ((3, 2, 1), (1, 2, 3), (18, 18, 18))
    assert game.faults == (Counter(), Counter(late=2), Counter())


async def test_no_more_games_run_at_once_than_allowed():
    sessions = FakeSessions(seconds=0.02)
    await play(sessions, concurrency=2)
    assert sessions.most == 2


async def test_a_bot_that_is_still_starting_is_waited_for():
    assert len(await play(FakeSessions(unknown=3))) == len(PLAN)


async def test_a_bot_that_does_not_come_is_given_up():
    with pytest.raises(RequestError, match="no bot"):
        await play(FakeSessions(unknown=1_000_000), patience=0.1)


async def test_a_game_that_somebody_stopped_is_no_result():
    with pytest.raises(GameLost, match="session s1 was stopped before its end"):
        await play(FakeSessions(end=SESSION_STATE_ABORTED), concurrency=1)


async def test_a_server_is_not_asked_over_and_over_whether_a_game_is_over():
    sessions = FakeSessions(seconds=0.2)
    await play(sessions, concurrency=1)
    later = [sessions.looks[f"s{number}"] for number in range(2, len(PLAN) + 1)]
    assert max(later) <= 5


async def test_side_by_side_takes_items_in_their_order():
    taken = []

    async def take(item):
        taken.append(item)
        await asyncio.sleep(0)

    await side_by_side(range(10), 3, take)
    assert taken == list(range(10))


async def test_side_by_side_ends_with_the_first_error():
    taken = []

    async def take(item):
        taken.append(item)
        await asyncio.sleep(0)
        if item == 4:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await side_by_side(range(100), 2, take)
    assert len(taken) < 10
