"""What the example bots offer to whoever runs them: times at the end, and choices that can be repeated."""

import asyncio
import json
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from croupier import Bot, Decision, Session
from croupier.examples.greedy import Greedy
from croupier.examples.random_bot import RandomBot
from croupier.examples.timing import Timed, Times
from croupier.games.trick_and_trade.v1.trick_and_trade_pb2 import Table, View
from croupier.v1 import game_pb2, play_pb2


def decision(round_=1, received=0.0):
    message = play_pb2.Decision(
        actions=[game_pb2.GameAction()] * 8,
        view=game_pb2.GameView(trick_and_trade=View(table=Table(seats=4, round=round_))),
    )
    return Decision(Session(play_pb2.SessionStart(session_id="a")), message, received)


def test_a_decision_knows_when_it_came():
    assert decision(received=12.5).received == 12.5


async def test_the_sdk_tells_a_decision_when_it_came(server, play):
    class Watch(Bot):
        def choose(self, decision):
            waits.append(time.monotonic() - decision.received)
            return 0

    waits = []
    began = time.monotonic()
    play(Watch())
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    await stream.hear()
    assert 0 <= waits[0] < time.monotonic() - began


def test_quantiles_are_within_two_and_a_half_percent():
    dice, times = random.Random(1), Times()
    seconds = sorted(dice.lognormvariate(-7, 2) for _ in range(1001))
    for each in seconds:
        times.add(each)
    for share in (0.01, 0.5, 0.9, 0.99):
        assert times.quantile(share) == pytest.approx(seconds[int(share * 1000)], rel=0.025)


def test_no_durations_have_no_quantiles():
    assert (Times().count, Times().quantile(0.5)) == (0, 0.0)


def test_no_duration_is_too_short():
    times = Times()
    times.add(0.0)
    assert times.quantile(0.5) == pytest.approx(1e-9, rel=0.05)


def test_a_timed_bot_is_the_bot_with_a_clock():
    class Player(Bot):
        games = ("chess",)
        max_sessions = 3
        wants_events = True

        def choose(self, decision):
            return 5

        def on_start(self, session):
            session.data = "seen"

    timed = Timed(Player())
    assert (timed.games, timed.max_sessions, timed.wants_events) == (("chess",), 3, True)
    session = Session(play_pb2.SessionStart())
    timed.on_start(session)
    assert session.data == "seen"
    assert timed.choose(decision(received=time.monotonic() - 0.5)) == 5
    assert timed.times.count == 1
    assert timed.times.quantile(0.5) == pytest.approx(0.5, rel=0.1)


async def test_a_timed_bot_counts_the_time_of_a_choice_in_the_background():
    class Player(Bot):
        async def choose(self, decision):
            await asyncio.sleep(0.02)
            return 5

    timed = Timed(Player())
    choice = timed.choose(decision(received=time.monotonic()))
    assert timed.times.count == 0
    assert await choice == 5
    assert timed.times.quantile(0.5) >= 0.019


def test_with_a_seed_the_random_bot_chooses_alike_where_it_sees_the_same():
    rounds = range(1, 200)
    chosen = [RandomBot("seed").choose(decision(number)) for number in rounds]
    assert chosen == [RandomBot("seed").choose(decision(number)) for number in rounds]
    assert chosen != [RandomBot("other").choose(decision(number)) for number in rounds]
    assert set(chosen) == set(range(8))


async def test_stats_are_one_line_of_json_at_the_end(server):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "croupier.examples.random_bot", "--target", server.target, "--stats", "--seed", "s"),
        stdout=asyncio.subprocess.PIPE,
    )
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    await stream.hear()
    process.send_signal(signal.SIGINT)
    stdout, _ = await process.communicate()
    told = json.loads(stdout)
    assert (process.returncode, told["decisions"]) == (0, 1)
    assert 0 < told["p50_ms"] == told["p99_ms"]


def test_greedy_answers_as_the_vectors_that_the_sdks_share_say():
    vectors = Path(__file__).parents[2] / "vectors"
    asked = play_pb2.PlayResponse.FromString((vectors / "greedy-decisions.binpb").read_bytes())
    acts = play_pb2.PlayRequest.FromString((vectors / "greedy-acts.binpb").read_bytes())
    session = Session(play_pb2.SessionStart())
    chosen = [Greedy().choose(Decision(session, message.decision)) for message in asked.messages]
    assert chosen == [message.act.index for message in acts.messages]
    assert len(chosen) > 100
