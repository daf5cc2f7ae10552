"""Faults are counted by kind; too many of them, and the seat is vacated and played on without its bot."""

import pytest
from hall import BANK, THINK, Ended, illegal, play_on
from toy import GAME as HIGH_CARD
from toy import PAUSE_MS

from croupier_games.kernel import Substituted, Vacated
from croupier_service.sessions.events import Faulted, SeatVacated, SessionState
from croupier_service.sessions.seats import Outcome
from croupier_service.sessions.settings import FaultKind, FaultPolicy, FaultSettings


@pytest.fixture
def bots(hall):
    return hall.bots("ann bob cat")


def test_faults_are_counted_by_seat_and_kind(hall, bots):
    session = hall.session()
    ann, bob, _ = bots
    ann.answer(action=illegal(ann.question))
    ann.answer(index=99)
    ann.answer()
    hall.advance(THINK + BANK)
    assert session.seats[0].faults == {FaultKind.ILLEGAL: 1, FaultKind.MALFORMED: 1}
    assert session.seats[1].faults == {FaultKind.LATE: 1}
    assert hall.summary(session).seats[0].faults == ((FaultKind.ILLEGAL, 1), (FaultKind.MALFORMED, 1))
    assert not bob.questions


def test_a_fault_is_an_event(hall, bots):
    session = hall.session()
    bots[0].answer(action=illegal(bots[0].question))
    assert session.events == [Faulted(0, FaultKind.ILLEGAL)]


def test_a_fault_is_told_to_the_observer_without_what_only_the_seat_may_know(hall, bots):
    """The answer to an illegal act may name the whole hand; logs may not."""
    hall.session()
    ann = bots[0]
    ann.answer(action=illegal(ann.question))
    (note,) = [note for note in hall.watcher.notes if note[0] == "fault"]
    assert note[:3] == ("fault", "ann", "ILLEGAL")
    assert "play.in-hand" in note[3]
    assert not any(suit in note[3] for suit in ("NEV", "ZEUS", "OCTO", "RATCOIN"))


def test_after_so_many_faults_of_all_kinds_the_seat_is_vacated(hall, bots):
    session = hall.session(faults=FaultSettings(max_faults=3, attempts=5))
    ann = bots[0]
    ann.answer(action=illegal(ann.question))
    ann.answer(index=99)
    assert session.table.vacated == frozenset()
    ann.act(session, 77, index=0)
    assert session.table.vacated == {0}
    assert session.table.inputs == [Vacated(0)]
    assert session.events[2:4] == [Faulted(0, FaultKind.MALFORMED), SeatVacated(0)]
    assert ("vacated", "ann") in hall.watcher.notes


def test_the_bot_is_told_that_its_seat_was_vacated(hall, bots):
    hall.session(faults=FaultSettings(max_faults=1))
    ann = bots[0]
    ann.answer(action=illegal(ann.question))
    assert ann.reports[-1].outcome is Outcome.VACATED
    assert "vacated" in ann.reports[-1].message
    assert (ann.reports[-1].faults, ann.reports[-1].max_faults) == (1, 1)


def test_a_vacated_seat_is_asked_no_more_and_the_others_go_on_to_the_end(hall, bots):
    session = hall.session(faults=FaultSettings(max_faults=1))
    ann = bots[0]
    ann.answer(action=illegal(ann.question))
    asked_before = session.seats[0].asked
    play_on(bots)
    assert session.state is SessionState.FINISHED
    assert session.seats[0].asked == asked_before == 1
    assert hall.verified(session) == session.result


def test_a_vacated_seat_is_placed_last_whatever_its_points(hall):
    for seed in range(12):
        bots = hall.bots("ann bob cat")
        session = hall.session(seed=f"{seed}", faults=FaultSettings(FaultPolicy.FORFEIT, attempts=1))
        play_on(bots, until=lambda session=session, ann=bots[0]: session.seq > 40 and ann.questions)
        bots[0].answer(action=illegal(bots[0].question))
        play_on(bots)
        assert session.result.forfeited == (True, False, False)
        assert session.result.placings[0] == 3
        if session.result.points[0] == max(session.result.points):
            return  # the seed was one that shows it
    raise AssertionError("in none of these games did the vacated seat have the most points")


def test_the_bot_of_a_vacated_seat_still_hears_how_it_ended(hall, bots):
    session = hall.session(faults=FaultSettings(max_faults=1))
    bots[0].answer(action=illegal(bots[0].question))
    play_on(bots)
    assert bots[0].heard(Ended) == [Ended(session.id, 0, session.result)]


def test_a_game_whose_seats_are_all_vacated_ends_by_itself(hall, bots):
    session = hall.session(faults=FaultSettings(FaultPolicy.FORFEIT))
    hall.advance(3 * (THINK + BANK))
    assert session.state is SessionState.FINISHED
    assert session.table.inputs == [Vacated(0), Vacated(1), Vacated(2)]
    assert session.result.forfeited == (True, True, True)
    hall.verified(session)


def test_vacating_may_end_a_game_that_waited_for_that_seat_alone(hall, bots):
    session = hall.session(game=HIGH_CARD, hand=2, bell_ms=None, faults=FaultSettings(FaultPolicy.FORFEIT, attempts=1))
    bots[0].answer()
    bots[1].answer()
    bots[2].answer(action=illegal(bots[2].question))
    assert session.state is SessionState.FINISHED
    hall.verified(session)


def test_silence_alone_ends_every_game(hall, bots):
    """Late at every decision, then given up."""
    session = hall.session(faults=FaultSettings(max_faults=4))
    hall.advance(10 * 60_000)
    assert session.state is SessionState.FINISHED
    assert [type(item) for item in session.table.inputs] == [Substituted] * 9 + [Vacated] * 3
    assert [seat.faults for seat in session.seats] == [{FaultKind.LATE: 4}] * 3
    hall.verified(session)


def test_one_seat_vacated_leaves_the_other_seat_of_the_same_bot_alone(hall):
    ann, bob = bots = hall.bots("ann bob")
    session = hall.session("ann bob ann", HIGH_CARD, faults=FaultSettings(FaultPolicy.FORFEIT, attempts=1))
    seat_0 = next(question for question in ann.questions if question.seat == 0)
    ann.answer(seat_0, action=illegal(seat_0))
    assert session.table.vacated == {0}
    assert [question.seat for question in ann.questions] == [2]
    play_on(bots)
    hall.advance(1_000 + PAUSE_MS)
    assert session.result.forfeited == (True, False, False)
    assert bob.heard(Ended)


def test_a_fault_in_one_session_counts_in_no_other(hall, bots):
    one, other = hall.session(), hall.session()
    ann = bots[0]
    question = next(question for question in ann.questions if question.decision.session is one)
    ann.answer(question, action=illegal(question))
    assert (one.seats[0].faults.total(), other.seats[0].faults.total()) == (1, 0)


def test_each_closed_decision_is_counted_once_by_how_it_was_closed(hall, bots):
    hall.session(faults=FaultSettings(max_faults=2))
    ann, bob, cat = bots
    hall.advance(100)
    ann.answer()
    hall.advance(THINK + BANK)  # bob is late
    cat.answer(action=illegal(cat.question))
    cat.answer(action=illegal(cat.question))  # vacated
    assert hall.watcher.decided_ == [("chosen", 100), ("substituted", THINK + BANK), ("vacated", 0)]
    assert bob.reports[0].outcome is Outcome.LATE
