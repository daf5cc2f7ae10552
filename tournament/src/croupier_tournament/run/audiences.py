"""How a run is shown: a live display on a terminal, lines elsewhere, JSON lines for programs."""

import json
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Protocol, Self, TextIO

import structlog
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from croupier_tournament.report import StandingsTable
from croupier_tournament.run.events import Audience, Event, Progress

QUIET = ("block", "progress", "standings")
"""Kinds of events that are no news for people: the table and the bar show them."""
IDS = ("entrant", "server", "block", "state")
"""What of an event's data makes its log line easy to find."""
LINE_S = 5.0
"""Between two lines about progress."""


class Shown(Audience, Protocol):
    """An audience that is a context manager, too."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Screen:
    """On a terminal: news scroll by, below them stay the standings and a bar."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, refresh_per_second=4, transient=True)
        self._table: RenderableType | None = None
        self._progress: Progress | None = None

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def event(self, event: Event) -> None:
        if event.report is not None:
            self._table = StandingsTable(event.report)
            self._update()
        elif event.kind not in QUIET:
            self._console.print(Text(event.message, style=STYLES.get(event.kind, "")))

    def progress(self, progress: Progress) -> None:
        self._progress = progress
        self._update()

    def _update(self) -> None:
        parts: list[RenderableType] = [self._table] if self._table is not None else []
        if self._progress is not None:
            grid = Table.grid(padding=(0, 1))
            grid.add_row(
                ProgressBar(total=max(1, self._progress.planned), completed=self._progress.final, width=24),
                Text(self._progress.text()),
            )
            parts.append(grid)
        self._live.update(Group(*parts))


class Lines:
    """Anywhere else: a line for each piece of news, and one about progress every few seconds."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._said = clock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def event(self, event: Event) -> None:
        if event.kind not in QUIET:
            self._console.print(Text(event.message), soft_wrap=True)

    def progress(self, progress: Progress) -> None:
        if self._clock() - self._said >= LINE_S:
            self._said = self._clock()
            self._console.print(Text(progress.text()), soft_wrap=True)


class JsonLines:
    """For programs: one JSON object for each event, on a line of its own.

    When whoever reads them has gone, they go nowhere.
    """

    def __init__(self, file: TextIO, wall_clock: Callable[[], float] = time.time) -> None:
        self._file = file
        self._wall_clock = wall_clock

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def event(self, event: Event) -> None:
        self._say(event.kind, {"message": event.message, **event.data})

    def progress(self, progress: Progress) -> None:
        self._say(
            "progress",
            {
                "planned": progress.planned,
                "running": progress.running,
                "final": progress.final,
                "voided": progress.voided,
                "rate": round(progress.rate, 3),
                "eta_s": None if progress.eta_s is None else round(progress.eta_s, 1),
            },
        )

    def _say(self, kind: str, data: dict[str, Any]) -> None:
        at = datetime.fromtimestamp(self._wall_clock(), UTC).isoformat(timespec="milliseconds")
        try:
            self._file.write(json.dumps({"event": kind, "at": at, **data}) + "\n")
            self._file.flush()
        except BrokenPipeError:
            with open(os.devnull, "wb") as nothing:  # noqa: PTH123 -- no file
                os.dup2(nothing.fileno(), self._file.fileno())
            print("nobody reads the events any more; the tournament goes on", file=sys.stderr)  # noqa: T201


class Log:
    """For a service: news as structured log lines."""

    def __init__(self, tournament: str) -> None:
        self._log = structlog.get_logger("croupier.tournament").bind(tournament=tournament)

    def event(self, event: Event) -> None:
        if event.kind not in QUIET:
            ids = {name: event.data[name] for name in IDS if name in event.data}
            self._log.info(event.message, kind=event.kind, **ids)

    def progress(self, progress: Progress) -> None:
        pass


STYLES = {"void": "yellow", "server": "yellow", "entrant": "yellow"}
