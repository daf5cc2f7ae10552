"""Bots that come, go and come back: grace, resume, the newest connection, stalled ones."""

import pytest
from hall import BANK, GRACE, THINK, Asked, Ended, FakeBot, Started, play_on
from toy import GAME as HIGH_CARD

from croupier_games.kernel import Chosen, Substituted
from croupier_service.sessions.errors import BadRequest
from croupier_service.sessions.events import Faulted, SessionState
from croupier_service.sessions.seats import Outcome
from croupier_service.sessions.settings import ClockSettings, FaultKind, FaultPolicy, FaultSettings

LONG = ClockSettings(60_000, 0)
"""More than the grace period."""


@pytest.fixture
def bots(hall):
    return hall.bots("ann bob cat")


# Gone.


def test_a_running_clock_runs_on_while_the_bot_is_gone(hall, bots):
    session = hall.session(clock=ClockSettings(1_000, 500))
    hall.advance(300)
    bots[0].leave()
    hall.advance(1_199)
    assert session.table.inputs == []
    hall.advance(1)
    assert session.table.inputs == [Substituted(0)]
    assert session.events[0] == Faulted(0, FaultKind.LATE)


def test_who_is_gone_longer_than_the_grace_period_is_disconnected(hall, bots):
    session = hall.session(clock=LONG)
    bots[0].leave()
    hall.advance(GRACE - 1)
    assert session.table.inputs == []
    hall.advance(1)
    assert session.table.inputs == [Substituted(0)]
    assert session.events[0] == Faulted(0, FaultKind.DISCONNECTED)
    assert session.charges == [GRACE]


def test_a_question_that_never_reached_the_bot_costs_no_time_but_does_not_wait_for_ever(hall, bots):
    session = hall.session(clock=LONG)
    bots[1].leave()
    hall.advance(100)
    bots[0].answer()
    assert session.seats[1].open is not None
    hall.advance(GRACE - 100)
    assert session.table.inputs[1:] == [Substituted(1)]
    assert session.seats[1].charged_ms == 0


def test_the_grace_period_counts_from_when_the_bot_left(hall, bots):
    session = hall.session(clock=LONG)
    bots[1].leave()
    hall.advance(10 * GRACE)  # nobody waits for it meanwhile
    assert session.seats[1].faults.total() == 0
    bots[0].answer()
    hall.advance(0)
    assert session.table.inputs[1:] == [Substituted(1)]


def test_who_stays_away_fails_at_each_decision_until_its_seat_is_vacated(hall, bots):
    session = hall.session(clock=LONG, faults=FaultSettings(max_faults=3))
    bots[0].leave()
    hall.advance(GRACE)
    play_on(bots[1:])
    hall.advance(0)
    while session.running:
        play_on(bots[1:])
        hall.advance(0)
    assert session.seats[0].faults == {FaultKind.DISCONNECTED: 3}
    assert session.table.vacated == {0}
    hall.verified(session)


def test_with_the_policy_forfeit_the_first_decision_missed_is_the_last(hall, bots):
    session = hall.session(clock=LONG, faults=FaultSettings(FaultPolicy.FORFEIT))
    bots[0].leave()
    hall.advance(GRACE)
    assert session.table.vacated == {0}


def test_a_session_may_start_while_one_of_its_bots_is_away(hall, bots):
    bots[0].leave()
    hall.advance(1_000)
    session = hall.session(clock=LONG)
    assert not hall.summary(session).seats[0].connected
    hall.advance(GRACE)  # counted from the start of the session
    assert session.events[0] == Faulted(0, FaultKind.DISCONNECTED)


def test_a_bot_that_was_away_when_a_session_started_is_told_of_it_when_it_comes(hall, bots):
    bots[0].leave()
    session = hall.session(clock=LONG)
    ann = FakeBot(hall, "ann")
    assert ann.said[0] == Started(session.id, 0, resumed=False)
    ann.answer()
    assert session.seats[0].faults.total() == 0


# Back again.


def test_who_is_back_within_the_grace_period_has_no_fault(hall, bots):
    session = hall.session(clock=LONG)
    bots[0].leave()
    hall.advance(GRACE - 1)
    ann = FakeBot(hall, "ann")
    hall.advance(GRACE)
    ann.answer()
    assert session.seats[0].faults.total() == 0
    assert isinstance(session.table.inputs[0], Chosen)


def test_who_is_back_is_asked_the_same_decision_with_the_time_that_is_left(hall, bots):
    session = hall.session()
    hall.advance(400)
    first = bots[0].question
    bots[0].leave()
    hall.advance(1_000)
    ann = FakeBot(hall, "ann")
    assert ann.said[0] == Started(session.id, 0, resumed=True)
    again = ann.question
    assert (again.id, again.attempt, again.legal, again.view) == (first.id, 1, first.legal, first.view)
    assert again.time_left == (0, BANK - 400)
    hall.advance(600)
    ann.answer()
    assert session.seats[0].charged_ms == 2_000


def test_a_question_that_had_not_been_written_has_all_its_time_when_it_is_asked_again(hall, bots):
    bots[0].reading = False
    session = hall.session()
    hall.advance(5_000)
    bots[0].leave()
    hall.advance(1_000)
    ann = FakeBot(hall, "ann")
    assert ann.question.time_left == (THINK, BANK)
    hall.advance(100)
    ann.answer()
    assert session.seats[0].charged_ms == 100


def test_the_old_connections_writer_starts_no_clock_twice(hall, bots):
    bots[0].reading = False
    session = hall.session()
    old = bots[0]
    ann = FakeBot(hall, "ann")
    hall.advance(300)
    old.read()
    hall.advance(300)
    ann.answer()
    assert session.seats[0].charged_ms == 600


def test_an_attempt_used_up_stays_used_up(hall, bots):
    hall.session()
    bots[0].answer(index=99)
    bots[0].leave()
    assert FakeBot(hall, "ann").question.attempt == 2


def test_an_answer_that_crossed_with_the_reconnect_counts_once(hall, bots):
    session = hall.session()
    question = bots[0].question
    ann = FakeBot(hall, "ann")
    ann.answer(question)
    ann.answer(ann.heard(Asked)[0])
    assert len(session.table.inputs) == 1
    assert [report.outcome for report in ann.reports] == [Outcome.DUPLICATE]


def test_who_comes_back_after_its_decision_was_made_for_it_goes_on_with_the_next(hall, bots):
    session = hall.session(clock=LONG)
    bots[0].leave()
    hall.advance(GRACE)
    ann = FakeBot(hall, "ann")
    assert ann.questions == []
    play_on([ann, *bots[1:]])
    assert session.state is SessionState.FINISHED
    assert session.seats[0].faults.total() == 1


def test_coming_and_going_starts_a_new_grace_period_each_time(hall, bots):
    session = hall.session(clock=LONG)
    bots[0].leave()
    for _ in range(3):
        hall.advance(GRACE - 1)
        FakeBot(hall, "ann").leave()
    assert session.seats[0].faults.total() == 0
    hall.advance(GRACE)
    assert session.seats[0].faults == {FaultKind.DISCONNECTED: 1}


def test_but_the_clock_of_an_open_decision_is_not_stopped_by_it(hall, bots):
    session = hall.session(clock=ClockSettings(5_000, 0))
    for _ in range(2):
        bots[0].leave()
        hall.advance(GRACE - 501)
        bots[0] = FakeBot(hall, "ann")
    hall.advance(1_002)
    assert session.events[0] == Faulted(0, FaultKind.LATE)


def test_every_session_and_seat_of_a_bot_is_resumed(hall):
    ann, _ = hall.bots("ann bob")
    one = hall.session("ann bob ann", HIGH_CARD)
    two = hall.session("bob bob ann", HIGH_CARD)
    ann.leave()
    again = FakeBot(hall, "ann")
    assert {(start.session, start.seat) for start in again.heard(Started)} == {(one.id, 0), (one.id, 2), (two.id, 2)}
    assert all(start.resumed for start in again.heard(Started))
    assert len(again.questions) == 3


def test_a_session_that_is_over_is_not_resumed(hall, bots):
    hall.session()
    play_on(bots)
    assert FakeBot(hall, "ann").said == []


def test_a_bot_whose_seat_was_vacated_while_it_was_gone_still_hears_how_it_ended(hall, bots):
    session = hall.session(clock=LONG, faults=FaultSettings(FaultPolicy.FORFEIT))
    bots[0].leave()
    hall.advance(GRACE)
    ann = FakeBot(hall, "ann")
    assert ann.said == [Started(session.id, 0, resumed=True)]
    ann.act(session, 1, index=0)
    assert [report.outcome for report in ann.reports] == [Outcome.VACATED]
    play_on([ann, *bots[1:]])
    assert ann.heard(Ended) == [Ended(session.id, 0, session.result)]


# The newest connection wins.


def test_the_newest_connection_of_a_bot_wins(hall, bots):
    session = hall.session()
    old, new = bots[0], FakeBot(hall, "ann")
    assert (old.closed_because, old.may_come_back) == ("a newer connection of this bot has taken over", False)
    assert new.question.id == old.heard(Asked)[0].id
    new.answer()
    play_on([new, *bots[1:]])
    assert not old.heard(Ended)
    assert new.heard(Ended) == [Ended(session.id, 0, session.result)]


def test_the_end_of_the_older_connection_takes_nothing_from_the_newer(hall, bots):
    session = hall.session(clock=LONG)
    old, new = bots[0], FakeBot(hall, "ann")
    old.leave(stalled="it slept")
    hall.advance(2 * GRACE)
    assert hall.summary(session).seats[0].connected
    assert session.seats[0].faults.total() == 0
    new.answer()
    assert not new.reports
    assert hall.session().id == new.question.decision.session.id  # it is the one that is told of new sessions


# Stalled.


def test_a_bot_that_was_cut_off_because_it_stalled_has_a_fault_in_each_of_its_seats(hall):
    ann, _ = hall.bots("ann bob")
    session = hall.session("ann bob ann", HIGH_CARD)
    ann.leave(stalled="it has not read anything for 15 s")
    assert session.events == [Faulted(0, FaultKind.STALLED), Faulted(2, FaultKind.STALLED)]
    assert ("fault", "ann", "STALLED", "it has not read anything for 15 s") in hall.watcher.notes


def test_the_game_goes_on_without_a_bot_that_stalled_for_good(hall, bots):
    session = hall.session(faults=FaultSettings(max_faults=1))
    bots[0].reading = False
    bots[0].leave(stalled="it has not read anything for 15 s")
    assert session.table.vacated == {0}
    play_on(bots[1:])
    assert session.state is SessionState.FINISHED
    hall.verified(session)


def test_a_bot_that_stalled_may_come_back(hall, bots):
    session = hall.session()
    bots[0].leave(stalled="it slept")
    ann = FakeBot(hall, "ann")
    play_on([ann, *bots[1:]])
    assert session.result.forfeited == (False, False, False)


def test_a_vacated_seat_can_not_stall(hall, bots):
    session = hall.session(faults=FaultSettings(max_faults=1))
    bots[0].answer(index=99)
    bots[0].leave(stalled="it slept")
    assert session.seats[0].faults == {FaultKind.MALFORMED: 1}


# Names.


@pytest.mark.parametrize("name", ["a", "a" * 64, "0", "croupier-python_0.1"])
def test_a_bots_name_is_1_to_64_plain_characters(hall, name):
    FakeBot(hall, name)
    assert hall.host.bots[name].name == name


@pytest.mark.parametrize("name", ["", "a" * 65, "Ann", "an n", "ann\n", "house:random", "änn", "a/b"])
def test_any_other_name_is_refused_and_leaves_nothing_behind(hall, name):
    with pytest.raises(BadRequest, match="1 to 64 characters") as error:
        FakeBot(hall, name)
    assert error.value.field == "bot"
    assert not hall.host.bots


def test_a_bot_that_comes_and_goes_before_its_question_reaches_it_gains_no_time(hall):
    """Or it could hold up its table for ever."""
    hall.bots("bob cat")
    ann = FakeBot(hall, "ann", reading=False)
    session = hall.session()
    for _ in range(3):
        ann.leave()
        hall.advance(GRACE / 3)
        ann = FakeBot(hall, "ann", reading=False)
    ann.leave()
    assert session.seats[0].faults == {FaultKind.DISCONNECTED: 1}


def test_a_bot_that_leaves_with_another_question_on_its_way_has_its_grace_anew(hall):
    _, bob, cat = hall.bots("ann bob cat")
    session = hall.session()
    ann = FakeBot(hall, "ann", reading=False)
    ann.leave()
    hall.advance(GRACE - 1)
    ann = FakeBot(hall, "ann")
    ann.answer()
    play_on([ann, bob, cat], until=lambda: ann.questions and session.seats[0].asked > 1)
    ann.leave()
    hall.advance(THINK - 1)
    assert not session.seats[0].faults
