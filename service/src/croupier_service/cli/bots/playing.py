"""Practice games: which there are, and how they are played, on a server that is started for them."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from croupier import admin
from croupier.errors import RequestError
from croupier.processes import Program, croupier_command, listening, start, tail
from croupier.v1 import game_pb2, session_pb2
from croupier_games.kernel import find_game
from croupier_service.cli.exporting import exported

from .command import environment

USUAL_SEATS = 4
START_S = 60.0
"""How long a server, and a bot, may take to be there."""
LOOK_S = 0.05
"""How often a running game is looked at."""


class PracticeError(Exception):
    """The practice cannot go on. The message says why."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A game to be played.

    Attributes:
        game: what is played.
        number: counted from 1; of one game, each has another number.
        seat: of the bot, 0-based.
        bots: who sits where, the bot too.
        seed: from which the cards follow.
    """

    game: str
    number: int
    seat: int
    bots: tuple[str, ...]
    seed: bytes


@dataclass(frozen=True, slots=True)
class Played:
    """A game that is over.

    Attributes:
        deal: which.
        points, placings: by seat.
        faults: of the bot, by kind.
        thinking_ms: what each decision of the bot was charged.
        record: as JSON, as `croupier record export` writes it.
    """

    deal: Deal
    points: tuple[int, ...]
    placings: tuple[int, ...]
    faults: dict[str, int]
    thinking_ms: tuple[int, ...]
    record: dict[str, Any]


def seats_of(game: str, seats: int | None) -> int:
    """How many sit at a table: as many as wanted, or four where the game allows it."""
    allowed = find_game(game).seat_range
    return seats or (USUAL_SEATS if USUAL_SEATS in allowed else allowed[-1])


def deals(game: str, numbers: Sequence[int], name: str, seats: int, against: Sequence[str], seed: str) -> list[Deal]:
    """The deals of one game with these numbers; each depends on its own number, and on no other."""
    planned = []
    for number in numbers:
        seat = (number - 1) % seats
        bots = [f"house:{against[(number + at) % len(against)]}" for at in range(seats)]
        bots[seat] = name
        text = f"croupier practice/{seed}/{game}/{number}"
        planned.append(Deal(game, number, seat, tuple(bots), hashlib.sha256(text.encode()).digest()))
    return planned


class Table:
    """``async with Table(...) as table``: a server and the bot, each a process of its own.

    Raises PracticeError where either does not come about.
    """

    def __init__(self, command: Sequence[str], name: str, log: Path, folder: Path, think_time_s: float) -> None:
        """``log``: where the bot's output goes; ``folder``: for what nobody needs afterwards."""
        self._command = command
        self._name = name
        self._log = log
        self._folder = folder
        self._clock = game_pb2.ClockSettings(think_time_ms=int(think_time_s * 1000), bank_ms=0)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            target = await self._serve(stack)
            self._server = await stack.enter_async_context(admin.connect(target, tls=False))
            # Nothing of the server that this shell usually plays on: the practice is on this machine.
            kin = ("TOKEN", "TLS", "TLS_CA", "TLS_CERT", "TLS_KEY")
            given = {"CROUPIER_TARGET": target, "CROUPIER_NAME": self._name, **{f"CROUPIER_{one}": None for one in kin}}
            self._bot = await start(Program(self._command, log=self._log, environment=environment(given)))
            stack.push_async_callback(self._bot.stop)
            self._end = asyncio.create_task(self._bot.end())
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def play(self, planned: Sequence[Deal], at_once: int, left_out: dict[str, str]) -> AsyncIterator[Played]:
        """Play these deals, so many at once; yield each as it is over.

        A game that the bot does not play is left out; ``left_out`` gets why, by game.
        """
        waiting = list(reversed(planned))
        playing: set[asyncio.Task[Played | None]] = set()
        try:
            while waiting or playing:
                while waiting and len(playing) < at_once:
                    deal = waiting.pop()
                    if deal.game not in left_out:
                        playing.add(asyncio.create_task(self._play(deal, left_out)))
                if not playing:
                    continue
                ends: set[asyncio.Task[Any]] = {*playing, self._end}
                done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                if self._end in done:
                    self._ended()
                for task in done & playing:
                    played = task.result()
                    if played is not None:
                        yield played
                playing -= done
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)

    # -- inside --------------------------------------------------------------------------------------------------------

    async def _serve(self, stack: AsyncExitStack) -> str:
        said, log = self._folder / "server.json", self._folder / "server.log"
        flags = ["--listen", "127.0.0.1:0", "--metrics", "off", "--store", "memory:", "--drain-grace", "0"]
        flags += ["--format", "json", "--log-level", "warning"]
        server = await start(Program([*croupier_command(), "serve", *flags], log=log, stdout=said))
        stack.push_async_callback(server.stop)
        try:
            async with asyncio.timeout(START_S):
                while not (target := listening(said)):
                    if server.code is not None:
                        raise PracticeError(f"the server does not start:\n{tail(log)}")
                    await asyncio.sleep(LOOK_S)
        except TimeoutError:
            raise PracticeError(f"the server is not there after {START_S:.0f} s:\n{tail(log)}") from None
        return target

    async def _play(self, deal: Deal, left_out: dict[str, str]) -> Played | None:
        request = session_pb2.CreateSessionRequest(
            game=deal.game, bots=deal.bots, seed=deal.seed, clock=self._clock, labels={"deal": str(deal.number)}
        )
        session = await self._create(request, deal, left_out)
        while session is not None and session.state == session_pb2.SESSION_STATE_RUNNING:
            await asyncio.sleep(LOOK_S)
            wanted = session_pb2.GetSessionRequest(session_id=session.session_id)
            session = (await self._server.sessions.GetSession(wanted)).session
        if session is None:
            return None
        async for one in exported(self._server, [session]):
            if one.data is None:
                raise PracticeError(f"deal {deal.number} of {deal.game} has no record: {one.error}")
            return as_played(deal, session, dict(one.data))
        return None

    async def _create(
        self, request: session_pb2.CreateSessionRequest, deal: Deal, left_out: dict[str, str]
    ) -> session_pb2.Session | None:
        """Deal, as soon as the bot is there and has room; None: it does not play this game."""
        deadline = asyncio.get_running_loop().time() + START_S
        while True:
            try:
                return (await self._server.sessions.CreateSession(request)).session
            except RequestError as error:
                if error.reason == "BOT_DOES_NOT_PLAY":
                    left_out[deal.game] = error.message.removeprefix(f"bots[{deal.seat}]: ")
                    return None
                if error.reason == "UNKNOWN_BOT" and asyncio.get_running_loop().time() > deadline:
                    raise PracticeError(
                        f"the bot has not connected as {self._name} within {START_S:.0f} s: does it take "
                        f"CROUPIER_TARGET and CROUPIER_NAME from its environment?\n{tail(self._log)}"
                    ) from None
                if error.reason not in ("UNKNOWN_BOT", "BOT_FULL"):
                    raise PracticeError(str(error)) from None
            await asyncio.sleep(LOOK_S)

    def _ended(self) -> None:
        raise PracticeError(f"the bot {self._end.result()}, and said last:\n{tail(self._log) or '  nothing'}")


def as_played(deal: Deal, session: session_pb2.Session, record: dict[str, Any]) -> Played:
    """What there is to tell of a session that is over."""
    mine = session.seats[deal.seat]
    charged = record["session"]["charged_ms"]
    thinking = [
        ms for one, ms in zip(record["inputs"], charged, strict=True) if "action" in one and one["seat"] == deal.seat
    ]
    return Played(
        deal,
        tuple(session.result.points),
        tuple(session.result.placings),
        {game_pb2.FaultKind.Name(one.kind).removeprefix("FAULT_KIND_").lower(): one.count for one in mine.faults},
        tuple(thinking),
        record,
    )
