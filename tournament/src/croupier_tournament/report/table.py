"""The standings as a table on a terminal."""

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from croupier_tournament.rating import FEWEST_DEALS, Row
from croupier_tournament.report.subject import Report

WIDE = 104
"""Columns of a terminal from which on everything is shown."""

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
        for number, table in enumerate(tables, 1):
            if len(tables) > 1:
                yield Text(f"Table {number} of {len(tables)}: no game connects it with the others.", style="bold")
            yield self._table(table, wide=wide)
        yield self._legend(wide=wide) if tables else Text("No game is over yet.")

    def _table(self, rows: tuple[Row, ...], *, wide: bool) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column("rank", no_wrap=True)
        table.add_column("bot", overflow="ellipsis", no_wrap=True, max_width=28 if wide else 14)
        for name in ("rating", "games", "points", "wins", "place", "best"):
            table.add_column(name, justify="right", no_wrap=True)
        table.add_column("faults", justify="left" if wide else "right")
        for row in rows:
            table.add_row(*self._cells(row, wide=wide))
        return table

    def _cells(self, row: Row, *, wide: bool) -> list[RenderableType]:
        points = "" if row.points_half_width is None or not wide else f" ±{row.points_half_width:.1f}"
        return [
            rank(row),
            Text(self._name(row)),  # a Text: brackets in names are no markup
            f"{row.rating:.0f}{margin(row)}",
            f"{row.games} ({row.deals})" if wide else f"{row.games}",
            f"{row.mean_points:.1f}{points}",
            f"{row.win_share:.0%}",
            f"{row.average_placing:.2f}",
            percent(row.p_best),
            Text(faults(row) if wide else f"{row.faults.total() or ''}", style="yellow"),
        ]

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
