"""The end of a race and the beginning of the next: what is paid, what is passed on."""

import pytest

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_stakes import GAME, Phase, arrange
from croupier_games.trick_stakes.cards import FINISH, tickets


def at_the_ends_of_races(seats, seed):
    """The states just before and just after each race that another one follows, copied."""
    before = None
    for table in random_playout(GAME, seats, GAME.options(), Seed.of(seed)):
        state = table.state.clone()
        if before is not None and state.race > before.race:
            yield before, state
        before = state


def test_it_ends_after_the_trick_in_which_a_second_horse_has_reached_the_finish(do):
    state = arrange(
        ["RED-9 BLUE-1 BLUE-5", "RED-1 BLUE-2 BLUE-6", "RED-2 BLUE-3 BLUE-7", "RED-3 BLUE-4 BLUE-8"],
        spaces=(5, 7, 2, 3),
        points=[1, 2, 3, 4],
    )
    do(state, "play RED-9", "play RED-1", "play RED-2", "play RED-3")
    assert state.phase is Phase.OVER
    assert state.standing == [2, 1, 4, 3]
    assert [len(hand) for hand in state.hands] == [2] * 4  # not played
    assert state.tricks == (1,)


def test_it_ends_when_hands_are_empty(do):
    state = arrange(["RED-9", "RED-1", "RED-2", "RED-3"])
    do(state, "play RED-9", "play RED-1", "play RED-2", "play RED-3")
    assert state.phase is Phase.OVER
    assert state.standing == [1, 2, 3, 4]


def test_prizes_and_bets_are_added_to_the_points(do):
    """Seat 0's horse is first and seat 1's second, by the pile on the gate."""
    bets = ["WIN VANILLA_BEANS", "VANILLA_BEANS FORET_NOIRE", "FORET_NOIRE VANILLA_BEANS", "SILVER_ARRASAN WIN"]
    state = arrange(["RED-9", "RED-1", "RED-2", "RED-3"], odds=(2, 4, 5, 3), bets=bets, points=(10, 20, 30, 40))
    do(state, "play RED-9", "play RED-1", "play RED-2", "play RED-3")
    assert state.points == [10 + 5 + 2, 20 + 3 + 6, 30 + 6, 40]
    assert state.result().placings == (4, 3, 2, 1)


def test_odds_are_those_of_this_race_and_stay_after_the_last(do):
    state = arrange(["RED-9", "RED-1", "RED-2", "RED-3"], odds=(2, 4, 5, 3))
    do(state, "play RED-9", "play RED-1", "play RED-2", "play RED-3")
    assert state.odds == [2, 4, 5, 3]


def test_tickets_are_shown_when_the_race_is_paid(do):
    state = arrange(["RED-9", "RED-1", "RED-2", "RED-3"])
    assert state.table().tickets_down == (0, 0, 0, 0)
    do(state, "play RED-9", "play RED-1", "play RED-2", "play RED-3")
    assert state.table().tickets_down == tuple(tickets("VANILLA_BEANS WIN WIN WIN"))


def test_horses_and_their_cards_go_to_the_left_neighbour():
    for before, after in at_the_ends_of_races(4, "passing"):
        for seat in range(4):
            assert after.horses[(seat + 1) % 4] == before.horses[seat]
        assert after.cards == before.cards


def test_with_three_seats_the_dummy_is_one_of_the_circle():
    for before, after in at_the_ends_of_races(3, "passing"):
        circle = before.circle
        assert circle[3] == 3  # the dummy sits to the right of the first start player
        for at in range(4):
            assert after.horses[circle[(at + 1) % 4]] == before.horses[circle[at]]


@pytest.mark.parametrize("seats", [3, 4])
def test_the_start_goes_to_the_left(seats):
    """V, V+1, V+2: the dummy never starts."""
    first = GAME.deal(seats, GAME.options(), Seed.of("start")).start
    starts = [after.start for _, after in at_the_ends_of_races(seats, "start")]
    assert starts == [(first + step) % seats for step in range(1, seats)]


def test_odds_of_the_next_race_depend_on_the_finish():
    for before, after in at_the_ends_of_races(4, "odds"):
        grown = [after.odds[horse - 1] - before.odds[horse - 1] for horse in after.finishes[-4:]]
        assert grown == [0, 1, 2, 3]


def test_the_next_race_starts_at_the_gate_with_all_tickets_and_eleven_cards():
    for _, after in at_the_ends_of_races(4, "anew"):
        table = after.table()
        assert table.phase is Phase.DISCARD
        assert table.to_act == (0, 1, 2, 3)
        assert table.spaces == (0, 0, 0, 0)
        assert table.standing == table.stacks[-4:]
        assert table.tickets_up[-4:] == (0, 0, 0, 0)
        assert [len(hand) for hand in after.hands] == [11] * 4
        assert (table.trick, table.whip_at, table.tricks[-1]) == ((), 0, 0)


@pytest.mark.parametrize("seats", [3, 4])
def test_the_twelve_cards_of_a_horse_are_the_same_in_every_race(seats):
    for number in range(10):
        playout = random_playout(GAME, seats, GAME.options(), Seed.of(f"twelve/{number}"))
        dealt = None
        for table in playout:
            state = table.state
            dealt = dealt or {horse: set(state.cards[horse - 1]) for horse in (1, 2, 3, 4)}
            if state.phase is Phase.DISCARD and len(state.to_act()) == seats:
                for place, horse in enumerate(state.horses):
                    out = [state.turned_up[-4 + place], *filter(None, [state.discards[-4 + place]])]
                    assert dealt[horse] == {*state.hands[place], *out}
                    assert len(state.hands[place]) + len(out) == 12


def test_a_race_can_end_in_any_way():
    """Among a hundred random games there are races that ended early and races that ended with empty hands."""
    ends = set()
    for number in range(100):
        *_, table = random_playout(GAME, 4, GAME.options(), Seed.of(f"ends/{number}"))
        ends |= {(tricks < 10) for tricks in table.state.tricks}
        assert table.state.spaces.count(FINISH) == 2 or table.state.tricks[-1] == 10
    assert ends == {True, False}
