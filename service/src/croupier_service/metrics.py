"""Metrics for Prometheus. Names and units follow its conventions.

What is counted for each decision is kept in plain numbers and shown at scrape time; everything that can be is counted
for a frame or a batch as a whole. No label has an unbounded number of values: no bot, no session, no peer.
"""

from __future__ import annotations

import platform
import shutil
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from .histogram import Histogram, family, steps
from .sessions.host import Host
from .sessions.seats import SeatAt
from .sessions.session import Session
from .sessions.settings import FaultKind
from .sessions.watching import Watching

VERSIONS = (version("croupier-service"), platform.python_version(), version("grpcio"))

TIME_BOUNDS_MS = (0.05, *steps(0.1, 10_000.0))
"""From 50 µs to 10 s, so that a median of microseconds and a 99th percentile of seconds both mean something."""
DECISION_BOUNDS_MS = (*TIME_BOUNDS_MS, 30_000.0, 60_000.0)
SLOW_DECISION = DECISION_BOUNDS_MS.index(100.0)
"""Slower decisions leave the id of their session behind; nobody wants to see the quick ones, and they are many."""
BATCH_BOUNDS = steps(1.0, 50_000.0)
FRAME_BOUNDS = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)


class Waiting(Protocol):
    """The outbox of a stream."""

    waiting_bytes: int
    """What waits takes about so much."""

    @property
    def waiting(self) -> int:
        """Messages and questions that wait to be written."""


class GameMeter:
    """Counts one game's decisions and their times."""

    __slots__ = ("counts", "times", "server_times")

    def __init__(self, wall_clock: Callable[[], float]) -> None:
        self.counts = {"chosen": 0, "substituted": 0, "vacated": 0}
        self.times = Histogram(DECISION_BOUNDS_MS, exemplars_from=SLOW_DECISION, wall_clock=wall_clock)
        self.server_times = Histogram(TIME_BOUNDS_MS, exemplars_from=0, wall_clock=wall_clock)

    def decided(self, outcome: str, ms: float, session_id: str) -> None:
        self.counts[outcome] += 1
        self.times.observe(ms, session_id)

    def handled(self, acts: int, ms: float, session_id: str) -> None:
        self.server_times.observe(ms / acts, session_id, acts)


class Metrics(Collector):
    """What sessions, streams, calls and the store tell. An ``Observer`` of all of them.

    ``disk`` is the folder of a store that lives in a file: what is left there is shown.
    """

    def __init__(self, disk: Path | None = None, *, wall_clock: Callable[[], float] = time.time) -> None:
        self.host: Host | None = None
        self.watching: Watching | None = None
        self.started: Counter[str] = Counter()
        self.ended: Counter[tuple[str, str]] = Counter()
        self.meters: dict[str, GameMeter] = {}
        self.faults: Counter[tuple[str, str]] = Counter()
        self.vacancies: Counter[str] = Counter()
        self.streams: dict[Waiting, None] = {}
        self.frames = Histogram(FRAME_BOUNDS)
        self.frame_waits = Histogram(TIME_BOUNDS_MS)
        self.throttled_ms = 0.0
        self.refusals: Counter[str] = Counter()
        self.calls: Counter[tuple[str, str]] = Counter()
        self.methods: Collection[str] = ()
        """Those that are served: each shows how many internal errors it has had from the start on, so that Prometheus
        sees the first one as an increase."""
        self.call_times: dict[str, Histogram] = {}
        self.lags = Histogram(TIME_BOUNDS_MS)
        self.commits = Histogram(TIME_BOUNDS_MS)
        self.batches = Histogram(BATCH_BOUNDS)
        self._disk = disk
        self._wall_clock = wall_clock
        self.registry = CollectorRegistry()
        self.registry.register(self)
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)

    def look_at(self, host: Host, watching: Watching) -> None:
        """Show these, too, and listen to the host's journal and its event loop."""
        self.host, self.watching = host, watching
        host.lag.heard = self.lags.observe
        host.journal.heard = self.committed

    # -- told by sessions ------------------------------------------------------------------------------------------

    def session_started(self, session: Session) -> None:
        self.started[session.table.game.name] += 1

    def session_ended(self, session: Session) -> None:
        self.ended[session.table.game.name, session.state.name.lower()] += 1

    def meter(self, game: str) -> GameMeter:
        """What counts a game's decisions."""
        meter = self.meters.get(game)
        if meter is None:
            meter = self.meters[game] = GameMeter(self._wall_clock)
        return meter

    def faulted(self, session: Session, _seat: SeatAt, kind: FaultKind, _message: str) -> None:
        self.faults[session.table.game.name, kind.name.lower()] += 1

    def vacated(self, session: Session, _seat: SeatAt) -> None:
        self.vacancies[session.table.game.name] += 1

    # -- told by streams, calls and the store ----------------------------------------------------------------------

    def opened(self, outbox: Waiting) -> None:
        self.streams[outbox] = None

    def wrote(self, decisions: int, waited_ms: float) -> None:
        self.frames.observe(decisions)
        self.frame_waits.observe(waited_ms)

    def throttled(self, ms: float) -> None:
        self.throttled_ms += ms

    def closed(self, outbox: Waiting) -> None:
        self.streams.pop(outbox, None)

    def refused(self, reason: str) -> None:
        self.refusals[reason] += 1

    def called(self, method: str, code: str, ms: float | None) -> None:
        self.calls[method, code] += 1
        if ms is not None:
            times = self.call_times.get(method)
            if times is None:
                times = self.call_times[method] = Histogram(TIME_BOUNDS_MS)
            times.observe(ms)

    def committed(self, entries: int, ms: float) -> None:
        """The store has kept a batch of so many entries."""
        self.batches.observe(entries)
        self.commits.observe(ms)

    # -- asked by Prometheus ---------------------------------------------------------------------------------------

    def collect(self) -> Iterable[Metric]:
        """Everything, at scrape time (in the scraping thread: it only reads)."""
        info = GaugeMetricFamily(
            "croupier_build_info", "Always 1; the labels tell what runs.", labels=["version", "python", "grpc"]
        )
        info.add_metric(VERSIONS, 1)
        yield info
        yield from self._of_sessions()
        yield from self._of_decisions()
        yield from self._of_streams()
        none = dict.fromkeys(((method, "INTERNAL") for method in self.methods), 0)
        yield _counter("croupier_rpcs", "Calls that have ended.", ["method", "code"], none | self.calls)
        times = [([method], histogram) for method, histogram in list(self.call_times.items())]
        yield family("croupier_rpc_seconds", "How long calls with one answer took.", ["method"], times, 0.001)
        yield _counter(
            "croupier_calls_refused",
            "Calls refused at the gate.",
            ["reason"],
            {(k,): v for k, v in list(self.refusals.items())},
        )
        yield from self._of_store()
        yield family("croupier_event_loop_lag_seconds", "How late the event loop was.", [], [([], self.lags)], 0.001)

    def _of_sessions(self) -> Iterable[Metric]:
        started = {(game,): count for game, count in list(self.started.items())}
        yield _counter("croupier_sessions_started", "Sessions started.", ["game"], started)
        yield _counter("croupier_sessions_ended", "Sessions over, by how they ended.", ["game", "state"], self.ended)
        running = GaugeMetricFamily("croupier_sessions_running", "Sessions being played.", labels=["game"])
        over: Counter[str] = Counter()
        for (game, _), count in list(self.ended.items()):
            over[game] += count
        for (game,), count in started.items():
            running.add_metric([game], count - over[game])
        yield running
        if self.host is not None:
            limit = self.host.settings.max_sessions
            yield GaugeMetricFamily("croupier_sessions_limit", "Sessions that may run at once.", value=limit)
            draining = float(self.host.draining)
            yield GaugeMetricFamily("croupier_draining", "1 while the server takes no new sessions.", value=draining)

    def _of_decisions(self) -> Iterable[Metric]:
        meters = list(self.meters.items())
        decisions = {(game, outcome): count for game, meter in meters for outcome, count in meter.counts.items()}
        yield _counter("croupier_decisions", "Decisions closed, by how.", ["game", "outcome"], decisions)
        yield family(
            "croupier_decision_seconds",
            "Time charged for a decision, the server's own lateness taken off.",
            ["game"],
            [([game], meter.times) for game, meter in meters],
            0.001,
        )
        yield family(
            "croupier_server_seconds",
            "The server's time for an act: read, checked, applied, its consequences said; the mean of each frame.",
            ["game"],
            [([game], meter.server_times) for game, meter in meters],
            0.001,
        )
        yield _counter("croupier_faults", "Faults of bots, by kind.", ["game", "kind"], self.faults)
        vacancies = {(game,): count for game, count in list(self.vacancies.items())}
        yield _counter("croupier_seats_vacated", "Seats given up.", ["game"], vacancies)

    def _of_streams(self) -> Iterable[Metric]:
        outboxes = list(self.streams)
        yield GaugeMetricFamily("croupier_streams", "Bots' streams open now.", value=len(outboxes))
        waiting = sum(outbox.waiting for outbox in outboxes)
        yield GaugeMetricFamily("croupier_outbox_messages", "Messages that wait to be written.", value=waiting)
        sizes = [outbox.waiting_bytes for outbox in outboxes]
        yield GaugeMetricFamily("croupier_outbox_bytes", "What waits to be written, about.", value=sum(sizes))
        largest = max(sizes, default=0)
        yield GaugeMetricFamily("croupier_outbox_largest_bytes", "Of it, the fullest stream's.", value=largest)
        yield family("croupier_frame_decisions", "Decisions in a frame written to a bot.", [], [([], self.frames)])
        yield family(
            "croupier_frame_wait_seconds",
            "How long the oldest question of a frame waited for its frame to be written.",
            [],
            [([], self.frame_waits)],
            0.001,
        )
        yield CounterMetricFamily(
            "croupier_throttled_seconds",
            "Time for which bots were not read from because they acted faster than they may.",
            value=self.throttled_ms / 1000,
        )
        if self.host is not None:
            bots = list(self.host.bots.values())
            online = sum(bot.link is not None for bot in bots)
            yield GaugeMetricFamily("croupier_bots_connected", "Bots that are connected.", value=online)
            known = "Bots that are here, play, or have left lately."
            yield GaugeMetricFamily("croupier_bots_known", known, value=len(bots))
        if self.watching is not None:
            yield GaugeMetricFamily("croupier_viewers", "Spectators watching now.", value=self.watching.viewers)
            dropped = self.watching.dropped
            yield CounterMetricFamily("croupier_viewers_dropped", "Spectators that read too slowly.", value=dropped)

    def _of_store(self) -> Iterable[Metric]:
        yield family("croupier_store_commit_seconds", "How long a commit took.", [], [([], self.commits)], 0.001)
        yield family("croupier_store_batch_entries", "Entries committed together.", [], [([], self.batches)])
        if self.host is not None:
            waiting = self.host.journal.backlog
            yield GaugeMetricFamily("croupier_store_backlog", "Entries that wait to be committed.", value=waiting)
            limit = self.host.settings.max_backlog
            yield GaugeMetricFamily("croupier_store_backlog_limit", "Beyond it nothing is started.", value=limit)
        if self._disk is not None:
            disk = shutil.disk_usage(self._disk)
            yield GaugeMetricFamily("croupier_store_disk_free_bytes", "Left on the store's disk.", value=disk.free)
            yield GaugeMetricFamily("croupier_store_disk_size_bytes", "Size of the store's disk.", value=disk.total)


def _counter(name: str, text: str, labels: list[str], counts: Mapping[Any, int]) -> Metric:
    made = CounterMetricFamily(name, text, labels=labels)
    for values, count in list(counts.items()):
        made.add_metric(list(values), count)
    return made
