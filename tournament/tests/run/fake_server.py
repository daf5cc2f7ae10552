"""A game server that lives in the test: it plays each game as the test says, and can go away, forget and refuse."""

import asyncio
from collections import Counter

import grpc

from croupier import RequestError
from croupier.v1.game_pb2 import FAULT_KIND_LATE, Result
from croupier.v1.session_pb2 import (
    SESSION_STATE_ABORTED,
    SESSION_STATE_FINISHED,
    SESSION_STATE_RUNNING,
    FaultCount,
    GameInfo,
    SeatInfo,
    Session,
)
from croupier_tournament.run.servers import ServerAway


class FakeServer:
    """Looks like a `GameServer`. Games last as long as `seconds` says; points follow from the bots' names.

    Attributes:
        made: how often each request id has made a session.
        requests: all requests that have made one.
        missing: bots that have never been there.
        late: bots that make a fault in every game.
        slow: the bot that games wait for, where it sits.
    """

    def __init__(self, target="fake:1", seconds=0.0):
        self.target = self.name = target
        self.seconds = seconds
        self.running = 0
        self.most = 0
        self.info = GameInfo(name="trick-and-trade", house_bots=["house:random", "house:greedy"])
        self.here = asyncio.Event()
        self.here.set()
        self.told = lambda _: None
        self.made = Counter()
        self.requests = []
        self.looks = Counter()
        self.missing = set()
        self.late = set()
        self.slow = ""
        self.full = False
        self.full_bots = set()
        self.refuses = None
        self.sessions = {}
        self.aborted = []

    # -- what the test does ----------------------------------------------------------------------------------------

    def go(self):
        self.here.clear()
        self.told(self)

    def come(self, *, forgetful):
        if forgetful:
            self.sessions.clear()
        self.here.set()
        self.told(self)

    # -- what a GameServer does ------------------------------------------------------------------------------------

    @property
    def ready(self):
        return self.here.is_set() and not self.full

    def busy(self):
        pass

    async def back(self, patience_s):
        try:
            async with asyncio.timeout(patience_s):
                await self.here.wait()
        except TimeoutError:
            return False
        return True

    async def create(self, request):
        self._answer()
        if self.refuses is not None:
            raise self.refuses
        for number, bot in enumerate(request.bots):
            field = f"bots[{number}]"
            if bot in self.missing:
                raise RequestError(grpc.StatusCode.NOT_FOUND, "no bot", "UNKNOWN_BOT", ((field, "no bot"),))
            if bot in self.full_bots:
                raise RequestError(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", "BOT_FULL", ((field, "full"),))
        if request.request_id not in self.sessions:
            self.made[request.request_id] += 1
            self.requests.append(request)
            over = asyncio.get_running_loop().time() + self._length(request)
            self.sessions[request.request_id] = (request, over)
        self.most = max(self.most, self.running)
        return request.request_id

    async def over(self, session_id, within_s):
        clock = asyncio.get_running_loop().time
        until = clock() + within_s
        while (session := await self.session(session_id)).state == SESSION_STATE_RUNNING and clock() < until:  # noqa: ASYNC110 - looks are counted
            await asyncio.sleep(0.002)
        return None if session.state == SESSION_STATE_RUNNING else session

    async def session(self, session_id):
        self._answer()
        self.looks[session_id] += 1
        if session_id not in self.sessions:
            raise RequestError(grpc.StatusCode.NOT_FOUND, "no session", "UNKNOWN_SESSION")
        return self._session(session_id)

    def forget(self, session_id):
        pass

    async def record(self, session_id):
        self._answer()
        if session_id not in self.sessions:
            raise RequestError(grpc.StatusCode.NOT_FOUND, "no session", "UNKNOWN_SESSION")
        return f"record of {session_id}", (1, 2)

    async def abort(self, session_id):
        self._answer()
        self.aborted.append(session_id)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _answer(self):
        if not self.here.is_set():
            raise ServerAway(self.target)

    def _length(self, request):
        return self.seconds(request) if callable(self.seconds) else self.seconds

    def _session(self, session_id):
        request, over = self.sessions[session_id]
        session = Session(session_id=session_id, state=SESSION_STATE_RUNNING)
        session.seats.extend(SeatInfo(bot=bot, decisions=18, charged_ms=5) for bot in request.bots)
        for seat in session.seats:
            if seat.bot in self.late:
                seat.faults.append(FaultCount(kind=FAULT_KIND_LATE, count=2))
        if session_id in self.aborted:
            session.state = SESSION_STATE_ABORTED
        elif asyncio.get_running_loop().time() >= over:
            session.state = SESSION_STATE_FINISHED
            points = [sum(map(ord, bot)) % 50 for bot in request.bots]
            placings = [1 + sum(other > own for other in points) for own in points]
            session.result.CopyFrom(Result(points=points, placings=placings, forfeited=[False] * len(points)))
        else:
            session.to_act.append(next((seat for seat, bot in enumerate(request.bots) if bot == self.slow), 0))
        return session
