"""`report.html`: one file that needs nothing else and asks nobody for anything."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from croupier_tournament.rating import FEWEST_DEALS, Row
from croupier_tournament.report import table
from croupier_tournament.report.subject import Report

MOST_BARS = 24
"""Of the histogram."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on an axis: percent of its width, and what is written there."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Interval:
    """A value and its interval on an axis, in percent of its width; ends are None where there is no interval."""

    row: Row
    at: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Plot:
    """Ratings on an axis."""

    intervals: tuple[Interval, ...]
    ticks: tuple[Mark, ...]
    middle: float
    """Where 1500 is, in percent."""


@dataclass(frozen=True, slots=True)
class Bar:
    """Games of some lengths: a share of the width where it begins, its width and its height, all in percent."""

    at: float
    width: float
    height: float
    text: str


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many decisions games took."""

    fewest: int
    median: int
    most: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """How one entrant did against another."""

    text: str
    shade: int
    """0 lost everything, 10 won everything."""
    title: str
    mark: str
    """An arrow where it surprises."""


def report_html(report: Report) -> bytes:
    """Return the contents of `report.html`: the same bytes for the same results. All names are escaped."""
    names = report.subject.entrants
    text = (
        _environment()
        .get_template("report.html.jinja")
        .render(
            report=report,
            subject=report.subject,
            found=report.standings,
            names=names,
            summary=summary(report),
            plots=[plot(rows) for rows in report.standings.tables],
            crosses=[cross_table(report, rows) for rows in report.standings.tables],
            kinds=sorted({kind for row in report.standings.rows for kind in row.faults}),
            faulty=[row for row in report.standings.rows if row.faults or row.forfeits or row.voided],
            lengths=lengths(report),
            comparison=report.comparison(),
            options=json.dumps(dict(report.subject.options), ensure_ascii=False, sort_keys=True),
            not_played=[
                name
                for number, name in enumerate(names)
                if number not in {row.entrant for row in report.standings.rows}
            ],
            fewest_deals=FEWEST_DEALS,
        )
    )
    return text.encode()


def summary(report: Report) -> str:
    """Say in a sentence or two who is ahead, and how sure that is."""
    if not report.standings.tables:
        return "No game is over yet."
    rows, names = report.standings.tables[0], report.subject.entrants
    first = rows[0]
    leader = names[first.entrant]
    if first.rank_high is None:
        return f"{leader} is ahead; after so few deals that says little."
    rivals = [names[row.entrant] for row in rows[1:] if row.rank_low == 1]
    if first.rank_high == 1:
        return f"{leader} is the best: the data leave no doubt about the first place."
    if not rivals:
        return f"{leader} is ahead; the data do not say yet of whom for certain."
    others = rivals[0] if len(rivals) == 1 else f"{', '.join(rivals[:-1])} or {rivals[-1]}"
    if len(rivals) > 4:
        others = f"one of {len(rivals)} others"
    return f"{leader} is ahead; the data do not exclude that {others} is as good or better."


def plot(rows: Sequence[Row]) -> Plot:
    """Lay ratings out on an axis with round numbers."""
    ends = [row.rating + sign * (row.half_width or 0) for row in rows for sign in (-1, 1)] + [1500.0]
    low, high = min(ends), max(ends)
    step = _step((high - low) / 4)
    begin, end = math.floor(low / step) * step, math.ceil(high / step) * step
    end = end if end > begin else begin + step

    def at(value: float) -> float:
        return round(2 + 96 * (value - begin) / (end - begin), 2)

    ticks = tuple(
        Mark(at(begin + number * step), f"{begin + number * step:.0f}")
        for number in range(round((end - begin) / step) + 1)
    )
    intervals = tuple(
        Interval(
            row,
            at(row.rating),
            None if row.half_width is None else at(row.rating - row.half_width),
            None if row.half_width is None else at(row.rating + row.half_width),
        )
        for row in rows
    )
    return Plot(intervals, ticks, at(1500))


def cross_table(report: Report, rows: Sequence[Row]) -> list[list[Cell | None]]:
    """Return how each of a table did against each; None against itself and where two have not met."""
    pairs, names = report.standings.pairs, report.subject.entrants
    arrows: dict[tuple[int, int], str] = {}
    for surprise in pairs.surprises:
        better, worse = (surprise.one, surprise.other) if surprise.errors > 0 else (surprise.other, surprise.one)
        arrows[better, worse], arrows[worse, better] = "▲", "▼"

    def cell(one: int, other: int) -> Cell | None:
        games = int(pairs.games[one, other])
        if one == other or not games:
            return None
        share, expected = float(pairs.shares[one, other]), float(pairs.expected[one, other])
        title = (
            f"{names[one]} finished above {names[other]} in {share:.0%} of {games} games; expected were {expected:.0%}"
        )
        return Cell(f"{100 * share:.0f}", round(10 * share), title, arrows.get((one, other), ""))

    return [[cell(row.entrant, other.entrant) for other in rows] for row in rows]


def lengths(report: Report) -> Lengths | None:
    """Return how long games were; None where nobody has counted decisions."""
    counts = np.sort(report.results.length[report.results.length > 0])
    if not len(counts):
        return None
    fewest, most = int(counts[0]), int(counts[-1])
    width = max(1, math.ceil((most - fewest + 1) / MOST_BARS))
    bars = np.bincount((counts - fewest) // width)
    share = 100 / len(bars)
    return Lengths(
        fewest,
        int(counts[(len(counts) - 1) // 2]),
        most,
        tuple(
            Bar(
                round(number * share, 2),
                round(share * 0.9, 2),
                round(100 * int(games) / int(bars.max()), 2),
                f"{_span(fewest + number * width, width)} decisions: {games} games",
            )
            for number, games in enumerate(bars.tolist())
        ),
    )


def signed(value: float) -> str:
    """Return a difference without digits behind the point, with its sign.

    >>> [signed(value) for value in (12.4, -3.6, -0.2)]
    ['+12', '-4', '0']
    """
    return (
        f"{round(value):+d}" if math.isfinite(value) and round(value) else "0" if math.isfinite(value) else f"{value:+}"
    )


def _span(begin: int, width: int) -> str:
    return f"{begin}" if width == 1 else f"{begin} to {begin + width - 1}"


def _step(least: float) -> float:
    """Return the smallest of 10, 20, 50, 100, ... that is not below."""
    size = 10.0
    while True:
        for factor in (1, 2, 5):
            if size * factor >= least:
                return size * factor
        size *= 10


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("croupier_tournament.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["percent"] = table.percent
    environment.filters["signed"] = signed
    environment.globals["rank"] = table.rank
    return environment
