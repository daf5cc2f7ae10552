"""Who sits where: the circle of four places, and the order in which they play.

There are four places, one for each horse: those of the seats and, with three seats, the dummy's, number 3. The dummy
sits to the right of the seat that starts the first race.
"""

from __future__ import annotations

from collections.abc import Sequence

from .cards import Horse

PLACES = 4

DUMMY = 3
"""The dummy's place, and the seat number that its moves are reported under."""


def circle_of(seats: int, first: int) -> tuple[int, ...]:
    """The places clockwise, from the seat that starts the first race.

    >>> circle_of(4, 2), circle_of(3, 1)
    ((2, 3, 0, 1), (1, 2, 0, 3))
    """
    return (*((first + step) % seats for step in range(seats)), *range(seats, PLACES))


def playing_order(seats: int, circle: Sequence[int], leader: int) -> tuple[int, ...]:
    """The places in the order in which they play to a trick: clockwise, but the dummy last unless it leads.

    >>> playing_order(3, (1, 2, 0, 3), 0), playing_order(3, (1, 2, 0, 3), DUMMY)
    ((0, 1, 2, 3), (3, 1, 2, 0))
    """
    at = circle.index(leader)
    clockwise = (*circle[at:], *circle[:at])
    if leader >= seats:
        return clockwise
    return (*(place for place in clockwise if place < seats), *range(seats, PLACES))


def ridden(circle: Sequence[int], horses: Sequence[Horse], race: int, place: int) -> list[Horse]:
    """The horses that a place has held up to this race, the current one first.

    ``horses`` are the current ones by place. In every race before, a place held what is now one further to the left.

    >>> ridden((1, 2, 0, 3), [Horse(4), Horse(3), Horse(1), Horse(2)], 3, 0)
    [4, 2, 3]
    """
    at = circle.index(place)
    return [horses[circle[(at + ago) % PLACES]] for ago in range(race)]
