"""Histograms in plain numbers: to count a value costs a fraction of a microsecond, and no lock."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterable

from prometheus_client.core import HistogramMetricFamily
from prometheus_client.samples import Exemplar

INFINITY = float("inf")


def steps(first: float, last: float) -> tuple[float, ...]:
    """Bounds of buckets from ``first``, a power of ten, to ``last``: 1, 2.5 and 5 of each power.

    >>> steps(0.01, 0.5)
    (0.01, 0.025, 0.05, 0.1, 0.25, 0.5)
    """
    bounds = []
    power = first
    while power <= last:
        bounds += [bound for bound in (power, power * 2.5, power * 5) if bound <= last]
        power = round(power * 10, 12)
    return tuple(bounds)


class Histogram:
    """Counts in buckets, bounds inclusive. Values in bucket ``exemplars_from`` and beyond leave an example behind."""

    __slots__ = ("bounds", "counts", "total", "exemplars", "exemplars_from", "wall_clock")

    def __init__(
        self,
        bounds: tuple[float, ...],
        *,
        exemplars_from: float = INFINITY,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0
        self.exemplars: dict[int, tuple[str, float, float]] = {}
        """By bucket: session, value, seconds since 1970."""
        self.exemplars_from = exemplars_from
        self.wall_clock = wall_clock

    def observe(self, value: float, session_id: str = "", times: int = 1) -> None:
        """Count a value; ``session_id`` is where it comes from."""
        bucket = bisect_left(self.bounds, value)
        self.counts[bucket] += times
        self.total += value * times
        if bucket >= self.exemplars_from:
            self.exemplars[bucket] = (session_id, value, self.wall_clock())

    def buckets(self, unit: float) -> list[tuple[str, float, Exemplar | None]]:
        """Bounds (times ``unit``), counts of all values up to each, and examples."""
        rows, seen = [], 0
        counts = list(self.counts)  # whoever asks is another thread
        exemplars = dict(self.exemplars)
        for number, (bound, count) in enumerate(zip((*self.bounds, INFINITY), counts, strict=True)):
            seen += count
            exemplar = None
            if number in exemplars:
                session_id, value, at = exemplars[number]
                exemplar = Exemplar({"session_id": session_id}, value * unit, at)
            rows.append(("+Inf" if bound == INFINITY else repr(round(bound * unit, 12)), float(seen), exemplar))
        return rows


def family(
    name: str, text: str, labels: list[str], histograms: Iterable[tuple[list[str], Histogram]], unit: float = 1.0
) -> HistogramMetricFamily:
    """Histograms as a metric: one for each set of label values, their values times ``unit``."""
    made = HistogramMetricFamily(name, text, labels=labels)
    for values, histogram in histograms:
        buckets = [row if row[2] is not None else row[:2] for row in histogram.buckets(unit)]
        made.add_metric(values, buckets, histogram.total * unit)  # type: ignore[arg-type]
    return made
