"""The clock of a seat: think time, then bank; when it starts and stops, and what is not charged."""

import pytest
from hall import BANK, THINK, illegal, play_on
from toy import GAME as HIGH_CARD

from croupier_games.kernel import Substituted
from croupier_service.sessions.seats import Outcome
from croupier_service.sessions.settings import ClockSettings, FaultKind, FaultPolicy, FaultSettings, SettingError


@pytest.fixture
def bots(hall):
    return hall.bots("ann bob cat")


def round_trip(bots):
    """Everybody else answers, until the first bot is asked again."""
    ann = bots[0]
    play_on(bots, until=lambda: ann.questions)


def test_within_the_think_time_the_bank_is_not_touched(hall, bots):
    session = hall.session()
    hall.advance(THINK)
    bots[0].answer()
    seat = session.seats[0]
    assert (seat.charged_ms, seat.last_charged_ms, seat.bank_ms) == (THINK, THINK, BANK)


def test_past_the_think_time_the_bank_pays(hall, bots):
    session = hall.session()
    hall.advance(THINK + 400)
    bots[0].answer()
    seat = session.seats[0]
    assert (seat.charged_ms, seat.bank_ms) == (THINK + 400, BANK - 400)
    round_trip(bots)
    assert (bots[0].question.time_left, bots[0].question.last_charged) == ((THINK, BANK - 400), THINK + 400)


def test_an_answer_at_the_very_last_moment_is_in_time(hall, bots):
    session = hall.session()
    hall.advance(THINK + BANK - 1)
    bots[0].answer(at=hall.time.now() + 1)
    assert session.seats[0].bank_ms == 0
    assert not bots[0].reports


def test_when_think_time_and_bank_have_run_out_it_is_late_and_a_neutral_action_is_drawn(hall, bots):
    session = hall.session()
    hall.advance(THINK + BANK - 1)
    assert session.table.inputs == []
    hall.advance(1)
    assert session.table.inputs == [Substituted(0)]
    (report,) = bots[0].reports
    assert (report.outcome, report.fault, report.attempts_left) == (Outcome.LATE, FaultKind.LATE, 0)
    assert (session.seats[0].charged_ms, session.seats[0].bank_ms) == (THINK + BANK, 0)


def test_an_act_stamped_too_late_is_late_even_if_no_timer_has_noticed(hall, bots):
    session = hall.session()
    bots[0].answer(at=hall.time.now() + THINK + BANK + 1)
    assert session.table.inputs == [Substituted(0)]
    assert bots[0].reports[0].outcome is Outcome.LATE
    assert session.seats[0].charged_ms == THINK + BANK


def test_without_a_bank_there_is_the_think_time_still(hall, bots):
    session = hall.session()
    hall.advance(THINK + BANK)
    round_trip(bots)
    assert bots[0].question.time_left == (THINK, 0)
    hall.advance(THINK - 1)
    bots[0].answer()
    assert session.seats[0].faults.total() == 1


def test_a_think_time_of_zero_means_that_everything_runs_on_the_bank(hall, bots):
    session = hall.session(clock=ClockSettings(0, BANK))
    hall.advance(300)
    bots[0].answer()
    assert session.seats[0].bank_ms == BANK - 300


def test_an_increment_is_added_to_the_bank_after_each_decision(hall, bots):
    session = hall.session(clock=ClockSettings(THINK, BANK, increment_ms=250))
    hall.advance(THINK + 400)
    bots[0].answer()
    assert session.seats[0].bank_ms == BANK - 400 + 250
    round_trip(bots)
    bots[0].answer()
    assert session.seats[0].bank_ms == BANK - 400 + 2 * 250


def test_a_bank_never_holds_more_than_a_day(hall, bots):
    day = 86_400_000
    session = hall.session(clock=ClockSettings(THINK, day, increment_ms=day))
    bots[0].answer()
    assert session.seats[0].bank_ms == day


def test_the_clock_starts_only_when_the_question_has_been_written(hall, bots):
    bots[0].reading = False
    session = hall.session()
    hall.advance(60_000)
    assert session.table.inputs == []
    bots[0].read()
    hall.advance(THINK)
    bots[0].answer()
    assert session.seats[0].charged_ms == THINK


def test_an_answer_to_a_question_whose_writing_has_not_been_noted_yet_costs_nothing(hall, bots):
    bots[0].reading = False
    session = hall.session()
    hall.advance(500)
    bots[0].answer()
    assert session.seats[0].charged_ms == 0
    bots[0].read()  # noted too late: starts no clock
    hall.advance(60_000)
    assert session.seats[0].faults.total() == 0


def test_the_clock_stops_when_the_act_is_read_not_when_it_is_dealt_with(hall, bots):
    session = hall.session()
    hall.advance(900)
    stamp = hall.time.now() - 600
    bots[0].answer(at=stamp)
    assert session.seats[0].charged_ms == 300


def test_a_retry_runs_on_the_same_clock(hall, bots):
    session = hall.session()
    ann = bots[0]
    hall.advance(400)
    ann.answer(action=illegal(ann.question))
    assert ann.question.time_left == (THINK - 400, BANK)
    hall.advance(900)
    ann.answer()
    assert session.seats[0].charged_ms == 1_300


def test_attempts_last_only_as_long_as_the_clock_runs(hall, bots):
    session = hall.session()
    ann = bots[0]
    hall.advance(400)
    ann.answer(action=illegal(ann.question))
    hall.advance(THINK + BANK - 400)
    assert session.table.inputs == [Substituted(0)]
    assert [report.fault for report in ann.reports] == [FaultKind.ILLEGAL, FaultKind.LATE]


def test_what_a_used_up_decision_took_is_charged_too(hall, bots):
    session = hall.session(faults=FaultSettings(attempts=1))
    hall.advance(700)
    bots[0].answer(action=illegal(bots[0].question))
    assert (session.table.inputs, session.charges) == ([Substituted(0)], [700])
    assert session.seats[0].charged_ms == 700


def test_a_malformed_act_after_the_time_cannot_cost_more_than_there_was(hall, bots):
    session = hall.session(faults=FaultSettings(attempts=1))
    session.malformed("ann", 1, hall.time.now() + THINK + BANK + 500, "it holds nothing")
    assert session.charges == [THINK + BANK]


def test_the_clocks_of_seats_asked_at_the_same_time_run_side_by_side(hall, bots):
    session = hall.session(game=HIGH_CARD)
    hall.advance(300)
    bots[2].answer()
    hall.advance(400)
    bots[0].answer()
    hall.advance(500)
    bots[1].answer()
    assert [seat.charged_ms for seat in session.seats] == [700, 1_200, 300]
    assert session.charges == [300, 700, 1_200]


def test_several_clocks_may_run_out_at_the_same_moment(hall, bots):
    session = hall.session(game=HIGH_CARD)
    hall.advance(THINK + BANK)
    assert session.table.inputs == [Substituted(0), Substituted(1), Substituted(2)]
    assert [bot.question.id for bot in bots] == [4, 5, 6]


def test_with_the_policy_forfeit_being_late_once_is_the_end_of_it(hall, bots):
    session = hall.session(faults=FaultSettings(FaultPolicy.FORFEIT))
    hall.advance(THINK + BANK)
    assert session.table.vacated == {0}


# The server's own lateness.


def test_the_servers_lateness_is_not_charged(hall, bots):
    session = hall.session()
    hall.advance(200)
    hall.time.block(500)
    bots[0].answer()
    # a beat is due every 20 ms: what is late is the 500 ms less the wait for the next beat
    assert 200 <= session.seats[0].charged_ms <= 200 + 20


def test_who_would_be_late_only_because_the_server_was_is_not(hall, bots):
    session = hall.session()
    hall.advance(THINK + BANK - 300)
    hall.time.block(1_000)
    assert session.seats[0].faults.total() == 0
    bots[0].answer()
    assert session.seats[0].faults.total() == 0
    assert 0 <= session.seats[0].bank_ms <= 300


def test_but_its_time_runs_out_once_the_server_is_punctual_again(hall, bots):
    session = hall.session()
    hall.advance(THINK + BANK - 300)
    hall.time.block(1_000)
    hall.advance(301)
    assert session.table.inputs == [Substituted(0)]


def test_the_lateness_before_a_question_was_asked_is_no_present_to_it(hall, bots):
    """The server was late; then it wrote the question; only then did its next beat find out."""
    bots[0].reading = False
    session = hall.session()
    hall.time._now += 500  # late, and nothing has run yet
    bots[0].read()
    hall.time.settle()
    hall.advance(300)
    bots[0].answer()
    assert session.seats[0].charged_ms == 300


# What is charged is recorded.


def test_the_record_says_what_each_input_was_charged(hall, bots):
    session = hall.session()
    for ms in (100, 0, 2_500):
        hall.advance(ms)
        next(bot for bot in bots if bot.questions).answer()
    assert session.charges == [100, 0, 2_500]
    play_on(bots)
    archived = hall.archived(session)
    assert archived.charges[:3] == (100, 0, 2_500)
    assert [seat.charged_ms for seat in archived.summary.seats] == [100, 0, 2_500]


def test_time_that_the_game_itself_is_told_is_charged_to_nobody(hall, bots):
    session = hall.session(game=HIGH_CARD, hand=1)
    hall.advance(2_000)
    assert session.charges == [0, 0]
    assert [seat.charged_ms for seat in session.seats] == [0, 0, 0]


# Settings.


@pytest.mark.parametrize("field", ["think_time_ms", "bank_ms", "increment_ms"])
@pytest.mark.parametrize("value", [-1, 86_400_001])
def test_a_time_is_at_least_nothing_and_at_most_a_day(field, value):
    with pytest.raises(SettingError, match="is 0 to 86,400,000") as error:
        ClockSettings(**{field: value})
    assert error.value.field == field


def test_think_time_and_bank_cannot_both_be_nothing():
    with pytest.raises(SettingError) as error:
        ClockSettings(0, 0)
    assert error.value.field == "think_time_ms"


@pytest.mark.parametrize(
    ("field", "value"), [("max_faults", 0), ("max_faults", 1_001), ("attempts", 0), ("attempts", 11)]
)
def test_faults_and_attempts_have_their_ranges(field, value):
    with pytest.raises(SettingError, match="not") as error:
        FaultSettings(**{field: value})
    assert error.value.field == field
