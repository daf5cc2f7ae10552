"""Games played at random: positions for the conformance suite, for tests and for benchmarks.

All whim comes from dice, so every playout can be had again.

    for table in random_playout(game, 4, game.options(), Seed.of("any text")):
        print(game.describe(table.state))
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .dice import Dice, Seed
from .game import Game, Seat, State
from .table import Chosen, Input, Substituted, Table, Ticked

MAX_INPUTS = 100_000


class Stuck(Exception):
    """A game that neither ends nor goes on; the message says why."""


def random_playout(
    game: Game[Any, Any, Any],
    seats: int,
    options: Any,
    seed: Seed,
    dice: Dice | None = None,
    *,
    vacate_after: Mapping[Seat, int] | None = None,
    substitute_one_in: int = 0,
) -> Iterator[Table]:
    """Play one game at random and yield its table at every position, from the deal to the end, both included.

    The table is the one being played at: look, but do not touch. ``dice`` decide what the players do (by default they
    follow from the seed); ``vacate_after`` says after how many inputs a seat is vacated; of the decisions one in
    ``substitute_one_in``, if that is not 0, is left to a substitute. Raises Stuck.
    """
    whim = Whim(dice or seed.dice("playout"))
    leaving = dict(vacate_after or {})
    table = Table(game, seats, options, seed)
    yield table
    while table.state.result() is None:
        if len(table.inputs) >= MAX_INPUTS:
            raise Stuck(f"the game is not over after {MAX_INPUTS} inputs")
        seat = next((seat for seat, after in leaving.items() if len(table.inputs) >= after), None)
        if seat is not None:
            del leaving[seat]
            table.vacate(seat)
        else:
            table.put(whim.next_input(table.state, table.now_ms, table.vacated, substitute_one_in))
        yield table


def play_out(state: State[Any, Any], dice: Dice, now_ms: int = 0, *, stop_after: int | None = None) -> int:
    """Play a state on at random, from the time ``now_ms`` on, to its end or for so many inputs.

    Returns how many inputs there were. Raises Stuck.
    """
    whim = Whim(dice)
    for number in range(MAX_INPUTS if stop_after is None else stop_after):
        if state.result() is not None:
            return number
        item = whim.next_input(state, now_ms)
        if isinstance(item, Chosen):
            state.apply(item.seat, item.action)
        elif isinstance(item, Ticked):
            now_ms = item.now_ms
            state.tick(now_ms)
    if stop_after is None:
        raise Stuck(f"the game is not over after {MAX_INPUTS} inputs")
    return stop_after


class Whim:
    """Players without a plan: each decides uniformly, and waits where it may, in some games with more patience."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._patience = 1 << dice.below(7)  # decisions between two looks at the clock

    def next_input(
        self, state: State[Any, Any], now_ms: int, vacated: frozenset[Seat] = frozenset(), substitute_one_in: int = 0
    ) -> Input:
        """What happens next in a game that is not over: a decision, or time passes. Raises Stuck when neither can."""
        dice = self._dice
        deadline = state.deadline()
        seats = [seat for seat in state.to_act() if seat not in vacated]
        if not seats:
            if deadline is None:
                raise Stuck("the game is not over, but nobody is to act and it has no deadline")
            return Ticked(self._later(now_ms, deadline))
        if deadline is not None:
            nobody_must = all(state.may_wait(seat) for seat in seats)
            if dice.below(self._patience if nobody_must else 4 * self._patience) == 0:
                return Ticked(self._later(now_ms, deadline))
        seat = dice.choice(seats)
        if substitute_one_in and not state.may_wait(seat) and dice.below(substitute_one_in) == 0:
            return Substituted(seat)
        legal = state.legal_actions(seat)
        if not legal:
            raise Stuck(f"seat {seat} is to act, but has no legal action")
        return Chosen(seat, dice.choice(legal))

    def _later(self, now_ms: int, deadline: int) -> int:
        """Half the time punctually, else too early (which a game must bear) or too late."""
        if deadline <= now_ms:
            raise Stuck(f"the deadline is {deadline} ms, though the game was told that it is {now_ms} ms already")
        dice = self._dice
        match dice.below(4):
            case 0:
                return now_ms + dice.below(deadline - now_ms)
            case 1:
                return deadline + 1 + dice.below(1000)
            case _:
                return deadline
