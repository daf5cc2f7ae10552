"""A bot that dies in mid-game: its games go on, and nobody else's are touched."""

from bots import Crash, Honest

from croupier.v1 import play_pb2, session_pb2


async def test_a_game_goes_on_without_the_bot_that_crashed(server, organise):
    async with organise(server) as organiser, Honest(server.target, "ann") as ann, Honest(server.target, "bob") as bob:
        async with Crash(server.target, "crash") as crash:
            struck = await organiser.create("crash", "ann", "bob", "ann", faults={"max_faults": 3})
            spared = await organiser.create("ann", "bob", "house:random")
            await crash.hung_up()
        for end in (*await ann.over(struck, spared), *await bob.over(struck, spared)):
            assert end.reason == play_pb2.END_REASON_FINISHED
        session = await organiser.session(struck)
        assert [seat.vacated for seat in session.seats] == [True, False, False, False]
        assert await organiser.faults(struck) == {"crash": {"DISCONNECTED": 3}}
        assert session.result.placings[0] == 4
        assert list(session.result.forfeited) == [True, False, False, False]
        assert await organiser.faults(spared) == {}
        assert not ann.results
        assert not bob.results


async def test_a_bot_that_comes_back_within_the_grace_has_no_fault(serve, organise):
    server = serve(grace=60)
    async with organise(server) as organiser, Honest(server.target, "ann") as ann:
        async with Crash(server.target, "crash") as crash:
            session_id = await organiser.create("crash", "ann", "house:random")
            await crash.hung_up()
        async with Honest(server.target, "crash") as again:
            [end] = await again.over(session_id)
            assert end.reason == play_pb2.END_REASON_FINISHED
            assert again.starts[session_id].resumed
            # The open decision is asked once more, under the same id.
            assert again.decisions[0].decision_id == crash.decisions[-1].decision_id
            await ann.over(session_id)
        assert await organiser.faults(session_id) == {}
        assert (await organiser.session(session_id)).state == session_pb2.SESSION_STATE_FINISHED


async def test_the_newest_connection_of_a_bot_wins_and_the_older_one_is_told(server, organise):
    async with organise(server) as organiser, Honest(server.target, "ann") as older:
        async with Honest(server.target, "ann") as newer:
            code, reason = await older.hung_up()
            assert (code.name, reason) == ("ABORTED", "a newer connection of this bot has taken over")
            session_id = await organiser.create("ann", "ann", "house:random")
            await newer.over(session_id)
        assert await organiser.faults(session_id) == {}
