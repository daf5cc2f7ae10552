"""Nobody may ask too much, and nobody is kept from asking by somebody else."""

import pytest

from croupier_tournament.web.limits import Limits, Meters, Rate, TooMuch


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_who_asks_too_fast_is_told_when_to_come_back_and_then_served():
    clock = Clock()
    meters = Meters(Limits(requests=Rate(2, 5)), clock)
    for _ in range(5):
        meters.request("10.0.0.1")
    with pytest.raises(TooMuch, match="try again in 1 s") as refused:
        meters.request("10.0.0.1")
    meters.request("10.0.0.2")  # others are not concerned
    clock.now += refused.value.retry_after_s
    meters.request("10.0.0.1")


def test_attempts_to_log_in_are_few():
    clock = Clock()
    meters = Meters(Limits(), clock)
    for _ in range(5):
        meters.login("10.0.0.1")
    with pytest.raises(TooMuch, match="attempts to log in"):
        meters.login("10.0.0.1")
    clock.now += 5
    meters.login("10.0.0.1")


def test_streams_are_counted_while_they_are_open():
    meters = Meters(Limits(streams=2, all_streams=3), Clock())
    with meters.stream("a"), meters.stream("a"):
        with pytest.raises(TooMuch, match="2 streams"), meters.stream("a"):
            pass
        with meters.stream("b"), pytest.raises(TooMuch, match="too many people"), meters.stream("c"):
            pass
    with meters.stream("a"), meters.stream("a"):
        pass


def test_addresses_that_are_quiet_are_forgotten(monkeypatch):
    monkeypatch.setattr("croupier_tournament.web.limits.MOST_KNOWN", 10)
    meters = Meters(Limits(), Clock())
    for number in range(1000):
        meters.request(str(number))
    assert len(meters._levels) == 10
