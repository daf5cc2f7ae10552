"""What came of practice games: told as they end, and in sum."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid
from rich.text import Text

from croupier_service.cli.connecting import Format, json_line, stdout

from .playing import Played


@dataclass(frozen=True, slots=True)
class Again:
    """How the same practice is had again."""

    seed: str
    against: str
    seats: int | None
    command: tuple[str, ...]

    def deal(self, game: str, number: int) -> str:
        """The command that plays one deal again."""
        words = ["croupier", "bot", "practice", "--game", game, "--deal", str(number)]
        words += [] if self.seed == "practice" else ["--seed", self.seed]
        words += [] if self.against == "greedy" else ["--against", self.against]
        words += [] if self.seats is None else ["--seats", str(self.seats)]
        return shlex.join([*words, "--", *self.command])


class Tally:
    """Counts what was played: ``with tally`` shows progress on a terminal, and writes the records."""

    def __init__(self, planned: int, records: Path, output: Format, again: Again) -> None:
        self.played: list[Played] = []
        self._records = records
        self._output = output
        self._again = again
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("games"), TimeRemainingColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty())
        self._task = self._progress.add_task("", total=planned)

    def __enter__(self) -> Self:
        self._file = self._records.open("w", encoding="utf-8")
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
        self._file.close()

    @property
    def faults(self) -> int:
        """Faults of the bot in all games."""
        return sum(sum(played.faults.values()) for played in self.played)

    def add(self, played: Played) -> None:
        """One more game is over."""
        self.played.append(played)
        self._file.write(json.dumps(played.record, ensure_ascii=False, separators=(",", ":")) + "\n")
        self._progress.advance(self._task)
        if self._output is Format.JSON:
            json_line(
                {
                    "game": played.deal.game,
                    "deal": played.deal.number,
                    "seat": played.deal.seat,
                    "bots": played.deal.bots,
                    "points": played.points,
                    "placings": played.placings,
                    "faults": played.faults,
                    "thinking_ms": played.thinking_ms,
                    "record": len(self.played),
                }
            )

    def tell(self) -> None:
        """Say to people what came of it."""
        if self._output is Format.JSON or not self.played:
            return
        console = stdout()
        grid = Grid(box=None, pad_edge=False)
        grid.add_column("game", no_wrap=True)
        for head in ("games", "won", "placing", "points", "others", "thinking: half", "99 %", "most", "faults"):
            grid.add_column(head, justify="right", no_wrap=True)
        for game in sorted({played.deal.game for played in self.played}):
            grid.add_row(game, *in_sum([played for played in self.played if played.deal.game == game]))
        console.print(grid)
        number, worst = min(
            enumerate(self.played, 1), key=lambda item: (-sum(item[1].faults.values()), *how_it_went(item[1]))
        )
        what = "with the most faults" if worst.faults else "that went worst"
        look = shlex.join(["croupier", "record", "show", str(self._records), "--record", str(number)])
        console.print(Text(f"\nthe game {what}:    {look}"), soft_wrap=True)
        again = self._again.deal(worst.deal.game, worst.deal.number)
        console.print(Text(f"its deal once more:{' ' * (len(what) - 5)}{again}"), soft_wrap=True)


def how_it_went(played: Played) -> tuple[float, float]:
    """Orders games, the worst first."""
    mine = played.deal.seat
    others = [points for seat, points in enumerate(played.points) if seat != mine]
    if not others:
        return 0.0, 0.0
    return -played.placings[mine], played.points[mine] - sum(others) / len(others)


def in_sum(games: Sequence[Played]) -> list[str]:
    """The cells of a row: these games, all of one kind."""
    over = [played for played in games if played.points]
    mine = [played.points[played.deal.seat] for played in over]
    others = [points for played in over for seat, points in enumerate(played.points) if seat != played.deal.seat]
    placings = [played.placings[played.deal.seat] for played in over]
    thinking = sorted(ms for played in games for ms in played.thinking_ms)
    faults: Counter[str] = Counter()
    for played in games:
        faults.update(played.faults)
    won = sum(1 / played.placings.count(1) for played in over if played.placings[played.deal.seat] == 1)
    return [
        str(len(games)),
        f"{100 * won / len(over):.0f} %" if over else "",
        f"{mean(placings):.2f}" if over else "",
        f"{mean(mine):.1f}" if over else "",
        f"{mean(others):.1f}" if over else "",
        *(milliseconds(thinking, share) for share in (0.5, 0.99, 1.0)),
        ", ".join(f"{kind} {count}" for kind, count in sorted(faults.items())) or "none",
    ]


def mean(numbers: Sequence[float]) -> float:
    """The arithmetic mean."""
    return sum(numbers) / len(numbers)


def milliseconds(ordered: Sequence[int], share: float) -> str:
    """What so large a share does not exceed, for people; clocks tell whole milliseconds.

    >>> milliseconds([0, 0, 3, 12], 0.5), milliseconds([0, 0, 3, 12], 1.0), milliseconds([], 1.0)
    ('<1 ms', '12 ms', '')
    """
    if not ordered:
        return ""
    found = ordered[max(0, -int(-share * len(ordered) // 1) - 1)]
    return f"{found} ms" if found else "<1 ms"
