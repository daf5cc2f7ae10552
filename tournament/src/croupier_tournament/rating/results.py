"""Results of games, as they come and as arrays."""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game that counts. All tuples are in seat order; entrants are numbered as in the plan."""

    deal: int
    block: int
    seating: tuple[int, ...]
    """Who sat at each seat."""
    placings: tuple[int, ...]
    """1 is best; equal ones are shared: 1, 2, 2, 4."""
    points: tuple[float, ...]
    faults: tuple[Mapping[str, int], ...] = ()
    """How many of each kind, for each seat; may be left out where there are none."""
    forfeited: tuple[bool, ...] = ()
    """Whether the seat was given up; may be left out where none was."""
    replay: int = 0
    """Which replay of its deal."""
    decisions: tuple[int, ...] = ()
    """How many were asked of each seat; may be left out where nobody wants to know."""

    def placed(self) -> tuple[int, ...]:
        """Return the placings that count: forfeited seats share the last place, the others keep their order.

        >>> GameResult(0, 0, (4, 5, 6), (1, 2, 3), (9, 5, 1), forfeited=(True, False, False)).placed()
        (3, 1, 2)
        """
        if not any(self.forfeited):
            return self.placings
        keys = list(zip(self.forfeited, self.placings, strict=True))
        keys = [(True, 0) if lost else key for lost, key in zip(self.forfeited, keys, strict=True)]
        return tuple(1 + sum(other < key for other in keys) for key in keys)


@dataclass(slots=True)
class Tally:
    """What adds up for an entrant, beside its results."""

    faults: Counter[str] = field(default_factory=Counter)
    """How many of each kind."""
    forfeits: int = 0
    """Games in which its seat was given up."""
    decisions: int = 0
    """How many it was asked for."""


class Results:
    """Results as arrays, sorted by deal and replay: whatever the order in which they came, the same arrays.

    Tables may be of different sizes; then the arrays are as wide as the largest, and nobody (-1) sits at the rest.
    A million games of four seats take 70 MB.
    """

    def __init__(self, games: Iterable[GameResult], entrants: int) -> None:
        """Take in games, one after the other; none is kept as an object.

        Raises:
            ValueError: one does not fit together, or is of entrants that there are not.
        """
        self.entrants = entrants
        """How many there are; not all need to have played."""
        self.tallies = [Tally() for _ in range(entrants)]
        keys, ints, points, lengths = array("q"), array("i"), array("d"), array("i")
        for game in games:
            self._check(game)
            keys.extend((game.deal, game.block, game.replay, len(game.seating)))
            ints.extend(game.seating)
            ints.extend(game.placed())
            points.extend(game.points)
            lengths.append(sum(game.decisions))
            self._tally(game)
        key = np.array(keys, dtype=np.int64).reshape(-1, 4)
        self.seats = int(key[:, 3].max(initial=0))
        """At the largest table; 0 where there are no games."""
        taken = np.arange(self.seats) < key[:, 3, None]
        seating = np.full(taken.shape, -1, dtype=np.int32)
        placings = np.zeros(taken.shape, dtype=np.int16)
        score = np.zeros(taken.shape)
        is_seating = np.repeat(np.tile([True, False], len(key)), np.repeat(key[:, 3], 2))
        both = np.frombuffer(ints or array("i", [0]), dtype=np.int32)[: len(ints)]
        seating[taken], placings[taken], score[taken] = both[is_seating], both[~is_seating], points
        sort = np.lexsort((*seating.T[::-1], key[:, 2], key[:, 1], key[:, 0]))
        self.deal: Ints = np.unique(key[sort, 0], return_inverse=True)[1]
        """The deal of each game, numbered from 0 without gaps, in the order of their numbers."""
        self.block: Ints = key[sort, 1]
        """The block of each game."""
        self.seating = seating[sort]
        """Who sat where, of shape (games, seats)."""
        self.placings = placings[sort]
        """By seat, forfeits taken into account, of shape (games, seats); 0 where nobody sits."""
        self.points: Floats = score[sort]
        """By seat, of shape (games, seats); 0 where nobody sits."""
        self.length: Ints = np.array(lengths, dtype=np.int64)[sort]
        """Decisions in each game; 0 where nobody has counted them."""

    @classmethod
    def of(cls, games: "Results | Iterable[GameResult]", entrants: int) -> "Results":
        """Return results as arrays, whichever way they are given."""
        return games if isinstance(games, Results) else cls(games, entrants)

    def __len__(self) -> int:
        return len(self.deal)

    @property
    def deals(self) -> int:
        """How many different ones were played."""
        return int(self.deal[-1]) + 1 if len(self) else 0

    def games_of(self) -> Ints:
        """Return how many games each entrant has played, of shape (entrants,)."""
        return np.bincount(self.seating[self.seating >= 0], minlength=self.entrants)

    def deals_of(self) -> Ints:
        """Return how many different deals each entrant has played, of shape (entrants,)."""
        deal = np.broadcast_to(self.deal[:, None], self.seating.shape)[self.seating >= 0]
        entrant = self.seating[self.seating >= 0].astype(np.int64)
        return np.bincount(np.unique(entrant * (self.deals or 1) + deal) // (self.deals or 1), minlength=self.entrants)

    def _check(self, game: GameResult) -> None:
        seats, where = len(game.seating), f"block {game.block}, replay {game.replay}"
        for name in ("placings", "points", "faults", "forfeited", "decisions"):
            count = len(getattr(game, name))
            if count != seats and (count or name in ("placings", "points")):
                raise ValueError(f"{where}: {name} for {count} seats, but {seats} are taken")
        if (
            seats < 2
            or len(set(game.seating)) != seats
            or not 0 <= min(game.seating) <= max(game.seating) < self.entrants
        ):
            raise ValueError(f"{where}: {game.seating} is no seating of {self.entrants} entrants")

    def _tally(self, game: GameResult) -> None:
        for entrant, faults in zip(game.seating, game.faults, strict=False):
            self.tallies[entrant].faults.update(faults)
        for entrant, lost in zip(game.seating, game.forfeited, strict=False):
            self.tallies[entrant].forfeits += lost
        for entrant, decisions in zip(game.seating, game.decisions, strict=False):
            self.tallies[entrant].decisions += decisions
