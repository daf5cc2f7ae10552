"""Histograms in plain numbers, as Prometheus reads them."""

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from croupier_service.histogram import Histogram, family, steps
from croupier_service.metrics import DECISION_BOUNDS_MS, TIME_BOUNDS_MS


def shown(*histograms, unit=1.0):
    """What a server would show of them, read back by the rules of OpenMetrics: (name, le) to value and exemplar."""

    class Shown:
        def collect(self):
            yield family("a", "Some.", [], [([], histogram) for histogram in histograms], unit)

    registry = CollectorRegistry()
    registry.register(Shown())
    (read,) = text_string_to_metric_families(generate_latest(registry).decode())
    return {(sample.name, sample.labels.get("le")): (sample.value, sample.exemplar) for sample in read.samples}


def test_a_value_on_a_bound_counts_below_it():
    histogram = Histogram((1.0, 2.0))
    for value in (1.0, 1.5, 2.0, 7.0):
        histogram.observe(value)
    assert {le: value for (name, le), (value, _) in shown(histogram).items() if le} == {"1.0": 1, "2.0": 3, "+Inf": 4}
    assert shown(histogram)["a_sum", None] == (11.5, None)


def test_one_value_can_stand_for_many():
    histogram = Histogram((1.0, 2.0))
    histogram.observe(0.5, times=20)
    assert shown(histogram)["a_count", None][0] == 20
    assert shown(histogram)["a_sum", None][0] == 10


def test_units_are_turned_into_seconds_without_noise_in_the_bounds():
    read = shown(Histogram(DECISION_BOUNDS_MS), unit=0.001)
    bounds = [le for _, le in read if le]
    assert bounds[:4] == ["5e-05", "0.0001", "0.00025", "0.0005"]
    assert bounds[-4:] == ["10.0", "30.0", "60.0", "+Inf"]


def test_slow_values_leave_the_latest_example_in_their_bucket():
    histogram = Histogram((1.0, 10.0, 100.0), exemplars_from=2, wall_clock=lambda: 1_000.0)
    for value, session in ((0.5, "quick"), (5.0, "quick"), (50.0, "slow"), (60.0, "slow-too"), (500.0, "slowest")):
        histogram.observe(value, session)
    examples = {le: exemplar for (_, le), (_, exemplar) in shown(histogram).items() if exemplar}
    assert {le: exemplar.labels["session_id"] for le, exemplar in examples.items()} == {
        "100.0": "slow-too",
        "+Inf": "slowest",
    }
    assert float(examples["+Inf"].timestamp) == 1_000.0
    assert examples["100.0"].value == 60


@pytest.mark.parametrize("quantile", [0.0001, 0.001, 0.1, 1.0, 9.0])
def test_between_50_microseconds_and_10_seconds_a_bucket_is_narrow_enough_for_a_quantile(quantile):
    bounds = [bound / 1000 for bound in TIME_BOUNDS_MS]
    above = next(bound for bound in bounds if bound >= quantile)
    below = max(bound for bound in bounds if bound < quantile)
    assert above / below <= 2.5
    assert (bounds[0], bounds[-1]) == (0.00005, 10)


def test_steps_are_1_2_5_and_5_of_each_power_of_ten():
    assert steps(1.0, 50.0) == (1.0, 2.5, 5.0, 10.0, 25.0, 50.0)
