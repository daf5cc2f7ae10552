"""The greedy house bot of Trade and Triumph: it plays from its view alone, and beats random play."""

from math import sqrt
from statistics import mean, stdev

import pytest

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trade_and_triumph import GAME, Draw, Options, Play
from croupier_service.house import house_bots
from croupier_service.house.trade_and_triumph import greedy, ignoring
from croupier_service.house.uniform import choose

DEALS = 6  # python service/tests/house/test_trade_and_triumph.py plays 500; half a dozen are significant already


def lead(seats, seed, seat):
    """How many VP the greedy bot at this seat, all others playing at random, is ahead of them on average."""
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


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_greedy_beats_random(seats):
    ahead, half_width = margin(seats, DEALS)
    assert ahead - half_width > 0


@pytest.mark.parametrize("seats", [2, 3])
def test_it_chooses_a_legal_action_and_the_same_one_from_the_same_view(seats):
    for number, table in enumerate(random_playout(GAME, seats, Options(), Seed.of("legal"))):
        state, dice = table.state, Seed.of("unused").dice("x")
        for seat in state.to_act() if number % 3 == 0 else ():
            legal = state.legal_actions(seat)
            action = greedy(state.view(seat), legal, dice)
            assert action in legal
            again = state.redeal(seat, Seed.of("again").dice("x"))
            assert greedy(again.view(seat), legal, dice) == action


@pytest.mark.parametrize("deck", [1, 2, 3])
def test_a_bot_that_ignores_a_deck_never_draws_from_it_nor_plays_its_cards(deck):
    bot = ignoring(deck)
    state = GAME.deal(2, GAME.options(), Seed.of("ignoring"))
    while not state.over:
        (seat,) = state.to_act()
        action = bot(state.view(seat), state.legal_actions(seat), None)
        assert not (isinstance(action, Draw) and action.deck == deck)
        assert not (isinstance(action, Play) and state.edition.deck[action.card] == deck)
        state.apply(seat, action)


def test_it_sits_at_tables_of_this_game():
    assert house_bots()["greedy"]("trade-and-triumph", None) is not None


if __name__ == "__main__":  # python service/tests/house/test_trade_and_triumph.py
    for number in (2, 3, 4):
        print(f"{number} seats, 500 deals: ahead by %.2f ± %.2f VP" % margin(number, 500))
