"""Fits ratings to results: strengths, seat effects, and how sure they are."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from croupier_tournament.rating.model import Model
from croupier_tournament.rating.results import Floats, GameResult, Ints, Results

Groups = tuple[tuple[int, ...], ...]

GHOST = 0.5
"""Games that every entrant has won, and lost, against an opponent of strength 0."""

FEWEST_DEALS = 30
"""With fewer there is no interval: so few deals do not tell how much deals differ."""

SCALE = 173.7178
"""Rating points for one unit of θ: 400 / ln 10, as Elo has it."""

MIDDLE = 1500.0
"""The rating of the average entrant of a table."""

TOLERANCE = 1e-9
"""How far from the best θ the last step may have been."""

NEWTON_STEPS = 25


class NotConverged(Exception):
    """The likelihood has no maximum that can be found; the message says what was tried."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """What results say about entrants and seats. Entrants are numbered as in the plan."""

    theta: Floats
    """Strength of each entrant, the mean of each separate table 0; not a number for who has not played."""
    covariance: Floats
    """Of those, clustered by deal, of shape (entrants, entrants); not a number with fewer than two deals."""
    own_variance: Floats
    """Of each entrant's distance to the mean of those with whom results connect it both ways; infinite with nobody."""
    model_covariance: Floats
    """What it would be if the games were independent and the model true."""
    seat_effects: Floats
    """On the scale of θ, that of seat 0 is 0, of shape (seats,)."""
    seat_covariance: Floats
    """Of those, of shape (seats, seats)."""
    log_delta: dict[int, float]
    """By size of groups that share a place: how likely that is. Sizes that do not occur are missing."""
    log_likelihood: float
    """Of the results, without the ghost."""
    games: int
    deals: int
    deals_of: Ints
    """How many deals each entrant has played, of shape (entrants,)."""
    groups: Groups
    """Those who are connected by games, most first: a table of its own for each. Who has not played is in none."""
    prior_driven: NDArray[np.bool_]
    """Whose distance to others leans on the ghost, because results do not lead both ways: an unbeaten entrant, say."""

    def rating(self, entrant: int) -> float:
        """Return the rating on the scale that people know."""
        return MIDDLE + SCALE * float(self.theta[entrant])

    def half_width(self, entrant: int) -> float | None:
        """Return the half-width of the 95 % interval of the rating; None with too few deals.

        Results tell nothing of the distance to others than those with whom they lead both ways: it leans on the ghost,
        and grows with every game. So the interval is of the distance to the mean of those, which in a table without
        stars are all; who has nobody, as an unbeaten one, has no interval.
        """
        variance = float(self.own_variance[entrant])
        if not self.measured(entrant) or np.isinf(variance):
            return None
        return SCALE * quantile(int(self.deals_of[entrant])) * float(np.sqrt(variance))

    def measured(self, entrant: int) -> bool:
        """Return whether the entrant has played enough deals for an interval."""
        return int(self.deals_of[entrant]) >= FEWEST_DEALS


LEAST_VARIANCE = 1e-14
"""Added to that of each parameter. Bots that play alike cancel out in duplicate deals, and leave a variance of 0, or by
rounding a little less, which has no root. This is far above rounding, and far below a hundredth of a point."""


def quantile(deals: int) -> float:
    """Return how many standard errors are half of a 95 % interval from so many deals: Student's t, one freedom less.

    For an entrant these are the deals that it has played: the others say little about it.
    """
    return float(stdtrit(deals - 1, 0.975))


def fit(results: Results | Iterable[GameResult], entrants: int, *, ghost: float = GHOST, seats: bool = True) -> Ratings:
    """Fit ratings to results. The order in which they come is of no importance, to the last bit.

    Args:
        results: what was played.
        entrants: how many there are.
        ghost: games that everyone has won, and lost, against an opponent of strength 0.
        seats: whether seats have effects.

    Raises:
        NotConverged: the likelihood has no maximum that can be found.
        ValueError: the results do not fit together.
    """
    results = Results.of(results, entrants)
    model = Model(results, ghost=ghost, seats=seats)
    groups, circles, prior_driven = _connections(results)
    level = _level(groups, model.length) if ghost == 0 else np.zeros((model.length, model.length))
    x, curvature = _maximum(model, level)
    inverse = cho_solve(cho_factor(curvature + level), np.eye(model.length)) if model.length else curvature
    if results.deals > 1:
        scatter = model.scatter_of_deals(x) * (results.deals / (results.deals - 1))
    else:
        scatter = np.full_like(curvature, np.nan)
    centre, own_centre = _centre(groups, entrants), _centre(circles, entrants)
    clustered = model.spread_out(inverse @ scatter @ inverse)
    assumed = model.spread_out(inverse)
    clustered[np.diag_indices_from(clustered)] += LEAST_VARIANCE
    between = clustered[:entrants, :entrants]
    own_variance = np.full(entrants, np.inf)
    own = [entrant for circle in circles if len(circle) > 1 for entrant in circle]
    own_variance[own] = np.diag(own_centre @ between @ own_centre.T)[own]
    full = model.full(x)
    theta = centre @ full[:entrants]
    theta[results.games_of() == 0] = np.nan
    seats_end = entrants + max(1, results.seats)
    return Ratings(
        theta=theta,
        covariance=centre @ between @ centre.T,
        own_variance=own_variance,
        model_covariance=centre @ assumed[:entrants, :entrants] @ centre.T,
        seat_effects=full[entrants:seats_end],
        seat_covariance=clustered[entrants:seats_end, entrants:seats_end],
        log_delta={size: float(full[seats_end + at]) for at, size in enumerate(model.sizes) if size > 1},
        log_likelihood=model.log_likelihood(x),
        games=len(results),
        deals=results.deals,
        deals_of=results.deals_of(),
        groups=groups,
        prior_driven=prior_driven,
    )


def _maximum(model: Model, level: Floats) -> tuple[Floats, Floats]:
    """Return where the likelihood is greatest, and the curvature there.

    L-BFGS-B finds the place; Newton's steps, which double the number of right digits each, make it exact.
    """
    if not model.length:
        return np.zeros(0), np.zeros((0, 0))
    found = minimize(
        model.cost,
        np.zeros(model.length),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 2000, "maxfun": 4000, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-3},
    )
    x: Floats = found.x
    largest = np.inf
    for _ in range(NEWTON_STEPS):
        curvature = model.curvature(x)
        try:
            step = cho_solve(cho_factor(curvature + level), model.cost(x)[1])
        except np.linalg.LinAlgError:
            break
        largest = float(abs(step).max())
        x = x - step * min(1.0, 1.0 / max(largest, TOLERANCE))
        if largest <= TOLERANCE:
            return x, model.curvature(x)
    raise NotConverged(
        f"no ratings could be fitted: after {found.nit} steps of L-BFGS-B ({found.message}) and up to {NEWTON_STEPS} "
        f"of Newton's, the last step was {largest:.2g} and should be {TOLERANCE:.0g} at most"
    )


def _level(groups: Groups, length: int) -> Floats:
    """Return what keeps the mean of each table at 0 where no ghost does."""
    level = np.zeros((length, length))
    played = sorted(entrant for group in groups for entrant in group)
    at = {entrant: index for index, entrant in enumerate(played)}
    for group in groups:
        index = [at[entrant] for entrant in group]
        level[np.ix_(index, index)] = 1.0 / len(index)
    return level


def _centre(groups: Groups, entrants: int) -> Floats:
    """Return the matrix that takes the mean of each group away."""
    centre = np.eye(entrants)
    for group in groups:
        centre[np.ix_(group, group)] -= 1 / len(group)
    return centre


def _connections(results: Results) -> tuple[Groups, Groups, NDArray[np.bool_]]:
    """Return who is connected by games, who both ways, and who is not connected both ways with most of them."""
    count, played = results.entrants, results.games_of() > 0
    ahead = np.zeros((count, count), dtype=bool)
    for one in range(results.seats):
        for other in range(results.seats):
            if one != other:
                both = (results.seating[:, one] >= 0) & (results.seating[:, other] >= 0)
                not_behind = both & (results.placings[:, one] <= results.placings[:, other])
                ahead[results.seating[not_behind, one], results.seating[not_behind, other]] = True
    graph = coo_array(ahead)
    _, together = connected_components(graph, directed=False)
    _, both_ways = connected_components(graph, directed=True, connection="strong")
    prior_driven = np.zeros(count, dtype=bool)
    groups, circles = [], []
    for label in np.unique(together[played]):
        group = np.flatnonzero((together == label) & played)
        groups.append(tuple(group.tolist()))
        circles += [tuple(group[both_ways[group] == kind].tolist()) for kind in np.unique(both_ways[group])]
        kinds, sizes = np.unique(both_ways[group], return_counts=True)
        if len(kinds) > 1:
            most = kinds[sizes == sizes.max()]
            prior_driven[group] = (both_ways[group] != most[0]) | (len(most) > 1)
    return tuple(sorted(groups, key=lambda group: (-len(group), group))), tuple(circles), prior_driven
