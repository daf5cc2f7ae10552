"""Whether a tournament may stop before its plan is played.

Looked at on whole blocks and in the order of the plan: a rule sees the first n blocks once all of them are final. So it
comes to the same verdict in whatever order games end, and what was played beyond those blocks does not count.
"""

import asyncio
from typing import TYPE_CHECKING

from croupier_tournament.plan import GameKey
from croupier_tournament.rating import EProcess, NotConverged, Precision
from croupier_tournament.run.ledger import Game, Ledger
from croupier_tournament.run.standing import compute
from croupier_tournament.run.tournament import Tournament

if TYPE_CHECKING:
    from croupier_tournament.run.play import Play

LOOK_S = 1.0
"""Between two looks."""


class Stopping:
    """See the module.

    Attributes:
        counted: how many blocks count, from the first on, once a rule is met; None before.
        reason: why it stops; empty before.
    """

    def __init__(self, tournament: Tournament, ledger: Ledger, play: "Play") -> None:
        self.counted: int | None = None
        self.reason = ""
        self._tournament = tournament
        self._ledger = ledger
        self._play = play
        rule = tournament.spec.stopping
        self._precision = None if rule.half_width is None else Precision(rule.half_width)
        self._evidence = None if rule.alpha is None else EProcess(rule.alpha, two_sided=True)
        self._looked = 0
        """Blocks that the precision was looked at after."""
        self._looking = asyncio.Lock()

    async def met(self) -> None:
        """Return when a rule is met; without one, never."""
        if self._precision is None and self._evidence is None:
            await asyncio.get_running_loop().create_future()
        while self.counted is None:
            await asyncio.sleep(LOOK_S)
            await self.look()

    async def look(self) -> None:
        """Look at the blocks that have become final since the last look."""
        async with self._looking:  # two looks at once would weigh the same blocks twice
            first = self._play.books.first
            if self._evidence is not None and self.counted is None and first > self._evidence.blocks:
                await self._play.flush()
                await self._weigh(self._evidence, first)
            if self._precision is not None and self.counted is None:
                await self._measure(self._precision, first)

    async def _weigh(self, evidence: EProcess, first: int) -> None:
        """Add the scores of more blocks to the evidence that one of the pair is better."""
        pair = self._tournament.plan.spec.pair
        assert pair is not None  # the plan of a head-to-head has one
        replays = self._tournament.spec.seats
        block: list[Game] = []
        async for game in self._ledger.games(
            self._tournament.id, after=GameKey(evidence.blocks - 1, replays), before_block=first
        ):
            block.append(game)
            if len(block) == replays:
                scores = [_score(self._tournament.seating(each.key), each, pair) for each in block]
                better = evidence.add(sum(scores) / len(scores))
                block = []
                if better is not None:
                    self.counted = evidence.blocks
                    name, other = pair if better == "A" else pair[::-1]
                    alpha = self._tournament.spec.stopping.alpha
                    self.reason = (
                        f"after {evidence.blocks} blocks {name} is better than {other} "
                        f"(e-value {evidence.value(better):.4g}, alpha {alpha:g})"
                    )
                    return

    async def _measure(self, precision: Precision, first: int) -> None:
        """See whether everybody's interval is narrow enough, whenever the number of deals has doubled."""
        while (look := precision.next_look(self._looked)) <= first:
            await self._play.flush()
            try:
                ratings = (await compute(self._tournament, self._ledger, look)).ratings
            except NotConverged:
                ratings = None
            self._looked = look  # a look that was cancelled is none
            if ratings is not None and precision.reached(ratings):
                self.counted = look
                self.reason = f"after {look} blocks every rating is known to ± {precision.target:g} or better"
                return


def _score(seating: tuple[str, ...], game: Game, pair: tuple[str, str]) -> float:
    """1 where the first of the pair finished above the second, 1/2 where they shared a place."""
    one, other = (game.placings[seating.index(name)] for name in pair)
    return 1.0 if one < other else 0.5 if one == other else 0.0
