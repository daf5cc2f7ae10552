"""Scoring: the fewest points win.

>>> from .cards import cards
>>> total(cards("AC KC QC JC 10C 2C 2D"))
51
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..kernel import Result, rank
from .cards import VALUE, Card


def total(hand: Iterable[Card]) -> int:
    """What a hand counts: ace 1, numbers as they are, jack 11, queen 12, king 13."""
    return sum(VALUE[card] for card in hand)


def score(hands: Sequence[Iterable[Card]]) -> Result:
    """The result from the hands by seat. Seats with equal totals share their placing."""
    return rank([total(hand) for hand in hands], fewest_wins=True)
