"""From the ledger's games, or from published ones, to standings."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from croupier_games.kernel import find_game
from croupier_tournament.plan import GameKey, Plan
from croupier_tournament.rating import GameResult, Ratings, Results, Standings, fit, standings
from croupier_tournament.report import Report, Subject
from croupier_tournament.run.ledger import PAGE, Game, Ledger
from croupier_tournament.run.tournament import Tournament
from croupier_tournament.spec import Spec

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Standing:
    """What games say about entrants, at three depths. Entrants are numbered as in the plan."""

    results: Results
    ratings: Ratings
    standings: Standings

    def report(self, subject: Subject) -> Report:
        """Return what reports are made of."""
        return Report(subject, self.standings, self.results)


async def compute(tournament: Tournament, ledger: Ledger, before_block: int | None) -> Standing:
    """Rate the games that are final, in a thread: it may take seconds. Games in vain are counted, too.

    Args:
        tournament: whose.
        ledger: where its games are.
        before_block: only blocks before this one; None: all.

    Raises:
        NotConverged: no ratings could be fitted.
    """
    games = ledger.games(tournament.id, before_block=before_block)
    found = in_thread(games, asyncio.get_running_loop())
    plan = tournament.plan
    voided: Counter[int] = Counter()
    for void in await ledger.voids(tournament.id):
        voided.update(dict.fromkeys(tournament.table(void.block), void.games))
    return await asyncio.to_thread(lambda: rate((result_of(plan, game) for game in found), len(plan.entrants), voided))


def rate(games: Iterable[GameResult], entrants: int, voided: Mapping[int, int] | None = None) -> Standing:
    """Rate games. They are taken in one by one, so there may be very many.

    Args:
        games: those that count.
        entrants: how many there are.
        voided: games in vain, by entrant; they are shown, but in no file that is compared.

    Raises:
        NotConverged: no ratings could be fitted.
    """
    results = Results(games, entrants)
    ratings = fit(results, entrants)
    return Standing(results, ratings, standings(ratings, results, voided))


def subject_of(spec: Spec, plan: Plan, commitment: str) -> Subject:
    """What reports say a tournament is; it follows from what was published before the first game."""
    pair = plan.spec.pair
    return Subject(
        title=spec.title,
        game=spec.game,
        rules_version=find_game(spec.game).rules_version,
        seats=spec.seats,
        format=spec.format,
        entrants=plan.entrants,
        plan_version=plan.version,
        plan_hash=plan.hash,
        planned=len(plan),
        kinds=tuple(spec.entrant(name).kind_name for name in plan.entrants),
        options=dict(spec.options),
        commitment=commitment,
        pair=None if pair is None else (plan.entrants.index(pair[0]), plan.entrants.index(pair[1])),
    )


def published_games(path: Path, plan: Plan) -> Iterator[GameResult]:
    """Read `games.jsonl`.

    Raises:
        OSError: it cannot be read.
        ValueError, KeyError, TypeError: it is not what it should be.
    """
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield result_of_line(json.loads(line), plan)


def result_of(plan: Plan, game: Game) -> GameResult:
    """A game of the ledger as ratings take it."""
    block = plan.blocks[game.block]
    return GameResult(
        deal=block.deal,
        block=game.block,
        seating=block.replays[game.replay],
        placings=game.placings,
        points=tuple(map(float, game.points)),
        faults=game.faults,
        forfeited=game.forfeited,
        replay=game.replay,
        decisions=game.decisions,
    )


def result_of_line(line: Mapping[str, Any], plan: Plan) -> GameResult:
    """A line of `games.jsonl` as ratings take it. Raises ValueError, KeyError or TypeError where it is not one."""
    key = GameKey.parse(line["game"])
    block = plan.blocks[key.block]
    return GameResult(
        deal=block.deal,
        block=key.block,
        seating=block.replays[key.replay],
        placings=tuple(line["placings"]),
        points=tuple(map(float, line["points"])),
        faults=tuple(line["faults"]),
        forfeited=tuple(line["forfeited"]),
        replay=key.replay,
        decisions=tuple(line["decisions"]),
    )


def in_thread(items: AsyncIterator[T], loop: asyncio.AbstractEventLoop) -> Iterator[T]:
    """Iterate in a thread over what comes asynchronously in a loop, some at a time."""

    async def some() -> list[T]:
        found: list[T] = []
        async for item in items:
            found.append(item)
            if len(found) >= PAGE:
                break
        return found

    while found := asyncio.run_coroutine_threadsafe(some(), loop).result():
        yield from found
