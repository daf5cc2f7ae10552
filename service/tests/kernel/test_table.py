"""A table: what goes in is recorded, and what follows from it by itself is not."""

import pytest
from toy import GAME, PAUSE_MS, Guess, Lay, Options

from croupier_games.kernel import Chosen, IllegalAction, Seed, Substituted, Table, Ticked, Vacated

SEED = Seed.of("a table")


@pytest.fixture
def table():
    return Table(GAME, 3, Options(hand=2), SEED)


@pytest.fixture
def bell(table):
    """A table at which nobody must act, but anybody may."""
    for seat in range(3):
        table.choose(seat, table.state.legal_actions(seat)[0])
    assert table.state.to_act() == (0, 1, 2)
    return table


@pytest.fixture
def over(bell):
    bell.tick(1000)
    bell.tick(1000 + PAUSE_MS)
    assert bell.result() is not None
    return bell


def test_what_a_seat_chooses_is_recorded_and_what_the_engine_does_is_only_a_move(table):
    cards = [table.state.legal_actions(seat)[0] for seat in range(3)]
    for seat, card in enumerate(cards):
        table.choose(seat, card)
    assert table.inputs == [Chosen(0, cards[0]), Chosen(1, cards[1]), Chosen(2, cards[2])]
    assert [(move.seat, move.cause) for move in table.moves] == [
        (0, "chosen"), (1, "chosen"), (2, "chosen"), (0, "forced"), (1, "forced"), (2, "forced"),
    ]  # fmt: skip
    assert table.latest == 2


def test_an_illegal_action_changes_nothing(table):
    before = table.state.view(0)
    with pytest.raises(IllegalAction, match="does not hold 99") as error:
        table.choose(0, Lay(99))
    assert error.value.rule == "lay.in-hand"
    assert table.inputs == table.moves == []
    assert table.state.view(0) == before


def test_a_substitute_draws_from_a_stream_of_its_seat_and_number(table):
    legal = table.state.legal_actions(1)
    table.substitute(1)
    assert table.inputs == [Substituted(1)]
    assert table.moves[0].action == SEED.dice("substitute/1/1").choice(legal)
    assert table.moves[0].cause == "substituted"


def test_substitutes_of_one_seat_do_not_shift_those_of_another():
    drawn = []
    for earlier in ([], [0], [0, 2]):
        table = Table(GAME, 3, Options(hand=6), SEED)
        for seat in earlier:
            table.substitute(seat)
        table.substitute(1)
        drawn.append(table.moves[-1].action)
    assert len(set(drawn)) == 1


def test_a_seat_with_nothing_to_decide_cannot_be_substituted(table):
    table.substitute(1)
    with pytest.raises(IllegalAction, match="seat 1 has nothing to decide") as error:
        table.substitute(1)
    assert error.value.rule == "seat.to-act"
    assert table.inputs == [Substituted(1)]


def test_a_vacated_seat_plays_by_itself_and_is_never_asked_again(table):
    table.vacate(1)
    assert table.inputs == [Vacated(1)]
    assert table.vacated == {1}
    assert [(move.seat, move.cause) for move in table.moves] == [(1, "vacated")]
    assert table.state.to_act() == (0, 2)
    with pytest.raises(IllegalAction, match="seat 1 was vacated"):
        table.choose(1, table.moves[0].action)
    with pytest.raises(IllegalAction, match="seat 1 was vacated"):
        table.substitute(1)


def test_a_vacated_seat_draws_from_its_own_stream(table):
    legal = table.state.legal_actions(2)
    table.vacate(2)
    assert table.moves[0].action == SEED.dice("vacated/2").choice(legal)


def test_vacating_again_changes_nothing(table):
    table.vacate(1)
    table.vacate(1)
    assert table.inputs == [Vacated(1)]


def test_a_vacated_seat_that_may_wait_waits(bell):
    bell.vacate(0)
    assert bell.state.to_act() == (0, 1, 2)
    assert bell.moves[-1].cause != "vacated"


def test_a_table_of_vacated_seats_plays_on_until_the_game_needs_the_time(table):
    for seat in range(3):
        table.vacate(seat)
    assert table.state.deadline() == 1000
    table.tick(1000)
    table.tick(1000 + PAUSE_MS)
    assert table.result().forfeited == (True, True, True)


def test_a_vacated_seat_is_placed_last_whatever_its_points(bell):
    leader = bell.state.points.index(max(bell.state.points))
    bell.vacate(leader)
    bell.tick(1000)
    bell.tick(1000 + PAUSE_MS)
    result = bell.result()
    assert result.points[leader] == max(result.points)
    assert result.placings[leader] == 3
    assert bell.state.result().placings[leader] == 1


def test_time_is_an_input_and_does_not_go_back(bell):
    bell.tick(400)
    assert bell.now_ms == 400
    with pytest.raises(IllegalAction, match="it was 400 ms already, 399 ms is in the past") as error:
        bell.tick(399)
    assert error.value.rule == "time.forward"
    bell.tick(400)
    assert bell.inputs[-2:] == [Ticked(400), Ticked(400)]


@pytest.mark.parametrize("seat", [-1, 3])
def test_a_seat_that_does_not_exist_can_do_nothing(table, seat):
    for do in (table.vacate, table.substitute, lambda s: table.choose(s, Lay(1))):
        with pytest.raises(IllegalAction, match=f"there is no seat {seat}, the last one is 2") as error:
            do(seat)
        assert error.value.rule == "seat.range"
    assert table.inputs == []


def test_after_the_end_nothing_more_goes_in(over):
    inputs = list(over.inputs)
    for item in (Chosen(0, Guess(high=True)), Substituted(0), Vacated(0), Ticked(9999)):
        with pytest.raises(IllegalAction, match="the game is over") as error:
            over.put(item)
        assert error.value.rule == "game.over"
    assert over.inputs == inputs
