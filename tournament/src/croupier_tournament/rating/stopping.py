"""When to stop: tests that may be looked at any time, and precision for tables.

Stopping a table as soon as somebody is "significantly" ahead makes an accident the winner, so tables stop on precision:
when the widest interval is narrow enough. And they are looked at only when the number of deals has doubled, because
intervals hold at the time they were meant for, not at the best of many.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from croupier_tournament.rating.fit import FEWEST_DEALS, Ratings
from croupier_tournament.rating.results import Floats

STAKES = (0.25, 0.5, 1.0, 1.5)
"""How boldly the four gamblers of an e-process bet."""

Side = Literal["A", "B"]


class EProcess:
    """Is A better than B? May be asked after every block, without any correction.

    Four gamblers bet on A, block after block; were B as good as A, nobody's fortune could be expected to grow. E is
    their mean fortune, and it reaches 1/α with a chance of α at most, if A is not better, however long one plays.

    Args:
        alpha: the chance of an error.
        two_sided: whether B may be found better, too; both sides then share alpha.

    Raises:
        ValueError: alpha is not between 0 and 1.
    """

    def __init__(self, alpha: float = 0.05, *, two_sided: bool = False) -> None:
        if not 0 < alpha < 1:
            raise ValueError(f"alpha is between 0 and 1, not {alpha}")
        self.blocks = 0
        """How many scores have come."""
        self.decision: Side | None = None
        """Who was found better; once found, it stays."""
        self._goal = math.log((2 if two_sided else 1) / alpha)
        self._logs: dict[Side, list[float]] = {"A": [0.0] * len(STAKES)}
        if two_sided:
            self._logs["B"] = [0.0] * len(STAKES)

    def add(self, score: float) -> Side | None:
        """Take in the score of one more block, 0 to 1, and return the decision.

        Raises:
            ValueError: it is not between 0 and 1.
        """
        if not 0 <= score <= 1:
            raise ValueError(f"the score of a block is between 0 and 1, not {score}")
        self.blocks += 1
        for side, logs in self._logs.items():
            ahead = score - 0.5 if side == "A" else 0.5 - score
            self._logs[side] = [log + math.log1p(stake * ahead) for log, stake in zip(logs, STAKES, strict=True)]
            if self.decision is None and self.log_value(side) >= self._goal:
                self.decision = side
        return self.decision

    def value(self, side: Side = "A") -> float:
        """Return E, the evidence that a side is better; infinite where it is beyond all numbers."""
        try:
            return math.exp(self.log_value(side))
        except OverflowError:
            return math.inf

    def log_value(self, side: Side = "A") -> float:
        """Return the logarithm of E."""
        logs = self._logs[side]
        most = max(logs)
        return most + math.log(math.fsum(math.exp(log - most) for log in logs) / len(logs))


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """What a generalised sequential probability ratio test sees."""

    mean: float
    """Of the scores."""
    variance: float
    """Of the scores."""
    ratio: float
    """Logarithm of the likelihood under the second hypothesis by that under the first."""


def gsprt(counts: Sequence[int], first: float, second: float) -> Likelihoods:
    """Compare two hypotheses about the mean score of blocks.

    The distribution of scores is unknown; under each hypothesis it is the likeliest one with that mean. Outcomes that
    have not occurred count a thousandth, so that there always is one.

    Args:
        counts: how often each score occurred, from 0 to 1 in equal steps: for two replays 0, 1/4, 1/2, 3/4 and 1.
        first: the mean under the first hypothesis, such as .5: the new version is no better.
        second: the mean under the second, such as .55.

    Raises:
        ValueError: a hypothesis is not between 0 and 1, or there are no counts.
    """
    if len(counts) < 2 or min(counts) < 0 or not sum(counts):
        raise ValueError(f"counts of at least two outcomes, some of them not 0, are needed, not {list(counts)}")
    if not (0 < first < 1 and 0 < second < 1):
        raise ValueError(f"mean scores are between 0 and 1, not {first} and {second}")
    numbers = np.maximum(np.asarray(counts, dtype=np.float64), 1e-3)
    scores = np.linspace(0, 1, len(numbers))
    share = numbers / numbers.sum()
    mean = float(share @ scores)
    variance = float(share @ (scores - mean) ** 2)
    ratio = float(numbers @ np.log(_likeliest(share, scores, second) / _likeliest(share, scores, first)))
    return Likelihoods(mean, variance, ratio)


@dataclass(frozen=True, slots=True)
class Gsprt:
    """The test for "is the new version better?" that also stops when it is not, to save games.

    Args:
        first: the mean score of blocks if it is no better.
        second: the mean score that is worth having.
        alpha: the chance to find it better when it is not.
        beta: the chance to give it up when it is.
    """

    first: float = 0.5
    second: float = 0.55
    alpha: float = 0.05
    beta: float = 0.05

    def decide(self, counts: Sequence[int]) -> Literal["better", "not better"] | None:
        """Return the verdict on so many outcomes, as `gsprt` takes them; None: go on. Raises ValueError."""
        ratio = gsprt(counts, self.first, self.second).ratio
        if ratio >= math.log((1 - self.beta) / self.alpha):
            return "better"
        return "not better" if ratio <= math.log(self.beta / (1 - self.alpha)) else None


@dataclass(frozen=True, slots=True)
class Precision:
    """Stops a table when every rating is known well enough.

    Args:
        target: the largest half-width of a 95 % interval, in rating points, that is good enough.
    """

    target: float

    @staticmethod
    def next_look(deals: int) -> int:
        """Return the number of deals at which to look next, after so many: 30, 60, 120, ...

        >>> [Precision.next_look(deals) for deals in (0, 29, 30, 60, 100)]
        [30, 30, 60, 120, 120]
        """
        look = FEWEST_DEALS
        while look <= deals:
            look *= 2
        return look

    def reached(self, ratings: Ratings) -> bool:
        """Return whether everyone has an interval, each is narrow enough, and no rating leans on the ghost."""
        if ratings.prior_driven.any():
            return False
        widths = [ratings.half_width(entrant) for entrant in range(len(ratings.theta))]
        return bool(widths) and all(width is not None and width <= self.target for width in widths)


def _likeliest(share: Floats, scores: Floats, mean: float) -> Floats:
    """Return the likeliest distribution with a given mean: share / (1 + x (score - mean)), for the x that gives it."""
    away = scores - mean
    low, high = -1 / away.max(), -1 / away.min()
    inside = 1e-12 * (high - low)
    x = brentq(lambda x: float(share @ (away / (1 + x * away))), low + inside, high - inside, xtol=1e-15, rtol=1e-14)
    return share / (1 + x * away)
