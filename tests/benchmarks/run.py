"""Measure: ``make bench``, or ``python tests/benchmarks/run.py --help``. What the figures mean is in README.md here."""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from processes import Process, Server  # noqa: E402

from benchmarks import ratings, rules  # noqa: E402 - found on the path above

SECTIONS = ("rules", "hosted", "idle", "tournament", "ratings")
STORES = ("file", "memory")
SESSIONS = (1, 16, 64, 256)
STREAMS = 4
TURNS = 8
RATIO_TARGETS = {64: 2.5, 256: 5.0}
IDLE = ((10_000, 0), (2_000, 40))  # sessions, and after how many decisions they wait
IDLE_TARGET_KIB = 64.0
TOURNAMENT = (64, 256)  # sessions
TOURNAMENT_TARGET = 0.9
ECHO_HEADS = ("echo: server", "bots", "p50", "p99")


def main() -> None:
    """Measure what is asked for; progress on stderr, the figures on stdout."""
    parser = argparse.ArgumentParser(description="Measure how fast Croupier is on this machine.")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=4.0, help="seconds for each figure (default: %(default)s)")
    parser.add_argument("--only", choices=SECTIONS, help="measure only this (default: everything)")
    parser.add_argument("--store", choices=STORES, default="file", help="what servers keep sessions in (default: file)")
    options = parser.parse_args()
    found: dict[str, Any] = {"machine": machine()}
    if options.only in (None, "rules"):
        found["rules"] = list(rules_alone(options.seconds))
    if options.only in (None, "hosted"):
        found["hosted"] = list(hosted(options.seconds, options.store))
    if options.only in (None, "idle"):
        found["idle"] = list(idle(options.store))
    if options.only in (None, "tournament"):
        found["tournament"] = list(tournament(options.seconds, options.store))
    if options.only in (None, "ratings"):
        found["ratings"] = list(plans_and_ratings())
    progress("")
    print(json.dumps(found, indent=2) if options.format == "json" else as_text(found))


def machine() -> dict[str, Any]:
    """What it is measured on."""
    return {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 2),
        "loop_additions_per_second": round(max(rules.loop_per_second() for _ in range(5))),
    }


def rules_alone(seconds: float) -> Iterator[dict[str, Any]]:
    """The rules without server."""
    progress("rules ...")
    for row in rules.measure(seconds / 5):
        progress(f"rules: {row['game']}, {row['seats']} seats ...")
        yield row


@contextmanager
def serving(store: str) -> Iterator[Server]:
    """A server as anybody starts it, with a store of its own."""
    with TemporaryDirectory(prefix="croupier-bench-") as folder:
        where = "memory:" if store == "memory" else f"{folder}/croupier.db"
        with Server("--log-level", "warning", "--store", where) as server:
            yield server


def hosted(seconds: float, store: str) -> Iterator[dict[str, Any]]:
    """A server and its bots, each in a process of its own, beside a bare echo in a third one."""
    with loads() as order, Process(sys.executable, str(HERE / "echo.py")) as echo:
        echo_target = echo.hear()["listening"]
        for sessions in SESSIONS:
            progress(f"hosted: {sessions} sessions ...")
            with serving(store) as server:
                row = order(
                    run="compare",
                    target=server.target,
                    pid=server.pid,
                    echo_target=echo_target,
                    echo_pid=echo.pid,
                    sessions=sessions,
                    streams=STREAMS,
                    seconds=seconds,
                    turns=TURNS,
                )
                target = RATIO_TARGETS.get(sessions)
                yield {**row, "target_ratio": target, "met": None if target is None else row["ratio"] >= target}


def idle(store: str) -> Iterator[dict[str, Any]]:
    """What a session costs that waits for its bot."""
    with loads() as order:
        for sessions, decisions in IDLE:
            progress(f"idle: {sessions} sessions, after {decisions} decisions ...")
            with serving(store) as server:
                row = order(run="idle", target=server.target, pid=server.pid, sessions=sessions, decisions=decisions)
                yield {**row, "target_kib": IDLE_TARGET_KIB, "met": row["kib_each"] <= IDLE_TARGET_KIB}


def tournament(seconds: float, store: str) -> Iterator[dict[str, Any]]:
    """What the tournament runner leaves of the rate that the organiser of these benchmarks has."""
    with loads() as order:
        for sessions in TOURNAMENT:
            progress(f"tournament: {sessions} sessions ...")
            with serving(store) as server:
                row = order(
                    run="tournament",
                    target=server.target,
                    sessions=sessions,
                    seats=4,
                    streams=STREAMS,
                    seconds=seconds,
                    turns=8,
                )
                yield {**row, "target_ratio": TOURNAMENT_TARGET, "met": row["ratio"] >= TOURNAMENT_TARGET}


def plans_and_ratings() -> Iterator[dict[str, Any]]:
    """Plans and ratings alone."""
    progress("ratings ...")
    for row in ratings.measure():
        progress(f"ratings: {row['what']} ...")
        yield row


@contextmanager
def loads() -> Iterator[Callable[..., dict[str, Any]]]:
    """A process with bots in it, which takes orders."""
    with Process(sys.executable, str(HERE / "load.py"), stdin=subprocess.PIPE) as bots:
        bots.hear()

        def order(**arguments: Any) -> dict[str, Any]:
            bots.say(arguments)
            return bots.hear(patience=300)

        yield order


def as_text(found: dict[str, Any]) -> str:
    """The figures as tables for people."""
    where = found["machine"]
    machine_line = (
        f"Python {where['python']}, {where['cores']} cores, load average {where['load_average']} at the start; "
        f"a bare loop does {where['loop_additions_per_second'] / 1e6:.1f} million additions/s."
    )
    parts = [machine_line]
    if "rules" in found:
        heads = ("game", "seats", "deals/s", "decisions/s", "bare loop, M/s", "target", "met")
        rows = [
            (
                row["game"],
                str(row["seats"]),
                f"{row['deals_per_second']:,}",
                f"{row['decisions_per_second']:,}",
                f"{row['loop_additions_per_second'] / 1e6:.1f}",
                f"{row['target_per_second']:,}" if row["target_per_second"] else "",
                said(row["met"]),
            )
            for row in found["rules"]
        ]
        parts += ["Rules alone: random legal play; deals apart", table(heads, rows)]
    if "hosted" in found:
        heads = ("sessions", "decisions/s", "echo/s", "ratio", "target", "met")
        rows = [
            (
                str(row["sessions"]),
                f"{row['hosted']['per_second']:,.0f}",
                f"{row['echo']['per_second']:,.0f}",
                f"{row['ratio']:.2f}",
                str(row["target_ratio"] or ""),
                said(row["met"]),
            )
            for row in found["hosted"]
        ]
        title = (
            f"Hosted, over {STREAMS} streams, beside a bare echo of the same message sizes; medians of {TURNS} turns"
        )
        parts += [title, table(heads, rows)]
        heads = ("sessions", "server", "bots", "p50", "p99", "decisions a frame", "bytes", *ECHO_HEADS)
        rows = [
            (
                str(row["sessions"]),
                *costs(row["hosted"]),
                f"{row['decisions_per_frame']:.1f}",
                f"{row['decision_bytes']}+{row['act_bytes']}",
                *costs(row["echo"]),
            )
            for row in found["hosted"]
        ]
        title = "What a decision or a round trip costs: processor time of server and bots (µs), latency (ms)"
        parts += [title, table(heads, rows)]
    if "idle" in found:
        heads = ("sessions", "after decisions", "KiB each", "target", "met")
        rows = [
            (
                f"{row['sessions']:,}",
                str(row["decisions"]),
                f"{row['kib_each']:.1f}",
                f"{row['target_kib']:.0f}",
                said(row["met"]),
            )
            for row in found["idle"]
        ]
        parts += ["Idle: sessions that wait for their bots", table(heads, rows)]
    if "tournament" in found:
        heads = ("sessions", "decisions/s", "run as a tournament", "ratio", "target", "met")
        rows = [
            (
                str(row["sessions"]),
                f"{row['bare_per_second']:,.0f}",
                f"{row['run_per_second']:,.0f}",
                f"{row['ratio']:.2f}",
                str(row["target_ratio"]),
                said(row["met"]),
            )
            for row in found["tournament"]
        ]
        parts += [
            "Tournament: the same bots on the same server, sessions made by the runner; medians of 8 turns",
            table(heads, rows),
        ]
    if "ratings" in found:
        rows = [
            (
                row["what"],
                f"{row['value']:.2f} {row['unit']}",
                f"{row['target']:.0f} {row['unit']}" if row["target"] else "",
                said(row["met"]),
            )
            for row in found["ratings"]
        ]
        parts += ["Plans and ratings alone, processor time", table(("", "measured", "target", "met"), rows)]
    return "\n\n".join(parts)


def costs(figures: dict[str, float]) -> tuple[str, ...]:
    """Processor time and latency of one of the two sides."""
    return (
        *(f"{figures['server_cpu_us']:.0f}", f"{figures['load_cpu_us']:.0f}"),
        *(f"{figures['latency_p50_ms']:.1f}", f"{figures['latency_p99_ms']:.1f}"),
    )


def said(met: bool | None) -> str:
    """Whether a target was met."""
    return "" if met is None else "yes" if met else "NO"


def table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Columns, the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return "\n".join(
        "  " + "  ".join([line[0].ljust(widths[0]), *(map(str.rjust, line[1:], widths[1:]))]) for line in (heads, *rows)
    )


def progress(text: str) -> None:
    """Say what is going on: on a terminal in one line, that the figures will replace."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
