"""Standings: what ratings and results say about each entrant, with how sure that is."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtri, stdtr

from croupier_tournament.rating.fit import FEWEST_DEALS, SCALE, Ratings, quantile
from croupier_tournament.rating.means import clustered_means
from croupier_tournament.rating.pairs import Pairs, pairs
from croupier_tournament.rating.results import Floats, Results

DRAWS = 10_000
"""Of all strengths at once, for the chance of being the best."""

LEVEL = 0.05
"""Of the family of all comparisons behind the rank intervals."""

_DRAWS_SEED = 1500


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant."""

    rank: int
    """1 is best; equal ratings share it."""
    rank_low: int | None
    """The best rank that the data do not exclude; None with too few deals. See `rank_high`."""
    rank_high: int | None
    """The worst rank that the data do not exclude. All intervals of a table hold together in 95 of 100 tournaments."""
    entrant: int
    rating: float
    """1500 is the average of the table."""
    half_width: float | None
    """Of the 95 % interval of the rating; None with too few deals."""
    games: int
    deals: int
    mean_points: float
    points_half_width: float | None
    """Of the 95 % interval of the mean points; None with too few deals."""
    win_share: float
    """Of the games; a win that is shared by two counts half for each."""
    average_placing: float
    """1 is best."""
    p_best: float | None
    """The chance that nobody of the table is stronger, among those with enough deals."""
    faults: Counter[str]
    """How many of each kind."""
    forfeits: int
    """Games in which its seat was given up."""
    voided: int
    """Games that were played in vain, because the infrastructure failed: all that another run would not repeat."""
    prior_driven: bool
    """Whether the rating leans on the ghost: nobody, or everybody, was ever behind."""


@dataclass(frozen=True, slots=True)
class SeatEffect:
    """How much better one does at a seat than at seat 0."""

    seat: int
    effect: float
    """In rating points; 0 for seat 0."""
    half_width: float | None
    """Of its 95 % interval; None for seat 0, and with too few deals."""


@dataclass(frozen=True, slots=True)
class Standings:
    """All that is shown."""

    tables: tuple[tuple[Row, ...], ...]
    """One for each group of entrants that games connect, best first. Who has not played is in none."""
    seats: tuple[SeatEffect, ...]
    pairs: Pairs
    games: int
    deals: int

    @property
    def rows(self) -> tuple[Row, ...]:
        """All tables, one after the other."""
        return tuple(row for table in self.tables for row in table)


def standings(ratings: Ratings, results: Results, voided: Mapping[int, int] | None = None) -> Standings:
    """Put together what is shown.

    Args:
        ratings: fitted to the results.
        results: what was played.
        voided: games in vain, by entrant.
    """
    marks = _Marks(results)
    tables = tuple(_table(group, ratings, results, marks, voided or {}) for group in ratings.groups)
    return Standings(tables, _seats(ratings), pairs(ratings, results), len(results), results.deals)


class _Marks:
    """What is summed and averaged over games, by entrant."""

    def __init__(self, results: Results) -> None:
        taken = results.seating >= 0
        entrant, n = results.seating[taken].astype(np.int64), results.entrants
        winners = ((results.placings == 1) & taken).sum(axis=1)
        share = (results.placings == 1) / np.maximum(winners, 1)[:, None]
        self.games = results.games_of()
        self.deals = results.deals_of()
        played = np.maximum(self.games, 1)
        deal = np.broadcast_to(results.deal[:, None], taken.shape)[taken]
        self.points, self.points_error = clustered_means(entrant, deal, results.points[taken], n)
        self.wins: Floats = np.bincount(entrant, share[taken], n) / played
        self.placing: Floats = np.bincount(entrant, results.placings[taken].astype(float), n) / played

    def points_half_width(self, entrant: int) -> float:
        """Return the half-width of the 95 % interval of the mean points; of who has played several deals."""
        return quantile(int(self.deals[entrant])) * float(self.points_error[entrant])


def _table(
    group: tuple[int, ...], ratings: Ratings, results: Results, marks: _Marks, voided: Mapping[int, int]
) -> tuple[Row, ...]:
    shown = {entrant: round(ratings.rating(entrant), 6) for entrant in group}
    order = sorted(group, key=lambda entrant: (-shown[entrant], entrant))
    measured = [entrant for entrant in group if ratings.measured(entrant)]
    above = _surely_above(measured, ratings)
    best = _chance_of_being_best(measured, ratings)
    rows = []
    for entrant in order:
        is_measured = entrant in best
        tally = results.tallies[entrant]
        rows.append(
            Row(
                rank=1 + sum(other > shown[entrant] for other in shown.values()),
                rank_low=1 + sum(below == entrant for _, below in above) if is_measured else None,
                rank_high=len(group) - sum(one == entrant for one, _ in above) if is_measured else None,
                entrant=entrant,
                rating=shown[entrant],
                half_width=ratings.half_width(entrant),
                games=int(marks.games[entrant]),
                deals=int(marks.deals[entrant]),
                mean_points=float(marks.points[entrant]),
                points_half_width=marks.points_half_width(entrant) if is_measured else None,
                win_share=float(marks.wins[entrant]),
                average_placing=float(marks.placing[entrant]),
                p_best=best.get(entrant),
                faults=Counter(dict(sorted(tally.faults.items()))),
                forfeits=tally.forfeits,
                voided=voided.get(entrant, 0),
                prior_driven=bool(ratings.prior_driven[entrant]),
            )
        )
    return tuple(rows)


def _surely_above(measured: list[int], ratings: Ratings) -> set[tuple[int, int]]:
    """Return all (one, other) of which the one is significantly stronger, by Holm's procedure over all pairs."""
    tests = []
    for one, other in combinations(measured, 2):
        ahead = float(ratings.theta[one] - ratings.theta[other])
        v = ratings.covariance
        error = float(np.sqrt(max(0.0, v[one, one] + v[other, other] - 2 * v[one, other])))
        t = abs(ahead) / error if error else np.inf * abs(ahead) if ahead else 0.0
        chance = 2 * float(stdtr(min(ratings.deals_of[one], ratings.deals_of[other]) - 1, -t))
        tests.append((chance, (one, other) if ahead > 0 else (other, one)))
    above = set()
    for left, (chance, pair) in zip(range(len(tests), 0, -1), sorted(tests), strict=True):
        if chance > LEVEL / left:
            break
        above.add(pair)
    return above


def _chance_of_being_best(measured: list[int], ratings: Ratings) -> dict[int, float]:
    """Return how often each comes out strongest in draws of all strengths from N(θ, V), always the same draws."""
    if not measured:
        return {}
    theta, v = ratings.theta[measured], ratings.covariance[np.ix_(measured, measured)]
    values, vectors = np.linalg.eigh(v)
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T  # this one root does not depend on signs of vectors
    bits = np.random.PCG64(_DRAWS_SEED).random_raw(DRAWS * len(measured))
    normal = ndtri(((bits >> 11) + 0.5) / 2**53).reshape(DRAWS, len(measured))
    first = np.bincount((theta + normal @ root).argmax(axis=1), minlength=len(measured))
    return dict(zip(measured, (first / DRAWS).tolist(), strict=True))


def _seats(ratings: Ratings) -> tuple[SeatEffect, ...]:
    enough = ratings.deals >= FEWEST_DEALS
    errors = np.sqrt(np.maximum(np.diag(ratings.seat_covariance), 0)) if enough else None
    return tuple(
        SeatEffect(
            seat,
            SCALE * float(effect),
            SCALE * quantile(ratings.deals) * float(errors[seat]) if errors is not None and seat else None,
        )
        for seat, effect in enumerate(ratings.seat_effects)
    )
