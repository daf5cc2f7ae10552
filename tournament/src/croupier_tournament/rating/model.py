"""The Davidson-Luce model of placings: its likelihood, gradient and curvature.

Every entrant has a strength θ, every seat an effect (that of seat 0 is 0), both on the scale of logarithms. A group S
of entrants that share a place is worth δ_|S| · exp(mean over S of θ + seat), with δ_1 = 1. The first place is taken by
one of all groups that could take it, with a probability in proportion to its worth; the next place by one of the groups
of those who remain, and so on. Only group sizes that occur have a δ, and only groups of those sizes compete.

Without ties this is the model of Plackett and Luce, at tables of two that of Bradley and Terry, with ties at tables of
two that of Davidson.

The ghost is an opponent of strength 0 that every entrant has beaten, and lost to, in so many games, so that nobody's
strength runs away. For the same reason every seat has done so, and every size of groups from 3 on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from croupier_tournament.rating.results import Floats, Ints, Results

SmallInts = NDArray[np.int32]
"""There are three stages to a game of four, and there may be a million games."""

CHUNK = 1 << 18
"""Products of numbers in one multiplication of matrices. With more, OpenBLAS shares the work among threads, which wait
for each other longer than they work where a machine has other things to do; and so much fits into a processor's cache.
"""


@dataclass(frozen=True, slots=True)
class Stages:
    """All stages at which so many remained: who they were; the first `taken` of them took the place."""

    entrants: SmallInts
    """Of shape (remaining, stages)."""
    seats: SmallInts
    """Of shape (remaining, stages)."""
    taken: SmallInts
    """How many shared the place, of shape (stages,)."""
    game: SmallInts
    """The index of the game, rising, of shape (stages,)."""


@dataclass(frozen=True, slots=True)
class Groups:
    """All groups that could take a place when so many remain."""

    members: Floats
    """1 / size where a group has the member, else 0, of shape (groups, remaining)."""
    sizes: Floats
    """1 where a group has the size, of shape (groups, sizes that occur)."""
    first: Ints
    """By size: the index of the group of the first so many."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some stages, seen from one vector of parameters. Stages come last in all shapes: numpy is faster that way."""

    stages: Stages
    groups: Groups
    value: float
    """Log-likelihood."""
    chances: Floats
    """Of each group, of shape (groups, stages)."""
    by_member: Floats
    """Derivative by each member's θ + seat, of shape (remaining, stages)."""
    by_size: Floats
    """Derivative by each log δ, of shape (sizes, stages)."""


class Model:
    """The likelihood of results as a function of one vector: θ of entrants, effects of seats 1.., log δ of sizes 2...

    Args:
        results: what was played.
        ghost: how many games each entrant won, and lost, against the ghost.
        seats: whether seats have effects; without, they are all 0.
    """

    def __init__(self, results: Results, *, ghost: float, seats: bool) -> None:
        self._entrants, self._tables = results.entrants, max(1, results.seats)
        self._ghost = ghost
        self._deal = results.deal
        self._stages = _stages(results)
        self.sizes = sorted({1} | {int(size) for stages in self._stages.values() for size in np.unique(stages.taken)})
        """Of the groups that occur; the first one is 1."""
        self._groups = {remaining: _groups(remaining, self.sizes) for remaining in self._stages}
        # Inside, vectors have a place for everything; `_free` says which of them are not held at 0.
        self._sizes_at = self._entrants + self._tables
        self._full = self._sizes_at + len(self.sizes)
        played = np.flatnonzero(results.games_of())
        free_seats = np.arange(self._entrants + 1, self._sizes_at) if seats else np.zeros(0, dtype=np.int64)
        self._free = np.concatenate([played, free_seats, np.arange(self._sizes_at + 1, self._full)])
        is_pair = [self._sizes_at + self.sizes.index(2)] if 2 in self.sizes else []
        self._haunted = np.setdiff1d(self._free, is_pair)
        self._pair = is_pair[0] if is_pair else None
        self.ranges = list(self._ranges_of_games())
        """Of games that are looked at together: (first, behind the last), whole deals."""

    @property
    def length(self) -> int:
        """Of the vector of what is estimated."""
        return len(self._free)

    def full(self, x: Floats) -> Floats:
        """Return a vector with a place for everything: θ of all entrants, effects of all seats, log δ of all sizes."""
        full = np.zeros(self._full)
        full[self._free] = x
        return full

    def spread_out(self, matrix: Floats) -> Floats:
        """Return a matrix over all of that, of one over what is estimated."""
        full = np.zeros((self._full, self._full))
        full[np.ix_(self._free, self._free)] = matrix
        return full

    def cost(self, x: Floats) -> tuple[float, Floats]:
        """Return the negative log-likelihood, with the ghost, and its gradient."""
        full = self.full(x)
        value, gradient = self._ghost_value(full)
        for part in self._parts(full):
            value += part.value
            gradient += np.bincount(*self._flat(part), minlength=self._full)
            gradient[self._sizes_at :] += part.by_size.sum(axis=1)
        return -value, -gradient[self._free]

    def log_likelihood(self, x: Floats) -> float:
        """Return the log-likelihood, without the ghost."""
        return sum((part.value for part in self._parts(self.full(x))), 0.0)

    def curvature(self, x: Floats) -> Floats:
        """Return the matrix of second derivatives of `cost`, of shape (length, length)."""
        full, n, sizes_at = self.full(x), self._full, self._sizes_at
        flat = np.zeros(n * n)
        corner = np.zeros((n, n))
        for part in self._parts(full):
            members, sizes, chances = part.groups.members.T, part.groups.sizes.T, part.chances
            mean, mean_size = members @ chances, sizes @ chances
            within = _pairs(members, members) @ chances - _pairs(mean, mean)
            cross = _pairs(members, sizes) @ chances - _pairs(mean, mean_size)
            places = part.stages.entrants, part.stages.seats + self._entrants
            for one in places:
                for other in places:
                    index = one[:, None] * n + other[None, :]
                    flat += np.bincount(index.ravel(), within.ravel(), n * n)
                index = one[:, None] * n + np.arange(sizes_at, n)[None, :, None]
                flat += np.bincount(index.ravel(), cross.ravel(), n * n)
            corner[sizes_at:, sizes_at:] += (sizes * chances.sum(axis=1)) @ sizes.T - mean_size @ mean_size.T
        whole = flat.reshape(n, n)
        whole[sizes_at:, :sizes_at] = whole[:sizes_at, sizes_at:].T
        whole += corner + self._ghost_curvature(full)
        free: Floats = whole[np.ix_(self._free, self._free)]
        return free

    def scatter_of_deals(self, x: Floats) -> Floats:
        """Return the sum over deals of the outer product of each deal's score with itself, of shape (length, length).

        The score of a deal is the gradient of the log-likelihood of its games; the ghost is no deal.
        """
        full, n = self.full(x), self._full
        whole = np.zeros((n, n))
        for begin, end in self.ranges:
            first = int(self._deal[begin])
            deals = int(self._deal[end - 1]) + 1 - first
            scores = np.zeros(deals * n)
            for part in self.parts_of(full, begin, end):
                deal = (self._deal[part.stages.game] - first) * n
                index, weights = self._flat(part)
                scores += np.bincount(np.tile(deal, 2 * len(part.by_member)) + index, weights, deals * n)
                index = deal[None, :] + np.arange(self._sizes_at, n)[:, None]
                scores += np.bincount(index.ravel(), part.by_size.ravel(), deals * n)
            by_deal = scores.reshape(deals, n)
            whole += by_deal.T @ by_deal
        free: Floats = whole[np.ix_(self._free, self._free)]
        return free

    def _parts(self, full: Floats) -> Iterator[Part]:
        for begin, end in self.ranges:
            yield from self.parts_of(full, begin, end)

    def parts_of(self, full: Floats, begin: int, end: int) -> Iterator[Part]:
        """Yield the stages of some games, by how many remained.

        Args:
            full: a vector with a place for everything.
            begin: the index of the first game.
            end: the index behind the last one.
        """
        log_delta = full[self._sizes_at :]
        for remaining, all_stages in self._stages.items():
            low, high = np.searchsorted(all_stages.game, (begin, end))
            if low == high:
                continue
            stages = Stages(
                all_stages.entrants[:, low:high],
                all_stages.seats[:, low:high],
                all_stages.taken[low:high],
                all_stages.game[low:high],
            )
            groups = self._groups[remaining]
            worth = groups.members @ (full[stages.entrants] + full[self._entrants + stages.seats])
            worth += (groups.sizes @ log_delta)[:, None]
            taken = groups.first[stages.taken]
            most = worth.max(axis=0)
            value = float((worth[taken, np.arange(len(taken))] - most).sum())
            chances = np.exp(worth - most)
            total = chances.sum(axis=0)
            chances /= total
            by_member = groups.members[taken].T - groups.members.T @ chances
            by_size = groups.sizes[taken].T - groups.sizes.T @ chances
            yield Part(stages, groups, value - float(np.log(total).sum()), chances, by_member, by_size)

    def _flat(self, part: Part) -> tuple[Ints, Floats]:
        """Return the derivatives by θ and by seat with their places in a vector."""
        index = np.concatenate([part.stages.entrants.ravel(), part.stages.seats.ravel() + self._entrants])
        return index, np.tile(part.by_member.ravel(), 2)

    def _ranges_of_games(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of whole deals that are not too large to be looked at together."""
        if not len(self._deal):
            return
        widest = max((groups.members.size for groups in self._groups.values()), default=1)
        begins = np.flatnonzero(np.diff(self._deal, prepend=-1))
        begin = 0
        for deal_begin, deal_end in zip(begins, [*begins[1:], len(self._deal)], strict=True):
            if deal_begin > begin and (deal_end - begin) * widest > CHUNK:
                yield begin, int(deal_begin)
                begin = int(deal_begin)
        yield begin, len(self._deal)

    def _ghost_value(self, full: Floats) -> tuple[float, Floats]:
        """Return what the games against the ghost add to log-likelihood and gradient."""
        gradient = np.zeros(self._full)
        logs, chances = self._ghost_chances(full)
        value = 2 * self._ghost * float((full[self._haunted] / 2 - logs).sum())
        gradient[self._haunted] = 2 * self._ghost * (1 / 2 - chances[0] - chances[1] / 2)
        if self._pair is not None:
            gradient[self._pair] -= 2 * self._ghost * chances[1].sum()
        return value, gradient

    def _ghost_curvature(self, full: Floats) -> Floats:
        _, (win, tie) = self._ghost_chances(full)
        curvature = np.zeros((self._full, self._full))
        mean = win + tie / 2
        curvature[self._haunted, self._haunted] = 2 * self._ghost * (win + tie / 4 - mean**2)
        if self._pair is not None:
            cross = 2 * self._ghost * (tie / 2 - mean * tie)
            curvature[self._haunted, self._pair] += cross
            curvature[self._pair, self._haunted] += cross
            curvature[self._pair, self._pair] += 2 * self._ghost * (tie - tie**2).sum()
        return curvature

    def _ghost_chances(self, full: Floats) -> tuple[Floats, tuple[Floats, Floats]]:
        """Return the logarithm of the total worth, and the chances of a win and of a tie, of each game against it."""
        z = full[self._haunted]
        tie = np.full(len(z), -np.inf) if self._pair is None else full[self._pair] + z / 2
        logs: Floats = np.logaddexp(np.logaddexp(z, 0.0), tie)
        return logs, (np.exp(z - logs), np.exp(tie - logs))


def _stages(results: Results) -> dict[int, Stages]:
    """Return the stages of all games, by how many remained; where one remained there was nothing to decide."""
    placings = np.where(results.seating < 0, np.iinfo(np.int16).max, results.placings)
    by_place = np.argsort(placings, axis=1, kind="stable")
    placings = np.take_along_axis(placings, by_place, axis=1)
    entrants = np.take_along_axis(results.seating, by_place, axis=1)
    at: SmallInts = by_place.astype(np.int32)
    present = (results.seating >= 0).sum(axis=1)
    found: dict[int, list[Stages]] = {}
    for seats in np.unique(present).tolist():
        for begin in range(seats - 1):
            place = placings[:, begin]
            begins = (present == seats) & ((begin == 0) | (place != placings[:, begin - 1]))
            game = np.flatnonzero(begins).astype(np.int32)
            taken = (placings[game, begin:seats] == place[game, None]).sum(axis=1, dtype=np.int32)
            stages = Stages(entrants[game, begin:seats].T, at[game, begin:seats].T, taken, game)
            found.setdefault(seats - begin, []).append(stages)
    return {remaining: _in_order_of_games(stages) for remaining, stages in found.items()}


def _in_order_of_games(pieces: list[Stages]) -> Stages:
    game = np.concatenate([stages.game for stages in pieces])
    sort = np.argsort(game, kind="stable")
    return Stages(
        np.concatenate([stages.entrants for stages in pieces], axis=1)[:, sort],
        np.concatenate([stages.seats for stages in pieces], axis=1)[:, sort],
        np.concatenate([stages.taken for stages in pieces])[sort],
        game[sort],
    )


def _groups(remaining: int, sizes: list[int]) -> Groups:
    """Return all groups, of the sizes that occur, of so many."""
    members: list[Floats] = []
    of_size: list[Floats] = []
    first = np.zeros(max(sizes) + 1, dtype=np.int64)
    for number, size in enumerate(sizes):
        if size > remaining:
            break
        first[size] = len(members)  # combinations come in order: the first one is 0, 1, 2, ...
        for group in combinations(range(remaining), size):
            row = np.zeros(remaining)
            row[list(group)] = 1 / size
            members.append(row)
            of_size.append(np.eye(len(sizes))[number])
    return Groups(np.array(members), np.array(of_size), first)


def _pairs(one: Floats, other: Floats) -> Floats:
    """Return the products of each row of one with each row of the other, of shape (rows of one, of the other, ...)."""
    return one[:, None] * other[None, :]
