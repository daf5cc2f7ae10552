"""The dashboard of game servers."""

from grafana_foundation_sdk.builders import dashboard
from panels import board, choice, graph, number, quantiles, stacked

HERE = 'instance=~"$instance"'
GAME = f'{HERE}, game=~"$game"'
RATE = "[$__rate_interval]"


def made() -> dashboard.Dashboard:
    """The dashboard."""
    made = (
        board("Croupier · Service", "croupier-service", "Game servers: load, speed, faults, streams, the store.")
        .with_variable(choice("instance", "Server", 'label_values(up{job="croupier"}, instance)'))
        .with_variable(choice("game", "Game", "label_values(croupier_sessions_started_total, game)"))
    )
    for title, panels in ROWS.items():
        made.with_row(dashboard.Row(title))
        for panel in panels():
            made.with_panel(panel)
    return made


def now():
    """What there is now, in numbers."""
    yield number("Servers", "That answer.", "none", f'sum(up{{job="croupier", {HERE}}})')
    yield number("Sessions", "Being played.", "none", f"sum(croupier_sessions_running{{{GAME}}})")
    yield number("Bots", "Connected.", "none", f"sum(croupier_bots_connected{{{HERE}}})")
    yield number("Decisions", "A second.", "none", f"sum(rate(croupier_decisions_total{{{GAME}}}{RATE}))")
    yield number(
        "Faults",
        "A minute, of all bots.",
        "none",
        f"60 * sum(rate(croupier_faults_total{{{GAME}}}{RATE})) or vector(0)",
        warn=60,
    )
    yield number(
        "Disk", "Used, of the disk of the store.", "percentunit",
        f"max(1 - croupier_store_disk_free_bytes{{{HERE}}} / croupier_store_disk_size_bytes{{{HERE}}})", warn=0.9,
    )  # fmt: skip


def games():
    """What is played."""
    yield stacked(
        "Sessions by game", "Being played.", "none",
        {"{{game}}": f"sum by (game) (croupier_sessions_running{{{GAME}}})"},
    )  # fmt: skip
    yield graph(
        "Sessions over", "A second, by how they ended.", "none",
        {"{{game}} {{state}}": f"sum by (game, state) (rate(croupier_sessions_ended_total{{{GAME}}}{RATE}))"},
    )  # fmt: skip
    yield stacked(
        "Decisions by outcome", "A second. Substituted ones are those that bots failed to make.", "none",
        {"{{game}} {{outcome}}": f"sum by (game, outcome) (rate(croupier_decisions_total{{{GAME}}}{RATE}))"},
    )  # fmt: skip


def times():
    """How quick bots and server are."""
    where = f"{{{GAME}}}"
    yield graph(
        "Bots' time for a decision", "As charged: without the server's own lateness. Exemplars name sessions.", "s",
        quantiles("croupier_decision_seconds", "game", where),
    )  # fmt: skip
    yield graph(
        "Server's time for an act", "To read, check and apply it, and to say what follows.", "s",
        quantiles("croupier_server_seconds", "game", where),
    )  # fmt: skip
    yield graph(
        "Wait for a frame", "Of the oldest question in it: for the bot to have read the last one, mostly.", "s",
        quantiles("croupier_frame_wait_seconds", "", f"{{{HERE}}}"),
    )  # fmt: skip


def faults():
    """What goes wrong."""
    yield stacked(
        "Faults by kind", "A second.", "none",
        {"{{game}} {{kind}}": f"sum by (game, kind) (rate(croupier_faults_total{{{GAME}}}{RATE}))"},
    )  # fmt: skip
    yield graph(
        "Seats given up", "An hour.", "none",
        {"{{game}}": f"3600 * sum by (game) (rate(croupier_seats_vacated_total{{{GAME}}}{RATE})) or vector(0)"},
    )  # fmt: skip
    yield graph(
        "Refused and throttled", "Calls refused a second; bots not listened to because they act too fast.", "none",
        {
            "refused: {{reason}}": f"sum by (reason) (rate(croupier_calls_refused_total{{{HERE}}}{RATE})) or vector(0)",
            "bots throttled": f"sum(rate(croupier_throttled_seconds_total{{{HERE}}}{RATE}))",
        },
    )  # fmt: skip


def streams():
    """Bots' streams, spectators and other calls."""
    yield graph(
        "Streams", "Open now.", "none",
        {
            "bots": f"sum(croupier_streams{{{HERE}}})",
            "spectators": f"sum(croupier_viewers{{{HERE}}})",
            "spectators dropped, a minute": f"60 * sum(rate(croupier_viewers_dropped_total{{{HERE}}}{RATE}))",
        },
    )  # fmt: skip
    frames = f"sum(rate(croupier_frame_decisions_count{{{HERE}}}{RATE}))"
    yield graph(
        "Frames", "A second; and how many decisions share one.", "none",
        {"frames": frames, "decisions a frame": f"sum(rate(croupier_frame_decisions_sum{{{HERE}}}{RATE})) / {frames}"},
    )  # fmt: skip
    yield graph(
        "Outboxes", "What waits to be written. A bot that lets 8 MiB wait is cut off.", "bytes",
        {
            "all": f"sum(croupier_outbox_bytes{{{HERE}}})",
            "the fullest": f"max(croupier_outbox_largest_bytes{{{HERE}}})",
        },
    )  # fmt: skip
    yield graph(
        "Calls by method", "A second.", "none",
        {"{{method}}": f"sum by (method) (rate(croupier_rpcs_total{{{HERE}}}{RATE}))"},
    )  # fmt: skip
    yield graph(
        "Calls by code", "A second.", "none", {"{{code}}": f"sum by (code) (rate(croupier_rpcs_total{{{HERE}}}{RATE}))"}
    )
    yield graph(
        "Time of calls", "99th percentile of those with one answer.", "s",
        {
            "{{method}}": "histogram_quantile(0.99, sum by (method, le) "
            f"(rate(croupier_rpc_seconds_bucket{{{HERE}}}{RATE})))"
        },
    )  # fmt: skip


def machine():
    """The process and its store."""
    late = "croupier_event_loop_lag_seconds"
    yield graph(
        "Event loop late", "Share of the time; and how late, at its worst one time in a hundred.", "percentunit",
        {
            "{{instance}}": f"rate({late}_sum{{{HERE}}}{RATE})",
            "p99, seconds": f"histogram_quantile(0.99, sum by (le) (rate({late}_bucket{{{HERE}}}{RATE})))",
        },
    )  # fmt: skip
    yield graph(
        "Store: commits", "How long one takes.", "s", quantiles("croupier_store_commit_seconds", "", f"{{{HERE}}}")
    )
    batches = f"rate(croupier_store_batch_entries_count{{{HERE}}}{RATE})"
    yield graph(
        "Store: backlog", "Entries that wait, and entries in a batch.", "none",
        {
            "waiting on {{instance}}": f"croupier_store_backlog{{{HERE}}}",
            "in a batch": f"sum(rate(croupier_store_batch_entries_sum{{{HERE}}}{RATE})) / sum({batches})",
        },
    )  # fmt: skip
    yield graph(
        "Processor", "Cores in use.", "none",
        {"{{instance}}": f'rate(process_cpu_seconds_total{{job="croupier", {HERE}}}{RATE})'},
    )  # fmt: skip
    yield graph(
        "Memory", "Resident.", "bytes",
        {"{{instance}}": f'process_resident_memory_bytes{{job="croupier", {HERE}}}'},
    )  # fmt: skip
    yield graph(
        "Version", "What runs where.", "none",
        {"{{instance}} {{version}}": f"croupier_build_info{{{HERE}}}", "draining": f"sum(croupier_draining{{{HERE}}})"},
    )  # fmt: skip


ROWS = {
    "Now": now,
    "Games": games,
    "Times": times,
    "Faults and limits": faults,
    "Streams and calls": streams,
    "Machine and store": machine,
}
