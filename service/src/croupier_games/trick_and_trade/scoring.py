"""Scoring: what the suits are worth, and what the seats make of it.

    >>> multipliers([5, 4, 4, 1])
    (3, 2, 2, -1)
    >>> points([-1, 2, 1, 3], [4, 5, 5, 3])
    20

Lists of four run by suit.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from ..kernel import Result, TieBreak, rank

MULTIPLIERS = (3, 2, 1, -1)
"""The multiplier of a suit, by the number of suits whose value total is greater."""

TOP_ICONS = "top-icons"
"""The tie-break: the sum of the icons in all suits that multiply by most; the larger one is ahead."""


def multipliers(values: Sequence[int]) -> tuple[int, ...]:
    """The suits' multipliers from their value totals; suits with equal totals share the better multiplier."""
    return tuple(MULTIPLIERS[sum(other > value for other in values)] for value in values)


def points(multiplied: Sequence[int], icons: Sequence[int]) -> int:
    """One seat's points: each icon is worth its suit's multiplier. May be negative."""
    return sum(map(mul, multiplied, icons))


def top_icons(multiplied: Sequence[int], icons: Sequence[int]) -> int:
    """One seat's icons in the suits with the highest multiplier."""
    return sum(count for multiplier, count in zip(multiplied, icons, strict=True) if multiplier == MULTIPLIERS[0])


def score(values: Sequence[int], icons: Sequence[int]) -> Result:
    """The result from the suits' value totals and the icons held, flat by seat and suit.

    More points win; among equals more top icons; seats that are level in both share their placing.
    """
    multiplied = multipliers(values)
    holdings = [icons[first : first + 4] for first in range(0, len(icons), 4)]
    return rank(
        [points(multiplied, holding) for holding in holdings],
        [TieBreak(TOP_ICONS, tuple(top_icons(multiplied, holding) for holding in holdings))],
    )
