"""A free-for-all in real time: five bots in five processes, three seconds, and a record that proves its result.

    python -m pytest tests/e2e/test_free_for_all.py -s

says how long after its time the game ended, and how much was traded.
"""

import asyncio
import sys
import time
from contextlib import ExitStack
from dataclasses import replace

import grpc
import pytest
from processes import PATIENCE, Process

from croupier import RequestError
from croupier.v1 import session_pb2
from croupier_games.kernel import Record, find_game, replay, verify
from croupier_games.trades import GAME, Declare, Phase

LIMIT_MS = 3_000
AFTER_MS = 100
"""How long after its time a game may end in which no trade is running."""
TRIES = 4
"""Games with no trade running at their end, of which one must be in time: the machine may be busy otherwise."""
GAMES = 20
"""Games at most, to find them: with a hundred trades a second, one is running at the end of most."""
NAMES = [f"trader-{number}" for number in range(5)]


@pytest.fixture
def server_with_traders(serve):
    """A server, and the example bot five times, each in a process of its own."""
    server = serve(think_time=5)
    with ExitStack() as processes:
        command = (sys.executable, "-m", "croupier.examples.free_for_all", "--target", server.target)
        for name in NAMES:
            processes.enter_context(Process(*command, "--name", name))
        yield server


async def create(sessions):
    """Start a session, once all bots have come."""
    request = session_pb2.CreateSessionRequest(game=GAME.name, bots=NAMES)
    request.options.trades.style = 2
    request.options.trades.time_limit_ms = LIMIT_MS
    given_up = time.monotonic() + PATIENCE
    while True:
        try:
            return (await sessions.CreateSession(request)).session.session_id
        except RequestError as error:
            if error.code is not grpc.StatusCode.NOT_FOUND or time.monotonic() > given_up:
                raise
        await asyncio.sleep(0.05)


async def ended(sessions, session_id):
    """The session, once it is over."""
    given_up = time.monotonic() + PATIENCE
    while time.monotonic() < given_up:
        session = (await sessions.GetSession(session_pb2.GetSessionRequest(session_id=session_id))).session
        if session.state == session_pb2.SESSION_STATE_FINISHED:
            return session
        await asyncio.sleep(0.02)
    raise AssertionError("the game does not end")


def at_its_time(record):
    """The game as it stood when it was told that its time was over."""
    times = [getattr(item, "now_ms", 0) for item in record.inputs]
    told = next(number for number, now_ms in enumerate(times) if now_ms >= LIMIT_MS)
    return replay(replace(record, inputs=record.inputs[: told + 1]), GAME)


@pytest.mark.timeout(180)
async def test_it_ends_at_its_time_and_its_record_verifies(server_with_traders, organise):
    in_time = []
    async with organise(server_with_traders) as organiser:
        sessions = organiser.server.sessions
        for _ in range(GAMES):
            if len(in_time) == TRIES or any(in_time):
                break
            session_id = await create(sessions)
            session = await ended(sessions, session_id)
            assert await organiser.faults(session_id) == {}
            text = (await sessions.GetRecord(session_pb2.GetRecordRequest(session_id=session_id))).text

            record = Record.from_text(text, find_game)
            assert verify(record, GAME).points == tuple(session.result.points)
            declared = {item.seat for item in record.inputs if isinstance(getattr(item, "action", None), Declare)}
            assert len(declared) > 1  # they did trade

            table = at_its_time(record)
            no_trade_ran = table.state.table().phase is Phase.LAST
            took_ms = session.end_time.ToMilliseconds() - session.create_time.ToMilliseconds()
            assert took_ms >= LIMIT_MS
            if no_trade_ran:
                in_time.append(took_ms <= LIMIT_MS + AFTER_MS)
            trades = table.state.table().declared
            print(f"told at {table.now_ms} ms, over at {took_ms} ms, {trades} trades, {len(record.inputs)} inputs")
    assert any(in_time)
