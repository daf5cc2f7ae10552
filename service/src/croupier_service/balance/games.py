"""The games of the balance report of Trade and Triumph, and what is counted in them. Runs in worker processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from croupier_games.kernel import Dice, Seat, Seed
from croupier_games.trade_and_triumph import GAME, Play, State
from croupier_service.house import uniform
from croupier_service.house.trade_and_triumph import greedy, ignoring

Policy = Callable[[Any, Sequence[Any], Dice], Any]

GREEDY, RANDOM, IGNORING = "greedy", "random", "ignoring"
KINDS = (GREEDY, RANDOM, IGNORING)
"""Greedy bots among themselves, random bots among themselves, greedy bots of which some ignore a deck."""

BOTS: dict[str, Policy] = {
    "uses all decks": greedy,
    "ignores trade": ignoring(1),
    "ignores influence": ignoring(2),
    "ignores specialty": ignoring(3),
}
WHOLE = 12
"""A win, in twelfths: shared ones are counted without fractions."""


@dataclass(frozen=True, slots=True)
class Job:
    """Some games of a kind."""

    kind: str
    seats: int
    games: range
    seed: str


@dataclass(slots=True)
class Tally:
    """What was counted, for one kind and number of seats. Tallies can be added up in any order."""

    games: int = 0
    decisions: int = 0
    capped: int = 0
    rounds: Counter[int] = field(default_factory=Counter)
    wins_by_order: Counter[int] = field(default_factory=Counter)
    """In twelfths, by the order of turns: 0 is the first seat."""
    bot_games: Counter[str] = field(default_factory=Counter)
    bot_wins: Counter[str] = field(default_factory=Counter)
    """In twelfths."""
    drawn: Counter[int] = field(default_factory=Counter)
    played: Counter[int] = field(default_factory=Counter)
    sides: Counter[int] = field(default_factory=Counter)
    """By card: seats that played it, once a game."""
    winning_sides: Counter[int] = field(default_factory=Counter)
    """By card: those of them that won, in twelfths."""

    def add(self, other: Tally) -> None:
        """Add another one to this."""
        self.games += other.games
        self.decisions += other.decisions
        self.capped += other.capped
        for name in ("rounds", "wins_by_order", "bot_games", "bot_wins", "drawn", "played", "sides", "winning_sides"):
            counter: Counter[Any] = getattr(self, name)
            counter.update(getattr(other, name))


def lineups(kind: str, seats: int) -> list[tuple[str, ...]]:
    """Who sits where: one entry per game, over and over. A deal is played with each of them."""
    if kind != IGNORING:
        return [(kind,) * seats]
    tables = [names for names in combinations(BOTS, seats) if len(names) == seats]
    return [names[turn:] + names[:turn] for names in tables for turn in range(seats)]


def run(job: Job) -> tuple[Job, Tally]:
    """Play the games of a job."""
    tally = Tally()
    tables = lineups(job.kind, job.seats)
    for number in job.games:
        names = tables[number % len(tables)]
        seed = Seed.of(f"{job.seed}/{job.kind}/{job.seats}/{number // len(tables)}")
        _play(names, seed, tally)
    return job, tally


def _play(names: Sequence[str], seed: Seed, tally: Tally) -> None:
    seats = len(names)
    state = GAME.deal(seats, GAME.options(), seed)
    assert isinstance(state, State)
    policies: list[Policy] = [BOTS.get(name, uniform.choose if name == RANDOM else greedy) for name in names]
    dice = [seed.dice(f"house/{seat}") for seat in range(seats)]
    played_by: list[set[int]] = [set() for _ in range(seats)]
    while not state.over:
        (actor,) = state.to_act()
        action = policies[actor](state.view(actor), state.legal_actions(actor), dice[actor])
        turn, hand, deck_sizes = state.turn, state.hands[state.turn][:], sum(map(len, state.decks))
        state.apply(actor, action)
        state.drain_engine_moves()
        tally.decisions += 1
        if isinstance(action, Play):
            tally.played[action.card] += 1
            played_by[actor].add(action.card)
        if sum(map(len, state.decks)) != deck_sizes:
            tally.drawn.update(Counter(state.hands[turn]) - Counter(hand))
    _settle(state, names, played_by, tally)


def _settle(state: State, names: Sequence[str], played_by: Sequence[set[int]], tally: Tally) -> None:
    result = state.result()
    assert result is not None
    winners = [seat for seat, placing in enumerate(result.placings) if placing == 1]
    share = WHOLE // len(winners)
    tally.games += 1
    tally.capped += bool(result.note)
    tally.rounds[state.round] += 1
    tally.bot_games.update(names)
    for seat in winners:
        tally.wins_by_order[_order(state, seat)] += share
        tally.bot_wins[names[seat]] += share
    for seat, cards in enumerate(played_by):
        tally.sides.update(cards)
        if seat in winners:
            for card in cards:
                tally.winning_sides[card] += share


def _order(state: State, seat: Seat) -> int:
    return (seat - state.first) % state.seats
