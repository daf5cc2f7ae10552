"""Results: points, placings, and what decided between equals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

POINTS, SHARED, FORFEIT = "points", "shared", "forfeit"


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A criterion that orders seats with equal points: more is better."""

    name: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended, seat by seat. Built by ``rank``."""

    points: tuple[int, ...]
    """As the game counts them."""
    placings: tuple[int, ...]
    """From 1, the best, on; seats that nothing tells apart have the same one, as in 1, 2, 2, 4."""
    decided_by: tuple[str, ...]
    """What put the seat behind (or level with) the one ranked just ahead of it.

    ``points``, a tie-break's name, ``shared`` or ``forfeit``; empty for the first.
    """
    forfeited: tuple[bool, ...]
    """Whether the seat was vacated: however many points it has, all that were not are ahead of it."""
    tie_breaks: tuple[TieBreak, ...] = ()
    """The criteria after points, in the order in which they apply."""
    fewest_wins: bool = False
    """Whether fewer points are better."""
    note: str = ""
    """What the rules say about the ending itself, such as a cap of rounds; usually empty."""

    def with_forfeits(self, seats: frozenset[int]) -> Result:
        """The same game with these seats forfeited; among themselves they keep their order."""
        return rank(self.points, self.tie_breaks, fewest_wins=self.fewest_wins, note=self.note, forfeited=seats)


def rank(
    points: Sequence[int],
    tie_breaks: Sequence[TieBreak] = (),
    *,
    fewest_wins: bool = False,
    note: str = "",
    forfeited: frozenset[int] = frozenset(),
) -> Result:
    """Place the seats by forfeit, then points, then each tie-break in turn, then shared."""
    seats = range(len(points))
    sign = -1 if fewest_wins else 1
    names = (FORFEIT, POINTS, *(tie.name for tie in tie_breaks))
    keys = [(s not in forfeited, sign * points[s], *(tie.values[s] for tie in tie_breaks)) for s in seats]
    order = sorted(seats, key=keys.__getitem__, reverse=True)
    placings, decided = [1] * len(points), [""] * len(points)
    for index, (ahead, seat) in enumerate(pairwise(order), start=1):
        if keys[seat] == keys[ahead]:
            placings[seat], decided[seat] = placings[ahead], SHARED
        else:
            placings[seat] = index + 1
            decided[seat] = next(name for name, a, b in zip(names, keys[ahead], keys[seat], strict=True) if a != b)
    return Result(
        points=tuple(points),
        placings=tuple(placings),
        decided_by=tuple(decided),
        forfeited=tuple(s in forfeited for s in seats),
        tie_breaks=tuple(tie_breaks),
        fewest_wins=fewest_wins,
        note=note,
    )
