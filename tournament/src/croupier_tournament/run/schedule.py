"""Which game comes next. Knows no time, no network and no ledger.

Games are played in the order of the plan as far as bots allow. A game is as slow as the slowest bot at its table, so
games run in lanes: in each lane are games of about the same length, and each lane has as many slots as games may run at
once. A slow bot's games fill a slow lane; tables at which it does not sit go on at their own pace.

Games of one block never run at once: a bot that held back its answers until it sat in all of them would see every hand
of the deal. Nor do they follow each other at once, as long as there are others: a block rests until another game is
over.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from croupier_tournament.plan import GameKey

STEP = 4.0
"""Games of one lane differ in length by less than this factor."""
FIRST_LANE_S = 1.0
"""Shorter games than this are all in lane 0."""
LOOK_AHEAD = 2000
"""Games looked at in one go."""


def lane_of(seconds: float) -> int:
    """Return the lane of games of a length.

    >>> [lane_of(seconds) for seconds in (0, 0.9, 1, 3.9, 4, 60)]
    [0, 0, 1, 1, 2, 3]
    """
    return 0 if seconds < FIRST_LANE_S else 1 + int(math.log(seconds / FIRST_LANE_S, STEP))


class Pace:
    """How long each entrant thinks in one game, in seconds: an average that forgets.

    Args:
        entrants: how many there are.
    """

    def __init__(self, entrants: int) -> None:
        self._seconds: list[float | None] = [None] * entrants

    def extremes(self, seats: int) -> tuple[float, float]:
        """How long the games of the quickest and of the slowest table of so many seats are likely to take."""
        known = sorted(seconds or 0.0 for seconds in self._seconds)
        return math.fsum(known[:seats]), math.fsum(known[-seats:])

    def thought(self, entrant: int, seconds: float) -> None:
        """It has needed so long for all its decisions in a game."""
        before = self._seconds[entrant]
        self._seconds[entrant] = seconds if before is None else before + (seconds - before) / 4

    def thinks(self, entrant: int, seconds: float) -> None:
        """It has needed so long already, in a game that is not over: it is at least as slow."""
        self._seconds[entrant] = max(self._seconds[entrant] or 0.0, seconds)

    def of(self, table: Sequence[int]) -> float:
        """How long a table's game is likely to take: as long as the bots at it need together."""
        return math.fsum(self._seconds[entrant] or 0.0 for entrant in table)


class Schedule:
    """Hands out games. Every game that was handed out is given back, by `over` or `again`.

    Args:
        order: all games that are to be played, in the order of the plan.
        table: the entrants of a block.
        pace: how slow entrants are.
        seats: at each table.
        slots: games that may run at once in each lane.
    """

    def __init__(
        self, order: Iterator[GameKey], table: Callable[[int], Sequence[int]], pace: Pace, *, seats: int, slots: int
    ) -> None:
        self._order = order
        self._seats = seats
        self._table = table
        self._pace = pace
        self._slots = slots
        self._again: deque[GameKey] = deque()
        self._parked: dict[int, deque[GameKey]] = {}
        self._waiting: dict[int, deque[GameKey]] = {}
        """By block, those that have come while another game of it was played or it rested."""
        self._running: dict[GameKey, int] = {}
        self._taken: set[int] = set()
        """Blocks of which a game is played, and the one that rests."""
        self._resting: int | None = None
        self._busy: dict[int, int] = {}
        self._ended = False

    @property
    def running(self) -> int:
        """Games that are being played."""
        return len(self._running)

    @property
    def exhausted(self) -> bool:
        """Whether there is nothing left to hand out, but for what waits for games that are played."""
        left = self._again or any(self._parked.values()) or self._resting in self._waiting
        return self._ended and not left

    def next(self, playable: Callable[[int], bool] = lambda _: True) -> GameKey | None:
        """Return the next game; None where none can begin now.

        Args:
            playable: whether a block can be played now: its server and its bots are there.
        """
        if (key := self._next_again(playable)) is not None:
            return key
        for lane in sorted(self._parked):
            if (key := self._next_parked(lane, playable)) is not None:
                return key
        if self._resting is not None and not self._busy.get(lane := self._lane(self._resting)):
            self._wake_resting()
            if lane in self._parked and (key := self._next_parked(lane, playable)) is not None:
                return key
        return self._next_fresh(playable)

    def over(self, key: GameKey) -> None:
        """A game needs its slot no longer. Its block rests."""
        self._busy[self._running.pop(key)] -= 1
        self._wake_resting()
        self._resting = key.block

    def again(self, keys: Sequence[GameKey]) -> None:
        """Games are to be played once more, before others; those that run are as good as over."""
        for key in keys:
            if key in self._running:
                self._busy[self._running.pop(key)] -= 1
                self._release(key.block)
        self._again.extend(key for key in keys if key not in self._again)

    def grows_old(self, key: GameKey, seconds: float) -> None:
        """A game has been running for so long: it belongs into the lane of such games."""
        lane = self._running.get(key)
        if lane is not None and lane_of(seconds) > lane:
            self._busy[lane] -= 1
            self._occupy(key, lane_of(seconds))

    def _next_again(self, playable: Callable[[int], bool]) -> GameKey | None:
        for _ in range(min(len(self._again), LOOK_AHEAD)):
            again = self._again.popleft()
            if self._waits(again):
                continue
            if self._begin(again, playable):
                return again
            self._again.append(again)
        return None

    def _next_parked(self, lane: int, playable: Callable[[int], bool]) -> GameKey | None:
        queue = self._parked[lane]
        for _ in range(min(len(queue), LOOK_AHEAD)):
            if self._lane(queue[0].block) == lane and not self._free(lane):
                break  # so have those behind it to wait
            key = queue.popleft()
            if self._waits(key):
                continue
            if self._begin(key, playable):
                return key
            self._park(key)  # perhaps elsewhere: its bots may have turned out to be slower, or quicker
        return None

    def _next_fresh(self, playable: Callable[[int], bool]) -> GameKey | None:
        for _ in range(LOOK_AHEAD):
            if self._ended or not self._any_free():
                return None
            fresh = next(self._order, None)
            if fresh is None:
                self._ended = True
                return None
            if self._waits(fresh):
                continue
            if self._begin(fresh, playable):
                return fresh
            self._park(fresh)
        return None

    def _begin(self, key: GameKey, playable: Callable[[int], bool]) -> bool:
        lane = self._lane(key.block)
        if not self._free(lane) or not playable(key.block):
            return False
        self._taken.add(key.block)
        self._occupy(key, lane)
        return True

    def _waits(self, key: GameKey) -> bool:
        """Whether a game has to wait for its block; it is kept there."""
        if key.block not in self._taken:
            return False
        self._waiting.setdefault(key.block, deque()).append(key)
        return True

    def _wake_resting(self) -> None:
        if self._resting is not None:
            self._release(self._resting)
            self._resting = None

    def _release(self, block: int) -> None:
        """The next game of a block may begin, before others that come later in the plan."""
        self._taken.discard(block)
        if (waiting := self._waiting.get(block)) is not None:
            self._parked.setdefault(self._lane(block), deque()).appendleft(waiting.popleft())
            if not waiting:
                del self._waiting[block]

    def _occupy(self, key: GameKey, lane: int) -> None:
        self._running[key] = lane
        self._busy[lane] = self._busy.get(lane, 0) + 1

    def _park(self, key: GameKey) -> None:
        self._parked.setdefault(self._lane(key.block), deque()).append(key)

    def _lane(self, block: int) -> int:
        return lane_of(self._pace.of(self._table(block)))

    def _free(self, lane: int) -> bool:
        return self._busy.get(lane, 0) < self._slots

    def _any_free(self) -> bool:
        """Whether a game could begin, if there is one of the right length."""
        quickest, slowest = map(lane_of, self._pace.extremes(self._seats))
        return any(map(self._free, range(quickest, slowest + 1)))
