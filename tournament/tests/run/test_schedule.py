"""Games come in the order of the plan, and slow bots hold up nobody but themselves."""

from croupier_tournament.plan import GameKey
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
