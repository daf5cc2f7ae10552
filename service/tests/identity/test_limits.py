"""Acts a second."""

import pytest

from croupier_service.identity.limits import Bucket


def test_up_to_a_seconds_worth_is_taken_at_once():
    bucket = Bucket(100, 0.0)
    assert [bucket.take(50, 0.0), bucket.take(50, 0.0)] == [0, 0]


def test_more_has_to_wait_as_long_as_it_takes_at_the_rate():
    bucket = Bucket(100, 0.0)
    assert bucket.take(150, 0.0) == pytest.approx(500)
    assert bucket.take(10, 500.0) == pytest.approx(100)


def test_time_that_passes_makes_room_but_never_more_than_a_seconds_worth():
    bucket = Bucket(100, 0.0)
    bucket.take(100, 0.0)
    assert bucket.take(50, 500.0) == 0
    assert bucket.take(100, 3_600_000.0) == 0
    assert bucket.take(1, 3_600_000.0) == pytest.approx(10)


def test_who_keeps_to_the_rate_never_waits():
    bucket = Bucket(1000, 0.0)
    assert not any(bucket.take(10, 10.0 * number) for number in range(10_000))
