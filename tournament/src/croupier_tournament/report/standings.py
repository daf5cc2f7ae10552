"""Standings: what the games say about each bot."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist, fmean

from croupier_tournament.run.games import PlayedGame

FEWEST_DEALS = 30
"""With fewer there is no interval: so few deals do not tell how much deals differ."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the games say about one bot."""

    bot: str
    games: int
    deals: int
    mean_points: float
    half_width: float | None
    """Of the 95 % interval of the mean points; None where there are too few deals to tell."""
    wins: float
    """Games won; one that several bots have won counts for each of them by its share."""
    average_placing: float
    """1 is best."""
    decisions: int
    faults: Counter[str] = field(default_factory=Counter)
    """How many of each kind."""


def standings(games: Iterable[PlayedGame], bots: Sequence[str]) -> list[Standing]:
    """Return one row for each bot that has played, best average placing first; equal ones by points, then name."""
    played = sorted(games, key=lambda game: game.planned.number)  # for sums to be the same in whatever order they ended
    rows = [row for bot in bots if (row := _standing(bot, played)) is not None]
    return sorted(rows, key=lambda row: (row.average_placing, -row.mean_points, row.bot))


def half_width(by_deal: Sequence[Sequence[float]]) -> float | None:
    """Return the half-width of the 95 % interval of the mean of all values; None with fewer than 30 deals.

    Games of one deal are no independent witnesses, so the standard error is clustered: residuals are summed by deal
    before they are squared, and Student's t has one degree of freedom less than there are deals.

    Args:
        by_deal: one row of values for each deal; rows may differ in length, as they do after an early stop.
    """
    if len(by_deal) < FEWEST_DEALS:
        return None
    return t_quantile(0.975, len(by_deal) - 1) * clustered_error(by_deal)


def clustered_error(by_deal: Sequence[Sequence[float]]) -> float:
    """Return the standard error of the mean of all values, where each row of them belongs together.

    >>> rows = [[1, 3, -1, 2], [0, -2, 1, 1], [4, 2, 3, -1], [-1, 0, -2, 1], [2, 2, 0, 3]]
    >>> round(clustered_error(rows), 7)
    0.4911721
    """
    values = [value for row in by_deal for value in row]
    mean, deals = fmean(values), len(by_deal)
    squares = math.fsum(math.fsum(value - mean for value in row) ** 2 for row in by_deal)
    return math.sqrt(squares * deals / (deals - 1)) / len(values)


def t_quantile(share: float, freedom: int) -> float:
    """Return a quantile of Student's t by the first terms of Fisher's expansion; good to 0.001 from 10 degrees on.

    >>> [round(t_quantile(0.975, freedom), 3) for freedom in (10, 29, 39, 1000)]
    [2.228, 2.045, 2.023, 1.962]
    """
    z = NormalDist().inv_cdf(share)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def _standing(bot: str, games: Sequence[PlayedGame]) -> Standing | None:
    seated = [(game, game.planned.bots.index(bot)) for game in games if bot in game.planned.bots]
    if not seated:
        return None
    by_deal: dict[int, list[float]] = {}
    for game, seat in seated:
        by_deal.setdefault(game.planned.deal, []).append(game.points[seat])
    return Standing(
        bot=bot,
        games=len(seated),
        deals=len(by_deal),
        mean_points=fmean(game.points[seat] for game, seat in seated),
        half_width=half_width(list(by_deal.values())),
        wins=math.fsum(1 / game.placings.count(1) for game, seat in seated if game.placings[seat] == 1),
        average_placing=fmean(game.placings[seat] for game, seat in seated),
        decisions=sum(game.decisions[seat] for game, seat in seated),
        faults=sum((game.faults[seat] for game, seat in seated), Counter[str]()),
    )
