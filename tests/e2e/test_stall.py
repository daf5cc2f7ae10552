"""A bot that never reads: it is disconnected with a reason, and its games go on without it."""

from bots import Honest, Stall

from croupier.v1 import play_pb2


async def test_a_bot_that_never_reads_is_disconnected_with_a_reason_and_its_games_end_without_it(serve, organise):
    server = serve(think_time=0.5, bank=2, stall_timeout=1)
    async with (
        organise(server) as organiser,
        Honest(server.target, "ann") as ann,
        Honest(server.target, "bob") as bob,
        Stall(server.target, "stall") as stall,
    ):
        struck = [await organiser.create("ann", "stall", "bob"), await organiser.create("stall", "bob", "house:greedy")]
        spared = await organiser.create("ann", "bob", "house:random")
        for end in (*await bob.over(*struck, spared), *await ann.over(struck[0], spared)):
            assert end.reason == play_pb2.END_REASON_FINISHED
        for session_id in struck:
            session = await organiser.session(session_id)
            faults = await organiser.faults(session_id)
            assert list(faults) == ["stall"]
            assert faults["stall"]["STALLED"] == 1
            assert [seat.bot for seat in session.seats if seat.vacated] == ["stall"]
        assert await organiser.faults(spared) == {}
        code, reason = await stall.hung_up()
        assert code.name == "UNAVAILABLE"  # a bot that comes back to its senses may come back
        assert reason.startswith("stalled: the bot has not answered for ")


async def test_a_bot_that_has_nothing_to_read_but_pings_and_does_not_answer_them_is_disconnected(server):
    async with Stall(server.target, "stall") as stall:
        code, reason = await stall.hung_up()
    assert code.name == "UNAVAILABLE"
    assert reason.startswith("stalled: the bot has not answered for ")


async def test_an_idle_bot_that_answers_pings_stays(serve, organise):
    server = serve(ping_interval=0.05, stall_timeout=1)
    async with (
        organise(server) as organiser,
        Stall(server.target, "stall") as stall,
        Honest(server.target, "ann") as ann,
    ):
        await stall.hung_up()  # ann has been idle for as long
        session_id = await organiser.create("ann", "ann", "house:random")
        await ann.over(session_id)
