"""The likelihood against what it is by definition, written down as slowly and plainly as can be."""

from itertools import combinations
from math import exp, log

import numpy as np
import pytest
from simulated_games import game

from croupier_tournament.rating import Results
from croupier_tournament.rating.model import Model

GAMES = [
    game(0, (0, 1, 2, 3), (1, 2, 3, 4), deal=0),
    game(1, (3, 0, 1, 2), (2, 2, 1, 4), deal=0),
    game(2, (2, 3, 0, 1), (1, 1, 1, 4), deal=1),
    game(3, (1, 2, 3, 0), (1, 1, 3, 3), deal=1),
    game(4, (4, 2, 0), (3, 1, 2), deal=2),
    game(5, (4, 1), (1, 1), deal=3),
]
X = np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.2, -0.3, 0.15, -0.7, -1.1])
"""θ of five, effects of seats 1 to 3, log δ of pairs and of three."""


def by_definition(x, games, ghost):
    theta, seat, delta = x[:5], [0, *x[5:8]], {1: 0, 2: x[8], 3: x[9]}

    def worth(group, seating):
        mean = sum(theta[seating[at]] + seat[at] for at in group) / len(group)
        return exp(delta[len(group)] + mean)

    total = 0.0
    for one in games:
        remaining = list(range(len(one.seating)))
        for place in sorted(set(one.placings)):
            group = [at for at in remaining if one.placings[at] == place]
            if len(remaining) > 1:
                rivals = [some for size in (1, 2, 3) for some in combinations(remaining, size)]
                total += log(worth(group, one.seating) / sum(worth(some, one.seating) for some in rivals))
            remaining = [at for at in remaining if at not in group]
    for z in (*theta, *seat[1:], delta[3]):
        both = exp(z) + 1 + exp(delta[2] + z / 2)
        total += ghost * (log(exp(z) / both) + log(1 / both))
    return total


def model(games=GAMES, ghost=0.5, seats=True):
    return Model(Results(games, 5), ghost=ghost, seats=seats)


@pytest.mark.parametrize("ghost", [0, 0.5, 2])
def test_the_likelihood_is_that_of_the_definition(ghost):
    value, _ = model(ghost=ghost).cost(X)
    assert -value == pytest.approx(by_definition(X, GAMES, ghost), rel=1e-13)
    assert model(ghost=ghost).log_likelihood(X) == pytest.approx(by_definition(X, GAMES, 0), rel=1e-13)


def slope(function, x, step=1e-5):
    steps = np.eye(len(x)) * step
    return np.array([(np.array(function(x + s)) - np.array(function(x - s))) / (2 * step) for s in steps])


@pytest.mark.parametrize("ghost", [0, 0.5])
def test_the_gradient_is_the_slope_of_the_cost(ghost):
    it = model(ghost=ghost)
    assert it.cost(X)[1] == pytest.approx(slope(lambda x: it.cost(x)[0], X), abs=1e-8)


@pytest.mark.parametrize("ghost", [0, 0.5])
def test_the_curvature_is_the_slope_of_the_gradient(ghost):
    it = model(ghost=ghost)
    assert it.curvature(X) == pytest.approx(slope(lambda x: it.cost(x)[1], X), abs=1e-8)


def test_the_scatter_is_that_of_the_gradients_of_deals():
    whole = model(ghost=0)
    expected = np.zeros((len(X), len(X)))
    for deal in range(4):
        games = [one for one in GAMES if one.deal == deal]
        gradient = slope(lambda x, games=games: by_definition(x, games, 0), X)
        expected += np.outer(gradient, gradient)
    assert whole.scatter_of_deals(X) == pytest.approx(expected, abs=1e-7)


def test_large_data_are_looked_at_in_pieces_of_whole_deals(monkeypatch):
    whole = model()
    monkeypatch.setattr("croupier_tournament.rating.model.CHUNK", 1)
    pieces = model()
    assert pieces.ranges == [(0, 2), (2, 4), (4, 5), (5, 6)]
    assert whole.ranges == [(0, 6)]
    assert pieces.cost(X)[0] == pytest.approx(whole.cost(X)[0], rel=1e-14)
    assert pieces.cost(X)[1] == pytest.approx(whole.cost(X)[1], abs=1e-13)
    assert pieces.curvature(X) == pytest.approx(whole.curvature(X), abs=1e-13)
    assert pieces.scatter_of_deals(X) == pytest.approx(whole.scatter_of_deals(X), abs=1e-13)


def test_only_what_can_be_estimated_is():
    """Two of five have not played, seats are left out, nobody shared a place: three strengths remain."""
    few = model([game(0, (0, 2, 4), (1, 2, 3))], seats=False)
    assert few.length == 3
    assert few.full(np.array([1.0, 2.0, 3.0])).tolist() == [1, 0, 2, 0, 3, 0, 0, 0, 0]
    assert model().length == 10
