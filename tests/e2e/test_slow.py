"""A bot that answers after its time: the server decides for it, tells it so, and goes on."""

from bots import Honest, Slow

from croupier.v1 import game_pb2, play_pb2

LATE = play_pb2.ACT_OUTCOME_LATE


async def test_a_late_answer_is_told_so_and_costs_no_second_fault(serve, organise):
    server = serve(think_time=0.3, bank=1, max_faults=4)
    async with (
        organise(server) as organiser,
        Honest(server.target, "ann") as ann,
        Honest(server.target, "bob") as bob,
        Slow(server.target, "slow") as slow,
    ):
        struck = await organiser.create("ann", "slow", "bob")
        spared = await organiser.create("ann", "bob", "house:random", clock={"think_time_ms": 60_000})
        for end in (*await slow.over(struck), *await ann.over(struck, spared), *await bob.over(struck, spared)):
            assert end.reason == play_pb2.END_REASON_FINISHED
        assert await organiser.faults(struck) == {"slow": {"LATE": 4}}  # then the seat is vacated
        assert await organiser.faults(spared) == {}
        by_decision = {}
        for result in slow.results:
            by_decision.setdefault(result.decision_id, []).append((result.outcome, result.fault))
        first, *_ = by_decision.values()
        # Once when its time was up, and once when it answered all the same.
        assert first == [(LATE, game_pb2.FAULT_KIND_LATE), (LATE, 0)]
        session = await organiser.session(struck)
        assert session.seats[1].bank_ms == 0
        assert session.seats[1].charged_ms >= 1000 + 3 * 300
        assert list(session.result.forfeited) == [False, True, False]


async def test_a_first_missed_decision_costs_the_seat_where_the_policy_is_forfeit(server, organise):
    async with (
        organise(server) as organiser,
        Honest(server.target, "ann") as ann,
        Slow(server.target, "slow") as slow,
    ):
        session_id = await organiser.create(
            *("ann", "slow", "house:random"),
            clock={"think_time_ms": 500, "bank_ms": 500},
            faults={"policy": game_pb2.FAULT_POLICY_FORFEIT},
        )
        await slow.over(session_id)
        await ann.over(session_id)
        assert await organiser.faults(session_id) == {"slow": {"LATE": 1}}
        assert list((await organiser.session(session_id)).result.forfeited) == [False, True, False]
