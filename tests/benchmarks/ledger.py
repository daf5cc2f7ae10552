"""What a long tournament holds in memory: ``python tests/benchmarks/ledger.py --games 1000000``.

Writes a ledger of so many games (in batches, as a run does), reads it as a resumed run does, publishes its files and
rates its games; says how long each took and how much memory the process has needed at most. Not part of `make bench`: a
million games take several minutes and two gigabytes of disk.
"""

import argparse
import asyncio
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from croupier_tournament.plan import GameKey
from croupier_tournament.run.books import Books
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.hosting import publish_all
from croupier_tournament.run.ledger import FINAL, Game, Ledger, Recorded
from croupier_tournament.run.schedule import Pace, Schedule
from croupier_tournament.run.tournament import Tournament

TARGET_MIB = 1024
BATCH = 500
ENTRANTS = 16
SEATS = 4


def main() -> None:
    """Measure; the figures on stdout."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=100_000, help="default: %(default)s")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="croupier-ledger-") as folder:
        asyncio.run(measure(Path(folder), options.games // SEATS))


async def measure(path: Path, blocks: int) -> None:
    """Go through the life of a tournament without playing it."""
    table = {
        "game": "trick-and-trade",
        "seats": SEATS,
        "blocks": blocks,
        "entrants": [{"name": f"bot-{number:02}", "house": "random"} for number in range(ENTRANTS)],
    }
    place = Folder(path / "it")
    ledger, tournament = await timed("plan", place.create(table, text=None, programs=path))
    async with ledger:
        await timed("write", write(ledger, tournament))
        await timed("restore", restore(ledger, tournament))
        await timed("publish and rate", publish_all(tournament, ledger, place))


async def timed(what: str, work: Coroutine[Any, Any, Any]) -> Any:
    """Do something, and say how long it took and how much memory has been needed by then."""
    start = time.perf_counter()
    result = await work
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = time.perf_counter() - start
    print(f"{what:20} {seconds:8.1f} s {peak:8.0f} MiB at most, target {TARGET_MIB}", flush=True)
    return result


async def write(ledger: Ledger, tournament: Tournament) -> None:
    """Write all games as if they had been played, in the order of the plan's blocks."""
    dice = random.Random(1)
    record = Recorded.of("input 2 play ZEUS-4\n" * 72, [3] * 72)
    batch: list[Game] = []
    for number in range(len(tournament.plan.blocks)):
        batch += (game(tournament, GameKey(number, replay), dice) for replay in range(SEATS))
        if len(batch) >= BATCH:
            await ledger.write(tournament.id, batch, {each.key: record for each in batch})
            batch = []
    await ledger.write(tournament.id, batch, {each.key: record for each in batch})


def game(tournament: Tournament, key: GameKey, dice: random.Random) -> Game:
    """A game with a random result."""
    places = dice.sample(range(1, SEATS + 1), SEATS)
    return Game(
        block=key.block,
        replay=key.replay,
        state=FINAL,
        attempt=0,
        owner="bench",
        leased=1.0,
        server="local",
        bots=tournament.seating(key),
        session="0123456789abcdef",
        points=tuple(50 - 10 * place for place in places),
        placings=tuple(places),
        forfeited=(False,) * SEATS,
        faults=({},) * SEATS,
        decisions=(18,) * SEATS,
        charged=(5,) * SEATS,
        ended=2.0,
    )


async def restore(ledger: Ledger, tournament: Tournament) -> None:
    """What a run reads when it is resumed, and the whole plan parked at once, as the slowest of bots would have it."""
    books = Books(tournament.plan)
    await books.restore(ledger, tournament.id)
    assert books.final == len(tournament.plan.blocks)
    unplayable: Callable[[int], bool] = lambda _: False  # noqa: E731 -- the shortest way to say it
    everything = iter(tournament.plan.order)
    schedule = Schedule(everything, tournament.table, Pace(ENTRANTS), seats=SEATS, slots=1)
    for _ in range(len(tournament.plan) // 2000 + 1):
        schedule.next(unplayable)


if __name__ == "__main__":
    sys.exit(main())
