"""Metrics of tournaments for Prometheus. They are read from what is known when somebody asks."""

from collections.abc import Callable, Iterable
from typing import Self

from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from croupier_tournament.run.hosting import Hosted

STATES = ("running", "paused", "finished", "cancelled")


class TournamentCollector(Collector):
    """Shows tournaments. `hosted` gives those that there are."""

    def __init__(self, hosted: Callable[[], Iterable[Hosted]]) -> None:
        self._hosted = hosted

    def collect(self) -> Iterable[Metric]:
        """Yield all metrics, those of each name together."""
        families = {
            name: GaugeMetricFamily(f"croupier_tournament_{name}", about, labels=labels)
            for name, (about, labels) in GAUGES.items()
        } | {
            name: CounterMetricFamily(f"croupier_tournament_{name}", about, labels=labels)
            for name, (about, labels) in COUNTERS.items()
        }
        for hosted in list(self._hosted()):
            for name, labels, value in _samples(hosted):
                families[name].add_metric([hosted.tournament.id, *labels], value)
        yield from families.values()


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
    "entrant_disqualified": ("1 for an entrant that was disqualified", ("tournament", "entrant")),
}
COUNTERS = {
    "games_voided": ("games that were voided and repeated", ("tournament",)),
    "faults": ("faults of entrants in final games", ("tournament", "entrant", "kind")),
    "crashes": ("ends of entrants' processes that nobody asked for", ("tournament", "entrant")),
}


def _samples(hosted: Hosted) -> Iterable[tuple[str, tuple[str, ...], float]]:
    running = hosted.running
    for state in STATES:
        yield "state", (state,), float(running.state == state)
    progress = hosted.latest
    yield "games_planned", (), float(len(hosted.tournament.plan))
    if progress is not None:
        yield "games_running", (), float(progress.running)
        yield "games_final", (), float(progress.final)
        yield "games_voided", (), float(progress.voided)
        yield "games_per_second", (), progress.rate
        if progress.eta_s is not None:
            yield "eta_seconds", (), progress.eta_s
    yield from _of_places(hosted)
    for (name, kind), count in list(hosted.faults.items()):
        yield "faults", (name, kind), float(count)
    if hosted.standings is not None:
        for row in hosted.standings.standings.rows:
            name = hosted.tournament.names[row.entrant]
            yield "rating", (name,), row.rating
            if row.half_width is not None:
                yield "rating_half_width", (name,), row.half_width


def _of_places(hosted: Hosted) -> Iterable[tuple[str, tuple[str, ...], float]]:
    running = hosted.running
    if running.play is not None:
        yield "blocks_leased", (), float(len(running.play.books.open))
    if running.places is not None:
        for server in list(running.places.servers.values()):
            yield "servers", (server.target,), float(server.here.is_set())
            yield "server_games", (server.target,), float(server.running)
        for name, crashes in list(running.places.crashes.items()):
            yield "crashes", (name,), float(crashes)
        for name in list(running.places.disqualified):
            yield "entrant_disqualified", (name,), 1.0


class MetricsServer:
    """Serves metrics over HTTP. A context manager; `address` is where: host:port."""

    def __init__(self, listen: str, hosted: Callable[[], Iterable[Hosted]]) -> None:
        host, _, port = listen.rpartition(":")
        registry = CollectorRegistry()
        registry.register(TournamentCollector(hosted))
        ProcessCollector(registry=registry)
        try:
            self._server, self._thread = start_http_server(int(port), host, registry)
        except OSError as error:
            raise OSError(f"cannot serve metrics on {listen}: {error.strerror}") from error
        self.address = f"{host}:{self._server.server_port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
