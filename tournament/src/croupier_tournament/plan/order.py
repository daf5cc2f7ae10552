"""In which order the games of a plan are played.

Blocks are taken by windows, stretches of consecutive ones. A window is played replay by replay: one replay of each of
its blocks, in a seeded order, then another replay of each in the same order, until all are played. Which replay of a
block comes first is drawn for each block. A window ends as soon as everyone who sits in it has two deals in it, so
nobody meets a deal twice in a row: between two replays of one deal lies another deal of each who plays it.

The one exception nobody can help: an entrant that has one deal in all.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from croupier_games.kernel import Dice

SMALLEST_WINDOW = 8
"""Blocks. A window of two would let everybody know when a deal comes back."""


def windows(tables: NDArray[np.uint16]) -> list[int]:
    """Return where windows end: counts of blocks, rising, the last one that of all blocks.

    Args:
        tables: who sits at each block, of shape (blocks, seats).
    """
    ends: list[int] = []
    seen: Counter[int] = Counter()
    once = 0  # how many have been seen just once in this window
    begin = 0
    for block, table in enumerate(tables.tolist()):
        for entrant in table:
            seen[entrant] += 1
            once += {1: 1, 2: -1}.get(seen[entrant], 0)
        if block + 1 - begin >= SMALLEST_WINDOW and not once:
            ends.append(block + 1)
            begin = block + 1
            seen.clear()
    if begin < len(tables):  # the last one may have someone in it just once: it goes to the window before
        while ends and (once or len(tables) - begin < SMALLEST_WINDOW):
            ends.pop()
            begin = ends[-1] if ends else 0
            once = list(Counter(tables[begin:].ravel().tolist()).values()).count(1)
        ends.append(len(tables))
    return ends


def playing_order(tables: NDArray[np.uint16], dice: Dice) -> NDArray[np.uint32]:
    """Return the games in the order in which they are played, each as block · seats + replay.

    Args:
        tables: who sits at each block, of shape (blocks, seats).
        dice: what is drawn.
    """
    blocks, seats = tables.shape
    order = np.empty(blocks * seats, dtype=np.uint32)
    begin = 0
    for end in windows(tables):
        turn = dice.shuffled(range(begin, end))
        replays = [dice.shuffled(range(seats)) for _ in turn]
        games = np.array(turn, dtype=np.uint32)[:, None] * seats + np.array(replays, dtype=np.uint32)
        order[begin * seats : end * seats] = games.T.ravel()
        begin = end
    return order
