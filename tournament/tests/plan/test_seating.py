from collections import Counter
from itertools import permutations

import pytest

from croupier_games.kernel import Seed
from croupier_tournament.plan.seating import first_row, neighbours, seeded_row, squares, turns

every_size = pytest.mark.parametrize("seats", range(2, 15))


def rows(seats):
    """The first rows of all squares that a table takes in turn, or some seeded ones."""
    if squares(seats):
        return [first_row(seats, square) for square in range(squares(seats))]
    dice = Seed.of("any").dice("seating")
    return [seeded_row(seats, dice) for _ in range(5)]


def seatings(seats, row):
    return [tuple(row[seat] for seat in turn) for turn in turns(seats)]


@every_size
def test_each_square_is_latin(seats):
    for row in rows(seats):
        square = seatings(seats, row)
        assert square[0] == row
        assert len(square) == seats
        for seat in range(seats):
            assert sorted(seating[seat] for seating in square) == list(range(seats))
            assert sorted(square[seat]) == list(range(seats))


@every_size
def test_there_are_squares_for_four_and_for_prime_numbers(seats):
    assert squares(seats) == {2: 1, 3: 2, 4: 3, 5: 4, 7: 6, 11: 10, 13: 12}.get(seats, 0)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 7, 11, 13])
def test_after_all_squares_every_ordered_pair_has_taken_every_two_seats_equally_often(seats):
    times = Counter(
        (seating[one], seating[other], one, other)
        for row in rows(seats)
        for seating in seatings(seats, row)
        for one, other in permutations(range(seats), 2)
    )
    assert len(times) == (seats * (seats - 1)) ** 2
    assert set(times.values()) == {1}


@pytest.mark.parametrize("seats", [3, 4, 5, 7])
def test_after_all_squares_everybody_has_sat_beside_everybody_equally_often(seats):
    beside = Counter()
    for row in rows(seats):
        beside.update(neighbours(seats, row))
    assert len(beside) == seats * (seats - 1)
    assert set(beside.values()) == {seats}


def test_the_squares_of_three_and_four_are_those_of_the_definition():
    assert seatings(3, first_row(3, 0)) == [(0, 1, 2), (2, 0, 1), (1, 2, 0)]
    group = {(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)}
    for square, representative in enumerate([(0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2)]):
        seats_of = {
            tuple(seating.index(position) for position in range(4)) for seating in seatings(4, first_row(4, square))
        }
        assert seats_of == {tuple(element[seat] for seat in representative) for element in group}


def test_five_and_seven_multiply_and_add():
    for seats in (5, 7):
        for square in range(squares(seats)):
            seats_of = {
                tuple(seating.index(position) for position in range(seats))
                for seating in seatings(seats, first_row(seats, square))
            }
            assert seats_of == {
                tuple(((square + 1) * position + b) % seats for position in range(seats)) for b in range(seats)
            }


def test_neighbours_are_counted_to_the_left_and_around():
    assert Counter(neighbours(3, (0, 1, 2))) == {(0, 1): 3, (1, 2): 3, (2, 0): 3}
