"""``croupier balance``."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .games import IGNORING, KINDS, Job, Tally, run
from .report import Report

GAMES = ("trade-and-triumph",)
"""The games whose balance is a matter of data."""
SEATS = (2, 3, 4)
CHUNK = 10

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def balance(argv: Sequence[str]) -> int:
    """Measure with bots whether the cards of a game are balanced."""
    try:
        app(list(argv), prog_name="croupier balance")
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    return 0


@app.command()
def _balance(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"One of {', '.join(GAMES)}.")],
    *,
    games: Annotated[int, typer.Option(min=1, help="Games of each kind and number of seats.")] = 1000,
    seed: Annotated[str, typer.Option(help="Any text; the same one gives the same report.")] = "balance",
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0: one for each processor.")] = 0,
    output: Annotated[Path | None, typer.Option(help="Write the report to this file; else to stdout.")] = None,
) -> None:
    """Measure with bots whether the cards of a game are balanced, and write a report.

    Needs no server. Plays greedy bots against each other, random ones against each other, and greedy ones that ignore
    a deck against one that does not, at 2, 3 and 4 seats. The report says how long the games are, whether the first
    seat has an advantage, how often each card is drawn, played and on the winning side.

    Exit codes: 0 all targets hold, 1 a target is missed, 2 wrong usage.
    """
    if game not in GAMES:
        raise typer.BadParameter(f"is one of {', '.join(GAMES)}; {game!r} has no report", param_hint="GAME")
    tallies = _play(list(_jobs(games, seed)), workers or os.cpu_count() or 1)
    report = Report(tallies, _command(game, games, seed))
    if output is None:
        print(report.page, end="")
    else:
        output.write_text(report.page, encoding="utf-8")
    for miss in report.misses:
        print(f"missed: {miss}", file=sys.stderr)
    raise typer.Exit(1 if report.misses else 0)


def _command(game: str, games: int, seed: str) -> str:
    other_seed = "" if seed == "balance" else f" --seed {seed!r}"
    return f"croupier balance {game} --games {games}{other_seed}"


def _jobs(games: int, seed: str) -> Iterator[Job]:
    for kind in sorted(KINDS, key=lambda kind: kind != IGNORING):  # the long ones first
        for seats in SEATS:
            for first in range(0, games, CHUNK):
                yield Job(kind, seats, range(first, min(games, first + CHUNK)), seed)


def _play(jobs: Sequence[Job], workers: int) -> dict[tuple[str, int], Tally]:
    """Play all jobs, side by side, and add up what each kind and number of seats gave."""
    tallies: dict[tuple[str, int], Tally] = defaultdict(Tally)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        Progress(*columns, console=Console(stderr=True)) as progress,
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
    ):
        bar = progress.add_task("games", total=sum(len(job.games) for job in jobs))
        for done in as_completed([pool.submit(run, job) for job in jobs]):
            job, tally = done.result()
            tallies[job.kind, job.seats].add(tally)
            progress.advance(bar, len(job.games))
    return dict(tallies)
