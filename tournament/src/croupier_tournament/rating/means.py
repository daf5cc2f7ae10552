"""Means of what belongs together in deals."""

import numpy as np

from croupier_tournament.rating.results import Floats, Ints


def clustered_means(entrant: Ints, deal: Ints, values: Floats, entrants: int) -> tuple[Floats, Floats]:
    """Return the mean of each entrant's values and its standard error, clustered by deal.

    Games of one deal are no independent witnesses: residuals are summed by deal before they are squared.

    Args:
        entrant: whose each value is, of shape (values,), numbers below `entrants`.
        deal: which deal each value is of, of shape (values,), not below 0.
        values: of shape (values,).
        entrants: how many there are.

    Returns:
        Both of shape (entrants,); not a number where there are no values, errors also where there is just one deal.
    """
    count = np.bincount(entrant, minlength=entrants)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = np.bincount(entrant, values, entrants) / count
        both, index = np.unique(entrant.astype(np.int64) * (int(deal.max(initial=0)) + 1) + deal, return_inverse=True)
        whose = both // (int(deal.max(initial=0)) + 1)
        residuals = np.bincount(index, values - means[entrant], len(both))
        deals = np.bincount(whose, minlength=entrants)
        squares = np.bincount(whose, residuals**2, entrants)
        errors: Floats = np.sqrt(squares * deals / (deals - 1)) / count
    return means, errors
