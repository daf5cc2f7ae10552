"""Following sessions to the servers that host them."""

import grpc


async def test_the_bot_goes_where_its_session_is_hosted_and_shows_the_seat_token(server, second_server, play, recorder):
    play(recorder, token="mine")
    home = await server.accept()
    await home.say(home.start("a", endpoint=second_server.target, seat_token="seat"))
    assert await home.hear() == [home.ack()]
    assert recorder.told == []  # not yet: nobody has dealt
    away = await second_server.accept()
    assert (away.hello.bot, away.metadata["authorization"]) == ("bot", "Bearer seat")
    await away.say(away.start("a"), away.ask("a", 1))
    assert await away.hear() == [away.act("a", 1, index=0)]
    await home.say(home.start("b"), home.ask("b", 1))
    assert await home.hear() == [home.act("b", 1, index=0)]


async def test_sessions_on_the_same_server_share_a_connection_which_ends_with_the_last_of_them(
    server, second_server, play, recorder
):
    task = play(recorder, sessions=3)
    home = await server.accept()
    await home.say(home.start("a", endpoint=second_server.target), home.start("b", endpoint=second_server.target))
    await home.hear()
    away = await second_server.accept()
    await away.say(away.start("a"), away.start("b"), away.over("a"))
    assert await away.hear() == [away.ack()]
    await away.say(away.over("b"))
    await away.gone()
    await home.say(home.start("c", endpoint=second_server.target))
    away = await second_server.accept()
    await away.say(away.start("c"), away.over("c"))
    await task
    assert [told for told in recorder.told if told[0] == "end"] == [("end", session, 2) for session in "abc"]


async def test_a_lost_connection_to_another_server_is_opened_again(server, second_server, play, recorder, pauses):
    play(recorder)
    home = await server.accept()
    await home.say(home.start("a", endpoint=second_server.target))
    away = await second_server.accept()
    await away.say(away.start("a"), away.ask("a", 1))
    await away.hear()
    away.end(grpc.StatusCode.UNAVAILABLE, "oops")
    away = await second_server.accept()
    assert [resume.session_id for resume in away.hello.resume] == ["a"]
    assert pauses.seconds == [0.1]


async def test_a_session_that_ends_before_the_other_server_is_reached_is_looked_for_no_longer(
    server, second_server, play, recorder, pauses
):
    play(recorder)
    home = await server.accept()
    await second_server.refuse(grpc.StatusCode.UNAVAILABLE, "oops")
    await home.say(home.start("a", endpoint=second_server.target), home.over("a"))
    assert await home.hear() == [home.ack()]
    await home.say(home.ping(1))
    assert await home.hear() == [home.pong(1)]
    assert pauses.seconds == []


async def test_another_server_that_refuses_the_bot_does_not_stop_it(server, second_server, play, recorder, log):
    play(recorder)
    home = await server.accept()
    await second_server.refuse(grpc.StatusCode.UNAUTHENTICATED, "too late")
    await home.say(home.start("a", endpoint=second_server.target, seat_token="old"))
    await home.hear()
    while second_server.target not in log() or "does not let the bot play there" not in log():
        await home.say(home.ping(1))
        await home.hear()
    assert "UNAUTHENTICATED: too late" in log()
    await home.say(home.start("a", endpoint=second_server.target, seat_token="new"))
    away = await second_server.accept()
    assert away.metadata["authorization"] == "Bearer new"
