"""Games come in the order of the plan, and slow bots hold up nobody but themselves."""

import random

import pytest

from croupier_tournament.plan import GameKey, PlanSpec, make_plan
from croupier_tournament.run.schedule import Pace, Schedule, lane_of


def keys(*blocks):
    return [GameKey(block, 0) for block in blocks]


def schedule(order, tables, pace=None, slots=2):
    pace = pace or Pace(max(max(table) for table in tables) + 1)
    return Schedule(iter(order), tables.__getitem__, pace, seats=len(tables[0]), slots=slots), pace


def all_of(it, playable=lambda _: True):
    found = []
    while (key := it.next(playable)) is not None:
        found.append(key)
    return found


TWO = [(0, 1), (0, 1), (0, 1), (2, 3), (2, 3)]


def test_games_come_in_the_order_of_the_plan_as_many_as_there_are_slots():
    it, _ = schedule(keys(0, 1, 2), TWO)
    assert all_of(it) == keys(0, 1)
    it.over(GameKey(0, 0))
    assert (all_of(it), it.exhausted, it.running) == (keys(2), False, 2)
    it.over(GameKey(1, 0))
    it.over(GameKey(2, 0))
    assert (all_of(it), it.exhausted, it.running) == ([], True, 0)


def test_a_slow_bot_does_not_hold_up_tables_at_which_it_does_not_sit():
    it, pace = schedule(keys(0, 1, 2, 3, 4), TWO)
    pace.thought(0, 60.0)
    assert all_of(it) == keys(0, 1, 3, 4)


def test_a_game_that_goes_on_and_on_makes_room_for_quick_ones():
    it, pace = schedule(keys(0, 1, 3, 4), TWO)
    assert all_of(it) == keys(0, 1)
    pace.thinks(0, 20.0)
    for key in keys(0, 1):
        it.grows_old(key, 20.0)
    assert all_of(it) == keys(3, 4)


def test_games_of_bots_that_turn_out_to_be_quick_come_into_the_quick_lane():
    it, pace = schedule(keys(0, 1, 2), TWO, slots=1)
    pace.thinks(0, 60.0)
    assert all_of(it) == keys(0)
    for _ in range(20):
        pace.thought(0, 0.0)
    assert all_of(it) == keys(1)


def test_games_to_be_repeated_come_first_and_leave_their_slots():
    it, _ = schedule(keys(0, 1, 2), TWO)
    assert all_of(it) == keys(0, 1)
    it.again(keys(1))
    assert (it.running, all_of(it)) == (1, keys(1))


def test_what_cannot_be_played_now_waits_and_what_comes_behind_it_does_not():
    it, _ = schedule(keys(0, 3, 1), TWO)
    assert all_of(it, lambda block: block >= 3) == keys(3)
    assert not it.exhausted
    assert all_of(it) == keys(0)
    it.over(GameKey(0, 0))
    assert all_of(it) == keys(1)


def test_every_game_comes_once_however_long_the_plan_and_slow_its_bots():
    order = [GameKey(block, 0) for block in range(10_000)]
    pace = Pace(5)
    pace.thinks(0, 1000.0)
    it = Schedule(iter(order), lambda block: (block % 2, 2 + block % 3), pace, seats=2, slots=3)
    came = []
    while not it.exhausted or it.running:
        begun = all_of(it)
        came += begun
        for key in begun:
            it.over(key)
    assert sorted(came) == order
    assert [key.block for key in came if key.block % 2] == list(range(1, 10_000, 2))


def test_games_of_one_block_are_played_one_after_the_other():
    it, _ = schedule([GameKey(0, 0), GameKey(0, 1)], TWO)
    for replay in (0, 1):
        assert (all_of(it), it.running) == ([GameKey(0, replay)], 1)
        it.over(GameKey(0, replay))
    assert it.exhausted


def test_a_block_rests_until_another_game_is_over_unless_it_is_alone():
    it, _ = schedule([GameKey(block, replay) for block in (0, 1) for replay in (0, 1)], TWO)
    assert all_of(it) == [GameKey(0, 0), GameKey(1, 0)]
    it.over(GameKey(0, 0))
    assert (all_of(it), it.exhausted) == ([], False)
    it.over(GameKey(1, 0))
    assert all_of(it) == [GameKey(0, 1)]
    it.over(GameKey(0, 1))
    assert all_of(it) == [GameKey(1, 1)]


def test_a_block_that_rests_does_not_wait_for_slower_games():
    it, _ = schedule([GameKey(0, 0), GameKey(3, 0), GameKey(3, 1)], TWO)
    assert all_of(it) == keys(0, 3)
    it.grows_old(GameKey(0, 0), 60.0)
    it.over(GameKey(3, 0))
    assert all_of(it) == [GameKey(3, 1)]


def test_a_block_that_was_voided_is_repeated_one_game_after_the_other():
    it, _ = schedule([GameKey(0, 0), GameKey(0, 1), GameKey(0, 2)], TWO)
    all_of(it)
    it.over(GameKey(0, 0))
    assert all_of(it) == [GameKey(0, 1)]
    it.again([GameKey(0, 0), GameKey(0, 1)])
    came = []
    while begun := all_of(it):
        assert len(begun) == 1
        came += begun
        it.over(begun[0])
    assert sorted(came) == [GameKey(0, 0), GameKey(0, 1), GameKey(0, 2)]
    assert it.exhausted


def test_what_waits_for_a_game_that_never_comes_back_is_not_waited_for():
    it, _ = schedule([GameKey(0, 0), GameKey(0, 1)], TWO)
    assert (all_of(it), it.exhausted) == (keys(0), True)


PLAN = make_plan(PlanSpec("balanced", tuple("abcde"), seats=4, deals=1, options_digest="", seed="1", blocks=200))


@pytest.mark.parametrize("slots", [1, 2, 7])
def test_few_games_at_once_come_just_as_planned(slots):
    it = Schedule(iter(PLAN.order), lambda block: PLAN.blocks[block].table, Pace(5), seats=4, slots=slots)
    came = all_of(it)
    for oldest in range(len(PLAN)):
        it.over(came[oldest])
        came += all_of(it)
    assert came == list(PLAN.order)


@pytest.mark.parametrize("slots", [8, 64, 199])
def test_as_many_games_run_at_once_as_there_are_slots_and_blocks_and_no_two_of_one_block(slots):
    dice, looked = random.Random(1), []
    table = lambda block: looked.append(block) or PLAN.blocks[block].table  # noqa: E731 -- counts
    it = Schedule(iter(PLAN.order), table, Pace(5), seats=4, slots=slots)
    left, running, came = dict.fromkeys(range(200), 4), [], []
    while running or not it.exhausted:
        begun = all_of(it)
        came += begun
        running += begun
        assert len({key.block for key in running}) == len(running)
        assert len(running) >= min(slots, len(left) - 1)
        key = running.pop(dice.randrange(len(running)))
        it.over(key)
        left[key.block] -= 1
        if not left[key.block]:
            del left[key.block]
    assert sorted(came) == sorted(PLAN.order)
    assert len(looked) < 10 * len(PLAN)  # each game is looked at a few times, however many wait


def test_the_plan_is_not_read_further_than_there_is_room():
    read = []
    it, _ = schedule((read.append(key) or key for key in keys(0, 1, 2, 3, 4)), TWO)
    all_of(it)
    assert read == keys(0, 1)


def test_lanes_are_wide_for_slow_games():
    assert [lane_of(seconds) for seconds in (0.0, 0.5, 1.0, 3.99, 4.0, 15.0, 16.0)] == [0, 0, 1, 1, 2, 2, 3]


def test_a_pace_is_an_average_that_forgets():
    pace = Pace(2)
    pace.thought(0, 8.0)
    pace.thought(0, 0.0)
    assert pace.of((0, 1)) == 6.0
    pace.thinks(0, 1.0)
    assert pace.of((0, 1)) == 6.0
