"""Metrics of tournaments for Prometheus. They are read from what is known when somebody asks.

Entrants have series of their own only while their tournament runs, and no more than `MOST_ENTRANTS` of them; of
tournaments that are over, the latest few are shown.
"""

import shutil
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path

import structlog
from prometheus_client import CollectorRegistry, ProcessCollector, make_wsgi_app
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from croupier.scraping import ScrapeServer
from croupier_tournament.run.hosting import Hosted
from croupier_tournament.run.ledger import CANCELLED, FINISHED, RUNNING, STATES

log = structlog.get_logger("croupier.metrics")

MOST_ENTRANTS = 500
"""That are shown, of all tournaments that run; others are counted."""
MOST_OVER = 20
"""Tournaments that are over and still shown."""


class TournamentCollector(Collector):
    """Shows tournaments.

    Args:
        hosted: gives those that there are, the latest last.
        folder: where their files are: what is left on its disk is shown.
    """

    def __init__(self, hosted: Callable[[], Iterable[Hosted]], folder: Path) -> None:
        self._hosted = hosted
        self._folder = folder

    def collect(self) -> Iterable[Metric]:
        """Yield all metrics, those of each name together."""
        families = {
            name: GaugeMetricFamily(f"croupier_tournament_{name}", about, labels=labels)
            for name, (about, labels) in GAUGES.items()
        } | {
            name: CounterMetricFamily(f"croupier_tournament_{name}", about, labels=labels)
            for name, (about, labels) in COUNTERS.items()
        }
        room = MOST_ENTRANTS
        for hosted in _shown(list(self._hosted())):
            names = frozenset(hosted.tournament.names[:room] if hosted.state == RUNNING else ())
            room -= len(names)
            for name, labels, value in _samples(hosted, names):
                families[name].add_metric([hosted.tournament.id, *labels], value)
        yield from families.values()
        info = GaugeMetricFamily(
            "croupier_tournament_build_info", "always 1; the label tells what runs", labels=["version"]
        )
        info.add_metric([version("croupier-tournament")], 1)
        yield info
        disk = shutil.disk_usage(self._folder)
        free = "left on the disk of the tournaments' files"
        yield GaugeMetricFamily("croupier_tournament_disk_free_bytes", free, value=disk.free)
        yield GaugeMetricFamily("croupier_tournament_disk_size_bytes", "size of that disk", value=disk.total)


def _shown(hosted: list[Hosted]) -> list[Hosted]:
    over = [one for one in hosted if one.state in (FINISHED, CANCELLED)]
    forgotten = over[:-MOST_OVER]
    return [one for one in hosted if one not in forgotten]


GAUGES = {
    "state": ("1 for the state in which the tournament is", ("tournament", "state")),
    "games_planned": ("games of the plan", ("tournament",)),
    "games_running": ("games being played", ("tournament",)),
    "games_final": ("games that are over with their whole block", ("tournament",)),
    "games_per_second": ("games that have ended of late", ("tournament",)),
    "eta_seconds": ("time to the end, estimated", ("tournament",)),
    "blocks_leased": ("blocks that have begun and are not final", ("tournament",)),
    "servers": ("game servers, by whether they answer", ("tournament", "server")),
    "server_games": ("games being played on a server", ("tournament", "server")),
    "rating": ("rating of an entrant", ("tournament", "entrant")),
    "rating_half_width": ("half-width of its 95% interval", ("tournament", "entrant")),
    "rank": ("place of an entrant in its table, 1 is best", ("tournament", "entrant")),
    "entrants_left_out": ("entrants that are too many to be shown", ("tournament",)),
    "entrant_disqualified": ("1 for an entrant that was disqualified", ("tournament", "entrant")),
}
COUNTERS = {
    "games_voided": ("games that were voided and repeated", ("tournament",)),
    "entrant_games": ("final games of an entrant", ("tournament", "entrant")),
    "faults": ("faults of entrants in final games", ("tournament", "entrant", "kind")),
    "crashes": ("ends of entrants' processes that nobody asked for", ("tournament", "entrant")),
}


def _samples(hosted: Hosted, names: frozenset[str]) -> Iterable[tuple[str, tuple[str, ...], float]]:
    for state in STATES:
        yield "state", (state,), float(hosted.state == state)
    progress = hosted.latest
    yield "games_planned", (), float(len(hosted.tournament.plan))
    if progress is not None:
        yield "games_running", (), float(progress.running)
        yield "games_final", (), float(progress.final)
        yield "games_voided", (), float(progress.voided)
        yield "games_per_second", (), progress.rate
        if progress.eta_s is not None:
            yield "eta_seconds", (), progress.eta_s
    if hosted.state == RUNNING:
        yield from _of_places(hosted)
        yield "entrants_left_out", (), float(len(hosted.tournament.names) - len(names))
        yield from (sample for sample in _of_entrants(hosted) if sample[1][0] in names)


def _of_entrants(hosted: Hosted) -> Iterable[tuple[str, tuple[str, ...], float]]:
    for name, count in list(hosted.games.items()):
        yield "entrant_games", (name,), float(count)
    for (name, kind), count in list(hosted.faults.items()):
        yield "faults", (name, kind), float(count)
    if hosted.standings is not None:
        for row in hosted.standings.standings.rows:
            name = hosted.tournament.names[row.entrant]
            yield "rating", (name,), row.rating
            yield "rank", (name,), float(row.rank)
            if row.half_width is not None:
                yield "rating_half_width", (name,), row.half_width
    if hosted.running.places is not None:
        for name, crashes in list(hosted.running.places.crashes.items()):
            yield "crashes", (name,), float(crashes)
        for name in list(hosted.running.places.disqualified):
            yield "entrant_disqualified", (name,), 1.0


def _of_places(hosted: Hosted) -> Iterable[tuple[str, tuple[str, ...], float]]:
    running = hosted.running
    if running.play is not None:
        yield "blocks_leased", (), float(len(running.play.books.open))
    if running.places is not None:
        for server in list(running.places.servers.values()):
            yield "servers", (server.target,), float(server.here.is_set())
            yield "server_games", (server.target,), float(server.running)


class MetricsServer(ScrapeServer):
    """Serves the metrics of tournaments."""

    def __init__(self, listen: str, hosted: Callable[[], Iterable[Hosted]], folder: Path) -> None:
        registry = CollectorRegistry()
        registry.register(TournamentCollector(hosted, folder))
        ProcessCollector(registry=registry)
        super().__init__(listen, make_wsgi_app(registry), _scrape_failed)


def _scrape_failed(why: str) -> None:
    log.error("metrics could not be served", why=why)
