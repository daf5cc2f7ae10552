"""Every line of the log can be found by its ids, and the log follows as many sessions as the operator wants."""

import asyncio
import io
import json
from contextlib import asynccontextmanager

import pytest
import structlog
from serving import Serving
from test_server import eventful

from croupier.v1 import session_pb2
from croupier_service import logs

EVENTS = ("session started", "fault", "seat vacated", "session ended")


@asynccontextmanager
async def logged(**settings):
    """A server; and the lines that are logged meanwhile about sessions."""
    lines = []
    with structlog.testing.capture_logs() as captured:
        async with Serving(**settings) as server:
            yield server, lines
    lines += [line for line in captured if line["event"] in EVENTS]


async def house_game(server, labels):
    """Play one from beginning to end."""
    request = session_pb2.CreateSessionRequest(game="trick-and-trade", bots=["house:random"] * 3, labels=labels)
    session = (await server.sessions.CreateSession(request)).session
    async with asyncio.timeout(30):
        while session.state == session_pb2.SESSION_STATE_RUNNING:
            request = session_pb2.GetSessionRequest(session_id=session.session_id)
            session = (await server.sessions.GetSession(request)).session
    return session.session_id


async def test_a_fault_is_logged_with_session_bot_seat_and_decision():
    async with logged() as (server, lines):
        session = await eventful(server)
    faults = [line for line in lines if line["event"] == "fault"]
    assert len(faults) == 4
    assert {(line["session"], line["bot"], line["seat"]) for line in faults} == {(session.session_id, "ann-the-bot", 0)}
    decisions = [line["decision"] for line in faults]
    assert decisions[0] == decisions[1] < decisions[2] == decisions[3]


async def test_a_session_of_a_tournament_says_so_on_every_line():
    async with logged() as (server, lines):
        session_id = await house_game(server, {"tournament": "t1", "game": "3.1"})
        other = await house_game(server, {})
    said = [(line["event"], line["session"], line.get("tournament")) for line in lines]
    assert said == [
        ("session started", session_id, "t1"),
        ("session ended", session_id, "t1"),
        ("session started", other, None),
        ("session ended", other, None),
    ]


async def test_of_sessions_that_are_not_followed_only_vacated_seats_are_logged():
    async with logged(log_share=0.0) as (server, lines):
        await eventful(server)
    assert [line["event"] for line in lines] == ["seat vacated"]


def test_the_same_share_of_sessions_is_followed_each_as_a_whole():
    class Session:
        labels = {}  # noqa: RUF012 - nobody writes into it

        def __init__(self, number):
            self.id = f"{number:016x}"

    some, more = logs.SessionLog(0.1), logs.SessionLog(0.5)
    sessions = [Session(number) for number in range(10_000)]
    followed = {session.id for session in sessions if some._follows(session)}
    assert len(followed) == pytest.approx(1_000, rel=0.15)
    assert followed < {session.id for session in sessions if more._follows(session)}
    assert all(logs.SessionLog(1.0)._follows(session) for session in sessions)


@pytest.mark.parametrize("json_wanted", [None, True])
def test_lines_are_json_when_nobody_sits_at_a_terminal(json_wanted):
    stream = io.StringIO()
    logs.configure("warning", json=json_wanted, stream=stream)
    log = structlog.get_logger("croupier.test")
    log.info("too quiet")
    log.warning("heard", session="s1")
    (line,) = stream.getvalue().splitlines()
    said = json.loads(line)
    assert (said["event"], said["level"], said["session"]) == ("heard", "warning", "s1")
    assert said["timestamp"].endswith("Z")


def test_control_characters_do_not_reach_a_terminal():
    written = io.StringIO()
    logs.configure("info", json=False, stream=written)
    structlog.get_logger().info("bot connected", sdk="\x1b[2J\x1b]0;owned\x07", language="a\x9bb")
    assert not any(sign in written.getvalue() for sign in "\x1b\x07\x9b")
    assert r"\x1b[2J\x1b]0;owned\x07" in written.getvalue()
