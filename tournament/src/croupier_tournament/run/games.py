"""Plays planned games on a server, some of them at once."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from croupier import RequestError, admin
from croupier.v1.game_pb2 import FaultKind
from croupier.v1.session_pb2 import (
    SESSION_STATE_FINISHED,
    SESSION_STATE_RUNNING,
    CreateSessionRequest,
    GetSessionRequest,
    Session,
)
from croupier_tournament.plan.round_robin import PlannedGame, deal_seed
from croupier_tournament.run.side_by_side import side_by_side

SHORTEST_PAUSE = 0.02
"""Seconds between two looks at a game, at least."""


class GameLost(Exception):
    """A game has not come to its end."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """One game that is over. All tuples are in seat order."""

    planned: PlannedGame
    session_id: str
    points: tuple[int, ...]
    placings: tuple[int, ...]
    """1 is best; equal ones are shared."""
    decisions: tuple[int, ...]
    """How many were asked of each seat."""
    faults: tuple[Counter[str], ...]
    """How many of each kind, by its name in small letters."""


class Games:
    """Plays games of one kind on one server.

    Args:
        server: where.
        game: the game's name.
        secret: what all deals follow from.
        patience: seconds to wait for the first appearance of a bot.
    """

    def __init__(self, server: admin.Server, game: str, secret: str, patience: float) -> None:
        self._server = server
        self._game = game
        self._secret = secret
        self._patience = patience
        self._lately = 0.0  # how long games have taken of late, in seconds
        self._begun = False

    async def play(
        self,
        plan: Iterable[PlannedGame],
        concurrency: int,
        begun: Callable[[], None],
        over: Callable[[PlayedGame], None],
    ) -> None:
        """Play a plan, so many games at once; tell of each that has begun, and of each as soon as it is over.

        Raises:
            RequestError: the server refused something, or is gone.
            GameLost: a game was stopped by somebody else.
        """

        async def play(planned: PlannedGame) -> None:
            session = await self._create(planned)
            begun()
            over(played(planned, await self._end(session)))

        await side_by_side(plan, concurrency, play)

    async def _create(self, planned: PlannedGame) -> Session:
        """Start a game. A bot that the server has never seen is waited for: its process may still be starting."""
        request = CreateSessionRequest(
            request_id=f"game/{planned.number}",
            game=self._game,
            bots=planned.bots,
            seed=deal_seed(self._secret, planned.deal),
            labels={"deal": str(planned.deal), "replay": str(planned.replay)},
        )
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._patience
        while True:
            try:
                return (await self._server.sessions.CreateSession(request)).session
            except RequestError as error:
                if error.reason != "UNKNOWN_BOT" or loop.time() > deadline:
                    raise
            await asyncio.sleep(0.05)

    async def _end(self, session: Session) -> Session:
        """Wait for the end of a game.

        Looking costs the server about as much as a decision does. So a game is left alone until it is nearly as old as
        games become, and the very first ones are looked at whenever they have grown older by a quarter.
        """
        request = GetSessionRequest(session_id=session.session_id)
        clock = asyncio.get_running_loop().time
        began = clock()
        pause = self._lately * 0.8
        while session.state == SESSION_STATE_RUNNING:
            await asyncio.sleep(max(SHORTEST_PAUSE, pause))
            session = (await self._server.sessions.GetSession(request)).session
            pause = self._lately / 8 or (clock() - began) / 4
        if session.state != SESSION_STATE_FINISHED:
            raise GameLost(f"session {session.session_id} was stopped before its end")
        age = clock() - began
        self._lately += (age - self._lately) / 8 if self._lately else age
        return session


def played(planned: PlannedGame, session: Session) -> PlayedGame:
    """Read what a finished session says."""
    return PlayedGame(
        planned=planned,
        session_id=session.session_id,
        points=tuple(session.result.points),
        placings=tuple(session.result.placings),
        decisions=tuple(seat.decisions for seat in session.seats),
        faults=tuple(Counter({kind_name(fault.kind): fault.count for fault in seat.faults}) for seat in session.seats),
    )


def kind_name(kind: FaultKind.ValueType) -> str:
    """Return a fault's kind in small letters.

    >>> kind_name(FaultKind.FAULT_KIND_LATE)
    'late'
    """
    return FaultKind.Name(kind).removeprefix("FAULT_KIND_").lower()
