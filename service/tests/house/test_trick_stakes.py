"""The greedy house bot of Trick Stakes: it plays from its view alone, and beats random play.

    python service/tests/house/test_trick_stakes.py

plays the duel over 500 duplicate deals, each from every seat, and says by how much.
"""

from math import sqrt
from statistics import mean, stdev

import pytest

from croupier_games.kernel import Move, Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_stakes import GAME, Discard, TicketDown, arrange
from croupier_service.house import house_bots
from croupier_service.house.trick_stakes import greedy
from croupier_service.house.uniform import choose

DEALS = 12  # which are significant already


def lead(seats, seed, seat):
    """How many points the greedy bot at this seat, all others playing at random, is ahead of them on average."""
    state = GAME.deal(seats, GAME.options(), seed)
    dice = [seed.dice(f"house/{number}") for number in range(seats)]
    while (acting := state.to_act()) != ():
        policy = greedy if acting[0] == seat else choose
        state.apply(acting[0], policy(state.view(acting[0]), state.legal_actions(acting[0]), dice[acting[0]]))
    points = state.result().points
    return points[seat] - (sum(points) - points[seat]) / (seats - 1)


def margin(seats, deals):
    """Mean lead over duplicate deals, and half the width of its 95% interval; a deal is one observation."""
    leads = [mean(lead(seats, Seed.of(f"duel/{deal}"), seat) for seat in range(seats)) for deal in range(deals)]
    return mean(leads), 1.96 * stdev(leads) / sqrt(deals)


@pytest.mark.parametrize("seats", [3, 4])
def test_greedy_beats_random(seats):
    ahead, half_width = margin(seats, DEALS)
    assert ahead - half_width > 0


@pytest.mark.parametrize("seats", [3, 4])
def test_it_chooses_a_legal_action_and_the_same_one_from_the_same_view(seats):
    for table in random_playout(GAME, seats, GAME.options(), Seed.of("legal")):
        state, dice = table.state, Seed.of("unused").dice("x")
        for seat in state.to_act():
            legal = state.legal_actions(seat)
            action = greedy(state.view(seat), legal, dice)
            assert action in legal
            again = state.redeal(seat, Seed.of("again").dice("x"))
            assert greedy(again.view(seat), legal, dice) == action


def test_it_takes_a_trick_that_brings_its_horse_to_the_finish():
    """Seats 2, 3 and 0 can only play RED-2, RED-3 and RED-5; then seat 1 wins with RED-9, or loses with RED-1."""
    hands = ["RED-5 BLUE-1", "RED-9 RED-1", "RED-2 BLUE-3", "RED-3 BLUE-4"]
    state = arrange(hands, leader=2, spaces=(6, 5, 0, 0), whips=[0, 0, 0, 0])
    state.apply(2, GAME.parse("play RED-2"))
    assert state.to_act() == (1,)
    action = greedy(state.view(1), state.legal_actions(1), Seed.of("unused").dice("x"))
    assert GAME.notation(action) == "play RED-9"


def test_it_sits_at_tables_of_this_game():
    assert house_bots()["greedy"]("trick-stakes", None) is not None


def test_a_host_tells_the_dummy_s_moves_under_its_number_and_secret_choices_without_what_was_chosen(hall):
    from hall import play_on  # the conftest here knows where it is; the duel does without

    hall.host.games = {GAME.name: GAME}
    bots = hall.bots("ann bob cat", events=True)
    session = hall.session("ann bob cat", GAME)
    play_on(bots)
    hall.verified(session)
    for seat, bot in enumerate(bots):
        moves = [event for _, event in bot.told_events if isinstance(event, Move)]
        assert {move.cause for move in moves if move.seat == 3} == {"forced"}
        assert {move.seat for move in moves if move.action is None} == {0, 1, 2} - {seat}
        assert {move.seat for move in moves if isinstance(move.action, Discard | TicketDown)} == {seat}


if __name__ == "__main__":  # see above
    for number in (3, 4):
        ahead, half_width = margin(number, 500)
        print(f"{number} seats, 500 deals: ahead by {ahead:.2f} ± {half_width:.2f} points")
