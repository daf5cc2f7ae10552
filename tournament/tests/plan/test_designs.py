"""Designs: every one in the data is proven, none is taken on trust."""

from collections import Counter
from itertools import chain, combinations

import pytest

from croupier_tournament.plan import PlanError
from croupier_tournament.plan.designs import design_tables, develop, families, sizes


def numbers(tables, entrants, seats):
    """Return b, r and λ of tables that are a design."""
    assert all(len(set(table)) == seats and tuple(sorted(table)) == tuple(table) for table in tables)
    played = Counter(chain.from_iterable(tables))
    met = Counter(chain.from_iterable(combinations(table, 2) for table in tables))
    assert set(played) == set(range(entrants))
    assert len(met) == entrants * (entrants - 1) // 2
    (r,), (meetings,) = set(played.values()), set(met.values())
    assert r * (seats - 1) == meetings * (entrants - 1)
    assert len(tables) * seats == entrants * r
    return len(tables), r, meetings


@pytest.mark.parametrize("seats", range(3, 8))
def test_in_every_design_all_pairs_meet_equally_often(seats):
    known = [entrants for entrants, size in families() if size == seats]
    assert len(known) >= 25
    for entrants in known:
        numbers(design_tables(entrants, seats), entrants, seats)


@pytest.mark.parametrize(
    ("entrants", "seats", "blocks", "expected"),
    [
        (7, 3, [(0, 1, 3)], (7, 3, 1)),
        (13, 4, [(0, 1, 3, 9)], (13, 4, 1)),
        (21, 5, [(0, 1, 4, 14, 16)], (21, 5, 1)),
        (11, 5, [(0, 1, 2, 4, 7)], (11, 5, 2)),
        (9, 4, [(0, 1, 2, 4), (0, 1, 4, 6)], (18, 8, 3)),
        (37, 4, [(0, 1, 3, 24), (0, 4, 9, 15), (0, 7, 17, 25)], (111, 12, 1)),
    ],
)
def test_the_base_blocks_of_the_literature(entrants, seats, blocks, expected):
    assert families()[entrants, seats] == (entrants, tuple(blocks))
    assert numbers(design_tables(entrants, seats), entrants, seats) == expected


@pytest.mark.parametrize(
    ("entrants", "seats", "tables", "meetings"),
    [
        (7, 3, 7, 1),
        (7, 4, 7, 2),
        (13, 3, 26, 1),
        (13, 4, 13, 1),
        (16, 4, 20, 1),
        (16, 5, 48, 4),
        (21, 5, 21, 1),
        (64, 4, 336, 1),
    ],
)
def test_the_sizes_that_organisers_ask_for(entrants, seats, tables, meetings):
    b, _, met = numbers(design_tables(entrants, seats), entrants, seats)
    assert (b, met) == (tables, meetings)


def test_the_affine_plane_of_order_four_has_five_parallel_classes():
    """Twenty tables of 16 entrants; each four of a class seat everybody once."""
    tables = [frozenset(table) for table in design_tables(16, 4)]
    classes = Counter(frozenset(other for other in tables if other == table or not other & table) for table in tables)
    assert len(classes) == 5
    assert all(len(parallel) == 4 and len(frozenset().union(*parallel)) == 16 for parallel in classes)


def test_a_base_block_of_short_period_is_developed_once():
    assert list(develop((0, 2, 4), 6)) == [(0, 2, 4), (1, 3, 5)]


@pytest.mark.parametrize("entrants", [2, 3, 10, 64])
def test_at_tables_of_two_everybody_meets_everybody(entrants):
    assert numbers(design_tables(entrants, 2), entrants, 2)[2] == 1


@pytest.mark.parametrize(("entrants", "seats"), [(4, 4), (5, 4), (5, 3), (8, 5), (9, 7)])
def test_where_there_are_few_tables_all_of_them_are_the_design(entrants, seats):
    numbers(design_tables(entrants, seats), entrants, seats)
    assert (entrants, seats) not in families()


def test_a_size_without_design_is_told_with_the_nearest_ones():
    assert not {35, 38, 39} & set(sizes(4))
    with pytest.raises(PlanError, match="no design is known for 38 entrants at tables of 4") as caught:
        design_tables(38, 4)
    assert caught.value.field == "format"
    assert "37 and 40 entrants" in caught.value.message
    assert "balanced" in caught.value.message


def test_beyond_the_largest_size_only_the_nearest_below_is_told():
    with pytest.raises(PlanError, match=r"the nearest sizes are 64 entrants;"):
        design_tables(100, 4)
