"""Who sits where: Latin squares of seatings.

A square is told by its first row, who sits at which seat in replay 0; the other replays are turns of it. Each entrant
sits at each seat once in the replays of a square. Turning the same circle of entrants for every deal would seat the
same two next to each other again and again, so the deals of a table take different squares in turn.
"""

from croupier_games.kernel import Dice

_FOUR: tuple[tuple[int, ...], ...] = ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2))
"""The seat of each entrant in replay 0, for each square of four."""


def squares(seats: int) -> int:
    """Return how many squares the deals of a table take in turn; 0: each deal has a seeded square of its own.

    After so many consecutive deals of a table, every ordered pair of entrants has taken every ordered pair of seats
    equally often; so left neighbours are balanced too. There are such squares for four seats and for prime numbers.
    """
    if seats == 4:
        return len(_FOUR)
    return seats - 1 if all(seats % divisor for divisor in range(2, seats)) else 0


def first_row(seats: int, square: int) -> tuple[int, ...]:
    """Return who sits at each seat in replay 0, as positions in the table. `square` counts from 0.

    >>> first_row(3, 0), first_row(3, 1)
    ((0, 1, 2), (0, 2, 1))
    """
    multiplied = ((square + 1) * position % seats for position in range(seats))
    seat_of = _FOUR[square] if seats == 4 else tuple(multiplied)
    return tuple(sorted(range(seats), key=seat_of.__getitem__))


def seeded_row(seats: int, dice: Dice) -> tuple[int, ...]:
    """Return who sits at each seat in replay 0, drawn at random."""
    return tuple(dice.shuffled(range(seats)))


def turn(seats: int, replay: int) -> tuple[int, ...]:
    """Return for each seat which seat of the first row its occupant comes from, in a replay.

    >>> turn(3, 1)
    (2, 0, 1)
    >>> turn(4, 1)
    (1, 0, 3, 2)
    """
    if seats == 4:
        return tuple(seat ^ replay for seat in range(seats))
    return tuple((seat - replay) % seats for seat in range(seats))


def turns(seats: int) -> tuple[tuple[int, ...], ...]:
    """Return the turns of all replays.

    >>> turns(2)
    ((0, 1), (1, 0))
    """
    return tuple(turn(seats, replay) for replay in range(seats))


def neighbours(seats: int, row: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return (one, the other to its left), as often as that occurs in the square of a first row.

    To the left is the next seat; seat 0 is to the left of the last one.
    """
    return [(row[seating[seat]], row[seating[(seat + 1) % seats]]) for seating in turns(seats) for seat in range(seats)]
