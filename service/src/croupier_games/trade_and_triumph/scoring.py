"""Scoring: victory points, then gold, then upgrades."""

from __future__ import annotations

from collections.abc import Sequence

from ..kernel import Result, TieBreak, rank

GOLD, UPGRADES = "gold", "upgrades"
"""The tie-breaks, in this order."""


def score(points: Sequence[int], gold: Sequence[int], levels: Sequence[int], note: str = "") -> Result:
    """The result, from lists by seat; ``levels`` are upgrades bought, flat by seat and track.

    >>> score([21, 21], [7, 5], [0, 0, 0, 1, 1, 1]).placings
    (1, 2)
    """
    upgrades = [sum(levels[first : first + 3]) for first in range(0, len(levels), 3)]
    return rank(points, [TieBreak(GOLD, tuple(gold)), TieBreak(UPGRADES, tuple(upgrades))], note=note)
