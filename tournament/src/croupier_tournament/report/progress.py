"""How far it is: a bar on a terminal, a line now and then elsewhere."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.text import Text

from croupier_tournament.report.text import introduction
from croupier_tournament.run.local import Tournament

PAUSE = 2.0
"""Seconds between lines."""


class Pace(ProgressColumn):
    """How much is done, how fast it goes, and how long it will take."""

    def render(self, task: Task) -> Text:
        if task.total is None:
            return Text()
        done, seconds = int(task.completed), task.finished_time or task.elapsed or 0.0
        return Text(pace(done, int(task.total), seconds), style="progress.remaining")


class Bar:
    """Shows a bar on a terminal. A context manager; it takes the bar away at the end. An `Audience`."""

    def __init__(self, console: Console) -> None:
        self._console = console
        columns = TextColumn("{task.description}"), BarColumn(), Pace()
        self._progress = Progress(*columns, console=console, transient=True)
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._progress.start()
        self._task = self._progress.add_task("starting", total=None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begins(self, tournament: Tournament) -> None:
        self._console.print(introduction(tournament))

    def stage(self, what: str, steps: int) -> None:
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(what, total=steps)

    def step(self) -> None:
        assert self._task is not None
        self._progress.advance(self._task)


class Lines:
    """Writes a line every other second. A context manager, for symmetry. An `Audience`."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._what, self._steps, self._done = "", 0, 0
        self._began = self._said = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def begins(self, tournament: Tournament) -> None:
        self._console.print(introduction(tournament))

    def stage(self, what: str, steps: int) -> None:
        self._what, self._steps, self._done = what, steps, 0
        self._began = self._said = time.monotonic()

    def step(self) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._said >= PAUSE:
            self._said = now
            self._console.print(f"{self._what}: {pace(self._done, self._steps, now - self._began)}")


def pace(done: int, steps: int, seconds: float) -> str:
    """Say how much is done, how fast it goes and, once that can be told, how long it will take.

    >>> pace(50, 200, 2.0)
    '50 of 200, 25/s, 6 s left'
    >>> pace(3, 200, 2.0)
    '3 of 200'
    """
    count = f"{done} of {steps}"
    if done * 10 < steps or not seconds:  # the first to end say little of the others that began with them
        return count
    rate = done / seconds
    return f"{count}, {rate:.{0 if rate >= 10 else 1}f}/s, {(steps - done) / rate:.0f} s left"
