"""Games by hand, and simulated ones, for the tests of ratings and reports."""

from collections.abc import Iterator

import numpy as np

from croupier_tournament.plan import PlanSpec, make_plan
from croupier_tournament.rating import GameResult


def game(number, seating, placings, **more):
    """A game of which only the placings matter, each in a deal of its own unless a deal is given."""
    seating, placings, deal = tuple(seating), tuple(placings), more.pop("deal", number)
    points = more.pop("points", tuple(float(len(seating) - placing) for placing in placings))
    return GameResult(deal, deal, seating, placings, points, replay=number, **more)


def ranked(orders, deal=lambda number: number):
    """Games without ties from texts such as "0213": entrants, best first."""
    return [
        game(number, map(int, order), range(1, len(order) + 1), deal=deal(number))
        for number, order in enumerate(orders.split())
    ]


def simulated(strengths, seats, blocks, seed=1, ties=0.0, names="bot") -> Iterator[GameResult]:
    """Games of a balanced plan: who has the greatest strength + luck is first. `ties` is how near a shared place is."""
    count = len(strengths)
    spec = PlanSpec("balanced", tuple(f"{names}{n:02}" for n in range(count)), seats, 0, "", "simulated", blocks=blocks)
    chance = np.random.Generator(np.random.PCG64(seed))
    for block in make_plan(spec).blocks:
        cards = chance.gumbel(size=seats) / 2
        for replay, seating in enumerate(block.replays):
            scores = np.array(strengths)[list(seating)] + cards + chance.gumbel(size=seats)
            scores = np.round(scores / ties) if ties else scores
            placings = tuple(int(1 + (scores > score).sum()) for score in scores)
            points = tuple(float(round(score * 10)) for score in scores)
            yield GameResult(block.deal, block.number, seating, placings, points, replay=replay)
