"""The course: where the horses are, and who is ahead.

Two lists say it all. ``spaces`` has each horse's space, by horse: 0 is the gate, 7 the finish. ``standing`` has the
horses themselves, best first, as if the race ended now: those at the finish as they reached it, then by space, and on
one space from the top of the pile down. A race begins with everyone on the gate, the standing being the pile there.
"""

from __future__ import annotations

from collections.abc import Sequence

from .cards import FINISH, Horse


def advance(standing: list[Horse], spaces: list[int], horse: Horse, marks: int) -> None:
    """Move a horse by so many spaces, in place. One that is at the finish is not moved.

    It goes no further than the finish, and lands on top of those on its space; at the finish these were there first,
    and stay ahead.

        >>> standing, spaces = [Horse(1), Horse(2), Horse(3), Horse(4)], [0, 0, 0, 0]
        >>> advance(standing, spaces, Horse(3), 3)
        >>> advance(standing, spaces, Horse(1), 3)
        >>> standing, spaces
        ([1, 3, 2, 4], [3, 0, 3, 0])
    """
    if spaces[horse - 1] == FINISH:
        return
    space = spaces[horse - 1] = min(FINISH, spaces[horse - 1] + marks)
    standing.remove(horse)
    nearest_ahead = min(FINISH, space + 1)
    place = 0
    while place < len(standing) and spaces[standing[place] - 1] >= nearest_ahead:
        place += 1
    standing.insert(place, horse)


def is_over(spaces: Sequence[int]) -> bool:
    """Whether a second horse has reached the finish."""
    return spaces.count(FINISH) == 2
