"""Declarations that come from all sides at once: no card is lost or doubled, nothing locks, and it always ends.

How many interleavings: ``CROUPIER_INTERLEAVINGS``, by default a hundred of each kind. More of them:

    CROUPIER_INTERLEAVINGS=20000 .venv/bin/pytest service/tests/trades/test_interleavings.py --timeout 0
"""

import os

import trades_invariants as invariants
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from croupier_games.kernel import Record, Seed, Table, verify
from croupier_games.kernel.playout import random_playout
from croupier_games.trades import GAME, Declare, Options, Phase

INTERLEAVINGS = int(os.environ.get("CROUPIER_INTERLEAVINGS", "100"))
LIMIT_MS = 1_000
FREE = Options(style="free-for-all", time_limit_ms=LIMIT_MS)
MANY = settings(max_examples=INTERLEAVINGS, deadline=None, suppress_health_check=[HealthCheck.too_slow])

steps = st.lists(st.tuples(st.integers(0, 13), st.integers(0, 100)), max_size=60)
"""What comes in, in which order: from the so-manieth seat that can act, the so-manieth of what it can do."""


def play(table, steps, choose=lambda legal, number: legal[number % len(legal)]):
    """Do as the steps say, holding every position to the invariants."""
    for place, number in steps:
        acting = table.state.to_act()
        seat = acting[place % len(acting)]
        table.choose(seat, choose(table.state.legal_actions(seat), number))
        invariants.hold(table.state)


def end(table, late, order):
    """Time is over; whoever must decide does so, in an order of its own, and then the game is over."""
    table.tick(LIMIT_MS + late)
    invariants.hold(table.state)
    assert table.state.table().phase is not Phase.TRADING
    decisions = 0
    while acting := table.state.to_act():
        seat = acting[order % len(acting)]
        table.choose(seat, table.state.legal_actions(seat)[0])
        invariants.hold(table.state)
        decisions += 1
    assert table.state.result() is not None
    assert decisions <= table.seats // 2 + table.seats  # the trades that can run at once, and the last deck trades
    verify(Record.of(table), GAME)


@MANY
@given(seats=st.integers(3, 9), seed=st.integers(0, 99), steps=steps, late=st.integers(0, 50), order=st.integers(0, 13))
def test_any_order_of_any_decisions(seats, seed, steps, late, order):
    table = Table(GAME, seats, FREE, Seed.of(f"any/{seed}"))
    play(table, steps)
    invariants.memories_are_true(table.state)
    end(table, late, order)


@MANY
@given(
    seats=st.integers(3, 9), seed=st.integers(0, 99), steps=steps, victim=st.integers(0, 8), order=st.integers(0, 13)
)
def test_all_declare_on_one_seat_whenever_they_can(seats, seed, steps, victim, order):
    table = Table(GAME, seats, FREE, Seed.of(f"one/{seed}"))
    target = Declare(victim % seats)
    play(table, steps, lambda legal, number: target if target in legal else legal[number % len(legal)])
    end(table, 0, order)


@MANY
@given(seats=st.integers(3, 9), seed=st.integers(0, 99), steps=steps, order=st.integers(0, 13))
def test_everybody_declares_and_nobody_deals_with_the_deck(seats, seed, steps, order):
    """The longest queues there can be: of those who may declare, somebody always does."""
    table = Table(GAME, seats, FREE, Seed.of(f"queue/{seed}"))
    state, longest = table.state, 0
    for place, number in steps:
        waiting = [seat for seat in state.to_act() if state.may_wait(seat)]
        acting = waiting if waiting and number % 4 else state.to_act()
        seat = acting[place % len(acting)]
        legal = [
            action for action in state.legal_actions(seat) if not state.may_wait(seat) or isinstance(action, Declare)
        ]
        table.choose(seat, legal[number % len(legal)])
        invariants.hold(state)
        longest = max(longest, len(state.queue))
    assert longest <= seats
    end(table, 0, order)


@MANY
@given(seats=st.integers(3, 9), seed=st.integers(0, 99), steps=steps, gone=st.sets(st.integers(0, 8)))
def test_seats_may_fall_silent_at_any_point_and_be_substituted_or_vacated(seats, seed, steps, gone):
    table = Table(GAME, seats, FREE, Seed.of(f"silent/{seed}"))
    for place, number in steps:
        acting = [seat for seat in table.state.to_act() if seat not in table.vacated]
        if not acting:
            break
        seat = acting[place % len(acting)]
        if seat in gone and number % 3 == 0:
            table.vacate(seat)
        elif seat in gone and not table.state.may_wait(seat):
            table.substitute(seat)
        else:
            legal = table.state.legal_actions(seat)
            table.choose(seat, legal[number % len(legal)])
        invariants.hold(table.state)
    table.tick(LIMIT_MS)
    while table.state.result() is None:
        seat = table.state.to_act()[0]
        table.substitute(seat)
        invariants.hold(table.state)
    verify(Record.of(table), GAME)


def test_long_games_with_time_passing():
    for seats, seed in ((3, "a"), (14, "d")):
        playout = random_playout(GAME, seats, FREE, Seed.of(f"long/{seed}"), vacate_after={1: 40}, substitute_one_in=9)
        for table in playout:
            invariants.hold(table.state)
        assert table.state.result() is not None
