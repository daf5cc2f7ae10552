"""How fast plans and ratings are, and how much they hold: alone, without games, servers or ledger."""

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from croupier_tournament.plan import PlanSpec, make_plan
from croupier_tournament.rating import GameResult, Results, fit, standings

BOTS, SEATS, BLOCKS = 64, 4, 10_000
PLAN_TARGET_S = 5.0
RATED_BLOCKS = 2_500
FIT_TARGET_S = 2.0
MILLION_TARGET_MIB = 1024.0


def measure() -> Iterator[dict[str, Any]]:
    """A row for each figure: what, value, unit, target and whether it is met."""
    seconds, _ = _timed(lambda: make_plan(_spec(BLOCKS)))
    yield _row(f"plan, {BOTS} bots, {SEATS} seats, {BLOCKS:,} blocks", seconds, "s", PLAN_TARGET_S)
    for name, coarse in (("no ties", False), ("many ties", True)):
        games = list(_games(RATED_BLOCKS, coarse=coarse))
        seconds, results = _timed(lambda games=games: Results(games, BOTS))
        yield _row(f"results of {len(games):,} games as arrays, {name}", seconds, "s")
        seconds, ratings = _timed(lambda results=results: fit(results, BOTS))
        yield _row(f"ratings from {len(games):,} games, {BOTS} bots, {name}", seconds, "s", FIT_TARGET_S)
        seconds, _ = _timed(lambda ratings=ratings, results=results: standings(ratings, results))
        yield _row(f"standings from them, {name}", seconds, "s")
    for what in ("plan", "rate"):
        mib = float(subprocess.check_output([sys.executable, __file__, what], text=True))
        yield _row(f"memory of a process, to {what} a million games", mib, "MiB", MILLION_TARGET_MIB)


def _row(what: str, value: float, unit: str, target: float | None = None) -> dict[str, Any]:
    return {
        "what": what,
        "value": round(value, 3),
        "unit": unit,
        "target": target,
        "met": None if target is None else value <= target,
    }


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return processor seconds of this process and what came of it."""
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


def _spec(blocks: int) -> PlanSpec:
    names = tuple(f"bot{number:02}" for number in range(BOTS))
    return PlanSpec("balanced", names, SEATS, 0, "benchmark", "benchmark", blocks=blocks)


def _games(blocks: int, *, coarse: bool) -> Iterator[GameResult]:
    """Play a plan by throwing dice: bots with higher numbers are better."""
    dice = random.Random(1)
    for block in make_plan(_spec(blocks)).blocks:
        for replay, seating in enumerate(block.replays):
            points = [bot / BOTS + dice.gauss(0, 0.6) for bot in seating]
            points = [float(round(point)) for point in points] if coarse else points
            placings = tuple(1 + sum(other > mine for other in points) for mine in points)
            yield GameResult(block.deal, block.number, seating, placings, tuple(points), replay=replay)


def _tables(blocks: int) -> Iterator[tuple[int, ...]]:
    """Tables at random: quicker than a plan."""
    dice = random.Random(2)
    for _ in range(blocks):
        yield tuple(dice.sample(range(BOTS), SEATS))


def _million(what: str) -> float:
    """Return the peak memory of this process, in MiB, after it has planned, or rated, a million games."""
    import resource

    if what == "plan":
        make_plan(_spec(250_000))
    else:
        dice = random.Random(1)
        games = (
            GameResult(
                block,
                block,
                (*table[turn:], *table[:turn]),
                tuple(dice.sample((1, 2, 3, 4), 4)),
                (0.0,) * 4,
                replay=turn,
            )
            for block, table in enumerate(_tables(250_000))
            for turn in range(SEATS)
        )
        results = Results(games, BOTS)
        standings(fit(results, BOTS), results)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    print(_million(sys.argv[1]))
