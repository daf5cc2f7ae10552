"""Time: the server's own lateness, and one heap for the deadlines of all sessions."""

import asyncio

import pytest
import structlog
from fake_time import FakeTime
from hall import BANK, THINK, play_on

from croupier_service.sessions.timing import LagMeter, LoopTime, Timers


@pytest.fixture
def time():
    return FakeTime(0.0)


# Lateness.


@pytest.fixture
def lag(time):
    meter = LagMeter(time, interval_ms=20)
    meter.start()
    return meter


def test_a_punctual_server_is_never_late(time, lag):
    time.advance(10_000)
    assert lag.total_ms == 0


def test_a_beat_that_comes_late_counts_by_how_much(time, lag):
    time.advance(40)
    time.block(70)  # the next beat was due after 20
    assert lag.total_ms == 50


def test_after_a_late_beat_the_next_is_due_a_whole_interval_later(time, lag):
    time.block(120)
    assert lag.total_ms == 100
    time.advance(20)
    assert lag.total_ms == 100


def test_lateness_can_be_looked_at_before_the_beat_has_come_and_counts_once(time, lag):
    time._now = 100.0  # nothing has run yet: the beat that was due at 20 neither
    lag.observe(time.now())
    assert lag.total_ms == 80
    time.settle()
    assert lag.total_ms == 80


def test_looking_early_counts_nothing(time, lag):
    time.advance(10)
    lag.observe(time.now())
    time.advance(10)
    assert lag.total_ms == 0


def test_between_two_looks_lateness_never_grows_faster_than_time(time, lag):
    last_total, last_now = 0.0, 0.0
    for ms in (5, 30, 1, 0, 200, 19, 21, 20, 3, 3, 3, 90):
        time._now += ms
        lag.observe(time.now())
        assert 0 <= lag.total_ms - last_total <= time.now() - last_now
        last_total, last_now = lag.total_ms, time.now()
        time.settle()


def test_a_meter_that_was_stopped_beats_no_more(time, lag):
    lag.stop()
    lag.stop()
    assert time.calls == []


# Deadlines.


class Thing:
    """Something with deadlines."""

    def __init__(self, time):
        self.time = time
        self.due = float("inf")
        self.called = []
        self.then = None

    def on_time(self, now):
        assert now == self.time.now()
        self.called.append(now)
        if self.then is not None:
            self.then(now)


@pytest.fixture
def timers(time):
    return Timers(time, LagMeter(time))


def test_a_thing_is_called_when_it_is_due_and_not_before(time, timers):
    thing = Thing(time)
    timers.at(100, thing)
    time.advance(99)
    assert thing.called == []
    time.advance(1)
    assert (thing.called, thing.due) == ([100], float("inf"))


def test_things_are_called_in_the_order_in_which_they_are_due(time, timers):
    things = [Thing(time) for _ in range(5)]
    for thing, when in zip(things, (50, 20, 40, 10, 30), strict=True):
        timers.at(when, thing)
    time.advance(50)
    assert [thing.called for thing in things] == [[50], [20], [40], [10], [30]]


def test_things_due_at_the_same_moment_are_all_called(time, timers):
    things = [Thing(time) for _ in range(3)]
    for thing in things:
        timers.at(10, thing)
    time.advance(10)
    assert [thing.called for thing in things] == [[10]] * 3


def test_an_earlier_deadline_replaces_a_later_one(time, timers):
    thing = Thing(time)
    timers.at(100, thing)
    timers.at(30, thing)
    time.advance(200)
    assert thing.called == [30]


def test_a_later_deadline_waits_for_the_thing_to_ask_again(time, timers):
    thing = Thing(time)
    timers.at(30, thing)
    timers.at(100, thing)
    thing.then = lambda now: timers.at(100, thing) if now < 100 else None
    time.advance(200)
    assert thing.called == [30, 100]


def test_a_deadline_in_the_past_is_due_at_once(time, timers):
    time.advance(50)
    thing = Thing(time)
    timers.at(10, thing)
    time.settle()
    assert thing.called == [50]


def test_one_call_back_of_the_event_loop_serves_them_all(time, timers):
    for when in (50, 20, 40, 10, 30):
        timers.at(when, Thing(time))
    assert time.calls == [10]
    time.advance(10)
    assert time.calls == [20]


def test_a_thing_is_in_the_heap_once_however_often_it_asks(time, timers):
    thing = Thing(time)
    for when in (100, 100, 150, 200):
        timers.at(when, thing)
    assert len(timers._heap) == 1


def test_a_thing_that_asks_for_the_present_again_and_again_holds_up_nobody(time, timers):
    """Each round is a call of its own, between which everything else has its turn."""
    thing, other = Thing(time), Thing(time)
    rounds = []

    def again(now):
        rounds.append(len(time.calls))
        if len(rounds) < 3:
            timers.at(now, thing)

    thing.then = again
    timers.at(10, thing)
    timers.at(10, other)
    time._now = 10
    timers._fire()
    assert (len(thing.called), len(other.called)) == (1, 1)
    time.settle()
    assert (len(thing.called), len(other.called)) == (3, 1)


def test_what_goes_wrong_for_one_thing_stops_nobody_elses_clock(time, timers):
    def fail(_now):
        raise KeyError("a bug in a game")

    broken, other, later = Thing(time), Thing(time), Thing(time)
    broken.then = fail
    timers.at(10, broken)
    timers.at(10, other)
    timers.at(20, later)
    with structlog.testing.capture_logs() as logs:
        time.advance(20)
    assert (broken.called, other.called, later.called) == ([10], [10], [20])
    assert [entry["log_level"] for entry in logs] == ["error"]


def test_closed_timers_call_nobody(time, timers):
    thing = Thing(time)
    timers.at(10, thing)
    timers.close()
    time.advance(100)
    assert thing.called == []


def test_lateness_up_to_now_is_known_before_anything_is_called(time):
    lag = LagMeter(time, interval_ms=20)
    lag.start()
    timers = Timers(time, lag)
    thing = Thing(time)
    seen = []
    thing.then = lambda _now: seen.append(lag.total_ms)
    timers.at(10, thing)
    time.block(120)
    assert seen == [100]


def test_decisions_answered_in_time_leave_one_entry_and_it_is_found_moot(hall):
    bots = hall.bots("ann bob cat")
    session = hall.session()
    heap = hall.host.timers._heap
    play_on(bots, until=lambda: len(session.table.inputs) == 30)
    assert len(heap) == 1
    hall.advance(THINK)
    play_on(bots, until=lambda: len(session.table.inputs) == 40)
    hall.advance(BANK)
    assert not any(seat.faults for seat in session.seats)
    assert len(heap) == 1


def test_the_heap_is_no_larger_than_the_number_of_sessions_running(hall):
    bots = hall.bots("ann bob cat")
    for _ in range(10):
        hall.session()
    for _ in range(20):
        hall.advance(50)
        for bot in bots:
            for question in bot.questions:
                bot.answer(question)
    assert len(hall.host.timers._heap) == len(hall.host.sessions) == 10


# The real thing.


async def test_the_event_loops_time_is_in_milliseconds_and_calls_back():
    loop = asyncio.get_running_loop()
    time = LoopTime()
    assert abs(time.now() - loop.time() * 1000) < 1_000
    called = asyncio.Queue()
    due = time.now() + 5
    cancelled = time.call_at(due, lambda: called.put_nowait("cancelled"))
    time.call_at(due, lambda: called.put_nowait(("at", time.now())))
    time.call_soon(lambda: called.put_nowait("soon"))
    cancelled.cancel()
    assert await called.get() == "soon"
    kind, now = await called.get()
    assert kind == "at"
    assert now >= due - 1
    assert called.empty()
