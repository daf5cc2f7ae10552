"""The format `balanced`: what holds at every prefix, for 3 to 64 entrants and 2 to 7 seats.

`CROUPIER_PLAN_ROUNDS=600 pytest tournament/tests/plan/test_balanced.py` looks at longer plans: minutes.
"""

import os
from collections import Counter
from itertools import combinations, islice

import pytest

from croupier_games.kernel import Seed
from croupier_tournament.plan import PlanSpec, make_plan
from croupier_tournament.plan.schedule import MOST_SPREAD, Meetings, balanced_tables

ROUNDS = int(os.environ.get("CROUPIER_PLAN_ROUNDS", "0"))

every_seats = pytest.mark.parametrize("seats", range(2, 8))
some_entrants = pytest.mark.parametrize("span", [range(3, 13), range(13, 30), range(30, 48), range(48, 65)], ids=str)


def names(count):
    return tuple(f"bot{number:02}" for number in range(count))


def tables(entrants, seats, blocks, seed="any"):
    return list(islice(balanced_tables(entrants, seats, Seed.of(seed).dice("tables")), blocks))


def rounds(entrants):
    return ROUNDS or (60 if entrants < 13 else 7)


@every_seats
@some_entrants
@pytest.mark.timeout(60 if not ROUNDS else 3600)
def test_at_every_prefix_blocks_differ_by_one_at_most_and_pairs_by_the_limit(span, seats):
    limit = {2: 3, 3: 3, 4: 3, 5: 4, 6: 5, 7: 5}[seats]
    for entrants in span:
        if entrants < seats:
            continue
        meetings, played = Meetings.none(entrants), [0] * entrants
        for table in tables(entrants, seats, rounds(entrants) * entrants // seats + 1, f"{entrants}"):
            assert len(set(table)) == seats
            for entrant in table:
                played[entrant] += 1
            assert max(played) - min(played) <= 1, (entrants, seats)
            meetings.add(table)
            fewest, most = meetings.range()
            assert most - fewest <= limit, (entrants, seats)


def test_the_limits_are_those_that_are_tested():
    assert MOST_SPREAD == {2: 3, 3: 3, 4: 3, 5: 4, 6: 5, 7: 5}


@pytest.mark.parametrize(("entrants", "seats"), [(7, 4), (11, 4), (10, 5)])
def test_the_sizes_that_drift_apart_without_care_keep_to_the_limit_for_long(entrants, seats):
    """Choosing table by table, 10 entrants at tables of 5 come to a spread of 6 within 200 blocks."""
    meetings = Counter()
    for number, table in enumerate(tables(entrants, seats, 1500), 1):
        meetings.update(combinations(sorted(table), 2))
        if number > 3:
            assert len(meetings) == entrants * (entrants - 1) // 2 or number < 30
            assert max(meetings.values()) - min(meetings.values()) <= MOST_SPREAD[seats]


def test_as_many_entrants_as_seats_are_one_table():
    assert {tuple(sorted(table)) for table in tables(4, 4, 20)} == {(0, 1, 2, 3)}


def test_another_seed_gives_other_tables():
    assert tables(9, 4, 20, "one") == tables(9, 4, 20, "one")
    assert tables(9, 4, 20, "one") != tables(9, 4, 20, "two")


@every_seats
def test_left_neighbours_are_balanced_along_with_the_pairs(seats):
    """Within a few blocks: in a block a pair are neighbours in one direction so many times, or not at all."""
    plan = make_plan(PlanSpec("balanced", names(12), seats, 0, "", "seed", blocks=400))
    beside = Counter()
    for block in plan.blocks:
        for seating in block.replays:
            beside.update((seating[seat], seating[(seat + 1) % seats]) for seat in range(seats))
    counts = [beside[one, other] for one in range(12) for other in range(12) if one != other]
    mean = 400 * seats * seats / (12 * 11)
    assert sum(counts) == 400 * seats * seats
    assert all(abs(count - mean) <= max(4 * seats, 0.35 * mean) for count in counts)
