"""Losing a server, finding it again, and knowing when to stop trying."""

import asyncio

import grpc
import pytest

import croupier

LOST = grpc.StatusCode.UNAVAILABLE, "going down"


async def test_a_lost_connection_is_opened_again(server, play, recorder, pauses, log):
    play(recorder)
    stream = await server.accept()
    await stream.say(stream.ping(1))
    await stream.hear()
    stream.end(*LOST)
    await server.accept()
    assert pauses.seconds == [0.1]
    assert f"lost {server.target} (going down); trying again in 0.1 s" in log()
    assert log().count(f"connected as bot to {server.target} (fake 1)") == 2


async def test_pauses_grow_to_ten_seconds_and_start_anew_after_success(server, play, recorder, pauses):
    for _ in range(9):
        await server.refuse(*LOST)
    play(recorder)
    stream = await server.accept()
    assert pauses.seconds == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0]
    stream.end(*LOST)  # after no more than the greeting, which proves nothing
    stream = await server.accept()
    assert pauses.seconds[9:] == [10.0]
    await stream.say(stream.ping(1))
    await stream.hear()
    stream.end(*LOST)
    await server.accept()
    assert pauses.seconds[10:] == [0.1]


async def test_a_server_that_is_not_there_is_waited_for(recorder, log):
    tried = asyncio.Event()

    async def sleep(seconds):
        tried.set()
        await asyncio.Event().wait()

    backoff = croupier.Backoff(random=lambda: 1.0, sleep=sleep)
    task = asyncio.create_task(croupier.play(recorder, "127.0.0.1:1", name="bot", backoff=backoff))
    await tried.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert "cannot reach 127.0.0.1:1 (connection refused); trying again in 0.1 s" in log()


async def test_the_bot_keeps_its_sessions_and_says_which_events_it_has(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.events("a", 1, 2, 3), stream.start("b"))
    await stream.hear()
    stream.end(*LOST)
    stream = await server.accept()
    assert {resume.session_id: resume.last_seq for resume in stream.hello.resume} == {"a": 3, "b": 0}
    await stream.say(stream.start("a", resumed=True, seq=4), stream.events("a", 3, 4), stream.ask("a", 1, seq=4))
    assert await stream.hear() == [stream.act("a", 1, index=0)]
    assert recorder.told == [
        ("start", "a"),
        ("events", "a", [1, 2, 3]),
        ("start", "b"),
        ("events", "a", [4]),  # 3 was known
    ]


async def test_each_of_two_seats_in_one_session_says_which_events_it_has(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    await stream.say(stream.start("a", seat=0), stream.start("a", seat=2), stream.events("a", 1, seat=0))
    await stream.hear()
    stream.end(*LOST)
    stream = await server.accept()
    known = {(resume.session_id, resume.seat): resume.last_seq for resume in stream.hello.resume}
    assert known == {("a", 0): 1, ("a", 2): 0}


async def test_an_answer_that_was_lost_with_its_stream_is_sent_again_without_choosing_again(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 7))
    assert await stream.hear() == [stream.act("a", 7, index=0)]
    stream.end(*LOST)  # the server never read it
    stream = await server.accept()
    await stream.say(stream.start("a", resumed=True), stream.ask("a", 7))
    assert await stream.hear() == [stream.act("a", 7, index=0)]
    assert len(recorder.decisions) == 1


@pytest.mark.parametrize("when", ["before the stream is lost", "between two streams", "after it is asked again"])
async def test_a_choice_in_progress_survives_the_loss_of_its_stream(when, server, play, choosing):
    answer = asyncio.get_running_loop().create_future()
    bot = choosing(lambda decision: answer)
    play(bot)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 7))
    assert await stream.hear() == [stream.ack()]
    if when == "before the stream is lost":
        answer.set_result(2)
        assert await stream.hear() == [stream.act("a", 7, index=2)]
    stream.end(*LOST)
    stream = await server.accept()
    if when == "between two streams":
        answer.set_result(2)
        assert await stream.hear() == [stream.act("a", 7, index=2)]  # sent as soon as it is there
    await stream.say(stream.start("a", resumed=True), stream.ask("a", 7))
    if when == "after it is asked again":
        assert await stream.hear() == [stream.ack()]
        answer.set_result(2)
    assert await stream.hear() == [stream.act("a", 7, index=2)]
    assert len(bot.decisions) == 1


async def test_an_answer_is_never_sent_before_hello(server, play, choosing):
    answers = []

    def choose(decision):
        answers.append(asyncio.get_running_loop().create_future())
        return answers[-1]

    play(choosing(choose))
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.ask("a", 1))
    await stream.hear()
    stream.end(*LOST)
    while not answers[0].done():
        stream = await server.accept(greet=False)  # Hello was alone in its frame: the fake server insists on that
        answers[0].set_result(0)
    assert await stream.hear() == [stream.act("a", 1, index=0)]


async def test_events_that_a_crashed_server_has_lost_are_forgotten(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.events("a", 1, 2, 3), stream.ask("a", 2, seq=3))
    await stream.hear()
    stream.end(*LOST)
    stream = await server.accept()
    await stream.say(stream.start("a", resumed=True, seq=1), stream.events("a", 2), stream.ask("a", 2, seq=2))
    assert await stream.hear() == [stream.act("a", 2, index=0)]
    assert recorder.told == [("start", "a"), ("events", "a", [1, 2, 3]), ("rewind", "a", 1), ("events", "a", [2])]
    assert len(recorder.decisions) == 2  # it is another one, though it has the same number


async def test_a_bot_that_was_restarted_sits_down_in_its_old_sessions(server, play, recorder):
    play(recorder)
    stream = await server.accept()
    await stream.say(stream.start("a", resumed=True, seq=17), stream.ask("a", 5))
    assert await stream.hear() == [stream.act("a", 5, index=0)]
    assert recorder.told == [("start", "a")]
    assert recorder.decisions[0].session.resumed


async def test_a_session_that_ended_while_the_bot_was_away_ends_when_it_is_back(server, play, recorder):
    task = play(recorder, sessions=1)
    stream = await server.accept()
    await stream.say(stream.start("a"))
    await stream.hear()
    stream.end(*LOST)
    stream = await server.accept()
    assert [resume.session_id for resume in stream.hello.resume] == ["a"]
    await stream.say(stream.over("a"))
    await task
    assert recorder.told == [("start", "a"), ("end", "a", 2)]


async def test_a_draining_server_is_played_to_the_end_and_then_looked_for_again(server, play, recorder, log):
    play(recorder)
    stream = await server.accept()
    await stream.say(stream.start("a"), stream.drain("upgrade"), stream.ask("a", 1))
    assert await stream.hear() == [stream.act("a", 1, index=0)]
    assert "the server is about to stop (upgrade); it lets games end for 5 s" in log()
    await stream.say(stream.over("a"))
    await stream.hear()
    stream.end()
    await server.accept()
    assert f"lost {server.target} (the server closed the stream)" in log()


async def test_a_bot_that_is_replaced_by_a_newer_connection_stops(server, play, recorder):
    task = play(recorder)
    stream = await server.accept()
    stream.end(grpc.StatusCode.ABORTED, "a newer connection of this bot took over")
    with pytest.raises(croupier.Replaced, match="a newer connection of this bot took over"):
        await task


@pytest.mark.parametrize(
    "code",
    [
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.UNIMPLEMENTED,
    ],
)
async def test_a_bot_that_the_server_does_not_want_stops(code, server, play, recorder):
    await server.refuse(code, "not you")
    with pytest.raises(croupier.Refused, match=f"{code.name}: not you") as refused:
        await play(recorder)
    assert (refused.value.code, refused.value.message) == (code, "not you")


async def test_a_bot_that_is_replaced_while_it_is_busy_writing_stops_as_well(server, play, recorder):
    for _ in range(20):
        playing = play(recorder)
        stream = await server.accept()
        await stream.say(stream.start("a"))
        for number in range(1, 30):
            await stream.say(stream.ask("a", number))
        stream.end(grpc.StatusCode.ABORTED, "a newer connection")
        with pytest.raises(croupier.Replaced, match="a newer connection"):
            await playing


async def test_a_refusal_says_what_to_do_about_it(server, play, recorder):
    await server.refuse(grpc.StatusCode.UNAUTHENTICATED, "a token is needed")
    with pytest.raises(
        croupier.Refused, match=r"a token is needed \(give the bot's token: token=..., or CROUPIER_TOKEN"
    ):
        await play(recorder)


@pytest.mark.parametrize(
    "code", [grpc.StatusCode.CANCELLED, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNKNOWN]
)
async def test_other_failures_may_pass(code, server, play, recorder, pauses, log):
    await server.refuse(code, "oops")
    play(recorder)
    await server.accept()
    assert pauses.seconds == [0.1]
    assert f"cannot reach {server.target} ({code.name}: oops)" in log()
