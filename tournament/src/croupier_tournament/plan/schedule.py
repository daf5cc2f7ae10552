"""Balanced tables, for any number of entrants, seats and blocks.

Tables are cut from a row of rounds: in each round every entrant comes once, so those who sit down next are always among
the least played, and the numbers of blocks differ by one at most, at every prefix. A table that straddles two rounds
holds nobody twice.

Who of the least played sit together is decided a round at a time: from a seeded start, two entrants of different tables
change places as long as that brings together such as have met less. Choosing table by table, each time the one who has
met those already chosen least, leaves at the end of every round those together whom nobody wanted, and they are often
the same: pair counts then drift apart. Exchanging keeps them within the limits of `MOST_SPREAD`.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from croupier_games.kernel import Dice

MOST_SPREAD = {2: 3, 3: 3, 4: 3, 5: 4, 6: 5, 7: 5}
"""How far the numbers of meetings of two pairs may be apart, by seats, at every prefix of a balanced plan."""

TRIES = 64
"""How many starts a round has to stay within its limit; the first one does nearly always."""

_NEVER = 1 << 55
"""What it costs to seat an entrant beside itself: more than everything else, which is below 2 ** 50."""

Ints = NDArray[np.int64]


class Meetings:
    """How often every two of a number of entrants have met."""

    def __init__(self, counts: Ints) -> None:
        self.counts = counts
        self._pairs = np.triu_indices(len(counts), 1)

    @classmethod
    def none(cls, entrants: int) -> "Meetings":
        """Return those of the beginning."""
        return cls(np.zeros((entrants, entrants), dtype=np.int64))

    def add(self, table: list[int]) -> None:
        """Count one more meeting of everybody at a table. The diagonal counts, too; nobody looks at it."""
        self.counts[np.array(table)[:, None], table] += 1

    def copy(self) -> "Meetings":
        """Return another one that counts on from here."""
        return Meetings(self.counts.copy())

    def range(self) -> tuple[int, int]:
        """Return the fewest and the most meetings of two."""
        values = self.counts[self._pairs]
        return (int(values.min()), int(values.max())) if len(values) else (0, 0)

    def weights(self) -> Ints:
        """Return what it costs that two meet once more: the cube of how far they are above the average.

        The cube looks at both ends: it keeps apart who have met often and brings together who have met seldom.
        """
        values = self.counts[self._pairs]
        if not len(values):
            return np.zeros_like(self.counts)
        above: Ints = self.counts * len(values) - int(values.sum())
        scale = 1 + int(abs(above).max()) // (1 << 13)  # cubes of 2 ** 13, a table's worth of them, are below 2 ** 50
        weights: Ints = (above // scale) ** 3
        np.fill_diagonal(weights, 0)
        return weights


def balanced_tables(entrants: int, seats: int, dice: Dice) -> Iterator[list[int]]:
    """Yield tables without end: lists of so many of the numbers below `entrants`, in no particular order."""
    meetings = Meetings.none(entrants)
    begun: list[int] = []  # the table that straddles this round and the next
    while True:
        tables = _round(meetings, begun, entrants, seats, dice)
        begun = tables.pop() if len(tables[-1]) < seats else []
        for table in tables:
            meetings.add(table)
            yield table


def _round(meetings: Meetings, begun: list[int], entrants: int, seats: int, dice: Dice) -> list[list[int]]:
    """Return the tables of the next round: first the one that was begun, last the one that is not full yet."""
    limit = MOST_SPREAD.get(seats, entrants)
    tables_of = _places(len(begun), entrants, seats)
    weights = meetings.weights()
    best: list[list[int]] | None = None
    smallest = 0
    for _ in range(TRIES):
        tables = _exchanged(weights, begun, tables_of, dice)
        spread = _spread(meetings, tables, seats, limit)
        if best is None or spread < smallest:
            best, smallest = tables, spread
        if spread <= limit:
            break
    assert best is not None
    return best


def _places(begun: int, entrants: int, seats: int) -> Ints:
    """Return the table of each of a round's places: 0 for those who complete the table that was begun."""
    missing = (seats - begun) % seats if begun else 0
    later = (np.arange(entrants - missing) // seats) + (1 if begun else 0)
    return np.concatenate([np.zeros(missing, dtype=np.int64), later])[:entrants]


def _exchanged(weights: Ints, begun: list[int], tables_of: Ints, dice: Dice) -> list[list[int]]:
    """Start anywhere, and let two change places as long as that makes the round cheaper: each time the best two."""
    entrants, tables = len(weights), int(tables_of[-1]) + 1
    everybody = np.arange(entrants)
    at = np.empty(entrants, dtype=np.int64)  # the table of each entrant
    at[dice.shuffled(range(entrants))] = tables_of
    sits = np.zeros((entrants, tables), dtype=np.int64)
    sits[everybody, at] = 1
    cost: Ints = weights @ sits  # of each entrant at each table, as it is now
    if begun:
        cost[:, 0] += weights[:, begun].sum(axis=1)
        cost[begun, 0] += _NEVER
    while True:
        there = cost[:, at]
        here = there.diagonal()
        change = there + there.T - 2 * weights - here[:, None] - here[None, :]
        change[at[:, None] == at[None, :]] = 0
        cheapest = int(change.argmin())
        if change.flat[cheapest] >= 0:
            break
        one, other = divmod(cheapest, entrants)
        moved = weights[:, one] - weights[:, other]
        cost[:, at[one]] -= moved
        cost[:, at[other]] += moved
        at[one], at[other] = at[other], at[one]
    found: list[list[int]] = [[] for _ in range(tables)]
    found[0] += begun
    for entrant in range(entrants):
        found[at[entrant]].append(entrant)
    return found


def _spread(meetings: Meetings, tables: list[list[int]], seats: int, limit: int) -> int:
    """Return the largest spread of meetings that a round's full tables lead to, exact where it is above the limit."""
    fewest, _ = meetings.range()
    ahead = meetings.copy()
    full = [table for table in tables if len(table) == seats]
    for table in full:
        ahead.add(table)
    if (at_most := ahead.range()[1] - fewest) <= limit:
        return at_most
    ahead, largest = meetings.copy(), 0
    for table in full:
        ahead.add(table)
        low, high = ahead.range()
        largest = max(largest, high - low)
    return largest
