"""The difference of two entrants in Elo, from the scores of blocks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from croupier_tournament.rating.fit import FEWEST_DEALS
from croupier_tournament.rating.results import Floats, Results
from croupier_tournament.rating.stopping import EProcess

_Z = NormalDist().inv_cdf(0.975)
_NORMALISED = 800 / math.log(10)


@dataclass(frozen=True, slots=True)
class Elo:
    """How far one entrant is ahead of another. Half-widths are of 95 % intervals."""

    difference: float
    """In Elo; infinite where one side won everything."""
    half_width: float | None
    """None, like the other half-width and the chance, where there are too few blocks to say."""
    normalised: float
    """Elo by the spread of a game's score, so that it says how many games it takes to tell the two apart."""
    normalised_half_width: float | None
    superiority: float | None
    """The chance that the first one is stronger, as the data have it (LOS)."""
    blocks: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two entrants whose games with each other are what the tournament is about."""

    one: int
    other: int
    blocks: int
    """Whole ones, in which both sat."""
    score: float | None
    """The mean over blocks of the one's share of games, a shared place counting half; None without blocks."""
    elo: Elo | None
    """None where it cannot be told yet."""
    evidence: float
    """E-value that the one is better: 40 or more decides at α = .05, both sides considered."""
    evidence_against: float
    """E-value that the other is better."""


def compare(results: Results, one: int, other: int) -> Comparison:
    """Compare two entrants by the scores of their blocks, in the order of deals.

    With fewer than 30 blocks there are no half-widths and no chance of superiority: they do not tell how blocks differ.
    """
    scores = block_scores(results, one, other)
    process = EProcess(two_sided=True)
    for score in scores.tolist():
        process.add(score)
    difference = elo(scores, results.seats)
    if difference is not None and len(scores) < FEWEST_DEALS:
        difference = replace(difference, half_width=None, normalised_half_width=None, superiority=None)
    return Comparison(
        one=one,
        other=other,
        blocks=len(scores),
        score=float(scores.mean()) if len(scores) else None,
        elo=difference,
        evidence=process.value("A"),
        evidence_against=process.value("B"),
    )


def elo(scores: Sequence[float] | Floats, replays: int) -> Elo | None:
    """Return the difference that block scores tell; None where there are fewer than two or all are equal.

    Args:
        scores: of each block, between 0 and 1, as `block_scores` returns them.
        replays: games in each block; 1 gives the usual numbers for wins, draws and losses.
    """
    y = np.asarray(scores, dtype=np.float64)
    variance = float(y.var()) if len(y) else 0.0
    if len(y) < 2 or variance == 0:
        return None
    mean, error = float(y.mean()), math.sqrt(variance / len(y))
    per_game = math.sqrt(variance * replays)
    return Elo(
        difference=_elo(mean),
        half_width=(_elo(mean + _Z * error) - _elo(mean - _Z * error)) / 2,
        normalised=(mean - 0.5) / per_game * _NORMALISED,
        normalised_half_width=_Z * error / per_game * _NORMALISED,
        superiority=NormalDist().cdf((mean - 0.5) / error),
        blocks=len(y),
    )


def block_scores(results: Results, one: int, other: int) -> Floats:
    """Return the score of one entrant against another in each block that is whole, in the order of deals.

    The score is the mean over the replays: 1 where it finished above the other, 1/2 where they shared a place. A block
    is whole when both have sat at every seat that is taken in it.
    """
    has_one, has_other = results.seating == one, results.seating == other
    game = np.flatnonzero(has_one.any(axis=1) & has_other.any(axis=1))
    mine = (results.placings * has_one)[game].sum(axis=1)
    theirs = (results.placings * has_other)[game].sum(axis=1)
    score = np.where(mine < theirs, 1.0, np.where(mine == theirs, 0.5, 0.0))
    _, block, replays = np.unique(results.deal[game], return_inverse=True, return_counts=True)
    taken = (results.seating[game] >= 0).sum(axis=1)
    seats = np.bincount(block, taken) / replays
    means: Floats = np.bincount(block, score) / replays
    whole: Floats = means[replays == seats]
    return whole


def _elo(score: float) -> float:
    """Return the difference in Elo at which one expects so much."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return -400 * math.log10(1 / score - 1)
