"""Metrics for Prometheus. Names and units follow its conventions.

What is counted for each decision is kept in plain numbers and shown at scrape time: counting costs a fraction of a
microsecond.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from .sessions.host import Host
from .sessions.seats import SeatAt
from .sessions.session import Session
from .sessions.settings import FaultKind
from .sessions.watching import Watching

DECISION_BOUNDS_MS = (
    *(base * scale for scale in (0.1, 1.0, 10.0, 100.0, 1000.0) for base in (1.0, 2.5, 5.0)),
    *(10_000.0, 30_000.0, 60_000.0),
)


class Histogram:
    """Counts in buckets, bounds inclusive."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def cumulated(self, unit: float) -> list[tuple[str, float]]:
        """Bucket bounds (times ``unit``) with counts, each including the smaller ones, as Prometheus has them."""
        rows, seen = [], 0
        for bound, count in zip((*self.bounds, float("inf")), self.counts, strict=True):
            seen += count
            rows.append(("+Inf" if bound == float("inf") else repr(bound * unit), float(seen)))
        return rows


class GameMeter:
    """Counts one game's decisions and their times."""

    __slots__ = ("counts", "times")

    def __init__(self) -> None:
        self.counts = {"chosen": 0, "substituted": 0, "vacated": 0}
        self.times = Histogram(DECISION_BOUNDS_MS)

    def decided(self, outcome: str, ms: float) -> None:
        self.counts[outcome] += 1
        self.times.observe(ms)


class Metrics(Collector):
    """What the sessions tell, by game. An ``Observer`` of sessions and streams."""

    def __init__(self) -> None:
        self.host: Host | None = None
        self.watching: Watching | None = None
        self.started: Counter[str] = Counter()
        self.ended: Counter[tuple[str, str]] = Counter()
        self.meters: dict[str, GameMeter] = {}
        self.faults: Counter[tuple[str, str]] = Counter()
        self.vacancies: Counter[str] = Counter()
        self.streams = 0
        self.frames = 0
        self.framed_decisions = 0
        self.throttled_ms = 0.0
        self.refusals: Counter[str] = Counter()
        self.registry = CollectorRegistry()
        self.registry.register(self)
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)

    # -- told by sessions ------------------------------------------------------------------------------------------

    def session_started(self, session: Session) -> None:
        self.started[session.table.game.name] += 1

    def session_ended(self, session: Session) -> None:
        self.ended[session.table.game.name, session.state.name.lower()] += 1

    def meter(self, game: str) -> GameMeter:
        """What counts a game's decisions."""
        return self.meters.setdefault(game, GameMeter())

    def faulted(self, session: Session, _seat: SeatAt, kind: FaultKind, _message: str) -> None:
        self.faults[session.table.game.name, kind.name.lower()] += 1

    def vacated(self, session: Session, _seat: SeatAt) -> None:
        self.vacancies[session.table.game.name] += 1

    def opened(self) -> None:
        self.streams += 1

    def wrote(self, decisions: int) -> None:
        self.frames += 1
        self.framed_decisions += decisions

    def throttled(self, ms: float) -> None:
        self.throttled_ms += ms

    def closed(self) -> None:
        self.streams -= 1

    def refused(self, reason: str) -> None:
        self.refusals[reason] += 1

    # -- asked by Prometheus ---------------------------------------------------------------------------------------

    def collect(self) -> Iterable[Metric]:
        """Everything, at scrape time (in the scraping thread: it only reads)."""
        info = GaugeMetricFamily("croupier_build_info", "Always 1; the labels tell what runs.", labels=["version"])
        info.add_metric([version("croupier-service")], 1)
        yield info
        yield _counter(
            "croupier_sessions_started", "Sessions started.", ["game"], {(k,): v for k, v in self.started.items()}
        )
        yield _counter("croupier_sessions_ended", "Sessions over, by how they ended.", ["game", "state"], self.ended)
        running = GaugeMetricFamily("croupier_sessions_running", "Sessions being played.", labels=["game"])
        for game, started in list(self.started.items()):
            ended = sum(count for (name, _), count in list(self.ended.items()) if name == game)
            running.add_metric([game], started - ended)
        yield running
        meters = list(self.meters.items())
        decisions = {(game, outcome): count for game, meter in meters for outcome, count in meter.counts.items()}
        yield _counter("croupier_decisions", "Decisions closed, by how.", ["game", "outcome"], decisions)
        times = HistogramMetricFamily(
            "croupier_decision_seconds",
            "Time charged for a decision, the server's own lateness taken off.",
            labels=["game"],
        )
        for game, meter in meters:
            times.add_metric([game], meter.times.cumulated(0.001), meter.times.total / 1000)
        yield times
        yield _counter("croupier_faults", "Faults of bots, by kind.", ["game", "kind"], self.faults)
        yield _counter(
            "croupier_seats_vacated", "Seats given up.", ["game"], {(k,): v for k, v in self.vacancies.items()}
        )
        yield GaugeMetricFamily("croupier_streams", "Bots' streams open now.", value=self.streams)
        yield CounterMetricFamily("croupier_frames", "Frames written to bots.", value=self.frames)
        yield CounterMetricFamily("croupier_frame_decisions", "Decisions in those frames.", value=self.framed_decisions)
        yield CounterMetricFamily(
            "croupier_throttled_seconds",
            "Time for which bots were not read from because they acted faster than they may.",
            value=self.throttled_ms / 1000,
        )
        yield _counter(
            "croupier_calls_refused",
            "Calls refused at the gate.",
            ["reason"],
            {(k,): v for k, v in self.refusals.items()},
        )
        if self.watching is not None:
            yield GaugeMetricFamily("croupier_viewers", "Spectators watching now.", value=self.watching.viewers)
            yield CounterMetricFamily(
                "croupier_viewers_dropped", "Spectators that read too slowly.", value=self.watching.dropped
            )
        if self.host is not None:
            yield GaugeMetricFamily(
                "croupier_bots_known", "Bots that are here, play, or have left lately.", value=len(self.host.bots)
            )
            yield CounterMetricFamily(
                "croupier_event_loop_lag_seconds",
                "How late the event loop has been, in total.",
                value=self.host.lag.total_ms / 1000,
            )
            journal = self.host.journal
            yield GaugeMetricFamily("croupier_store_backlog", "Steps that wait to be committed.", value=journal.backlog)
            yield CounterMetricFamily("croupier_store_commits", "Batches committed.", value=journal.commits)
            yield CounterMetricFamily(
                "croupier_store_commit_seconds", "How long commits took, in total.", value=journal.commit_ms / 1000
            )


def _counter(name: str, text: str, labels: list[str], counts: Mapping[Any, int]) -> Metric:
    family = CounterMetricFamily(name, text, labels=labels)
    for values, count in list(counts.items()):
        family.add_metric(list(values), count)
    return family
