"""The simplest plan that is fair: every table that the bots can fill, every deal played from every seat.

Its unit is the block: one table (a set of bots), one deal, and as many replays of that deal as there are seats, so
that each bot plays the same cards once from each seat. Luck of the deal and of the seat cancels out within a block.
"""

import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, comb


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """One game of a plan. All numbers are 0-based."""

    number: int
    deal: int
    """The number of its deal; games of one deal are one block."""
    replay: int
    """Which replay of the deal."""
    bots: tuple[str, ...]
    """In seat order."""


def round_robin(bots: Sequence[str], seats: int, games: int) -> list[PlannedGame]:
    """Plan at least so many games, in whole rounds: in each round every table plays one deal, from all seats.

    A round is played replay by replay, so that tables take turns and nobody plays a deal twice in a row where there is
    more than one table.

    Raises:
        ValueError: there are not enough bots for a table, or no seatings for so many seats (3, 4 and 5 there are).
    """
    if len(bots) < seats:
        raise ValueError(f"{len(bots)} bots cannot fill a table of {seats}")
    rounds = ceil(games / games_per_round(len(bots), seats))
    return [
        PlannedGame(number, deal, replay, at)
        for number, (deal, replay, at) in enumerate(_games(list(combinations(bots, seats)), seats, rounds))
    ]


def games_per_round(bots: int, seats: int) -> int:
    """Return how many games it takes for every table of so many seats to play one deal from all seats.

    >>> games_per_round(5, seats=4)
    20
    """
    return comb(bots, seats) * seats


def seatings(seats: int, deal: int) -> list[tuple[int, ...]]:
    """Return the seatings of a table's deal: a Latin square, each row of which gives the seat of each bot in turn.

    Turning one fixed circle of bots would seat the same bots next to each other again and again. Deals that follow each
    other use different squares: after `seats - 1` of them, every two bots have taken every two seats equally often.

    >>> seatings(3, deal=0)
    [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    >>> seatings(3, deal=1)
    [(0, 2, 1), (1, 0, 2), (2, 1, 0)]

    Raises:
        ValueError: there are no such squares here for so many seats.
    """
    if seats in (3, 5):
        factor = 1 + deal % (seats - 1)
        return [tuple((factor * bot + turn) % seats for bot in range(seats)) for turn in range(seats)]
    if seats == 4:
        first = ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2))[deal % 3]
        return [tuple(seat ^ turn for seat in first) for turn in range(seats)]
    raise ValueError(f"no seatings are known for {seats} seats")


def deal_seed(secret: str, deal: int) -> bytes:
    """Return the 32 bytes from which a deal follows: HMAC-SHA-256 of `deal/<number>` under the secret."""
    return hmac.digest(secret.encode(), f"deal/{deal}".encode(), "sha256")


def _games(tables: list[tuple[str, ...]], seats: int, rounds: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    for turn in range(rounds):
        squares = seatings(seats, turn)
        for replay, seating in enumerate(squares):
            for number, table in enumerate(tables):
                at = sorted(range(seats), key=seating.__getitem__)
                yield turn * len(tables) + number, replay, tuple(table[bot] for bot in at)
