"""Plans: which blocks are played, from which seats, in which order.

A plan is a pure function of its specification and the plan version. Its chance is that of `croupier_games.kernel.Dice`,
from the digest of the specification; nothing of it depends on the secret from which the cards follow.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import combinations, islice
from typing import overload

import numpy as np
from numpy.typing import NDArray

from croupier_games.kernel import Dice
from croupier_tournament.plan.designs import design_tables
from croupier_tournament.plan.order import playing_order
from croupier_tournament.plan.schedule import balanced_tables
from croupier_tournament.plan.seating import first_row, neighbours, seeded_row, squares, turns
from croupier_tournament.plan.spec import MOST_GAMES, VERSION, Format, PlanSpec, check_length

DRAWN = 6
"""Squares to choose from for a deal, where a table has none that come in turn."""
AT_HAND = 1024
"""Blocks that are not made anew: those that are played are asked for again and again."""


@dataclass(frozen=True, slots=True)
class Block:
    """One table, one deal, and as many replays as there are seats. All numbers are 0-based."""

    number: int
    table: tuple[int, ...]
    """Who plays: indices of `plan.entrants`, rising."""
    deal: int
    """The number of its deal, which no other block of the plan has."""
    replays: tuple[tuple[int, ...], ...]
    """Who sits at each seat, in each replay: a Latin square."""


@dataclass(frozen=True, slots=True, order=True)
class GameKey:
    """One game of a plan.

    >>> str(GameKey(123, 2)), GameKey.parse("b000123-r2")
    ('b000123-r2', GameKey(block=123, replay=2))
    """

    block: int
    replay: int

    def __str__(self) -> str:
        return f"b{self.block:06}-r{self.replay}"

    @classmethod
    def parse(cls, text: str) -> "GameKey":
        """Read what `str` has written. Raises ValueError."""
        block, _, replay = text.partition("-")
        try:
            key = cls(int(block.removeprefix("b")), int(replay.removeprefix("r")))
        except ValueError:
            key = cls(-1, -1)
        if str(key) != text:
            raise ValueError(f"{text!r} is no game; games are named like b000123-r2")
        return key


class Blocks(Sequence[Block]):
    """The blocks of a plan, each made when it is asked for, and kept for a while."""

    def __init__(self, first_rows: NDArray[np.uint16]) -> None:
        self._rows = first_rows
        self._turns = turns(first_rows.shape[1])
        self._lately = lru_cache(AT_HAND)(self._made)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Block: ...

    @overload
    def __getitem__(self, index: slice) -> list[Block]: ...

    def __getitem__(self, index: int | slice) -> Block | list[Block]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        return self._lately(range(len(self))[index])

    def _made(self, number: int) -> Block:
        row = self._rows[number].tolist()
        replays = tuple(tuple(row[seat] for seat in turn) for turn in self._turns)
        return Block(number, tuple(sorted(row)), number, replays)


class Order(Sequence[GameKey]):
    """The games of a plan in the order in which they are played, each made when it is asked for."""

    def __init__(self, games: NDArray[np.uint32], seats: int) -> None:
        self._games = games
        self._seats = seats

    def __len__(self) -> int:
        return len(self._games)

    @overload
    def __getitem__(self, index: int) -> GameKey: ...

    @overload
    def __getitem__(self, index: slice) -> list[GameKey]: ...

    def __getitem__(self, index: int | slice) -> GameKey | list[GameKey]:
        if isinstance(index, slice):
            return [GameKey(*divmod(game, self._seats)) for game in self._games[index].tolist()]
        return GameKey(*divmod(int(self._games[index]), self._seats))


class Plan:
    """Which games are played, and in which order. Its length is the number of games; `make_plan` makes it.

    It takes about ten bytes for each game, so plans of a million games are no burden.
    """

    version = VERSION

    def __init__(self, spec: PlanSpec, first_rows: NDArray[np.uint16], games: NDArray[np.uint32]) -> None:
        self.spec = spec
        """Canonical: entrants are sorted."""
        self.entrants = spec.entrants
        """What the indices in blocks mean."""
        self.first_rows = first_rows
        """Who sits at each seat in replay 0 of each block, of shape (blocks, seats)."""
        self.blocks: Sequence[Block] = Blocks(first_rows)
        self.order: Sequence[GameKey] = Order(games, spec.seats)
        self.hash = _hash(spec, first_rows, games)
        """64 hexadecimal digits that tell this plan from every other one: see docs/explanation/plans.md."""

    def __len__(self) -> int:
        return len(self.order)

    def seating(self, key: GameKey) -> tuple[str, ...]:
        """Return the names of the entrants in a game, by seat."""
        return tuple(self.entrants[entrant] for entrant in self.blocks[key.block].replays[key.replay])


def make_plan(spec: PlanSpec, most: int = MOST_GAMES) -> Plan:
    """Make the plan of a specification: always the same one.

    Args:
        spec: whatever it is.
        most: how many games it may have.

    Raises:
        PlanError: it cannot be planned; says which field is wrong and what would be right.
    """
    spec = spec.checked(most)
    if spec.format is Format.DESIGN:
        check_length("deals", spec.deals * len(design_tables(len(spec.entrants), spec.seats)) * spec.seats, most)
    chance = spec.chance()
    tables = np.array(list(_tables(spec, chance.dice("tables"))), dtype=np.uint16)
    rows = _seated(tables, spec, chance.dice("seating"))
    return Plan(spec, rows, playing_order(rows, chance.dice("order")))


def _tables(spec: PlanSpec, dice: Dice) -> Iterator[list[int]]:
    """Yield the table of each block, as rising indices."""
    fixed, free = list(spec.fixed), [index for index in range(len(spec.entrants)) if index not in spec.fixed]
    others = spec.seats - len(fixed)
    if spec.blocks is None:
        once = design_tables(len(free), spec.seats) if spec.format is Format.DESIGN else combinations(free, others)
        tables = [sorted(fixed + list(table)) for table in once]
        for _ in range(spec.deals):
            yield from dice.shuffled(tables)
    elif others == 0:
        yield from [fixed] * spec.blocks
    else:
        for table in islice(balanced_tables(len(free), others, dice), spec.blocks):
            yield sorted(fixed + [free[index] for index in table])


def _seated(tables: NDArray[np.uint16], spec: PlanSpec, dice: Dice) -> NDArray[np.uint16]:
    """Return the first row of each block's square.

    The deals of a table take the squares in turn; with which one a table begins is what balances left neighbours best.
    Where there are no such squares, it is the best of some that are drawn for the deal.
    """
    seats, in_turn = spec.seats, squares(spec.seats)
    known = [first_row(seats, square) for square in range(in_turn)]
    beside = [neighbours(seats, row) for row in known]
    counts = np.zeros((len(spec.entrants), len(spec.entrants)), dtype=np.int64)
    last: dict[bytes, int] = {}  # by table: the square of its last deal
    rows = np.empty_like(tables)
    for block, table in enumerate(tables):
        name = table.tobytes()
        if name in last:
            square = (last[name] + 1) % in_turn
        else:
            if not in_turn:
                known = [seeded_row(seats, dice) for _ in range(DRAWN)]
                beside = [neighbours(seats, row) for row in known]
            pairs = table[np.array(beside)]
            so_far = counts[pairs[..., 0], pairs[..., 1]].sum(axis=1)
            square = dice.choice(np.flatnonzero(so_far == so_far.min()).tolist())
        if in_turn:
            last[name] = square
        pairs = table[np.array(beside[square])]
        np.add.at(counts, (pairs[:, 0], pairs[:, 1]), 1)
        rows[block] = table[list(known[square])]
    return rows


def _hash(spec: PlanSpec, first_rows: NDArray[np.uint16], games: NDArray[np.uint32]) -> str:
    """Return SHA-256 of the specification's digest, all first rows and all games in order, as big-endian numbers."""
    return sha256(spec.digest() + first_rows.astype(">u2").tobytes() + games.astype(">u4").tobytes()).hexdigest()
