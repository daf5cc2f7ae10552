"""A tournament on this machine: a server process, five bot processes, a plan, and a proof of every result."""

import asyncio
import json
import sys
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from croupier import ServerError, admin
from croupier.v1.session_pb2 import GameInfo, ListGamesRequest
from croupier_tournament.plan.round_robin import PlannedGame, round_robin
from croupier_tournament.run.bots import AnswerTimes, Entrant, dismiss, entrants
from croupier_tournament.run.games import Games, PlayedGame
from croupier_tournament.run.processes import Processes
from croupier_tournament.run.proof import Unproven, prove
from croupier_tournament.run.settings import Settings
from croupier_tournament.run.side_by_side import side_by_side

PATIENCE = 30.0
"""Seconds that a process may take to get ready."""
SERVER_FLAGS = (
    *("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--format", "json"),
    *("--log-level", "warning", "--log-format", "text", "--drain-grace", "0"),
)


class BadChoice(ValueError):
    """The server cannot do what was asked for. `option` is what asked for it."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


@dataclass(slots=True)
class Tournament:
    """What was planned, and what has come of it so far."""

    settings: Settings
    game: GameInfo
    entrants: list[Entrant]
    plan: list[PlannedGame]
    server: str
    """host:port."""
    metrics: str
    """host:port."""
    games: list[PlayedGame] = field(default_factory=list)
    """Those that are over."""
    seconds: float = 0.0
    """How long they took."""
    proven: int = 0
    """How many results have been shown to follow from their records."""
    unproven: list[str] = field(default_factory=list)
    """What is wrong with the others that were looked at."""
    times: dict[str, AnswerTimes] = field(default_factory=dict)
    """By bot; only those that could be asked."""
    stopped: bool = False
    """Whether it was stopped before its end."""

    @property
    def decisions(self) -> int:
        """How many decisions the bots have made in the games that are over."""
        return sum(sum(game.decisions) for game in self.games)


class Audience(Protocol):
    """Who is told how it goes."""

    def begins(self, tournament: Tournament) -> None:
        """Everything is ready."""

    def stage(self, what: str, steps: int) -> None:
        """So many steps of something begin."""

    def step(self) -> None:
        """One of them is done."""


async def run(settings: Settings, audience: Audience) -> Tournament:
    """Play a tournament. When the task is cancelled meanwhile, return what has been played so far.

    However it ends, all processes have ended before.

    Raises:
        BadChoice: there is no such game, or it is not for so many seats.
        ProcessDied: the server or a bot ended too early.
        ServerError: the server refused something.
        GameLost: somebody else stopped a game.
        asyncio.CancelledError: cancelled before the first game.
    """
    with TemporaryDirectory(prefix="croupier-demo-") as folder:
        return await _run(settings, audience, Path(folder) / "croupier.db")


async def _run(settings: Settings, audience: Audience, store: Path) -> Tournament:
    async with Processes() as processes:
        server = await processes.start("the server", *croupier(), "serve", *SERVER_FLAGS, "--store", str(store))
        where = json.loads(await server.line(PATIENCE))
        async with admin.connect(where["listening"]) as access:
            game = await find_game(access, settings)
            bots = entrants(game.name)
            plan = round_robin([bot.name for bot in bots], settings.seats, settings.games)
            tournament = Tournament(settings, game, bots, plan, where["listening"], where["metrics"])
            playing = [
                await processes.start(bot.name, *bot.program(tournament.server, settings.secret)) for bot in bots
            ]
            audience.begins(tournament)
            try:
                await watched(play(access, tournament, audience), processes)
                await watched(proof(access, tournament, audience), processes)
            except asyncio.CancelledError:
                tournament.stopped = True
                task = asyncio.current_task()
                assert task is not None
                task.uncancel()
            tournament.times = await dismiss(processes, playing)
    return tournament


async def play(access: admin.Server, tournament: Tournament, audience: Audience) -> None:
    """Play what is planned. Time counts from the first game on, which has to wait for its bots."""
    settings = tournament.settings
    clock = asyncio.get_running_loop().time
    began = 0.0

    def begun() -> None:
        nonlocal began
        if not began:
            began = clock()
            audience.stage("games", len(tournament.plan))

    def over(game: PlayedGame) -> None:
        tournament.games.append(game)
        tournament.seconds = clock() - began
        audience.step()

    games = Games(access, settings.game, settings.secret, PATIENCE)
    await games.play(tournament.plan, settings.concurrency, begun, over)


async def proof(access: admin.Server, tournament: Tournament, audience: Audience) -> None:
    """Prove every result."""
    audience.stage("records", len(tournament.games))

    async def look_at(game: PlayedGame) -> None:
        try:
            await prove(access, game, tournament.settings.secret)
            tournament.proven += 1
        except Unproven as error:
            tournament.unproven.append(str(error))
        audience.step()

    await side_by_side(tournament.games, 4, look_at)  # the server fetches while we replay


async def watched(work: Coroutine[None, None, None], processes: Processes) -> None:
    """Do something for which every process is needed.

    Raises:
        ProcessDied: one of them ended.
        Exception: whatever the work raises.
    """
    working = asyncio.create_task(work)
    death = asyncio.create_task(processes.first_death())
    try:
        await asyncio.wait([working, death], return_when=asyncio.FIRST_COMPLETED)
        if working.done() and isinstance(working.exception(), ServerError):
            await asyncio.wait([death], timeout=1.0)  # a server that dies is missed before it is seen to be dead
        if death.done():
            raise death.result()
        working.result()
    finally:
        for task in (working, death):
            task.cancel()
        await asyncio.gather(working, death, return_exceptions=True)


async def find_game(access: admin.Server, settings: Settings) -> GameInfo:
    """Return what the server says of the game.

    Raises:
        BadChoice: nothing, or that it is not for so many seats.
    """
    games = {game.name: game for game in (await access.sessions.ListGames(ListGamesRequest(page_size=1000))).games}
    game = games.get(settings.game)
    if game is None:
        raise BadChoice("--game", f"no game is called {settings.game!r}; there are: {', '.join(games)}")
    if not game.min_seats <= settings.seats <= game.max_seats:
        raise BadChoice("--seats", f"{game.title} is for {game.min_seats} to {game.max_seats}, not {settings.seats}")
    return game


def croupier() -> list[str]:
    """Return the command `croupier` of this environment."""
    script = Path(sys.executable).with_name("croupier")
    main = "import sys; from croupier.cli import main; sys.exit(main())"
    return [str(script)] if script.exists() else [sys.executable, "-P", "-c", main]
