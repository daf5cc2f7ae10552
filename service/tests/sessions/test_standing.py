"""Standing decisions: may be answered at any time or never, and are asked anew after every change."""

import pytest
from hall import Asked, FakeBot, illegal
from toy import GAME as HIGH_CARD
from toy import PAUSE_MS, Guess, Lay

from croupier_games.kernel import Chosen, Ticked
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.seats import Outcome
from croupier_service.sessions.settings import ClockSettings, FaultKind, FaultPolicy, FaultSettings

HIGH = Guess(high=True)


@pytest.fixture
def bots(hall):
    return hall.bots("ann bob cat")


def bell(hall, **settings):
    """A session in which everybody may guess for a second, and nobody must."""
    return hall.session(game=HIGH_CARD, hand=1, **settings)


def test_a_standing_decision_says_so(hall, bots):
    bell(hall)
    assert all(bot.question.standing for bot in bots)
    assert not any(isinstance(action, Lay) for bot in bots for action in bot.question.legal)


def test_it_need_never_be_answered(hall, bots):
    session = bell(hall)
    hall.advance(1_000 + PAUSE_MS)
    assert session.table.inputs == [Ticked(1_000), Ticked(1_000 + PAUSE_MS)]
    assert session.state is SessionState.FINISHED
    assert not any(seat.faults for seat in session.seats)
    assert not any(bot.reports for bot in bots)


def test_no_clock_runs_for_it(hall, bots):
    session = bell(hall, clock=ClockSettings(100, 0, increment_ms=50))
    hall.advance(900)
    bots[0].answer(action=HIGH)
    assert (session.seats[0].charged_ms, session.seats[0].bank_ms) == (0, 0)
    assert session.charges == [0]


def test_it_is_asked_anew_after_every_change(hall, bots):
    session = bell(hall)
    ann, bob, cat = bots
    bob.answer(action=HIGH)
    assert [question.id for question in (ann.question, cat.question)] == [4, 5]
    assert bob.questions == []
    assert ann.question.seq == session.seq == ann.heard(Asked)[0].seq + 1
    assert ann.question.view.waiting_for == (True, False, True)


def test_an_answer_to_the_older_question_is_stale_and_may_be_given_again(hall, bots):
    session = bell(hall)
    ann, bob, _ = bots
    old = ann.question
    bob.answer(action=HIGH)
    ann.answer(old, action=HIGH)
    assert [(report.outcome, report.fault) for report in ann.reports] == [(Outcome.STALE, None)]
    ann.answer(action=HIGH)
    assert session.table.inputs == [Chosen(1, HIGH), Chosen(0, HIGH)]


def test_when_time_closes_it_an_answer_is_stale(hall, bots):
    session = bell(hall)
    question = bots[0].question
    hall.advance(1_000)
    assert bots[0].questions == []
    bots[0].answer(question, action=HIGH)
    assert [(report.outcome, report.fault) for report in bots[0].reports] == [(Outcome.STALE, None)]
    assert session.table.inputs == [Ticked(1_000)]


def test_when_all_have_answered_the_game_goes_on_at_once(hall, bots):
    session = bell(hall)
    hall.advance(200)
    for bot in bots:
        bot.answer(action=HIGH)
    hall.advance(PAUSE_MS)
    assert session.state is SessionState.FINISHED
    hall.verified(session)


def test_a_bot_that_is_gone_misses_nothing_it_had_to_do(hall, bots):
    session = bell(hall)
    bots[0].leave()
    hall.advance(1_000 + PAUSE_MS)
    assert session.state is SessionState.FINISHED
    assert not session.seats[0].faults


def test_who_is_back_is_asked_again(hall, bots):
    session = bell(hall)
    bots[0].leave()
    bots[1].answer(action=HIGH)
    ann = FakeBot(hall, "ann")
    assert (ann.question.standing, ann.question.id) == (True, 4)
    ann.answer(action=HIGH)
    assert session.table.inputs == [Chosen(1, HIGH), Chosen(0, HIGH)]


def test_an_illegal_answer_is_a_fault_and_may_be_retried(hall, bots):
    session = bell(hall)
    ann = bots[0]
    ann.answer(action=Lay(1))
    assert (ann.reports[0].outcome, ann.reports[0].rule, ann.reports[0].attempts_left) == (Outcome.ILLEGAL, "phase", 2)
    assert (ann.question.attempt, ann.question.standing) == (2, True)
    ann.answer(action=HIGH)
    assert session.table.inputs == [Chosen(0, HIGH)]


def test_when_its_attempts_are_used_up_nothing_is_drawn_for_who_may_wait(hall, bots):
    """Waiting is the neutral action."""
    session = bell(hall, faults=FaultSettings(attempts=1))
    ann, bob, _ = bots
    ann.answer(action=Lay(1))
    assert session.table.inputs == []
    assert ann.questions == []
    assert ann.reports[-1].attempts_left == 0
    bob.answer(action=HIGH)  # a change: everybody is asked anew
    ann.answer(action=HIGH)
    assert session.table.inputs == [Chosen(1, HIGH), Chosen(0, HIGH)]
    assert session.seats[0].faults == {FaultKind.ILLEGAL: 1}


def test_with_the_policy_forfeit_used_up_attempts_cost_the_seat_all_the_same(hall, bots):
    session = bell(hall, faults=FaultSettings(FaultPolicy.FORFEIT, attempts=1))
    bots[0].answer(action=Lay(1))
    assert session.table.vacated == {0}


def test_a_vacated_seat_that_may_wait_waits(hall, bots):
    session = bell(hall, faults=FaultSettings(max_faults=1))
    bots[0].answer(action=Lay(1))
    bots[1].answer(action=HIGH)
    assert bots[0].questions == []
    hall.advance(1_000 + PAUSE_MS)
    assert session.result.forfeited == (True, False, False)
    hall.verified(session)


def test_a_decision_with_a_clock_that_turns_into_a_standing_one_is_another_decision(hall, bots):
    hall.session(game=HIGH_CARD, hand=2)
    for bot in bots:
        assert not bot.question.standing
        bot.answer()
    assert [bot.question.standing for bot in bots] == [True] * 3
    assert len({asked.id for bot in bots for asked in bot.heard(Asked)}) == 6


def test_time_that_passes_while_seats_think_supersedes_nothing_they_were_asked(hall, bots):
    """The bell is a deadline of the game; the lays before it have clocks of their own."""
    session = hall.session(game=HIGH_CARD)
    assert illegal(bots[0].question) == Lay(99)
    hall.advance(900)
    assert [bot.question.id for bot in bots] == [1, 2, 3]
    assert session.table.inputs == []


def test_an_answer_after_the_games_own_deadline_comes_too_late_even_if_its_timer_is_later_still(hall, bots):
    session = bell(hall)
    question, deadline = bots[0].question, session.table.state.deadline()
    bots[0].answer(question, action=HIGH, at=hall.time.now() + deadline)  # and nobody has been called back yet
    assert session.table.inputs == [Ticked(deadline)]
    assert [(report.outcome, report.decision_id) for report in bots[0].reports] == [(Outcome.STALE, question.id)]


def test_superseded_questions_take_no_room_and_are_told_apart_by_number(hall, bots):
    session = bell(hall)
    ann, bob, cat = bots
    bob.answer(action=HIGH)
    second = ann.question
    cat.answer(action=HIGH)
    assert len(session.questions.open) == 1
    ann.act(session, second.id, action=HIGH)
    assert [(report.outcome, report.decision_id) for report in ann.reports] == [(Outcome.STALE, second.id)]


def test_a_game_that_fails_when_told_the_time_ends_its_session_and_no_other(hall, bots):
    broken, sound = bell(hall, seed="one"), bell(hall, seed="two")

    def bug(_now_ms):
        raise ZeroDivisionError

    broken.table = type(
        "Broken", (), {"state": broken.table.state, "game": broken.table.game, "tick": bug, "result": None}
    )
    broken.services.journal.finish = lambda _session, _state, then: then()
    hall.advance(1_000)
    assert (broken.state, sound.state) == (SessionState.ABORTED, SessionState.RUNNING)
    assert Ticked(1_000) in sound.table.inputs
