"""What goes over one stream, frame by frame."""

import asyncio

import croupier
from croupier.games.trick_and_trade.v1 import trick_and_trade_pb2 as tnt
from croupier.outbox import FRAME_MESSAGES
from croupier.v1 import play_pb2


async def test_hello_says_who_is_there_and_what_it_can_do(server, play):
    class Bot(croupier.Bot):
        games = ("trick-and-trade",)
        max_sessions = 7

        def choose(self, decision):
            return 0

    play(Bot(), name="a-bot", token="secret")
    stream = await server.accept()
    assert stream.hello == play_pb2.Hello(
        protocol=1,
        bot="a-bot",
        sdk=f"croupier-python {croupier.channel.VERSION}",
        language="python",
        games=["trick-and-trade"],
        max_sessions=7,
    )
    assert stream.metadata["authorization"] == "Bearer secret"


async def test_all_answers_to_one_frame_go_out_in_one_frame(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    sessions = [f"s{number}" for number in range(64)]
    await stream.say(*map(stream.start, sessions), *(stream.ask(session, 1) for session in sessions))
    assert await stream.hear() == [stream.act(session, 1, index=0) for session in sessions]


async def test_a_frame_that_needs_no_answer_is_acknowledged(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    await stream.say(stream.start("a"))
    assert await stream.hear() == [stream.ack()]


async def test_a_frame_that_is_answered_is_not_acknowledged_as_well(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    assert await stream.hear() == [stream.act("a", 1, index=0)]
    await stream.say(stream.ping(1))
    assert await stream.hear() == [stream.pong(1)]


async def test_a_ping_is_answered_while_the_bot_thinks(server, play, choosing):
    thinking = asyncio.Event()

    async def think(decision):
        await thinking.wait()
        return 1

    play(choosing(think))
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    assert await stream.hear() == [stream.ack()]
    await stream.say(stream.ping(42))
    assert await stream.hear() == [stream.pong(42)]
    thinking.set()
    assert await stream.hear() == [stream.act("a", 1, index=1)]


async def test_messages_of_a_kind_that_the_sdk_does_not_know_are_skipped(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    newer = play_pb2.ServerMessage.FromString(b"\xa2\x06\x03abc")  # field 100
    await stream.say(newer, stream.start("a"), newer, stream.ask("a", 1))
    assert await stream.hear() == [stream.act("a", 1, index=0)]
    await stream.say(newer)
    assert await stream.hear() == [stream.ack()]


async def test_fields_that_the_sdk_does_not_know_do_not_matter(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    newer = play_pb2.ServerMessage.FromString(stream.ask("a", 1).SerializeToString() + b"\xa2\x06\x03abc")
    await stream.say(stream.start("a"), newer)
    assert await stream.hear() == [stream.act("a", 1, index=0)]


async def test_a_slow_bot_sends_each_answer_when_it_has_it(server, play, choosing, monkeypatch):
    monkeypatch.setattr("croupier.seats.PATIENCE", -1.0)  # no choice is quick enough
    play(choosing())
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.start("b"), stream.ask("a", 1), stream.ask("b", 1))
    assert await stream.hear() == [stream.act("a", 1, index=0)]
    assert await stream.hear() == [stream.act("b", 1, index=0)]


async def test_more_answers_than_a_server_reads_at_once_are_spread_over_frames(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    sessions = [f"s{number}" for number in range(FRAME_MESSAGES + 1)]
    await stream.say(*map(stream.start, sessions), *(stream.ask(session, 1) for session in sessions))
    assert await stream.hear() == [stream.act(session, 1, index=0) for session in sessions[:-1]]
    assert await stream.hear() == [stream.act(sessions[-1], 1, index=0)]


async def test_the_welcome_can_make_frames_smaller(server, play, recorder):
    play(recorder)
    stream = await server.accept(greet=False)
    await stream.say(stream.welcome(max_frame_bytes=1024), *map(stream.start, "abc"))
    assert await stream.hear() == [stream.ack()]
    await stream.say(*(stream.ask(session, 1) for session in "abc"))
    assert await stream.hear() == [stream.act("a", 1, index=0), stream.act("b", 1, index=0)]
    assert await stream.hear() == [stream.act("c", 1, index=0)]


async def test_asynchronous_answers_that_are_ready_together_share_a_frame(server, play, choosing):
    ready = asyncio.Event()

    async def think(decision):
        await ready.wait()
        return tnt.Action(play=2)

    play(choosing(think))
    stream = await server.accept()
    await stream.say(*map(stream.start, "abc"), *(stream.ask(session, 1) for session in "abc"))
    assert await stream.hear() == [stream.ack()]
    ready.set()
    assert await stream.hear() == [stream.act(session, 1, card=2) for session in "abc"]


async def test_an_asynchronous_answer_that_does_not_wait_needs_no_ack_before_it(server, play, choosing):
    async def think(decision):
        return 2

    play(choosing(think))
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    assert await stream.hear() == [stream.act("a", 1, index=2)]


async def test_a_bot_that_is_no_longer_played_ends_its_stream(server, play, recorder):
    task = play(recorder)
    stream = await server.accept()
    task.cancel()
    await stream.gone()


async def test_playing_ends_when_so_many_sessions_are_over(server, play, recorder):
    task = play(recorder, sessions=2)
    stream = await server.accept()
    await stream.say(*map(stream.start, "abc"), stream.over("a"), stream.over("b"))
    await task
    await stream.gone()
    assert recorder.told[3:] == [("end", "a", 2), ("end", "b", 2)]


async def test_a_game_with_two_seats_of_one_bot_counts_once(server, play, recorder):
    task = play(recorder, sessions=1)
    stream = await server.accept()
    await stream.say(stream.start("a", seat=0), stream.start("a", seat=2))
    await stream.say(stream.ask("a", 1, seat=0), stream.ask("a", 2, seat=2))
    assert await stream.hear() == [stream.ack()]
    assert await stream.hear() == [stream.act("a", 1, index=0), stream.act("a", 2, index=0)]
    assert [decision.session.seat for decision in recorder.decisions] == [0, 2]
    await stream.say(stream.over("a", seat=0), stream.over("a", seat=2))
    await task
    assert recorder.told[2:] == [("end", "a", 4), ("end", "a", 2)]
