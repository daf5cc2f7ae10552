"""Whole games, act by act: what everybody is told from the deal to the result, and what is kept of it."""

import pytest
from hall import THINK, Asked, Ended, Started, play_on
from toy import GAME as HIGH_CARD
from toy import PAUSE_MS, Guess, Lay

from croupier_games.kernel import Chosen, Ticked
from croupier_service.sessions.session import SessionState

NAMES = {3: "ann bob cat", 4: "ann bob cat dan", 5: "ann bob cat dan eve"}


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_game_is_played_from_deal_to_result_by_acts_alone(hall, seats):
    bots = hall.bots(NAMES[seats])
    session = hall.session(NAMES[seats])
    assert session.state is SessionState.RUNNING
    play_on(bots)
    assert session.state is SessionState.FINISHED
    assert hall.verified(session) == session.result == session.table.result()
    for seat, bot in enumerate(bots):
        assert bot.said[0] == Started(session.id, seat, resumed=False)
        assert bot.said[-1] == Ended(session.id, seat, session.result)
        assert not bot.reports


def test_an_action_may_be_named_by_its_index_or_said_itself(hall):
    played = []
    for how in ("index", "action"):
        bots = hall.bots("ann bob cat")
        session = hall.session()
        while session.running:
            bot = next(bot for bot in bots if bot.questions)
            last = len(bot.question.legal) - 1
            bot.answer(**({"index": last} if how == "index" else {"action": bot.question.legal[last]}))
        played.append(hall.archived(session).record)
    assert played[0] == played[1]


def test_only_the_seat_whose_turn_it_is_is_asked(hall):
    ann, bob, cat = hall.bots("ann bob cat")
    hall.session(first_leader=1)
    assert (len(ann.questions), len(bob.questions), len(cat.questions)) == (0, 1, 0)
    bob.answer()
    assert (len(ann.questions), len(bob.questions), len(cat.questions)) == (0, 0, 1)


def test_a_question_holds_the_legal_actions_and_the_whole_view_of_its_seat(hall):
    ann, _, _ = hall.bots("ann bob cat")
    session = hall.session()
    assert list(ann.question.legal) == session.table.state.legal_actions(0)
    assert ann.question.view == session.table.state.view(0)
    assert ann.question.seq == session.seq == 0


def test_decisions_are_numbered_in_the_order_in_which_they_are_asked(hall):
    bots = hall.bots("ann bob cat")
    hall.session()
    play_on(bots)
    numbers = sorted(asked.id for bot in bots for asked in bot.heard(Asked))
    assert numbers == list(range(1, len(numbers) + 1))


def test_seats_that_choose_in_secret_are_asked_at_the_same_time_and_answer_in_any_order(hall):
    ann, bob, cat = bots = hall.bots("ann bob cat")
    session = hall.session(game=HIGH_CARD)
    assert all(isinstance(bot.question.legal[0], Lay) for bot in bots)
    cat.answer()
    ann.answer()
    assert session.table.state.rounds == []
    assert [question.attempt for question in bob.questions] == [1]
    bob.answer()
    assert len(session.table.state.rounds) == 1
    assert [item.seat for item in session.table.inputs] == [2, 0, 1]


def test_a_seat_that_has_chosen_in_secret_is_not_asked_again_until_all_have(hall):
    ann, bob, cat = hall.bots("ann bob cat")
    hall.session(game=HIGH_CARD)
    ann.answer()
    assert not ann.questions
    assert len(bob.heard(Asked)) == len(cat.heard(Asked)) == 1  # nor is anybody asked anew because of it
    bob.answer()
    cat.answer()
    assert ann.question.id == 4


def test_a_game_that_waits_for_the_clock_is_told_the_time_when_it_is_due(hall):
    bots = hall.bots("ann bob cat")
    session = hall.session(game=HIGH_CARD, hand=1)  # the one card is forced: the bell is open at once
    bots[0].answer(action=Guess(high=True))
    hall.advance(999)
    assert session.table.inputs == [Chosen(0, Guess(high=True))]
    hall.advance(1)
    assert session.table.inputs[1:] == [Ticked(1000)]
    assert not any(bot.questions for bot in bots)
    hall.advance(PAUSE_MS)
    assert session.table.inputs[2:] == [Ticked(1000 + PAUSE_MS)]
    assert session.state is SessionState.FINISHED
    hall.verified(session)


def test_a_game_is_told_the_time_that_it_really_is_when_the_server_is_late(hall):
    hall.bots("ann bob cat")
    session = hall.session(game=HIGH_CARD, hand=1)
    hall.time.block(1_200)
    assert session.table.inputs == [Ticked(1_200)]
    hall.advance(PAUSE_MS)
    assert session.table.inputs[1:] == [Ticked(1_200 + PAUSE_MS)]


def test_the_time_of_a_game_counts_from_its_deal(hall):
    hall.bots("ann bob cat")
    hall.advance(123_456)
    session = hall.session(game=HIGH_CARD, hand=1)
    hall.advance(1_000)
    assert session.table.inputs == [Ticked(1_000)]


def test_sessions_side_by_side_do_not_notice_each_other(hall):
    bots = hall.bots("ann bob cat")
    alone = hall.session(seed="one")
    play_on(bots)
    sessions = [hall.session(seed=seed) for seed in ("one", "two", "three")]
    while any(session.running for session in sessions):
        for bot in bots:
            for question in reversed(bot.questions):
                bot.answer(question)
    assert hall.archived(sessions[0]).record == hall.archived(alone).record
    assert len({session.result for session in sessions}) == 3


def test_one_bot_may_sit_in_several_seats_of_one_session(hall):
    ann, bob = bots = hall.bots("ann bob")
    session = hall.session("ann bob ann")
    assert ann.heard(Started) == [Started(session.id, 0, resumed=False), Started(session.id, 2, resumed=False)]
    ann.answer()
    bob.answer()
    assert (ann.question.seat, ann.question.view.seat) == (2, 2)
    play_on(bots)
    assert [(end.seat, end.result) for end in ann.heard(Ended)] == [(0, session.result), (2, session.result)]
    assert {asked.seat for asked in ann.heard(Asked)} == {0, 2}
    assert not ann.reports


def test_one_bot_may_be_asked_for_several_seats_at_once(hall):
    bots = hall.bots("ann bob")
    ann = bots[0]
    session = hall.session("ann bob ann", HIGH_CARD)
    assert [question.seat for question in ann.questions] == [0, 2]
    ann.answer(ann.questions[1])
    assert [question.seat for question in ann.questions] == [0]
    play_on(bots)
    hall.advance(PAUSE_MS)
    assert session.state is SessionState.FINISHED
    hall.verified(session)


def test_a_session_of_house_bots_plays_itself(hall):
    session = hall.session("house:random house:random house:random")
    assert session.state is SessionState.FINISHED
    assert all(seat.charged_ms == 0 for seat in session.seats)
    hall.verified(session)


def test_a_session_can_be_replayed_from_its_record_whoever_failed_in_it(hall):
    bots = hall.bots("ann bob cat")
    session = hall.session()
    for _ in range(4):
        play_on(bots[:2])
        hall.advance(THINK + 5_000)  # cat does not answer
    play_on(bots)
    assert {type(item).__name__ for item in session.table.inputs} == {"Chosen", "Substituted"}
    assert hall.verified(session) == session.result
