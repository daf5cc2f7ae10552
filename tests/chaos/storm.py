"""The storm itself: games are started, the server is killed, connections are torn; then everything is looked at."""

import asyncio
import random
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import grpc
from processes import Process, Server, command
from proxy import Proxy

import croupier
from chaos.crowd import HONEST, UNRULY, crowd
from croupier import admin
from croupier.games.trades.v1 import trades_pb2
from croupier.v1 import game_pb2, session_pb2
from croupier_games.kernel import Record, find_game, verify

GAMES = ("trick-and-trade", "trick-stakes", "trade-and-triumph", "trades")
FLAGS = (
    *("--log-level", "info", "--log-format", "json", "--drain-grace", "0"),
    *("--grace", "3", "--restart-grace", "60", "--ping-interval", "0.5", "--stall-timeout", "2"),
)
CALM = {"clock": game_pb2.ClockSettings(think_time_ms=60_000, bank_ms=600_000)}
ROUGH = {
    "clock": game_pb2.ClockSettings(think_time_ms=3_000, bank_ms=2_000),
    "faults": game_pb2.FaultSettings(max_faults=2),
}
STRICT = {**ROUGH, "faults": game_pb2.FaultSettings(max_faults=1)}
"""For games of a thousand decisions: who fails once is out."""
SHORT = GAMES[:2]


@dataclass(frozen=True)
class Weather:
    """How bad it is to be. Everything else follows from the seed."""

    seed: int
    kills: int
    games: int
    """At least so many; as many more as it takes to be killed so often."""
    at_once: int
    patience_s: float
    """When all is to be over."""
    calm_s: tuple[float, float] = (0.2, 5.0)
    """Between a start of the server and its next end, at least and at most."""


@dataclass(frozen=True)
class Planned:
    """A game to be played; a ``calm`` one by deterministic bots alone."""

    number: int
    game: str
    bots: tuple[str, ...]
    calm: bool
    options: game_pb2.GameOptions | None = None

    def request(self) -> session_pb2.CreateSessionRequest:
        """What starts it, once however often it is asked."""
        return session_pb2.CreateSessionRequest(
            game=self.game,
            bots=self.bots,
            options=self.options,
            seed=self.number.to_bytes(32, "big"),
            request_id=f"game {self.number}",
            labels={"number": str(self.number)},
            **(CALM if self.calm else ROUGH if self.game in SHORT else STRICT),
        )


@dataclass
class Found:
    """What has come of it."""

    sessions: dict[int, session_pb2.Session] = field(default_factory=dict)
    """Those that are over, by number of the game."""
    started: dict[int, str] = field(default_factory=dict)
    """The session of each game that was started."""
    kills: int = 0
    tears: int = 0
    wrong: list[str] = field(default_factory=list)
    """What did not hold; empty: all is well."""
    seconds: float = 0.0


def plan(seed: int, number: int) -> Planned:
    """The game of this number."""
    dice = random.Random(f"plan {seed} {number}")
    game = GAMES[number % len(GAMES)]
    seats = 4 if game != "trades" else dice.choice((4, 5))
    calm = number // len(GAMES) % 2 == 0
    if calm:
        names = [*dice.sample(HONEST, 2), *dice.choices((*HONEST, "house:greedy", "house:random"), k=seats - 2)]
    else:
        names = [*dice.sample(UNRULY, 2), *dice.choices((*HONEST, *UNRULY, "house:greedy"), k=seats - 2)]
    dice.shuffle(names)
    options = None
    if game == "trades" and not calm and dice.random() < 0.5:
        style = trades_pb2.STYLE_FREE_FOR_ALL
        options = game_pb2.GameOptions(trades=trades_pb2.Options(style=style, time_limit_ms=5_000))
    return Planned(number, game, tuple(names), calm, options)


class Killed:
    """A server that is killed and started again, on the same port and with the same store."""

    def __init__(self, store: Path) -> None:
        self.flags = (*FLAGS, "--store", str(store))
        self.process = Server(*self.flags)
        self.target = self.process.target
        self.start_s = 0.0
        """How long the latest start took."""
        self.said = ""
        """All that servers which are no more have said on stderr."""

    async def kill(self) -> None:
        """Kill it, and start the next one."""
        self.process.signal(signal.SIGKILL)
        starting = asyncio.ensure_future(asyncio.to_thread(self._start_again))
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            await starting  # or nobody would stop it
            raise

    def _start_again(self) -> None:
        self._bury()
        began = time.monotonic()
        self.process = Server("--listen", self.target, *self.flags)
        self.start_s = time.monotonic() - began

    async def stop(self) -> int:
        """Stop it as an operator would; its exit code."""
        self.process.signal(signal.SIGTERM)
        await asyncio.to_thread(self.process.wait)
        code = self.process.wait()
        self._bury()
        return code

    def _bury(self) -> None:
        self.process.wait()
        self.said += self.process.stderr()
        self.process.close()


async def rage(weather: Weather, folder: Path, tell: Callable[[str], None] = lambda _: None) -> Found:
    """Play games through it all; then look at everything. What does not hold is in ``Found.wrong``."""
    found = Found()
    began = time.monotonic()
    dice = random.Random(f"storm {weather.seed}")
    server = Killed(folder / "croupier.db")
    try:
        async with (
            asyncio.timeout(weather.patience_s),
            Proxy(server.target, lambda data: torn(dice, data)) as proxy,
            admin.connect(server.target) as access,
            crowd(proxy.target, weather.seed) as honest,
        ):
            games = Games(weather, access, found)
            async with asyncio.TaskGroup() as group:
                group.create_task(games.play(lambda: found.kills < weather.kills))
                group.create_task(kill_again_and_again(server, weather, dice, found, tell))
            found.tears = proxy.tears
            tell(f"{len(found.sessions)} games over; looking at them")
            await look_at(access, found, honest, weather)
    except TimeoutError:
        late = [
            f"{plan(weather.seed, number)} ({session})"
            for number, session in found.started.items()
            if number not in found.sessions
        ]
        found.wrong.append(f"it was not over after {weather.patience_s:.0f} s and {found.kills} kills: {late}")
    finally:
        code = await server.stop()
    if code != 0:
        found.wrong.append(f"the server left with exit code {code}")
    if "Traceback" in server.said or '"level": "error"' in server.said:
        found.wrong.append("a server has logged an error:\n" + server.said[-4000:])
    if not found.wrong:
        found.wrong += await asyncio.to_thread(unsound, folder / "croupier.db")
        tell("playing the calm games again, undisturbed")
        found.wrong += await differences(weather, found)
    found.seconds = time.monotonic() - began
    return found


async def kill_again_and_again(
    server: Killed, weather: Weather, dice: random.Random, found: Found, tell: Callable[[str], None]
) -> None:
    """Kill the server at random moments, as often as the weather has it."""
    while found.kills < weather.kills:
        # on a slow machine, where a start takes long, so does everything else
        await asyncio.sleep(dice.uniform(*weather.calm_s) + server.start_s / 2)
        await server.kill()
        found.kills += 1
        tell(f"killed {found.kills} times; {len(found.sessions)} games over")


def torn(dice: random.Random, data: bytes) -> int:
    """How much of a piece of data gets through; now and then not all."""
    return dice.randrange(len(data)) if dice.random() < 0.001 else len(data)


class Games:
    """Starts games, so many at once, and waits until each is over."""

    def __init__(self, weather: Weather, access: admin.Server, found: Found) -> None:
        self._weather = weather
        self._access = access
        self._found = found
        self._next = 0

    async def play(self, more: Callable[[], bool]) -> None:
        """Play as many as are asked for, and on as long as there is to be ``more``."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._weather.at_once):
                group.create_task(self._keep_playing(more))

    async def _keep_playing(self, more: Callable[[], bool]) -> None:
        while self._next < self._weather.games or more():
            planned = plan(self._weather.seed, self._next)
            self._next += 1
            created = await patiently(self._access.sessions.CreateSession, planned.request())
            session_id = self._found.started[planned.number] = created.session.session_id
            self._found.sessions[planned.number] = await self._over(session_id)

    async def _over(self, session_id: str) -> session_pb2.Session:
        request = session_pb2.GetSessionRequest(session_id=session_id)
        while True:
            session = (await patiently(self._access.sessions.GetSession, request)).session
            if session.state != session_pb2.SESSION_STATE_RUNNING:
                return session
            await asyncio.sleep(0.1)


async def patiently(call, request):
    """Ask until there is a server to answer. A bot that is not known yet is on its way."""
    while True:
        try:
            return await call(request)
        except croupier.ServerError as error:
            if error.code is not grpc.StatusCode.UNAVAILABLE and error.reason != "UNKNOWN_BOT":
                raise
        await asyncio.sleep(0.05)


async def look_at(access: admin.Server, found: Found, honest, weather: Weather) -> None:
    """What must hold of every session, and of what the honest bots were told."""
    wrong = found.wrong
    listed = [session async for session in every_session(access)]
    numbers = sorted(int(session.labels["number"]) for session in listed)
    if numbers != sorted(found.sessions):
        wrong.append(f"the server lists {len(numbers)} sessions; {len(found.sessions)} were started")
    for number, session in found.sessions.items():
        where = f"game {number} ({session.game}, session {session.session_id})"
        planned = plan(weather.seed, number)
        if session.state != session_pb2.SESSION_STATE_FINISHED:
            wrong.append(f"{where} is in state {session.state}")
            continue
        reply = await access.sessions.GetRecord(session_pb2.GetRecordRequest(session_id=session.session_id))
        record = Record.from_text(reply.text, find_game)
        if verify(record, find_game(record.game)).points != tuple(session.result.points):
            wrong.append(f"{where}: the record proves another result")
        wrong += [
            f"{where}: {seat.bot} has faults: {list(seat.faults)}"
            for seat in session.seats
            if seat.faults and (planned.calm or seat.bot in honest)
        ]
        for name in honest.keys() & {seat.bot for seat in session.seats}:
            async with asyncio.timeout(10):
                while session.session_id not in honest[name].ends:  # noqa: ASYNC110 - it is on its way
                    await asyncio.sleep(0.02)
            if honest[name].ends[session.session_id] != list(session.result.points):
                wrong.append(f"{where}: {name} was told {honest[name].ends[session.session_id]}")
    kept = {session.session_id for session in found.sessions.values()}
    wrong += [f"{name} was told that {lost} was aborted" for name, bot in honest.items() for lost in bot.lost & kept]
    wrong += [f"{name} was told of a fault: {fault}" for name, bot in honest.items() for fault in bot.faults]


async def every_session(access: admin.Server) -> AsyncIterator[session_pb2.Session]:
    """All sessions, page by page."""
    token = ""
    while True:
        request = session_pb2.ListSessionsRequest(page_size=50, page_token=token)
        reply = await access.sessions.ListSessions(request)
        for session in reply.sessions:
            yield session
        token = reply.next_page_token
        if not token:
            return


def unsound(store: Path) -> Sequence[str]:
    """What ``croupier store check`` says against it."""
    with Process(*command(), "store", "check", "--store", str(store), "--sample", "0") as check:
        code = check.wait(120)
        return [] if code == 0 else [f"store check: exit code {code}\n{check.stdout()}{check.stderr()}"]


async def differences(weather: Weather, found: Found) -> list[str]:
    """The calm games whose results are not those of a run without any disturbance."""
    with Server("--log-level", "warning") as server:
        undisturbed = Found()
        calm = [number for number in found.sessions if plan(weather.seed, number).calm]
        async with admin.connect(server.target) as access, crowd(server.target, weather.seed):
            games = Games(weather, access, undisturbed)

            async def replay(number: int) -> None:
                planned = plan(weather.seed, number)
                created = await patiently(access.sessions.CreateSession, planned.request())
                undisturbed.sessions[number] = await games._over(created.session.session_id)

            async with asyncio.timeout(120), asyncio.TaskGroup() as group:
                for number in calm:
                    group.create_task(replay(number))
    return [
        f"game {number}: {list(found.sessions[number].result.points)} in the storm, "
        f"{list(session.result.points)} without"
        for number, session in undisturbed.sessions.items()
        if session.result != found.sessions[number].result
    ]
