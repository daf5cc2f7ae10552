"""Games played at random: every one can be had again, and time passes in them."""

import pytest
from toy import GAME, Options, Phase

from croupier_games.kernel import Chosen, Seed, Substituted, Ticked, Vacated
from croupier_games.kernel.playout import Stuck, Whim, play_out, random_playout

SEEDS = [Seed.of(f"playout {number}") for number in range(30)]


def end(seed, options=None, **extra):
    *_, table = random_playout(GAME, 3, options or Options(), seed, **extra)
    return table


def test_a_playout_is_the_same_every_time_and_another_by_other_dice():
    assert end(SEEDS[0]).inputs == end(SEEDS[0]).inputs
    assert len({tuple(end(SEEDS[0], dice=seed.dice("whim")).inputs) for seed in SEEDS}) > 1


def test_a_playout_yields_every_position_from_the_deal_to_the_end():
    positions = [(len(table.inputs), table.state.phase) for table in random_playout(GAME, 3, Options(), SEEDS[0])]
    assert [number for number, _ in positions] == list(range(len(positions)))
    assert positions[0][1] is Phase.LAYING
    assert positions[-1][1] is Phase.OVER


def test_who_may_wait_sometimes_waits_and_sometimes_acts():
    guesses = [sum(guess is not None for guess in end(seed).state.guesses) for seed in SEEDS]
    assert set(guesses) == {0, 1, 2, 3}


def test_time_passes_early_punctually_and_late():
    ticks = [item.now_ms for seed in SEEDS for item in end(seed).inputs if isinstance(item, Ticked)]
    assert any(now < 1000 for now in ticks)
    assert 1000 in ticks
    assert any(now > 2000 for now in ticks)


def test_seats_leave_when_they_are_told_to():
    table = end(SEEDS[1], vacate_after={2: 0, 0: 3})
    assert table.inputs[0] == Vacated(2)
    assert table.inputs[3] == Vacated(0)
    assert table.vacated == {0, 2}


def test_some_decisions_are_left_to_substitutes():
    inputs = [item for seed in SEEDS for item in end(seed, substitute_one_in=3).inputs]
    assert 60 < sum(isinstance(item, Substituted) for item in inputs) < 120  # of 180
    assert not any(isinstance(item, Substituted) for seed in SEEDS for item in end(seed).inputs)


def test_a_state_is_played_out_from_where_it_is():
    state = GAME.deal(3, Options(), SEEDS[2])
    copy = state.clone()
    assert play_out(state, SEEDS[2].dice("whim")) == play_out(copy, SEEDS[2].dice("whim")) >= 6
    assert state.result() == copy.result() is not None
    assert play_out(state, SEEDS[2].dice("whim")) == 0


def test_a_state_is_played_on_only_so_far():
    state = GAME.deal(3, Options(), SEEDS[2])
    assert play_out(state, SEEDS[2].dice("whim"), stop_after=2) == 2
    assert sum(map(bool, state.laid)) == 2


def test_a_game_that_neither_ends_nor_goes_on_is_stuck():
    state = GAME.deal(3, Options(), SEEDS[3])
    state.phase = Phase.PAUSE
    with pytest.raises(Stuck, match="nobody is to act and it has no deadline"):
        play_out(state, SEEDS[3].dice("whim"))


def test_a_deadline_that_has_passed_is_stuck():
    state = GAME.deal(3, Options(), SEEDS[3])
    state.phase, state.closes_ms = Phase.PAUSE, 500
    with pytest.raises(Stuck, match="the deadline is 500 ms, though the game was told that it is 500 ms already"):
        Whim(SEEDS[3].dice("whim")).next_input(state, 500)


def test_a_decision_without_actions_is_stuck():
    state = GAME.deal(3, Options(), SEEDS[3])
    state.hands = [[], [], []]
    with pytest.raises(Stuck, match="is to act, but has no legal action"):
        play_out(state, SEEDS[3].dice("whim"))


def test_only_decisions_and_time_come_in():
    assert {type(item) for seed in SEEDS for item in end(seed).inputs} == {Chosen, Ticked}
