"""Frames that make no sense: the stream lives where it can, the answer says what was wrong, others do not notice."""

import grpc
import pytest
from bots import Garbage, Honest, garbage

from croupier.v1 import play_pb2

ANSWERS = {
    garbage.UNPARSABLE: "the frame is not a croupier.v1.PlayRequest",
    garbage.NOTHING_SAID: "a message is empty, or of a kind that this server does not know",
    garbage.UNKNOWN_KIND: "a message is empty, or of a kind that this server does not know",
    garbage.HELLO_AGAIN: "Hello is said once, at the start of a stream",
    garbage.TOO_LARGE: "the frame has 262,145 bytes; at most 262,144 are read",
}


async def test_garbage_is_answered_and_the_stream_lives(server, organise):
    async with (
        organise(server) as organiser,
        Honest(server.target, "ann") as ann,
        Garbage(server.target, "garbage", list(ANSWERS)) as bad,
    ):
        struck = await organiser.create("ann", "garbage", "house:random")
        spared = await organiser.create("ann", "house:greedy", "house:random")
        [end] = await bad.over(struck)
        assert end.reason == play_pb2.END_REASON_FINISHED
        await ann.over(struck, spared)
        assert [result.message for result in bad.results] == list(ANSWERS.values())
        assert {result.outcome for result in bad.results} == {play_pb2.ACT_OUTCOME_MALFORMED}
        assert {(result.session_id, result.fault) for result in bad.results} == {("", 0)}
        for session_id in (struck, spared):
            assert await organiser.faults(session_id) == {}
        assert not ann.results


async def test_a_frame_of_just_the_limit_is_read(server):
    async with Garbage(server.target, "garbage", []) as bad:
        assert bad.welcome.max_frame_bytes == garbage.APP_LIMIT
        await bad.send(garbage.of_size(garbage.APP_LIMIT))
        await bad.until(lambda: bool(bad.results), "an answer")
        assert bad.results[0].message == "Hello is said once, at the start of a stream"  # so it was read


async def test_a_message_over_the_transports_limit_ends_its_stream_and_no_other(serve, organise):
    server = serve(grace=60)
    async with organise(server) as organiser, Honest(server.target, "ann") as ann:
        async with Garbage(server.target, "garbage", [garbage.of_size(garbage.TRANSPORT_LIMIT + 1)]) as bad:
            struck = await organiser.create("ann", "garbage", "house:random")
            spared = await organiser.create("ann", "house:greedy", "house:random")
            code, message = await bad.hung_up()
            # gRPC's own doing: INTERNAL is what its client makes of it while it is still writing.
            assert code in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INTERNAL), message
        async with Honest(server.target, "garbage") as wiser:  # it is no outlaw for that
            await wiser.over(struck)
        await ann.over(struck, spared)
        assert await organiser.faults(spared) == {}
        assert "ann" not in await organiser.faults(struck)


HELLO = play_pb2.Hello(protocol=1, bot="garbage")
PONG = play_pb2.ClientMessage(pong=play_pb2.Pong(nonce=1))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (garbage.UNPARSABLE, "messages: the first frame is not a croupier.v1.PlayRequest"),
        (b"", "messages: the first frame of a stream holds Hello and nothing else"),
        (play_pb2.PlayRequest(messages=[PONG]), "messages: the first frame of a stream holds Hello and nothing else"),
        (
            play_pb2.PlayRequest(messages=[play_pb2.ClientMessage(hello=HELLO), PONG]),
            "messages: the first frame of a stream holds Hello and nothing else",
        ),
        (
            play_pb2.PlayRequest(messages=[play_pb2.ClientMessage(hello=play_pb2.Hello(protocol=2, bot="garbage"))]),
            "hello.protocol: this server speaks protocol 1, the bot 2",
        ),
        (
            play_pb2.PlayRequest(messages=[play_pb2.ClientMessage(hello=play_pb2.Hello(protocol=1, bot="Mr. X"))]),
            "bot: a bot's name is 1 to 64 characters a-z 0-9 - _ . , not 'Mr. X'",
        ),
    ],
    ids=["unparsable", "empty", "no Hello", "more than Hello", "another protocol", "a bad name"],
)
async def test_a_stream_that_does_not_begin_with_a_good_hello_ends_at_once(server, frame, message):
    class Rude(Honest):
        async def say(self, *messages):
            await self.send(frame if isinstance(frame, bytes) else frame.SerializeToString())

    rude = Rude(server.target, "garbage")
    try:
        with pytest.raises(AssertionError, match="its stream has ended"):
            await rude.connect()
        assert rude.status == (grpc.StatusCode.INVALID_ARGUMENT, message)
    finally:
        await rude.close()
