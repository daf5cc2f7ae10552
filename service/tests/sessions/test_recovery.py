"""After the server was killed: sessions go on where they were, fairly, and nobody notices more than has to be."""

import re
from dataclasses import replace
from zlib import crc32

import pytest
import structlog
from hall import BANK, GRACE, THINK, Asked, Ended, Hall, Happened, Started, drive, illegal, play_on
from toy import GAME as HIGH_CARD
from toy import Guess

from croupier_games.kernel import Chosen, Ticked, Vacated
from croupier_games.trick_and_trade import GAME as TRICK_AND_TRADE
from croupier_service.sessions.errors import Conflict
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.host import NewSession
from croupier_service.sessions.journal import Query
from croupier_service.sessions.questions import LOST_DECISIONS
from croupier_service.sessions.seats import Outcome
from croupier_service.sessions.settings import ClockSettings, FaultKind, FaultPolicy, FaultSettings

NAMES = "ann bob cat"
RESTART_GRACE = 2 * GRACE


def again(hall, names=NAMES, **settings):
    """Kill the server, start it again, and connect the bots again."""
    hall.restart()
    return hall.bots(names, **settings)


def running(hall):
    (session,) = hall.host.sessions.values()
    return session


def choose(bots):
    """Somebody answers a question, as follows from what may be answered alone; whether there was one."""
    asked = [(question.id, bot, question) for bot in bots for question in bot.questions]
    if not asked:
        return False
    _, bot, question = min(asked, key=lambda one: one[0])
    bot.answer(question, index=crc32(repr(question.legal).encode()) % len(question.legal))
    return True


SETTINGS = [
    {"game": TRICK_AND_TRADE},
    {"game": TRICK_AND_TRADE, "bots": "ann house:random bob house:greedy"},
    {"game": TRICK_AND_TRADE, "bots": "ann bob ann"},
    {"game": HIGH_CARD, "hand": 4, "bell_ms": None},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=["three", "house bots", "two seats", "secret choices"])
@pytest.mark.parametrize("every", [1, 2, 7])
def test_a_game_goes_on_as_if_nothing_had_happened_however_often_the_server_is_killed(settings, every):
    undisturbed = Hall()
    bots = undisturbed.bots(NAMES)
    expected = undisturbed.session(**settings)
    while choose(bots):
        pass
    assert expected.state is SessionState.FINISHED

    hall = Hall()
    bots = hall.bots(NAMES)
    session_id = hall.session(**settings).id
    choices = 0
    while choose(bots):
        choices += 1
        if choices % every == 0 and hall.host.sessions:
            bots = again(hall)
    summary = drive(hall.host.summary(session_id))
    assert summary.result == expected.result
    archived = drive(hall.host.archived(session_id))
    assert archived.record.inputs == tuple(expected.table.inputs)
    assert summary.seq == expected.seq
    assert [seat.decisions for seat in summary.seats] == [seat.asked for seat in expected.seats]
    assert not any(seat.faults for seat in summary.seats)


# What bots are asked, and told.


def test_the_open_decision_is_asked_again_under_the_same_number_with_all_its_time(hall):
    bots = hall.bots(NAMES)
    session = hall.session()
    play_on(bots, until=lambda: len(session.table.inputs) == 5)
    (before,) = [bot.question for bot in bots if bot.questions]
    hall.advance(THINK / 2)
    bots = again(hall)
    (after,) = [bot.question for bot in bots if bot.questions]
    assert replace(after, decision=before.decision, time_left=before.time_left) == before
    assert after.time_left == (THINK, BANK)
    assert after.view == before.view


def test_the_bot_is_told_that_it_has_been_here_before(hall):
    hall.bots(NAMES)
    session = hall.session()
    (ann, *_) = again(hall)
    assert ann.heard(Started) == [Started(session.id, 0, resumed=True)]


def test_events_and_their_numbers_go_on(hall):
    bots = hall.bots(NAMES, events=True)
    session = hall.session()
    bots[0].act(session, 99, index=0)
    play_on(bots, until=lambda: len(session.table.inputs) == 5)
    before = bots[1].told_events
    bots = again(hall, events=True)
    assert running(hall).events == session.events
    play_on(bots, until=lambda: len(running(hall).table.inputs) == 6)
    assert bots[1].told_events[0][0] == len(before) + 1


def test_an_answer_that_was_given_twice_is_a_duplicate_after_a_restart_too(hall):
    bots = hall.bots(NAMES)
    hall.session()
    question = bots[0].question
    bots[0].answer()
    ann, *_ = again(hall)
    ann.act(running(hall), question.id, index=0)
    assert [report.outcome for report in ann.reports] == [Outcome.DUPLICATE]


def test_what_was_not_kept_is_forgotten_and_the_bot_hears_from_which_event_on(hall):
    bots = hall.bots(NAMES)
    session = hall.session()
    play_on(bots, until=lambda: len(session.table.inputs) == 4)
    kept = session.seq
    hall.keeping = False
    play_on(bots, until=lambda: len(session.table.inputs) == 7)
    assert session.seq > kept
    bots = again(hall)
    assert running(hall).seq == kept
    assert {started.seq for bot in bots for started in bot.heard(Started)} == {kept}


def test_who_comes_late_hears_of_the_restart_though_the_others_have_played_on(hall):
    bots = hall.bots(NAMES)
    session = hall.session()
    play_on(bots, until=lambda: len(session.table.inputs) == 4)
    kept = session.seq
    hall.restart()
    early = hall.bots("ann bob")
    play_on(early)
    assert running(hall).seq > kept
    (cat,) = hall.bots("cat")
    assert cat.heard(Started)[0].seq == kept
    cat.leave()
    (cat,) = hall.bots("cat")
    assert cat.heard(Started)[0].seq == running(hall).seq


def test_an_answer_to_a_decision_that_was_lost_is_stale_and_no_fault(hall):
    bots = hall.bots(NAMES)
    session = hall.session()
    hall.keeping = False
    play_on(bots, until=lambda: len(session.table.inputs) == 7)
    lost = [(bot.name, question.id) for bot in bots for question in bot.heard(Asked) if question.id > 1]
    bots = {bot.name: bot for bot in again(hall)}
    hall.keeping = True
    session = running(hall)
    for name, decision_id in lost:
        bots[name].act(session, decision_id, index=0)
        assert bots[name].reports[-1].outcome is Outcome.STALE
        assert "restart" in bots[name].reports[-1].message
    assert not any(seat.faults for seat in session.seats)
    bots["ann"].answer()
    (next_one,) = [bot.question for bot in bots.values() if bot.questions]
    assert next_one.id == LOST_DECISIONS + 2  # so no number means two things


def test_a_decision_that_was_never_asked_is_a_fault_as_ever(hall):
    hall.bots(NAMES)
    hall.session()
    ann, *_ = again(hall)
    ann.act(running(hall), 10_000, index=0)
    assert ann.reports[-1].fault is FaultKind.MALFORMED


def test_a_bot_comes_back_to_a_session_that_has_ended_meanwhile_and_is_there(hall):
    bots = hall.bots(NAMES)
    session = hall.session()
    play_on(bots)
    hall.restart()
    assert not hall.host.sessions
    assert hall.archived(session).summary.result == session.result


# Faults, clocks, vacated seats.


def test_what_the_clock_has_taken_is_gone_and_the_time_of_the_restart_is_charged_to_nobody(hall):
    bots = hall.bots(NAMES)
    session = hall.session()
    hall.advance(THINK + 700)
    bots[0].answer()
    hall.advance(THINK / 2)
    hall.advance(0)
    charged = [seat.charged_ms for seat in session.seats]
    hall.restart()
    hall.advance(RESTART_GRACE - 1)
    bots = hall.bots(NAMES)
    assert [seat.charged_ms for seat in running(hall).seats] == charged == [THINK + 700, 0, 0]
    assert running(hall).seats[0].bank_ms == BANK - 700
    (question,) = [bot.question for bot in bots if bot.questions]
    assert question.time_left == (THINK, BANK)


def test_attempts_used_up_stay_used_up(hall):
    ann, *_ = hall.bots(NAMES)
    hall.session(faults=FaultSettings(attempts=3))
    ann.answer(action=illegal(ann.question))
    ann.answer(action=illegal(ann.question))
    ann, *_ = again(hall)
    assert ann.question.attempt == 3
    ann.answer(action=illegal(ann.question))
    session = running(hall)
    assert session.seats[0].faults == {FaultKind.ILLEGAL: 3}
    assert len(session.table.inputs) == 1  # a substitute has decided


def test_faults_add_up_over_restarts_until_the_seat_is_vacated(hall):
    ann, *_ = hall.bots(NAMES)
    hall.session(faults=FaultSettings(max_faults=3))
    for _ in range(3):
        ann.act(running(hall), 10_000, index=0)
        ann, *_ = again(hall)
    session = running(hall)
    assert session.table.inputs[0] == Vacated(0)
    assert session.seats[0].faults == {FaultKind.MALFORMED: 3}
    ann.act(session, 1, index=0)
    assert ann.reports[-1].outcome is Outcome.VACATED


def test_a_bot_that_does_not_come_back_is_given_the_grace_of_a_restart_and_no_more(hall):
    hall.bots(NAMES)
    hall.session()
    hall.restart()
    hall.bots("bob cat")
    hall.advance(RESTART_GRACE - 1)
    assert not running(hall).seats[0].faults
    hall.advance(1)
    assert running(hall).seats[0].faults[FaultKind.DISCONNECTED] == 1


def test_the_grace_is_the_usual_one_for_a_bot_that_came_back_and_left_again(hall):
    hall.bots(NAMES)
    hall.session()
    ann, *_ = again(hall)
    ann.leave()
    hall.advance(GRACE)
    assert running(hall).seats[0].faults[FaultKind.DISCONNECTED] == 1


def test_a_forfeit_is_not_taken_back(hall):
    bots = hall.bots(NAMES)
    hall.session(faults=FaultSettings(FaultPolicy.FORFEIT), clock=ClockSettings(THINK, 0))
    hall.advance(THINK)
    bots = again(hall)
    play_on(bots)
    (summary,) = drive(hall.host.page(Query(), "", 1))
    assert summary.result.forfeited == (True, False, False)


# A game's own clock.


def ringing(hall):
    """A session in which the bell has been rung: any seat may guess, within a second."""
    bots = hall.bots(NAMES)
    session = hall.session(game=HIGH_CARD, hand=1, bell_ms=1_000, clock=ClockSettings(THINK * 10, 0))
    hall.advance(200)
    play_on(bots, until=lambda: session.table.state.deadline() is not None)
    return session, bots


def test_a_games_own_clock_waits_until_all_bots_are_back(hall):
    ringing(hall)
    hall.restart()
    hall.advance(GRACE)
    early = hall.bots("ann bob")
    hall.advance(GRACE / 2)
    session = running(hall)
    assert not [item for item in session.table.inputs if isinstance(item, Ticked)]
    assert not any(bot.questions for bot in early)
    (cat,) = hall.bots("cat")
    assert all(bot.questions for bot in (*early, cat))
    hall.advance(999)
    assert not [item for item in session.table.inputs if isinstance(item, Ticked)]
    hall.advance(1)
    assert [item for item in session.table.inputs if isinstance(item, Ticked)]


def test_a_games_own_clock_does_not_wait_for_ever(hall):
    ringing(hall)
    hall.restart()
    ann, _ = hall.bots("ann bob")
    hall.advance(RESTART_GRACE)
    assert ann.questions
    hall.advance(1_000)
    assert [item for item in running(hall).table.inputs if isinstance(item, Ticked)]


def test_a_games_own_clock_goes_on_from_the_latest_time_it_was_told(hall):
    session, _ = ringing(hall)
    hall.advance(1_000)  # the bell is over, and the prize lies there for half a second
    told = session.table.now_ms
    bots = again(hall)
    hall.advance(499)
    assert running(hall).table.now_ms == told
    hall.advance(1)
    assert drive(hall.host.summary(session.id)).state is SessionState.FINISHED
    assert all(bot.heard(Ended) for bot in bots)


def test_what_was_chosen_in_a_free_for_all_is_still_chosen(hall):
    _, bots = ringing(hall)
    bots[1].answer(action=next(action for action in bots[1].question.legal if isinstance(action, Guess)))
    bots = again(hall)
    assert [bool(bot.questions) for bot in bots] == [True, False, True]


# What cannot be gone on with.


@pytest.fixture
def two(hall):
    """Two running sessions: of High Card, and of Trick and Trade."""
    bots = hall.bots(NAMES)
    sessions = hall.session(game=HIGH_CARD), hall.session()
    play_on(bots, until=lambda: len(sessions[0].table.inputs) == 2)
    return sessions


def only_the_second_goes_on(hall, two, *, said, why):
    first, second = two
    assert list(hall.host.sessions) == [second.id]
    summary = drive(hall.host.summary(first.id))
    assert (summary.state, summary.result) == (SessionState.ABORTED, None)
    assert summary.ended_at is not None
    (entry,) = [entry for entry in said if entry.get("session") == first.id]
    assert why in entry["why"]
    play_on(hall.bots(NAMES))
    assert drive(hall.host.summary(second.id)).state is SessionState.FINISHED
    return entry


def test_a_session_of_a_game_that_is_gone_is_aborted_and_the_rest_goes_on(hall, two):
    with structlog.testing.capture_logs() as said:
        hall.restart(games={TRICK_AND_TRADE.name: TRICK_AND_TRADE})
    entry = only_the_second_goes_on(hall, two, said=said, why="is not installed any more")
    assert (entry["event"], entry["log_level"]) == ("a session is aborted", "warning")


def test_a_session_of_other_rules_is_aborted_and_the_rest_goes_on(hall, two):
    class Newer(type(HIGH_CARD)):
        rules_version = HIGH_CARD.rules_version + 1

    with structlog.testing.capture_logs() as said:
        hall.restart(games={**hall.host.games, HIGH_CARD.name: Newer()})
    entry = only_the_second_goes_on(hall, two, said=said, why="version 2")
    assert entry["event"] == "a session is aborted"


def test_a_session_that_does_not_follow_from_the_rules_is_set_aside_and_said_loudly(hall, two):
    taken = hall.store._taken[two[0].id]
    taken[1] = taken[1]._replace(step=Chosen(0, taken[0].step.action))
    with structlog.testing.capture_logs() as said:
        hall.restart()
    entry = only_the_second_goes_on(hall, two, said=said, why="step 2 of 2 does not follow")
    assert re.fullmatch(r"step 2 of 2 does not follow: (it breaks [a-z.-]+|[A-Za-z]+)", entry["why"])  # and no card
    assert (entry["event"], entry["log_level"]) == ("a session is set aside: it cannot be replayed", "error")


def test_a_session_with_a_house_bot_that_is_gone_is_aborted(hall):
    hall.bots("ann")
    hall.session("ann house:random house:greedy")
    greedy_only = {"greedy": hall.host._house["greedy"]}
    with structlog.testing.capture_logs() as said:
        hall.host = hall._host(hall.host.games)
        hall.host._house = greedy_only
        drive(hall.host.recover())
    assert not hall.host.sessions
    assert not hall.host.bots
    assert "no house bot 'house:random'" in said[0]["why"]


# Requests, and the host.


def test_a_request_is_known_over_a_restart(hall):
    new = NewSession(TRICK_AND_TRADE.name, NAMES.split(), request_id="once", fingerprint=b"this")
    hall.bots(NAMES)
    first = drive(hall.host.open(new))
    hall.restart()
    assert drive(hall.host.open(new)) == first
    with pytest.raises(Conflict, match="was used for another request"):
        drive(hall.host.open(replace(new, fingerprint=b"that")))
    assert len(hall.host.sessions) == 1


def test_a_bot_that_has_played_before_the_restart_is_waited_for(hall):
    bots = hall.bots(NAMES)
    hall.session()
    play_on(bots)
    hall.restart()
    session_id = drive(hall.host.open(NewSession(TRICK_AND_TRADE.name, NAMES.split())))
    (ann,) = hall.bots("ann")
    assert ann.heard(Started) == [Started(session_id, 0, resumed=False)]


def test_a_session_is_kept_when_its_id_is_returned(hall):
    hall.bots(NAMES)
    hall.keeping = False
    session_id = drive(hall.host.open(NewSession(TRICK_AND_TRADE.name, NAMES.split())))
    hall.restart()
    assert list(hall.host.sessions) == [session_id]


def test_the_oldest_session_is_still_the_oldest(hall):
    hall.bots(NAMES)
    ids = [hall.session().id for _ in range(3)]
    hall.restart()
    assert list(hall.host.sessions) == ids
    assert [summary.session_id for summary in drive(hall.host.page(Query(), "", 9))] == ids[::-1]


def test_nothing_is_told_twice(hall):
    bots = hall.bots(NAMES, events=True)
    session = hall.session()
    play_on(bots, until=lambda: len(session.table.inputs) == 5)
    notes = len(hall.watcher.notes)
    again(hall)
    assert hall.watcher.notes[notes:] == [("started", session.id)]
    assert not any(happened for bot in again(hall) for happened in bot.heard(Happened))
