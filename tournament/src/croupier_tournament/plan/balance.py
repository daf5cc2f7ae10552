"""How even a plan is: who plays how often, meets whom, sits where, and beside whom."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from croupier_tournament.plan.plan import Plan
from croupier_tournament.plan.seating import turns

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Spread:
    """The fewest and the most of something."""

    fewest: int
    most: int

    @property
    def spread(self) -> int:
        """How far they are apart."""
        return self.most - self.fewest

    @classmethod
    def of(cls, counts: Ints) -> "Spread":
        """Return that of some counts; of none 0 and 0."""
        return cls(int(counts.min()), int(counts.max())) if counts.size else cls(0, 0)


@dataclass(frozen=True, slots=True)
class Balance:
    """Counts over the first blocks of a plan. Entrants are numbered as in `plan.entrants`."""

    blocks: int
    games: int
    played: Ints
    """Blocks of each entrant, of shape (entrants,)."""
    pairs: Ints
    """Blocks in which two meet, symmetric, 0 on the diagonal, of shape (entrants, entrants)."""
    seats: Ints
    """Games of each entrant at each seat, of shape (entrants, seats)."""
    neighbours: Ints
    """Games in which [one, other] have the other at the next seat, of shape (entrants, entrants)."""

    @property
    def played_spread(self) -> Spread:
        """Of the blocks that entrants play."""
        return Spread.of(self.played)

    @property
    def pair_spread(self) -> Spread:
        """Of the blocks in which two entrants meet, over all pairs."""
        return Spread.of(self.pairs[np.triu_indices(len(self.pairs), 1)])

    @property
    def seat_spread(self) -> Spread:
        """Of the games at a seat, over the seats of each entrant: the widest of all entrants."""
        widest = int((self.seats.max(axis=1) - self.seats.min(axis=1)).argmax())
        return Spread.of(self.seats[widest])

    @property
    def neighbour_spread(self) -> Spread:
        """Of the games in which one sits next to another, over all ordered pairs."""
        return Spread.of(self.neighbours[~np.eye(len(self.neighbours), dtype=bool)])


def balance(plan: Plan, upto: int | None = None) -> Balance:
    """Count over the first blocks of a plan.

    Args:
        plan: whatever it is.
        upto: how many blocks; all if left out.

    Raises:
        ValueError: there are not so many.
    """
    blocks = len(plan.blocks) if upto is None else upto
    if not 0 <= blocks <= len(plan.blocks):
        raise ValueError(f"the plan has {len(plan.blocks)} blocks, not {blocks}")
    return _balance(plan, blocks)


def tenths(plan: Plan) -> list[Balance]:
    """Count at every tenth of the way; of a plan of fewer than ten blocks, after each of them."""
    blocks = len(plan.blocks)
    return [_balance(plan, upto) for upto in sorted({-(-blocks * tenth // 10) for tenth in range(1, 11)})]


def _balance(plan: Plan, blocks: int) -> Balance:
    entrants, seats = len(plan.entrants), plan.spec.seats
    rows = plan.first_rows[:blocks].astype(np.int64)
    played = np.bincount(rows.ravel(), minlength=entrants)
    pairs = np.zeros((entrants, entrants), dtype=np.int64)
    at = np.zeros((entrants, seats), dtype=np.int64)
    neighbours = np.zeros((entrants, entrants), dtype=np.int64)
    for one in range(seats):
        for other in range(seats):
            if one != other:
                np.add.at(pairs, (rows[:, one], rows[:, other]), 1)
    for turn in turns(seats):
        for seat in range(seats):
            np.add.at(at[:, seat], rows[:, turn[seat]], 1)
            np.add.at(neighbours, (rows[:, turn[seat]], rows[:, turn[(seat + 1) % seats]]), 1)
    return Balance(blocks, blocks * seats, played, pairs, at, neighbours)
