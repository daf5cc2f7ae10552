"""Pairs of entrants: who finished above whom, what the model expected, and where the two do not agree."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from croupier_tournament.rating.fit import FEWEST_DEALS, Ratings
from croupier_tournament.rating.model import Model, Part
from croupier_tournament.rating.results import Floats, Ints, Results

SURPRISING = 3.0
"""Standard errors."""

LEAST_SURPRISE = 1.0
"""Games. The ghost keeps an unbeaten bot from being as strong as its results by half a game, and bots that play alike
cancel out to nothing but rounding: neither is a surprise."""


@dataclass(frozen=True, slots=True)
class Surprise:
    """Two entrants whose games with each other do not fit their ratings."""

    one: int
    other: int
    share: float
    """Of their games in which one finished above the other, a shared place counting half."""
    expected: float
    """What the model expects of it."""
    errors: float
    """By how many standard errors, clustered by deal, one did better than that."""
    deals: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """What happened between every two entrants. All are of shape (entrants, entrants), the row's entrant first."""

    games: Ints
    """In which both sat."""
    shares: Floats
    """Of those in which the first finished above the second, a shared place counting half; not a number where none."""
    expected: Floats
    """What the model expects of it, game by game given who was left when the better of the two was placed."""
    surprises: tuple[Surprise, ...]
    """Where the sum of residuals exceeds three standard errors, the largest first. With fewer than 30 deals: none.

    Among a thousand pairs fewer than three are so by chance, as expectations are fitted to the same games.
    """


def pairs(ratings: Ratings, results: Results) -> Pairs:
    """Compare what happened between every two with what the ratings expect.

    Args:
        ratings: fitted to the results.
        results: what was played.
    """
    n = results.entrants
    model = Model(results, ghost=0, seats=True)
    full = np.concatenate([np.nan_to_num(ratings.theta), ratings.seat_effects, [0.0], [*ratings.log_delta.values()]])
    games, scores, expected = np.zeros(n * n), np.zeros(n * n), np.zeros(n * n)
    squares, deals = np.zeros(n * n), np.zeros(n * n, dtype=np.int64)
    for begin, end in model.ranges:
        found = [_compared(part, results, n) for part in model.parts_of(full, begin, end)]
        pair, deal, score, hope = (np.concatenate(column) for column in zip(*found, strict=True))
        games += np.bincount(pair, minlength=n * n)
        scores += np.bincount(pair, score, n * n)
        expected += np.bincount(pair, hope, n * n)
        of_deal, index = np.unique(deal * n * n + pair, return_inverse=True)
        squares += np.bincount(of_deal % (n * n), np.bincount(index, score - hope) ** 2, n * n)
        deals += np.bincount(of_deal % (n * n), minlength=n * n)
    both = _square(games) + _square(games).T
    with np.errstate(invalid="ignore"):  # nothing by nothing, where two have not met
        share = _both_ways(games, scores) / both
        hopes = _both_ways(games, expected) / both
    residuals = _square(scores - expected)
    surprises = _surprises(residuals, _square(squares), deals.reshape(n, n), share, hopes)
    return Pairs(both.astype(np.int64), share, hopes, tuple(surprises))


def _square(flat: Floats) -> Floats:
    return flat.reshape(math.isqrt(len(flat)), -1)


def _both_ways(games: Floats, scores: Floats) -> Floats:
    """Return the scores of all, from those of the lower-numbered of each two."""
    return _square(scores) + _square(games - scores).T


def _compared(part: Part, results: Results, n: int) -> tuple[Ints, Ints, Floats, Floats]:
    """Return pair (lower entrant · n + higher), deal, score of the lower and what was expected, of pairs decided now.

    A pair is decided at the stage in which the first of the two takes a place. Those who remain are in the order in
    which they finished, so of two positions the first is never behind.
    """
    columns: list[tuple[Ints, Ints, Floats, Floats]] = []
    members = part.groups.members > 0
    for first, second in combinations(range(members.shape[1]), 2):
        stage = np.flatnonzero(part.stages.taken > first)
        alone, other_alone = members[:, first] & ~members[:, second], members[:, second] & ~members[:, first]
        together = members[:, first] & members[:, second]
        chances = part.chances[:, stage]
        win, loss, tie = (chances[groups].sum(axis=0) for groups in (alone, other_alone, together))
        hope = (win + tie / 2) / (win + loss + tie)
        score = np.where(part.stages.taken[stage] > second, 0.5, 1.0)
        one, other = part.stages.entrants[first, stage], part.stages.entrants[second, stage]
        lower = one < other
        pair = np.where(lower, one * n + other, other * n + one)
        deal = results.deal[part.stages.game[stage]]
        columns.append((pair, deal, np.where(lower, score, 1 - score), np.where(lower, hope, 1 - hope)))
    pair, deal, score, hope = (np.concatenate(column) for column in zip(*columns, strict=True))
    return pair, deal, score, hope


def _surprises(residuals: Floats, squares: Floats, deals: Ints, share: Floats, hopes: Floats) -> list[Surprise]:
    def found() -> Iterator[Surprise]:
        for one, other in np.argwhere(deals >= FEWEST_DEALS).tolist():
            count = int(deals[one, other])
            error = float(np.sqrt(squares[one, other] * count / (count - 1)))
            off = abs(residuals[one, other])
            if off > LEAST_SURPRISE and off > SURPRISING * error:
                errors = float(residuals[one, other]) / error
                yield Surprise(one, other, float(share[one, other]), float(hopes[one, other]), errors, count)

    return sorted(found(), key=lambda surprise: (-abs(surprise.errors), surprise.one, surprise.other))
