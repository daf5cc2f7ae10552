"""The standings as a table on a terminal."""

from collections.abc import Sequence

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from croupier_tournament.rating import FEWEST_DEALS, Row
from croupier_tournament.report.subject import Report

WIDE = 104
"""Columns of a terminal from which on everything is shown."""

COLUMNS = ("rank", "bot", "rating", "games", "points", "wins", "place", "best", "faults")

LEGEND = (
    "rating: 1500 is the average, ± its 95% interval · rank: (those not excluded)",
    "wins: shared ones count in part · place: average, 1 is best · best: chance of it",
)


class StandingsTable:
    """Renders standings, as wide as the terminal allows: `console.print(StandingsTable(report))`, or in a `Live`."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the tables, one for each group that games connect, and what the columns mean."""
        tables = self._report.standings.tables
        wide = options.max_width >= WIDE
        left_out = self._left_out(console, options, wide=wide)
        for number, table in enumerate(tables, 1):
            if len(tables) > 1:
                yield Text(f"Table {number} of {len(tables)}: no game connects it with the others.", style="bold")
            yield self._table(table, left_out, wide=wide)
        yield self._legend(wide=wide) if tables else Text("No game is over yet.")

    def _left_out(self, console: Console, options: ConsoleOptions, *, wide: bool) -> tuple[str, ...]:
        """The columns for which there is no use or no room."""
        cells = [self._cells(row, wide=wide) for row in self._report.standings.rows]
        left_out: tuple[str, ...] = () if any(str(cell["faults"]) for cell in cells) else ("faults",)
        room = options.update(max_width=WIDE)
        for name in () if wide else ("place", "wins"):
            shown = (self._table(rows, left_out, wide=wide) for rows in self._report.standings.tables)
            if all(Measurement.get(console, room, table).maximum <= options.max_width for table in shown):
                break
            left_out = (*left_out, name)
        return left_out

    def _table(self, rows: tuple[Row, ...], left_out: Sequence[str], *, wide: bool) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        columns = [name for name in COLUMNS if name not in left_out]
        for name in columns:
            left = name in ("rank", "bot") or (name == "faults" and wide)
            widest = None if name != "bot" else 28 if wide else 14
            table.add_column(
                name,
                justify="left" if left else "right",
                no_wrap=name != "faults",
                max_width=widest,
                overflow="ellipsis",
            )
        for row in rows:
            cells = self._cells(row, wide=wide)
            table.add_row(*(cells[name] for name in columns))
        return table

    def _cells(self, row: Row, *, wide: bool) -> dict[str, RenderableType]:
        points = "" if row.points_half_width is None or not wide else f" ±{row.points_half_width:.1f}"
        return {
            "rank": rank(row),
            "bot": Text(self._name(row)),  # a Text: brackets in names are no markup
            "rating": f"{row.rating:.0f}{margin(row)}",
            "games": f"{row.games} ({row.deals})" if wide else f"{row.games}",
            "points": f"{row.mean_points:.1f}{points}",
            "wins": f"{row.win_share:.0%}",
            "place": f"{row.average_placing:.2f}",
            "best": percent(row.p_best),
            "faults": Text(faults(row) if wide else f"{row.faults.total() or ''}", style="yellow"),
        }

    def _legend(self, *, wide: bool) -> RenderableType:
        rows = self._report.standings.rows
        lines = [Text(line, style="dim") for line in LEGEND]
        if any(row.deals < FEWEST_DEALS for row in rows):
            lines.append(Text(f"from {FEWEST_DEALS} deals of a bot on there are intervals", style="dim"))
        if any(row.prior_driven for row in rows):
            lines.append(Text("* always ahead of some, or always behind: how far is a guess", style="dim"))
        if not wide:
            lines += [Text(f"{self._name(row)}: {faults(row)}", style="yellow") for row in rows if faults(row)]
        return Group(*lines)

    def _name(self, row: Row) -> str:
        return self._report.subject.entrants[row.entrant]


def margin(row: Row) -> str:
    """Return the half-width of the rating's interval, if there is one, and a star where the ghost drives the rating."""
    return ("" if row.half_width is None else f" ±{row.half_width:.0f}") + "*" * row.prior_driven


def rank(row: Row) -> str:
    """Return the rank and, in brackets, those that the data do not exclude."""
    if row.rank_low is None or row.rank_low == row.rank_high:
        return f"{row.rank}"
    return f"{row.rank} ({row.rank_low}–{row.rank_high})"


def percent(share: float | None) -> str:
    """Return a chance in percent, without saying that anything is certain.

    >>> [percent(share) for share in (None, 0.0, 0.003, 0.42, 0.997, 1.0)]
    ['', '<1%', '<1%', '42%', '>99%', '>99%']
    """
    if share is None:
        return ""
    return "<1%" if share < 0.01 else ">99%" if share > 0.99 else f"{share:.0%}"


def faults(row: Row) -> str:
    """Return faults by kind, games given up and games in vain; empty where there are none."""
    parts = [f"{count} {kind}" for kind, count in row.faults.items()]
    parts += [f"{row.forfeits} forfeited"] * bool(row.forfeits) + [f"{row.voided} void"] * bool(row.voided)
    return ", ".join(parts)
