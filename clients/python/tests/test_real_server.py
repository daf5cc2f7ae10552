"""The SDK against the server that it is made for, in a process of its own."""

import asyncio
import contextlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import croupier
from croupier import admin
from croupier.examples.greedy import Greedy
from croupier.examples.random_bot import RandomBot
from croupier.v1 import session_pb2

pytest.importorskip("croupier_service")


@pytest.fixture(scope="module")
def target():
    program = Path(sys.executable).with_name("croupier")
    where = ["--listen", "127.0.0.1:0", "--metrics", "off", "--store", "memory:"]
    arguments = ["serve", *where, "--format", "json", "--log-level", "warning"]
    with subprocess.Popen([program, *arguments], stdout=subprocess.PIPE) as server:
        yield json.loads(server.stdout.readline())["listening"]
        server.kill()


async def create(target, *bots):
    """Seat bots in a new session as soon as all of them have connected; return its id."""
    request = session_pb2.CreateSessionRequest(game="trick-and-trade", bots=bots)
    async with admin.connect(target) as server, asyncio.timeout(50):
        while True:
            try:
                reply = await server.sessions.CreateSession(request)
                return reply.session.session_id
            except croupier.RequestError as error:
                if error.reason != "UNKNOWN_BOT":
                    raise
            await asyncio.sleep(0.01)  # nobody tells when a bot connects


async def summaries(target, ids):
    """Return sessions as the server tells of them."""
    async with admin.connect(target) as server:
        requests = [session_pb2.GetSessionRequest(session_id=session_id) for session_id in ids]
        return [(await server.sessions.GetSession(request)).session for request in requests]


def faults(sessions):
    return sum(fault.count for session in sessions for seat in session.seats for fault in seat.faults)


async def test_greedy_beats_random_clearly(target):
    games = 40
    async with asyncio.TaskGroup() as group:
        for bot in (Greedy(), RandomBot()):
            group.create_task(croupier.play(bot, target, sessions=games))
        seats = ["greedy", "random-bot", "random-bot", "random-bot"]  # one bot in three seats of each game
        ids = [await create(target, *seats[game % 4 :], *seats[: game % 4]) for game in range(games)]
    sessions = await summaries(target, ids)
    assert faults(sessions) == 0
    wins = Counter(
        seat.bot
        for session in sessions
        for seat, placing in zip(session.seats, session.result.placings, strict=True)
        if placing == 1
    )
    assert wins["greedy"] >= 25  # chance would be 10


async def test_every_hook_is_called_when_it_should_be(target):
    class Watcher(RandomBot):
        wants_events = True

        def on_start(self, session):
            session.data = []

        def on_events(self, session, events):
            session.data += [event.seq for event in events]

        def choose(self, decision):
            assert decision.session.data == list(range(1, decision.seq + 1))  # the events that led to this view
            return decision.actions[super().choose(decision)]

        def on_end(self, session, end):
            assert session.data == list(range(1, end.message.seq + 1))
            assert end.view.seat == session.seat
            ends[session.id] = (end.points, end.placing)

    ends = {}
    async with asyncio.TaskGroup() as group:
        group.create_task(croupier.play(Watcher(), target, sessions=5, on_error="raise"))
        ids = [await create(target, "house:greedy", "watcher", "house:random") for _ in range(5)]
    sessions = await summaries(target, ids)
    assert faults(sessions) == 0
    assert ends == {each.session_id: (each.result.points[1], each.result.placings[1]) for each in sessions}


async def test_the_newest_connection_of_a_bot_wins(target):
    older = asyncio.create_task(croupier.play(RandomBot(), target, name="twin"))
    await create(target, "twin", "house:random", "house:random")
    newer = asyncio.create_task(croupier.play(RandomBot(), target, name="twin"))
    with pytest.raises(croupier.Replaced, match="a newer connection of this bot has taken over"):
        await older
    newer.cancel()
    await asyncio.gather(newer, return_exceptions=True)


class Cable:
    """A connection to the server that can be cut."""

    def __init__(self, target):
        self._host, self._port = target.split(":")
        self._ends = set()
        self._tasks = set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()
        self.target = f"{host}:{port}"
        return self

    async def __aexit__(self, *_):
        self._server.close()
        while self._tasks:
            self.cut()
            await asyncio.wait(self._tasks, timeout=0.1)

    def cut(self):
        for end in self._ends:
            end.transport.abort()
        self._ends.clear()

    async def _connect(self, reader, writer):
        task = asyncio.current_task()
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        server_reader, server_writer = await asyncio.open_connection(self._host, self._port)
        self._ends |= {writer, server_writer}
        await asyncio.gather(self._carry(reader, server_writer), self._carry(server_reader, writer))

    async def _carry(self, reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
        writer.close()


async def test_games_survive_cut_connections(target):
    class Fragile(RandomBot):
        """Loses its connection at every tenth choice, while it chooses."""

        async def choose(self, decision):
            key = decision.session.id, decision.id
            assert key not in chosen  # nothing is chosen twice
            chosen.add(key)
            if len(chosen) % 10 == 0:
                cable.cut()
            await asyncio.sleep(0)
            return super().choose(decision)

    chosen = set()
    async with Cable(target) as cable:
        backoff = croupier.Backoff(base=0.001)
        bot = croupier.play(Fragile(), cable.target, sessions=10, on_error="raise", backoff=backoff)
        async with asyncio.TaskGroup() as group:
            group.create_task(bot)  # returns once it has been told of every end, those too that it was away for
            ids = [await create(target, "fragile", "house:random", "house:random") for _ in range(10)]
    sessions = await summaries(target, ids)
    assert faults(sessions) == 0
    assert len(chosen) == sum(session.seats[0].decisions for session in sessions)


async def test_a_bad_request_names_the_field(target):
    async with admin.connect(target) as server:
        with pytest.raises(croupier.RequestError) as caught:
            await server.sessions.CreateSession(session_pb2.CreateSessionRequest(game="chess", bots=["a", "b"]))
    assert caught.value.reason == "UNKNOWN_GAME"
    assert [field for field, _ in caught.value.violations] == ["game"]
