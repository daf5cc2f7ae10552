"""A bot that lies: every lie is answered with what was wrong, and nobody else notices."""

import pytest
from bots import Honest, Liar, liar

from croupier.v1 import game_pb2, play_pb2

ILLEGAL, MALFORMED = play_pb2.ACT_OUTCOME_ILLEGAL, play_pb2.ACT_OUTCOME_MALFORMED
DUPLICATE = play_pb2.ACT_OUTCOME_DUPLICATE
UNKNOWN_SESSION, UNKNOWN_DECISION = play_pb2.ACT_OUTCOME_UNKNOWN_SESSION, play_pb2.ACT_OUTCOME_UNKNOWN_DECISION

OF_ILLEGAL, OF_MALFORMED = game_pb2.FAULT_KIND_ILLEGAL, game_pb2.FAULT_KIND_MALFORMED

LIES = {  # what each is answered with: outcome, fault, attempts left, and how the message goes on
    liar.card_not_in_hand: (ILLEGAL, OF_ILLEGAL, 2, ""),
    liar.no_card_at_all: (MALFORMED, OF_MALFORMED, 2, "action: "),
    liar.empty_action: (MALFORMED, OF_MALFORMED, 2, "action: is empty; it should hold trick_and_trade"),
    liar.no_choice: (MALFORMED, OF_MALFORMED, 2, "an act holds an index or an action; this one holds"),
    liar.index_out_of_range: (MALFORMED, OF_MALFORMED, 2, "index {actions} is out of range: there "),
    liar.huge_index: (MALFORMED, OF_MALFORMED, 2, "index 4294967295 is out of range: there "),
    liar.never_asked: (UNKNOWN_DECISION, OF_MALFORMED, 0, "decision {id} was never asked of this seat"),
    liar.somebody_elses: (UNKNOWN_DECISION, OF_MALFORMED, 0, "decision {id} was never asked of this "),
    liar.no_such_session: (UNKNOWN_SESSION, 0, 0, "this bot sits in no running session of that id"),
    liar.no_session_of_mine: (UNKNOWN_SESSION, 0, 0, "this bot sits in no running session of that id"),
    liar.same_again: (DUPLICATE, 0, 0, "the decision has been answered already; the first answer counts"),
    liar.second_thoughts: (DUPLICATE, 0, 0, "the decision has been answered already; the first answer counts"),
}


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
async def test_a_lie_is_told_for_what_it_is_and_the_game_goes_on(server, organise, lie):
    outcome, fault, attempts_left, message = LIES[lie]
    async with (
        organise(server) as organiser,
        Honest(server.target, "ann") as ann,
        Honest(server.target, "bob") as bob,
    ):
        spared = await organiser.create("ann", "bob", "house:random")
        async with Liar(server.target, "liar", lie, foreign_session=spared) as bad:
            struck = await organiser.create("ann", "liar", "bob")
            await bad.over(struck)
            ends = [*await ann.over(struck, spared), *await bob.over(struck, spared)]
        [result] = bad.results
        [(told_in, told_at)] = bad.told_on
        told = next(decision for decision in bad.decisions if decision.decision_id == told_at)
        assert result.outcome == outcome
        assert result.message.startswith(message.format(actions=len(told.actions), id=result.decision_id))
        assert (result.rule != "") == (outcome == ILLEGAL)
        assert result.attempts_left == attempts_left
        assert (result.fault, result.faults) == (fault, 1 if fault else 0)
        if outcome != UNKNOWN_SESSION:
            assert (result.session_id, result.seat, result.max_faults) == (told_in, 1, 10)
        attempts = [decision.attempt for decision in bad.decisions if decision.decision_id == told_at]
        assert attempts == ([1, 2] if attempts_left else [1])
        assert await organiser.faults(struck) == ({"liar": {game_pb2.FaultKind.Name(fault)[11:]: 1}} if fault else {})
        assert await organiser.faults(spared) == {}
        assert {end.reason for end in ends} == {play_pb2.END_REASON_FINISHED}
        assert not ann.results
        assert not bob.results


async def test_three_illegal_acts_and_the_server_decides(server, organise):
    async with (
        organise(server) as organiser,
        Honest(server.target, "ann") as ann,
        Stubborn(server.target, "liar") as bad,
    ):
        session_id = await organiser.create("liar", "ann", "house:random")
        await bad.over(session_id)
        await ann.over(session_id)
        assert [result.attempts_left for result in bad.results] == [2, 1, 0]
        assert [decision.attempt for decision in bad.decisions[:3]] == [1, 2, 3]
        assert bad.decisions[3].decision_id > bad.decisions[2].decision_id
        assert await organiser.faults(session_id) == {"liar": {"ILLEGAL": 3}}


async def test_an_act_for_a_session_that_is_over_is_told_so(server, organise):
    async with organise(server) as organiser, Honest(server.target, "ann") as ann:
        session_id = await organiser.create("ann", "house:random", "house:random")
        await ann.over(session_id)
        await ann.say(ann.act(ann.decisions[-1], index=0))
        await ann.until(lambda: bool(ann.results), "an answer")
        assert ann.results[0].outcome == UNKNOWN_SESSION
        assert "it may be over" in ann.results[0].message


async def test_a_bot_with_too_many_faults_loses_its_seat_and_the_game_ends_without_it(serve, organise):
    server = serve(max_faults=5)
    lies = [liar.huge_index] * 100
    async with (
        organise(server) as organiser,
        Honest(server.target, "ann") as ann,
        Liar(server.target, "liar", *lies) as bad,
    ):
        session_id = await organiser.create("ann", "liar", "house:random")
        await bad.over(session_id)
        await ann.over(session_id)
        assert await organiser.faults(session_id) == {"liar": {"MALFORMED": 5}}
        assert [result.faults for result in bad.results] == [1, 2, 3, 4, 5, 5]
        assert bad.results[-1].message == "the seat was vacated and is played on without the bot"
        assert list((await organiser.session(session_id)).result.forfeited) == [False, True, False]


class Stubborn(Liar):
    """Plays the same card that it does not hold three times."""

    async def decide(self, decision):
        if len(self.decisions) <= 3:
            return [liar.card_not_in_hand(self, decision)]
        return await super().decide(decision)
