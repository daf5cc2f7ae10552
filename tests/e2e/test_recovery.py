"""A server that is killed, at any moment, and started again goes on as if nothing had happened."""

import asyncio
import contextlib
import signal
import zlib

import grpc
import pytest
from processes import PATIENCE, ProcessError, Server

import croupier
from croupier.v1 import session_pb2
from croupier_games.kernel import Record, find_game, verify

QUICK = croupier.Backoff(base=0.01, cap=0.1)
GAMES = ("trick-and-trade", "trick-stakes", "trade-and-triumph", "trades")


class Steady(croupier.Bot):
    """Its choice follows from what it is asked, and from nothing else. Calls ``at`` after so many choices."""

    def __init__(self, at=()):
        self.at = dict(at)
        self.choices = 0
        self.ends = {}
        self.results = []
        self.ended = asyncio.Event()

    def choose(self, decision):
        self.choices += 1
        if self.choices in self.at:
            self.at.pop(self.choices)()
        offered = b"".join(action.SerializeToString(deterministic=True) for action in decision.actions)
        return (zlib.crc32(offered) + decision.session.seat * 104729) % len(decision.actions)

    def on_result(self, session, result):
        self.results.append(result)

    def on_end(self, session, end):
        assert session.id not in self.ends, "an end is told once"
        self.ends[session.id] = end
        self.ended.set()

    async def told(self, ids):
        """Wait until it knows how these sessions ended."""
        async with asyncio.timeout(PATIENCE):
            while not self.ends.keys() >= set(ids):
                self.ended.clear()
                await self.ended.wait()


@contextlib.asynccontextmanager
async def playing(target, **bots):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(croupier.play(bot, target, name=name, backoff=QUICK)) for name, bot in bots.items()]
        yield
        for task in tasks:
            task.cancel()


async def create(organiser, seed, game, *bots, **fields):
    """Start a session as soon as its bots are known, whatever happens to the server meanwhile."""
    request = session_pb2.CreateSessionRequest(
        game=game, bots=bots, seed=seed * 32, request_id=f"{game} {seed.hex()}", **fields
    )
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return (await organiser.server.sessions.CreateSession(request)).session.session_id
            except croupier.ServerError as error:
                if error.code is not grpc.StatusCode.UNAVAILABLE and error.reason != "UNKNOWN_BOT":
                    raise
            await asyncio.sleep(0.01)


async def finished(organiser, ids):
    """Wait until these sessions are over; how they ended, by id."""
    found = {}
    async with asyncio.timeout(PATIENCE):
        while len(found) < len(ids):
            for session_id in set(ids) - found.keys():
                with contextlib.suppress(croupier.ServerError):
                    session = await organiser.session(session_id)
                    if session.state != session_pb2.SESSION_STATE_RUNNING:
                        found[session_id] = session
            await asyncio.sleep(0.02)
    return found


async def proven(organiser, session_id):
    """The result of a session, which its record proves."""
    reply = await organiser.server.sessions.GetRecord(session_pb2.GetRecordRequest(session_id=session_id))
    record = Record.from_text(reply.text, find_game)
    return verify(record, find_game(record.game))


async def play_all(organiser, target, *, at=()):
    """One session of each game, with remote bots and house bots: points by game, once all are over."""
    ann, bob = Steady(at), Steady()
    async with playing(target, ann=ann, bob=bob):
        ids = {
            game: await create(organiser, bytes([number]), game, "ann", "bob", "house:greedy", "house:random")
            for number, game in enumerate(GAMES, start=1)
        }
        over = await finished(organiser, ids.values())
        points = {}
        for game, session_id in ids.items():
            session = over[session_id]
            assert session.state == session_pb2.SESSION_STATE_FINISHED
            assert not any(seat.faults for seat in session.seats), session
            assert (await proven(organiser, session_id)).points == tuple(session.result.points)
            points[game] = list(session.result.points)
        await ann.told(ids.values())
        await bob.told(ids.values())
        for game, session_id in ids.items():
            for bot in (ann, bob):
                assert list(bot.ends[session_id].result.points) == points[game]
    assert not [result for result in ann.results + bob.results if result.fault]
    return points


class Phoenix:
    """A server that is killed and started again, on the same port and with the same store."""

    def __init__(self, store, *flags):
        self.kills = 0
        self.flags = (*flags, "--store", str(store), "--grace", "60")
        self.process = Server(*self.flags)
        self.target = self.process.target

    def kill(self):
        self.kills += 1
        self.process.signal(signal.SIGKILL)
        self.process.close()
        self.process = Server("--listen", self.target, *self.flags)

    def close(self):
        assert "Traceback" not in self.process.stderr(), self.process.stderr()
        self.process.close()


@pytest.fixture
def phoenix(tmp_path):
    with contextlib.closing(Phoenix(tmp_path / "croupier.db")) as phoenix:
        yield phoenix


@pytest.mark.timeout(240)  # starts five servers, and plays eight games
async def test_games_end_as_in_an_undisturbed_run_though_the_server_is_killed_again_and_again(
    server, organise, phoenix
):
    async with organise(server) as organiser:
        expected = await play_all(organiser, server.target)
    async with organise(phoenix) as organiser:
        moments = dict.fromkeys((2, 30, 150), phoenix.kill)
        assert await play_all(organiser, phoenix.target, at=moments) == expected
        assert phoenix.kills == 3
        listed = (await organiser.server.sessions.ListSessions(session_pb2.ListSessionsRequest())).sessions
        assert len(listed) == len({session.session_id for session in listed}) == len(GAMES)


def test_a_second_server_does_not_touch_the_store_of_the_first(phoenix):
    store = phoenix.flags[phoenix.flags.index("--store") + 1]
    with pytest.raises(ProcessError, match="is in use by another server") as error:
        Server("--store", store)
    assert f"(process {phoenix.process.pid})" in str(error.value)
    assert phoenix.process.running
