"""Acts that are not simply taken: what the bot is told, and what becomes of the decision."""

import pytest
from hall import BANK, THINK, Asked, illegal, play_on
from toy import GAME as HIGH_CARD

from croupier_games.kernel import Chosen, Substituted, Vacated
from croupier_games.trick_and_trade import Play
from croupier_service.sessions.events import Faulted
from croupier_service.sessions.seats import Outcome
from croupier_service.sessions.settings import FaultKind, FaultPolicy, FaultSettings


@pytest.fixture
def bots(hall):
    return hall.bots("ann bob cat")


# Illegal.


def test_an_illegal_act_is_answered_with_the_rule_it_breaks(hall, bots):
    session = hall.session(faults=FaultSettings(max_faults=7))
    ann = bots[0]
    ann.answer(action=illegal(ann.question))
    (report,) = ann.reports
    assert (report.session_id, report.seat, report.decision_id) == (session.id, 0, 1)
    assert (report.outcome, report.rule) == (Outcome.ILLEGAL, "play.in-hand")
    assert "is not in your hand" in report.message
    assert (report.fault, report.faults, report.max_faults) == (FaultKind.ILLEGAL, 1, 7)
    assert report.attempts_left == 2


def test_an_illegal_act_changes_nothing_in_the_game(hall, bots):
    session = hall.session()
    before = session.table.state.view(0)
    bots[0].answer(action=illegal(bots[0].question))
    assert session.table.state.view(0) == before
    assert session.table.inputs == []


def test_a_retry_is_the_same_decision_with_the_next_attempt(hall, bots):
    hall.session()
    ann = bots[0]
    first = ann.question
    ann.answer(action=illegal(first))
    second = ann.question
    assert (first.id, first.attempt, second.id, second.attempt) == (1, 1, 1, 2)
    assert second.legal == first.legal
    ann.answer(second)
    assert not ann.questions


def test_when_the_attempts_are_used_up_a_neutral_action_is_drawn(hall, bots):
    session = hall.session(faults=FaultSettings(attempts=3))
    ann = bots[0]
    for left in (2, 1, 0):
        ann.answer(action=illegal(ann.question))
        assert ann.reports[-1].attempts_left == left
    assert session.table.inputs == [Substituted(0)]
    assert bots[1].question.id == 2


def test_with_the_policy_forfeit_the_seat_is_vacated_instead(hall, bots):
    session = hall.session(faults=FaultSettings(FaultPolicy.FORFEIT, attempts=1))
    bots[0].answer(action=illegal(bots[0].question))
    assert session.table.inputs == [Vacated(0)]
    assert bots[1].question.id == 2


def test_an_answer_after_the_last_attempt_is_stale_not_late(hall, bots):
    """Its time had not run out."""
    hall.session(faults=FaultSettings(attempts=1))
    ann = bots[0]
    question = ann.question
    ann.answer(action=illegal(question))
    ann.answer(question)
    assert (ann.reports[-1].outcome, ann.reports[-1].fault) == (Outcome.STALE, None)


def test_an_illegal_act_of_one_seat_disturbs_no_other(hall, bots):
    session = hall.session(game=HIGH_CARD)
    bots[0].answer(action=illegal(bots[0].question))
    assert [len(bot.heard(Asked)) for bot in bots] == [2, 1, 1]
    bots[1].answer()
    assert session.table.inputs == [Chosen(1, bots[1].heard(Asked)[0].legal[0])]


# Malformed.


@pytest.mark.parametrize("beyond", [0, 1, 2**32 - 1])
def test_an_index_out_of_range_is_malformed_and_may_be_retried(hall, bots, beyond):
    hall.session()
    ann = bots[0]
    index = min(len(ann.question.legal) + beyond, 2**32 - 1)
    ann.answer(index=index)
    (report,) = ann.reports
    assert (report.outcome, report.fault, report.rule) == (Outcome.MALFORMED, FaultKind.MALFORMED, "")
    assert report.message == f"index {index} is out of range: there are 13 actions, 0 to 12"
    assert ann.question.attempt == 2


def test_what_is_no_action_of_the_game_is_malformed(hall, bots):
    hall.session()
    bots[0].answer(action="play NEV-7")
    (report,) = bots[0].reports
    assert (report.outcome, report.fault) == (Outcome.MALFORMED, FaultKind.MALFORMED)


def test_an_act_that_cannot_be_read_counts_like_one_that_makes_no_sense(hall, bots):
    session = hall.session()
    session.malformed("ann", 1, hall.time.now(), "it holds nothing")
    (report,) = bots[0].reports
    assert (report.outcome, report.message, report.attempts_left) == (Outcome.MALFORMED, "it holds nothing", 2)
    assert bots[0].question.attempt == 2


def test_malformed_acts_use_up_the_same_attempts_as_illegal_ones(hall, bots):
    session = hall.session(faults=FaultSettings(attempts=3))
    ann = bots[0]
    ann.answer(action=illegal(ann.question))
    ann.answer(index=99)
    session.malformed("ann", 1, hall.time.now(), "it holds nothing")
    assert session.table.inputs == [Substituted(0)]


# Too much, too late, not theirs.


def test_a_second_answer_changes_nothing(hall, bots):
    session = hall.session()
    ann = bots[0]
    question = ann.question
    ann.answer(question, index=3)
    ann.answer(question, index=4)
    assert session.table.inputs == [Chosen(0, question.legal[3])]
    (report,) = ann.reports
    assert (report.outcome, report.fault, report.faults) == (Outcome.DUPLICATE, None, 0)
    assert "the first answer counts" in report.message


def test_an_answer_that_makes_no_sense_to_a_decision_answered_already_is_a_duplicate_too(hall, bots):
    session = hall.session()
    bots[0].answer()
    session.malformed("ann", 1, hall.time.now(), "it holds nothing")
    assert bots[0].reports[-1].outcome is Outcome.DUPLICATE
    assert session.seats[0].faults.total() == 0


def test_an_answer_after_the_clock_ran_out_is_late_and_the_fault_counts_once(hall, bots):
    session = hall.session()
    ann = bots[0]
    question = ann.question
    hall.advance(THINK + BANK)
    ann.answer(question)
    first, second = ann.reports
    assert (first.outcome, first.fault, first.faults) == (Outcome.LATE, FaultKind.LATE, 1)
    assert (second.outcome, second.fault, second.faults) == (Outcome.LATE, None, 1)
    assert session.table.inputs == [Substituted(0)]


def test_an_answer_to_a_decision_superseded_by_a_newer_one_is_stale(hall, bots):
    hall.session(game=HIGH_CARD, hand=1)
    ann, bob, _ = bots
    old = ann.question
    bob.answer()
    ann.answer(old)
    (report,) = ann.reports
    assert (report.outcome, report.fault, report.decision_id) == (Outcome.STALE, None, old.id)
    assert ann.question.id > old.id


@pytest.mark.parametrize("number", [0, 2, 99, 2**32 - 1])
def test_an_act_for_a_decision_that_was_never_asked_is_a_fault_and_touches_none(hall, bots, number):
    session = hall.session()
    ann = bots[0]
    ann.act(session, number, index=0)
    (report,) = ann.reports
    assert (report.outcome, report.fault) == (Outcome.UNKNOWN_DECISION, FaultKind.MALFORMED)
    assert (report.decision_id, report.faults) == (number, 1)
    assert (ann.question.id, ann.question.attempt) == (1, 1)


def test_an_act_for_another_bots_decision_is_a_fault_of_who_sent_it(hall, bots):
    session = hall.session()
    ann, bob, _ = bots
    bob.act(session, ann.question.id, index=0)
    assert not ann.reports
    assert (bob.reports[0].outcome, bob.reports[0].fault, bob.reports[0].seat) == (
        Outcome.UNKNOWN_DECISION, FaultKind.MALFORMED, 1,
    )  # fmt: skip
    assert session.events == [Faulted(1, FaultKind.MALFORMED)]
    assert session.table.inputs == []
    assert ann.question.attempt == 1


def test_what_is_told_of_another_bots_decision_does_not_depend_on_whether_it_exists(hall, bots):
    session = hall.session()
    bob = bots[1]
    for number in (1, 5):
        bob.act(session, number, index=0)
        session.malformed("bob", number, hall.time.now(), "it holds nothing")
    assert {report.message.replace("5", "1") for report in bob.reports} == {"decision 1 was never asked of this seat"}


def test_a_bot_may_answer_for_each_of_its_own_seats_only_what_that_seat_was_asked(hall):
    ann, bob = hall.bots("ann bob")
    session = hall.session("ann bob ann")
    ann.answer()
    bob.answer()
    assert ann.question.seat == 2
    ann.answer(ann.heard(Asked)[0])  # seat 0's
    assert ann.reports[-1].outcome is Outcome.DUPLICATE
    assert len(session.table.inputs) == 2


def test_acts_for_a_vacated_seat_are_told_so_and_count_no_more(hall, bots):
    session = hall.session(faults=FaultSettings(max_faults=1))
    ann = bots[0]
    question = ann.question
    ann.answer(action=illegal(question))
    faults = session.seats[0].faults.total()
    ann.answer(question)
    ann.act(session, 99, index=0)
    assert [(report.outcome, report.fault) for report in ann.reports[-2:]] == [(Outcome.VACATED, None)] * 2
    assert session.seats[0].faults.total() == faults == 1


def test_acts_after_the_end_change_nothing(hall, bots):
    hall.keeping = False  # over, but not yet kept: the bots still sit there
    session = hall.session()
    play_on(bots)
    assert not session.running
    inputs = list(session.table.inputs)
    bots[0].act(session, 1, index=0)
    bots[0].act(session, 10_000, index=0)
    session.malformed("ann", 10_000, hall.time.now(), "it holds nothing")
    session.stalled(session.seats[0], "it slept")
    session.abort()
    hall.advance(60_000)
    assert session.table.inputs == inputs
    assert not any(seat.faults for seat in session.seats)
    hall.keep()
    assert hall.verified(session) == session.result


def test_the_index_counts_the_actions_as_they_were_offered(hall, bots):
    session = hall.session()
    ann = bots[0]
    offered = ann.question.legal
    assert all(isinstance(action, Play) for action in offered)
    ann.answer(index=len(offered) - 1)
    assert session.table.inputs == [Chosen(0, offered[-1])]
