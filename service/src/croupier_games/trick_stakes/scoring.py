"""Scoring: what a race pays, what it makes of the odds, and who wins in the end.

An order is the four horses, best first. Odds are by horse, points by seat.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..kernel import Result, TieBreak, rank
from .cards import HORSES, WIN, Horse, Ticket

PRIZES = (5, 3)
"""What the first and the second horse bring to their seats."""

STEPS = (0, 1, 2, 3)
"""How much the odds of the first, second, third and fourth horse grow for the next race."""

LAST_RACE = "last-race"
"""The tie-break: whose horse did better in the last race. Its values are the horses behind one's own."""


def payout(
    order: Sequence[Horse], odds: Sequence[int], horses: Sequence[Horse], tickets: Sequence[tuple[Ticket, Ticket]]
) -> list[int]:
    """The points that a race brings to each seat.

    ``horses`` are the horses of the seats (a dummy's behind them counts for nobody), ``tickets`` both tickets of each
    seat, in either order.

        >>> payout(HORSES, [2, 4, 2, 3], HORSES, [(WIN, 1), (1, 2), (2, 1), (WIN, 2)])
        [7, 9, 6, 0]
    """
    points = [bet(order, odds, *pair) for pair in tickets]
    for horse, prize in zip(order, PRIZES, strict=False):
        seat = horses.index(horse)
        if seat < len(points):
            points[seat] += prize
    return points


def bet(order: Sequence[Horse], odds: Sequence[int], one: Ticket, other: Ticket) -> int:
    """What two tickets pay: a horse and ``WIN`` if it is first, two horses if they are the first two; otherwise 0."""
    first, second = order[:2]
    named: set[int] = {one, other}
    if WIN in named:
        return odds[first - 1] if first in named else 0
    return odds[first - 1] + odds[second - 1] if named == {first, second} else 0


def next_odds(order: Sequence[Horse], odds: Sequence[int]) -> list[int]:
    """The odds of the next race."""
    return [odds[horse - 1] + STEPS[order.index(horse)] for horse in HORSES]


def score(points: Sequence[int], order: Sequence[Horse], horses: Sequence[Horse]) -> Result:
    """The result after the last race, from its order and the horses of the seats in it. Nobody shares a placing."""
    behind = tuple(3 - order.index(horses[seat]) for seat in range(len(points)))
    return rank(points, [TieBreak(LAST_RACE, behind)])
