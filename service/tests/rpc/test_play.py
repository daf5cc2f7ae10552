"""PlayService over gRPC: Hello, whole games, streams that break rules and streams that break."""

import asyncio
import hashlib

import grpc
import pytest
import structlog
from serving import RemoteBot, Serving, all_of, refusal, told_by

from croupier.v1 import game_pb2, play_pb2
from croupier.v1 import session_pb2 as pb
from croupier_service.identity.limits import Limits
from croupier_service.rpc.play import PlaySettings
from croupier_service.rpc.server import TRANSPORT_LIMIT_BYTES
from croupier_service.sessions.host import HostSettings


async def create(server, *bots, **fields):
    request = pb.CreateSessionRequest(game="trick-and-trade", bots=bots, **fields)
    return (await server.sessions.CreateSession(request)).session


# Hello.


async def test_hello_is_answered_with_the_limits(server):
    ann = RemoteBot(server.channel, "ann")
    welcome = await ann.hello()
    assert (welcome.protocol, welcome.bot) == (1, "ann")
    assert welcome.server.startswith("croupier ")
    assert (welcome.max_frame_bytes, welcome.ping_interval_ms, welcome.stall_timeout_ms) == (
        Limits().frame_bytes, 5_000, 15_000,
    )  # fmt: skip
    ann.call.cancel()


def hello(**fields):
    return play_pb2.ClientMessage(hello=play_pb2.Hello(**{"protocol": 1, "bot": "ann", **fields}))


@pytest.mark.parametrize(
    ("messages", "reason", "field"),
    [
        ([], "NO_HELLO", "messages"),
        ([play_pb2.ClientMessage(ack=play_pb2.Ack())], "NO_HELLO", "messages"),
        ([play_pb2.ClientMessage()], "NO_HELLO", "messages"),
        ([hello(), play_pb2.ClientMessage(ack=play_pb2.Ack())], "NO_HELLO", "messages"),
        ([hello(protocol=0)], "BAD_PROTOCOL", "hello.protocol"),
        ([hello(protocol=2)], "BAD_PROTOCOL", "hello.protocol"),
        ([hello(bot="")], "BAD_BOT_NAME", "bot"),
        ([hello(bot="house:random")], "BAD_BOT_NAME", "bot"),
        ([hello(bot="x" * 65)], "BAD_BOT_NAME", "bot"),
        ([hello(games=["a"] * 257)], "TOO_LONG", "hello.games"),
        ([hello(games=["x" * 65])], "TOO_LONG", "hello.games"),
        ([hello(sdk="x" * Limits().frame_bytes)], "TOO_LONG", "messages"),
    ],
    ids=str,
)
async def test_a_stream_that_does_not_begin_with_a_proper_hello_is_refused(server, messages, reason, field):
    bot = RemoteBot(server.channel, "ann")
    await bot.say(*messages)
    assert told_by(await bot.end()) == ("INVALID_ARGUMENT", reason, [field])


async def test_a_first_frame_that_the_transport_does_not_read_is_nothing_unexpected(server, monkeypatch):
    ended = asyncio.Event()
    called = server.server.metrics.called

    def note(*call):
        called(*call)
        ended.set()

    monkeypatch.setattr(server.server.metrics, "called", note)
    bot = RemoteBot(server.channel, "ann")
    with structlog.testing.capture_logs() as logs:
        await bot.say_bytes(bytes(TRANSPORT_LIMIT_BYTES + 1))
        assert (await bot.end()).code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        await ended.wait()
    assert not [entry for entry in logs if entry["log_level"] in ("warning", "error")]
    assert server.host.bots == {}


async def test_a_first_frame_that_cannot_be_read_is_refused(server):
    bot = RemoteBot(server.channel, "ann")
    await bot.say_bytes(b"\xff")
    assert told_by(await bot.end()) == ("INVALID_ARGUMENT", "NO_HELLO", ["messages"])


async def test_a_stream_that_ends_before_hello_is_refused(server):
    bot = RemoteBot(server.channel, "ann")
    await bot.call.done_writing()
    assert told_by(await bot.end()) == ("INVALID_ARGUMENT", "NO_HELLO", ["messages"])


async def test_a_stream_that_says_nothing_is_ended_after_a_while():
    async with Serving(play=PlaySettings(hello_timeout_ms=10)) as server:
        bot = RemoteBot(server.channel, "ann")
        assert told_by(await bot.end()) == ("DEADLINE_EXCEEDED", "NO_HELLO", ["hello"])


async def test_hello_is_answered_with_how_many_sessions_the_bot_may_be_given():
    async with Serving(host=HostSettings(max_sessions_each=3)) as server:
        for asked, told in ((0, 3), (2, 2), (9, 3)):
            bot = RemoteBot(server.channel, "ann", max_sessions=asked)
            assert (await bot.hello()).max_sessions == told
            bot.call.cancel()


async def test_a_bot_that_is_full_or_plays_something_else_is_not_seated(server):
    async with server.bots("ann", max_sessions=1) as (ann,), server.bots("bob", games=["trades"]):
        await create(server, "ann", "house:random", "house:random")
        for bots, answer in (
            (("house:random", "ann", "house:random"), ("RESOURCE_EXHAUSTED", "BOT_FULL", ["bots[1]"])),
            (("house:random", "house:random", "bob"), ("FAILED_PRECONDITION", "BOT_DOES_NOT_PLAY", ["bots[2]"])),
        ):
            assert await refusal(create(server, *bots)) == answer
        await ann.play()
        await create(server, "ann", "house:random", "house:random")


# Too much.


async def test_a_bot_that_acts_faster_than_it_may_is_slowed_down_and_no_other(monkeypatch):
    """Its acts wait, none is lost; the clock that says how long is the test's."""
    waits = []
    sleep = asyncio.sleep

    async def note(seconds):
        waits.append(seconds)
        await sleep(0)

    async with Serving(limits=Limits(acts_per_second=100)) as server, server.bots("ann", "bob") as (ann, bob):
        await create(server, "ann", "bob", "bob")
        monkeypatch.setattr("croupier_service.rpc.play._pause", note)
        ack = play_pb2.ClientMessage(ack=play_pb2.Ack())
        await ann.say(*[ack] * 300)
        mine, others = await all_of(ann.play(1), bob.play(2))
        assert mine[0].result == others[0].result
        assert waits
        assert max(waits) == pytest.approx(2.0, abs=0.2)
        assert server.server.metrics.throttled_ms == pytest.approx(sum(waits) * 1000)


async def test_a_bot_that_comes_back_is_no_faster_for_it(monkeypatch):
    waits = asyncio.Queue()
    monkeypatch.setattr("croupier_service.rpc.play._pause", waits.put)
    async with Serving(limits=Limits(acts_per_second=1)) as server, server.bots("ann") as (ann,):
        await ann.say(*[play_pb2.ClientMessage(ack=play_pb2.Ack())] * 1_000)
        assert await waits.get() == pytest.approx(999, abs=60)
        async with server.bots("ann", "bob"):
            assert await waits.get() == pytest.approx(999, abs=60)
            assert waits.empty()


async def test_the_largest_frame_can_be_set():
    async with Serving(limits=Limits(frame_bytes=4096)) as server:
        ann = RemoteBot(server.channel, "ann")
        assert (await ann.hello()).max_frame_bytes == 4096
        await ann.say_bytes(bytes(4097))
        assert (await ann.hear("act_result")).message == "the frame has 4,097 bytes; at most 4,096 are read"
        ann.call.cancel()


# Playing.


async def test_a_session_is_played_by_bots_over_their_streams(server):
    async with server.bots("ann", "bob", "cat") as bots:
        session = await create(server, "ann", "bob", "cat")
        ends = await all_of(*(bot.play() for bot in bots))
        assert {end[0].session_id for end in ends} == {session.session_id}
        assert ends[0][0].result == ends[1][0].result == ends[2][0].result
        assert [end[0].seat for end in ends] == [0, 1, 2]
        assert server.host.sessions == {}


async def test_one_stream_carries_many_sessions(server):
    async with server.bots("ann", "bob") as (ann, bob):
        made = {(await create(server, "ann", "bob", "ann")).session_id for _ in range(20)}
        ends, _ = await all_of(ann.play(40), bob.play(20))
        assert {(end.session_id, end.seat) for end in ends} == {(one, seat) for one in made for seat in (0, 2)}


async def test_the_seed_is_what_was_committed_to(server):
    async with server.bots("ann") as (ann,):
        session = await create(server, "ann", "house:random", "house:random")
        (end,) = await ann.play()
        assert hashlib.sha256(end.seed).digest() == session.seed_commitment


async def test_events_come_when_hello_asked_for_them(server):
    async with server.bots("ann", events=True) as (ann,):
        await create(server, "ann", "house:random", "house:random")
        heard = []
        while not any(message.WhichOneof("message") == "session_end" for message in ann.told):
            for message in ann.told or await ann.frame():
                if message.WhichOneof("message") == "events":
                    heard += [event.seq for event in message.events.events]
                elif message.WhichOneof("message") == "decision":
                    await ann.act(message.decision)
            ann.told = [message for message in ann.told if message.WhichOneof("message") == "session_end"]
        assert heard == list(range(1, ann.told[0].session_end.seq + 1))


# What breaks rules does not break the stream.


@pytest.mark.parametrize(
    "frame",
    [b"\xff", bytes(Limits().frame_bytes + 1), play_pb2.PlayRequest(messages=[hello()]).SerializeToString()],
    ids=["unreadable", "too large", "hello again"],
)
async def test_after_a_bad_frame_the_stream_lives_and_other_bots_notice_nothing(server, frame):
    async with server.bots("ann", "bob") as (ann, bob):
        await create(server, "ann", "bob", "bob")
        await ann.say_bytes(frame)
        assert (await ann.hear("act_result")).outcome == play_pb2.ACT_OUTCOME_MALFORMED
        mine, others = await all_of(ann.play(1), bob.play(2))
        assert mine[0].result == others[0].result
        assert not any(message.WhichOneof("message") == "act_result" for message in bob.told)


async def test_an_illegal_act_is_answered_over_the_wire(server):
    async with server.bots("ann") as (ann,):
        await create(server, "ann", "ann", "ann", options=game_pb2.GameOptions(trick_and_trade={"first_leader": 0}))
        decision = await ann.hear("decision")
        held = {action.trick_and_trade.play for action in decision.actions}
        card = next(card for card in range(1, 41) if card not in held)
        await ann.act(decision, action=game_pb2.GameAction(trick_and_trade={"play": card}))
        result = await ann.hear("act_result")
        assert (result.outcome, result.rule, result.attempts_left) == (
            play_pb2.ACT_OUTCOME_ILLEGAL, "play.in-hand", 2,
        )  # fmt: skip


# Connections.


async def test_the_newest_connection_wins_and_the_older_is_told_so(server):
    async with server.bots("ann") as (old,):
        await create(server, "ann", "house:random", "house:random")
        asked = await old.hear("decision")
        async with server.bots("ann") as (new,):
            ended = await old.end()
            assert ended.code().name == "ABORTED"
            assert ended.details() == "a newer connection of this bot has taken over"
            assert (await new.hear("session_start")).resumed
            again = await new.hear("decision")
            assert (again.decision_id, again.attempt) == (asked.decision_id, asked.attempt)
            await new.act(again)
            await new.play()


async def test_who_comes_back_on_a_new_stream_is_asked_again(server):
    async with server.bots("ann") as (ann,):
        await create(server, "ann", "house:random", "house:random")
        asked = await ann.hear("decision")
    async with server.bots("ann") as (ann,):
        assert (await ann.hear("session_start")).resumed
        again = await ann.hear("decision")
        assert (again.decision_id, again.actions, again.view) == (asked.decision_id, asked.actions, asked.view)


async def test_a_bot_that_ends_its_side_of_the_stream_has_left(server):
    async with server.bots("ann") as (ann,):
        session = await create(server, "ann", "house:random", "house:random")
        await ann.leave()
        assert (await ann.call.code()).name == "OK"
        shown = (await server.sessions.GetSession(pb.GetSessionRequest(session_id=session.session_id))).session
        assert not shown.seats[0].connected


async def test_a_bot_that_does_not_answer_pings_is_cut_off_with_a_reason():
    play = PlaySettings(ping_interval_ms=10, stall_timeout_ms=30)
    async with Serving(play=play) as server, server.bots("ann") as (ann,):
        await ann.hear("ping")
        ended = await ann.end()
        assert ended.code().name == "UNAVAILABLE"  # it may come back
        assert ended.details().startswith("stalled: the bot has not answered for")


async def test_when_the_server_stops_every_bot_is_told_why():
    async with Serving() as server:
        ann = RemoteBot(server.channel, "ann")
        await ann.hello()
        server.host.close("the server is stopping")
        ended = await ann.end()
        assert (ended.code().name, ended.details()) == ("UNAVAILABLE", "the server is stopping")


async def test_a_drain_is_announced_and_what_ends_within_the_grace_is_told(server):
    """The end of the last session goes out before the server closes the stream."""
    async with server.bots("ann") as (ann,):
        await create(server, "ann", "house:random", "house:random")

        async def stop():
            left = await server.server.drain(30.0, "it is late")
            server.host.close("the server is stopping")
            return left

        stopping = asyncio.create_task(stop())
        drain = await ann.hear("drain")
        assert (drain.grace_ms, drain.reason) == (30_000, "it is late")
        (end,) = await ann.play()
        assert end.reason == play_pb2.END_REASON_FINISHED
        assert await stopping == 0


async def test_the_end_of_a_session_is_told_before_the_server_stops_even_to_a_bot_that_acknowledges_nothing(server):
    """Whose next frame would otherwise still wait for a sign of it."""
    async with server.bots("ann", events=True) as (ann,), server.bots("bob") as (bob,):
        await create(server, "bob", "ann", "house:random")

        async def stop():
            await server.server.drain(30.0, "it is late")
            server.host.close("the server is stopping")

        stopping = asyncio.create_task(stop())
        playing = asyncio.create_task(bob.play())
        (end,) = await ann.play()
        assert end.reason == play_pb2.END_REASON_FINISHED
        await all_of(stopping, playing)
        assert (await ann.end()).details() == "the server is stopping"


async def test_a_drain_ends_when_its_grace_does(server):
    async with server.bots("ann"):
        await create(server, "ann", "house:random", "house:random")
        assert await server.server.drain(0.01, "it is late") == 1
