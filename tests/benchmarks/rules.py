"""How fast the rules alone are: random legal play, and the deals before it, beside a bare loop of the same machine."""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from croupier_games.kernel import Game, Seed, State, games

TARGETS_PER_SECOND = {"trick-and-trade": 250_000, "trade-and-triumph": 50_000}
"""Decisions a second by game, where one was set, on a machine whose bare loop does ..."""
TARGET_LOOP_PER_SECOND = 18_000_000
SLICES = 6
_DEALS = 16


def loop_per_second(additions: int = 500_000) -> float:
    """How many additions a second a bare loop of CPython does here and now."""
    x = 0
    start = time.process_time()
    for _ in range(additions):
        x += 1  # noqa: SIM113 - this is what is measured
    return additions / (time.process_time() - start)


def measure(seconds: float) -> Iterator[dict[str, Any]]:
    """Each registered game at each number of seats, about ``seconds`` each.

    The machine may be slow at one moment and fast at the next. So processor time is what counts, each short slice of
    play is held against the bare loop just before and after it, and the middle slice is taken.
    """
    for game in games().values():
        for seats in game.seat_range:
            slices = []
            before = loop_per_second()
            for number in range(SLICES):
                decisions, deals = _play(game, seats, number, seconds / SLICES)
                after = loop_per_second()
                loop = (before + after) / 2
                slices.append((decisions / loop, decisions, deals, loop))
                before = after
            ratio, decisions, deals, loop = sorted(slices)[SLICES // 2]
            set_per_second = TARGETS_PER_SECOND.get(game.name)
            target = set_per_second / TARGET_LOOP_PER_SECOND if set_per_second else None
            yield {
                "game": game.name,
                "seats": seats,
                "decisions_per_second": round(decisions),
                "deals_per_second": round(deals),
                "loop_additions_per_second": round(loop),
                "target_per_second": None if target is None else round(target * loop),
                "met": None if target is None else ratio >= target,
            }


def _play(game: Game[Any, Any, Any], seats: int, number: int, seconds: float) -> tuple[float, float]:
    """Decisions a second of playing, and deals a second of dealing: processor time of each alone."""
    options = game.options()
    seeds = [Seed.of(f"benchmark {number} {deal}") for deal in range(_DEALS)]
    whim = random.Random(number)  # the cheapest whim there is
    decisions = deals = 0
    dealing = playing = 0.0
    while dealing + playing < seconds:
        start = time.process_time()
        dealt = [game.deal(seats, options, seed) for seed in seeds]
        begun = time.process_time()
        for state in dealt:
            decisions += play_out(state, whim.random)
        playing += time.process_time() - begun
        dealing += begun - start
        deals += len(dealt)
    return decisions / playing, deals / dealing


def play_out(state: State[Any, Any], whim: Callable[[], float]) -> int:
    """Play at random to the end; returns the number of decisions. Where a game waits for the clock, time passes."""
    if type(state).deadline is not State.deadline:
        return _play_out_timed(state, whim)
    to_act, legal_actions, apply = state.to_act, state.legal_actions, state.apply
    decisions = 0
    while seats := to_act():
        seat = seats[0] if len(seats) == 1 else seats[int(whim() * len(seats))]
        legal = legal_actions(seat)
        apply(seat, legal[int(whim() * len(legal))])
        decisions += 1
    return decisions


def _play_out_timed(state: State[Any, Any], whim: Callable[[], float]) -> int:
    decisions = 0
    while True:
        seats = state.to_act()
        if not seats or (whim() < 0.1 and all(state.may_wait(seat) for seat in seats)):
            if not seats and state.result() is not None:
                return decisions
            deadline = state.deadline()
            assert deadline is not None, "nobody is to act, the game is not over, and it waits for nothing"
            state.tick(deadline)
            continue
        seat = seats[int(whim() * len(seats))]
        legal = state.legal_actions(seat)
        state.apply(seat, legal[int(whim() * len(legal))])
        decisions += 1
