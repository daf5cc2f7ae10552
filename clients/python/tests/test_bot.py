"""Bots, their names, and running them as a program."""

import asyncio
import hashlib
import json
import logging
import os
import re
import signal
import sys

import grpc
import pytest
from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration

import croupier
from croupier.bot import Actions, Decision, End, Session
from croupier.envelope import unwrap, wrap
from croupier.games.trick_and_trade.v1 import trick_and_trade_pb2 as tnt
from croupier.running import check_settings
from croupier.v1 import game_pb2, play_pb2


class Bot(croupier.Bot):
    def choose(self, decision):
        return 0


# --------------------------------------------------------------------------------------------------------- what it sees


def test_a_session_says_where_the_bot_sits():
    session = Session(
        play_pb2.SessionStart(
            session_id="a",
            game="trick-and-trade",
            rules_version=3,
            seat=1,
            seats=5,
            options=game_pb2.GameOptions(trick_and_trade=tnt.Options(first_leader=4)),
            clock=game_pb2.ClockSettings(think_time_ms=1000, bank_ms=5000),
            faults=game_pb2.FaultSettings(max_faults=10),
            seq=12,
            resumed=True,
            seed_commitment=hashlib.sha256(b"seed").digest(),
        )
    )
    assert (session.id, session.game, session.rules_version, session.seat, session.seats) == (
        *("a", "trick-and-trade", 3, 1, 5),
    )
    assert session.options == tnt.Options(first_leader=4)
    assert (session.clock.think_time_ms, session.faults.max_faults) == (1000, 10)
    assert (session.seq, session.resumed, len(session.seed_commitment), session.data) == (12, True, 32, None)
    assert repr(session) == "<Session a: trick-and-trade, seat 1 of 5>"


def test_actions_are_a_sequence():
    envelopes = [game_pb2.GameAction(trick_and_trade=tnt.Action(play=card)) for card in (3, 4, 5)]
    actions = Actions(envelopes)
    assert len(actions) == 3
    assert [action.play for action in actions] == [3, 4, 5]
    assert actions[-1] == tnt.Action(play=5)
    assert actions[1:] == [tnt.Action(play=4), tnt.Action(play=5)]
    assert actions.index(tnt.Action(play=4)) == 1
    assert tnt.Action(play=9) not in actions
    assert list(Actions([])) == []


def test_an_aborted_session_has_no_result():
    session = Session(play_pb2.SessionStart(session_id="a", seat=2))
    end = End(session, play_pb2.SessionEnd(session_id="a", reason=play_pb2.END_REASON_ABORTED))
    assert (end.result, end.points, end.placing, end.view, end.seed) == (None, None, None, None, b"")


def test_a_third_party_game_arrives_as_its_own_messages():
    packed = Any()
    packed.Pack(Duration(seconds=5))
    decision = Decision(
        Session(play_pb2.SessionStart()),
        play_pb2.Decision(actions=[game_pb2.GameAction(other=packed)], view=game_pb2.GameView(other=packed)),
    )
    assert decision.view == Duration(seconds=5)
    assert list(decision.actions) == [Duration(seconds=5)]
    assert wrap(Duration(seconds=5), like=decision.message.actions[0]) == decision.message.actions[0]


def test_a_third_party_game_of_unknown_types_can_still_be_played():
    envelope = game_pb2.GameAction(other=Any(type_url="type.example/unheard.of.Action", value=b"abc"))
    assert unwrap(envelope) == envelope.other
    assert wrap(unwrap(envelope), like=envelope) == envelope


def test_a_game_newer_than_the_sdk_can_still_be_played():
    envelope = game_pb2.GameAction.FromString(b"\x72\x03abc")  # field 14
    assert wrap(unwrap(envelope), like=envelope).SerializeToString() == b"\x72\x03abc"


# ---------------------------------------------------------------------------------------------------------- what it is


def test_a_bot_must_choose():
    class Lazy(croupier.Bot):
        pass

    with pytest.raises(TypeError, match="choose"):
        Lazy()


async def test_a_class_is_no_bot():
    with pytest.raises(TypeError, match=r"expected an instance of a subclass of croupier\.Bot"):
        await croupier.play(Bot)


async def test_only_choose_may_be_async():
    class Wrong(Bot):
        async def on_start(self, session):
            pass

    with pytest.raises(TypeError, match=r"Wrong.on_start must be a plain function"):
        await croupier.play(Wrong())


@pytest.mark.parametrize("name", ["Bot", "a b", "house:x", "x" * 65])
async def test_names_are_checked_before_connecting(name):
    with pytest.raises(ValueError, match="is no name for a bot: it takes 1 to 64 characters"):
        await croupier.play(Bot(), name=name)


@pytest.mark.parametrize("target", ["localhost", "http://localhost:1", "local host:1", "localhost:99999", "::1:7700"])
async def test_targets_are_checked_before_connecting(target):
    with pytest.raises(ValueError, match=re.escape(f'target {target!r} is no address: it takes "host:port"')):
        await croupier.play(Bot(), target)


@pytest.mark.parametrize(
    "target",
    ["localhost:1", "cards.example.org.:65535", "[::1]:7700", "[fe80::1%eth0]:7700", "dns:///a:1", "unix:/a b"],
)
def test_whatever_grpc_takes_for_an_address_is_one(target):
    check_settings(target, None, None, "log")


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ({"token": "two\nlines"}, "token: it takes one line of printable ASCII characters"),
        ({"token": "geheim€"}, "token: it takes one line of printable ASCII characters"),
        ({"sessions": 0}, "sessions is 1 or more, or None: no end, not 0"),
        ({"on_error": "stop"}, 'on_error is "log" or "raise", not \'stop\''),
    ],
)
async def test_settings_are_checked_before_connecting(setting, complaint):
    with pytest.raises(ValueError, match=re.escape(complaint)):
        await croupier.play(Bot(), **setting)


@pytest.mark.parametrize(
    ("attribute", "value", "complaint"),
    [
        ("games", "trades", "Wrong.games must be a tuple of names, ('trades',), not 'trades'"),
        ("games", None, "Wrong.games must be a tuple of names, not None"),
        ("games", (1,), "Wrong.games must be a tuple of names, not (1,)"),
        ("max_sessions", -1, "Wrong.max_sessions must be a number of sessions, or 0: any, not -1"),
        ("max_sessions", None, "Wrong.max_sessions must be a number of sessions, or 0: any, not None"),
    ],
)
async def test_what_a_bot_takes_is_checked_before_connecting(attribute, value, complaint):
    wrong = type("Wrong", (Bot,), {attribute: value})
    with pytest.raises((TypeError, ValueError), match=re.escape(complaint)):
        await croupier.play(wrong())


async def test_a_bot_without_a_name_is_called_like_its_class(server, play):
    class DeepThought(Bot):
        pass

    play(DeepThought(), name=None)
    assert (await server.accept(greet=False)).hello.bot == "deep-thought"


async def test_name_target_and_token_may_come_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("CROUPIER_NAME", "supervised")
    monkeypatch.setenv("CROUPIER_TARGET", server.target)
    monkeypatch.setenv("CROUPIER_TOKEN", "secret")
    task = asyncio.create_task(croupier.play(Bot()))
    stream = await server.accept(greet=False)
    assert (stream.hello.bot, stream.metadata["authorization"]) == ("supervised", "Bearer secret")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


# -------------------------------------------------------------------------------------------------------- as a program


async def test_run_explains_itself_inside_an_event_loop():
    with pytest.raises(RuntimeError, match=r"await croupier.play\(...\)"):
        croupier.run(Bot())


async def start(server, *arguments):
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "croupier.examples.first", "--target", server.target, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")},
    )


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
async def test_ctrl_c_and_sigterm_end_a_bot_cleanly(ending, server):
    process = await start(server)
    stream = await server.accept()
    assert stream.hello.bot == "first"
    process.send_signal(ending)
    _, stderr = await process.communicate()
    assert (process.returncode, stderr) == (0, b"")
    await stream.gone()


async def test_a_program_ends_after_its_sessions(server):
    process = await start(server, "--sessions", "1", "--name", "other")
    stream = await server.accept()
    assert stream.hello.bot == "other"
    await stream.say(stream.start("a"), stream.ask("a", 1))
    assert await stream.hear() == [stream.act("a", 1, card=1)]
    await stream.say(stream.over("a"))
    _, stderr = await process.communicate()
    assert (process.returncode, stderr) == (0, b"")


async def test_a_program_can_tell_at_the_end_what_its_decisions_took(server):
    process = await start(server, "--sessions", "1", "--stats")
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1), stream.ask("a", 2))
    await stream.hear()
    await stream.say(stream.over("a"))
    stdout, _ = await process.communicate()
    stats = json.loads(stdout)
    assert stats["decisions"] == 2
    assert 0 < stats["p50_ms"] <= stats["p99_ms"]


async def test_a_program_that_is_refused_says_why_in_one_line(server):
    process = await start(server)
    stream = await server.accept(greet=False)
    stream.end(grpc.StatusCode.PERMISSION_DENIED, "first is banned")
    _, stderr = await process.communicate()
    assert process.returncode == 1
    assert stderr.decode().strip().splitlines() == ["first.py: PERMISSION_DENIED: first is banned"]


def test_warnings_are_shown_by_default_and_more_when_verbose(capsys, monkeypatch):
    log = croupier.log.LOG
    monkeypatch.setattr(log, "propagate", False)  # as if pytest had not set up logging
    for verbose in (None, True):
        with croupier.log.console(verbose=verbose):
            log.info("connected")
            log.warning("lost")
    shown = [line.split(" ", 1)[1] for line in capsys.readouterr().err.splitlines()]
    assert shown == ["croupier: lost", "croupier: connected", "croupier: lost"]
    assert (log.handlers, log.level) == ([], logging.NOTSET)


def test_a_program_that_has_set_up_logging_is_left_alone(capsys):
    with croupier.log.console(verbose=True):  # pytest has set it up
        assert croupier.log.LOG.handlers == []
