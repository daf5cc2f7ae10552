"""Plays one game on a server: begins it, or finds it again, and waits for its end."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import grpc

from croupier import RequestError
from croupier.v1 import session_pb2 as pb
from croupier_games.kernel import Result, TieBreak, rank
from croupier_tournament.run.ledger import REPORTED, Game
from croupier_tournament.run.servers import NOT_NOW, GameServer, ServerAway
from croupier_tournament.run.wire import kind_name

T = TypeVar("T")
SHORTEST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 5.0
"""Before a game is looked at that should be over, and between two looks."""
DISQUALIFIED = "disqualified"
"""What is counted as a fault of an entrant whose seat somebody else plays."""


class Voided(Exception):
    """The game is lost through no fault of its bots: its block has to be played again. The message says why."""


class Absent(Exception):
    """A bot has never been at the server."""

    def __init__(self, bot: str) -> None:
        super().__init__(f"{bot} has not connected yet")
        self.bot = bot


class Full(Exception):
    """A bot plays as many games as it can."""

    def __init__(self, bot: str) -> None:
        super().__init__(f"{bot} plays as many games as it can")
        self.bot = bot


class Busy(Exception):
    """The server takes no more sessions for now."""


class Lengths:
    """How long games have taken of late, by lane, in seconds."""

    def __init__(self) -> None:
        self._lately: dict[int, float] = {}

    def of(self, lane: int) -> float:
        """How long; 0 where there has been none yet."""
        return self._lately.get(lane, 0.0)

    def add(self, lane: int, seconds: float) -> None:
        """One has taken so long."""
        before = self._lately.get(lane)
        self._lately[lane] = seconds if before is None else before + (seconds - before) / 8


async def begin(server: GameServer, request: pb.CreateSessionRequest, patience_s: float) -> str:
    """Start a session, or find the one that the same request has started; returns its id.

    Raises:
        Absent: one of its bots is not there, and has not been lately.
        Full: one of its bots plays as many games as it can.
        Busy: the server takes no more.
        Voided: the server went away and has not come back in time.
        RequestError: the server refuses for another reason.
    """
    while True:
        try:
            return await server.create(request)
        except ServerAway as error:
            await wait_for(server, patience_s, error)
        except RequestError as error:
            if error.reason in ("UNKNOWN_BOT", "BOT_FULL") and error.violations:
                number = error.violations[0][0].removeprefix("bots[").removesuffix("]")
                bot = request.bots[int(number)]
                raise (Absent(bot) if error.reason == "UNKNOWN_BOT" else Full(bot)) from error
            if error.reason in NOT_NOW or error.code is grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise Busy from error
            raise


async def until_over(
    server: GameServer,
    session_id: str,
    *,
    expected_s: float,
    patience_s: float,
    looked: Callable[[pb.Session, float], None],
) -> pb.Session:
    """Wait for the end of a session.

    The server tells of it. Only a game that has become twice as old as games become is looked at, and then whenever it
    has grown older by a quarter: to see who keeps it waiting.

    Args:
        server: where.
        session_id: which.
        expected_s: how long games of its kind have taken of late; 0: not known.
        patience_s: how long to wait for a server that goes away.
        looked: told what was seen whenever it is not over yet, and how old it is.

    Raises:
        Voided: somebody has stopped it, or the server has forgotten it, or has gone for longer than that.
        RequestError: the server refuses for another reason.
    """
    clock = asyncio.get_running_loop().time
    began = clock()
    pause = expected_s * 2
    while True:
        wait_s = min(max(SHORTEST_PAUSE_S, pause), LONGEST_PAUSE_S)
        session = await patiently(server, session_id, patience_s, lambda: server.over(session_id, wait_s))  # noqa: B023 - called at once
        if session is not None:
            break
        session = await patiently(server, session_id, patience_s, lambda: server.session(session_id))
        age = clock() - began
        if session.state == pb.SESSION_STATE_RUNNING:
            looked(session, age)
        pause = age / 4
    if session.state != pb.SESSION_STATE_FINISHED:
        raise Voided(f"somebody has stopped session {session_id} on {server.target}")
    return session


async def fetch_record(server: GameServer, session_id: str, patience_s: float) -> tuple[str, tuple[int, ...]]:
    """Return the record of a session that is over, and what its inputs were charged. Raises as `until_over`."""
    return await patiently(server, session_id, patience_s, lambda: server.record(session_id))


async def patiently(server: GameServer, session_id: str, patience_s: float, ask: Callable[[], Awaitable[T]]) -> T:
    """Ask a server about a session, again and again while it is away. Raises as `until_over`."""
    while True:
        try:
            return await ask()
        except ServerAway as error:
            await wait_for(server, patience_s, error)
        except RequestError as error:
            if error.code is grpc.StatusCode.NOT_FOUND:
                raise Voided(f"{server.target} has forgotten session {session_id}: it was started again") from error
            raise


async def wait_for(server: GameServer, patience_s: float, why: Exception) -> None:
    """Wait for a server that has gone away. Raises Voided when it stays away."""
    if not await server.back(patience_s):
        raise Voided(f"{server.target} went away and has not come back within {patience_s:g} s") from why


def reported(game: Game, session: pb.Session, expected: Sequence[str], now: float) -> Game:
    """Return a game with what a finished session says of it.

    Args:
        game: as it began.
        session: what the server says.
        expected: the bots of its entrants by seat: where another one sat, the entrant was disqualified, and its seat is
            placed last whatever was done there.
        now: seconds since 1970.
    """
    absent = frozenset(seat for seat, bot in enumerate(game.bots) if bot != expected[seat])
    result = placed(session, absent)
    faults = [{kind_name(fault.kind): fault.count for fault in seat.faults} for seat in session.seats]
    for seat in absent:
        faults[seat] = {DISQUALIFIED: 1}
    return replace(
        game,
        state=REPORTED,
        session=session.session_id,
        points=result.points,
        placings=result.placings,
        forfeited=result.forfeited,
        faults=tuple(faults),
        decisions=tuple(seat.decisions for seat in session.seats),
        charged=tuple(seat.charged_ms for seat in session.seats),
        ended=now,
    )


def placed(session: pb.Session, absent: frozenset[int]) -> Result:
    """Return the result of a session, with some more seats forfeited."""
    result = session.result
    ties = [TieBreak(tie.name, tuple(tie.values)) for tie in result.tie_breaks]
    forfeited = absent | {seat for seat, given in enumerate(result.forfeited) if given}
    return rank(tuple(result.points), ties, fewest_wins=result.fewest_wins, forfeited=frozenset(forfeited))
