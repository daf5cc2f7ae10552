"""The books of a tournament under way: which blocks are final, and how those stand that have begun."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from croupier_tournament.plan import GameKey, Plan
from croupier_tournament.run.ledger import LEASED, REPORTED, VOID, Game, Ledger
from croupier_tournament.run.servers import GameServer


@dataclass(eq=False, slots=True)
class OpenBlock:
    """A block that has begun."""

    number: int
    attempt: int
    server: GameServer
    games: dict[int, Game] = field(default_factory=dict)
    """By replay; only those that have begun."""
    tasks: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    """By replay; what plays them now."""

    def complete(self, replays: int) -> bool:
        """Whether all its games are over."""
        return len(self.games) == replays and all(game.state == REPORTED for game in self.games.values())


class Books:
    """See the module. A final block takes one byte here, whatever its size.

    Attributes:
        open: the blocks that have begun, by number.
        final: how many are final.
        first: the number of the first block that is not final.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._final = bytearray(len(plan.blocks))
        self._attempts: dict[int, int] = {}
        self.open: dict[int, OpenBlock] = {}
        self.final = 0
        self.first = 0

    @property
    def final_games(self) -> int:
        """How many games are final."""
        return self.final * self._plan.spec.seats

    def attempt(self, block: int) -> int:
        """How often a block has been voided."""
        return self._attempts.get(block, 0)

    def finish(self, block: int) -> None:
        """A block is final."""
        self.open.pop(block, None)
        if not self._final[block]:
            self._final[block] = 1
            self.final += 1
            while self.first < len(self._final) and self._final[self.first]:
                self.first += 1

    def void(self, block: OpenBlock) -> None:
        """A block is to be played once more."""
        self._attempts[block.number] = block.attempt + 1
        self.open.pop(block.number, None)

    def begin(self, number: int, server: GameServer) -> OpenBlock:
        """A block begins."""
        block = self.open[number] = OpenBlock(number, self.attempt(number), server)
        return block

    def left(self, begun: Mapping[GameKey, Game]) -> Iterator[GameKey]:
        """Yield the games that are neither final nor begun, in the order of the plan."""
        for key in self._plan.order:
            if not self._final[key.block] and key not in begun:
                yield key

    async def restore(self, ledger: Ledger, tournament: str) -> dict[GameKey, Game]:
        """Read how things stand, and return the games that have begun in blocks that are not final or void."""
        async for number in ledger.final_blocks(tournament):
            self.finish(number)
        begun: dict[GameKey, Game] = {}
        async for game in ledger.games(tournament, states=(LEASED, REPORTED, VOID)):
            if game.state == VOID:
                self._attempts[game.block] = game.attempt + 1
            else:
                self._attempts.setdefault(game.block, game.attempt)
                begun[game.key] = game
        return begun
