"""The greedy house bot of Trades: it plays from its view alone, and beats random play."""

from math import sqrt
from statistics import mean, stdev

import pytest

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trades import GAME, Options, arrange
from croupier_games.trades.cards import names
from croupier_service.house import house_bots
from croupier_service.house.trades import greedy
from croupier_service.house.uniform import choose

DEALS = 5  # RULES.md has the margin of 500 deals; a few are significant already
DICE = Seed.of("unused").dice("x")


def lead(seats, seed, seat):
    """How many points the greedy bot at this seat, all others playing at random, is below them on average."""
    state = GAME.deal(seats, GAME.options(), seed)
    dice = [seed.dice(f"house/{number}") for number in range(seats)]
    while acting := state.to_act():
        for actor in acting:
            policy = greedy if actor == seat else choose
            state.apply(actor, policy(state.view(actor), state.legal_actions(actor), dice[actor]))
    points = state.result().points
    return (sum(points) - points[seat]) / (seats - 1) - points[seat]


def margin(seats, deals):
    """Mean lead over duplicate deals, and half the width of its 95% interval; a deal is one observation."""
    leads = [mean(lead(seats, Seed.of(f"duel/{deal}"), seat) for seat in range(seats)) for deal in range(deals)]
    return mean(leads), 1.96 * stdev(leads) / sqrt(deals)


@pytest.mark.parametrize("seats", [3, 5])
def test_greedy_beats_random(seats):
    ahead, half_width = margin(seats, DEALS)
    assert ahead - 2 * half_width > 0


@pytest.mark.parametrize("style", ["turns", "free-for-all"])
def test_it_chooses_a_legal_action_or_waits_where_it_may_and_the_same_from_the_same_view(style):
    options = Options(style=style, time_limit_ms=1_000 if style == "free-for-all" else None)
    waited = 0
    for table in random_playout(GAME, 4, options, Seed.of("legal")):
        state = table.state
        for seat in state.to_act():
            legal = state.legal_actions(seat)
            action = greedy(state.view(seat), legal, DICE)
            assert action in legal or (action is None and state.may_wait(seat))
            waited += action is None
            again = state.redeal(seat, Seed.of("again").dice("x"))
            assert greedy(again.view(seat), legal, DICE) == action
    assert style == "free-for-all" or not waited


HANDS = ["KC KD QC JC 2C 3C 4C", "AD 2D 3D 4D 5D 6D 7D", "AH 2H 3H 4H 5H 6H 7H"]


def chosen(state, seat):
    return GAME.notation(greedy(state.view(seat), state.legal_actions(seat), DICE))


def test_it_offers_its_highest_cards():
    state = arrange(HANDS)
    assert chosen(state, 0) == "declare 1"
    state.apply(0, GAME.parse("declare 1"))
    assert chosen(state, 0) == "offer JC QC KC KD"


def test_it_gives_its_highest_cards():
    state = arrange([HANDS[1], HANDS[0], HANDS[2]])
    state.apply(0, GAME.parse("declare 1"))
    state.apply(0, GAME.parse("offer 6D 7D"))
    (drawn,) = names(state.view(1).drawn).split()
    assert chosen(state, 1) in ("give KC", "give KD")
    assert chosen(state, 1) != f"give {drawn}"


def test_it_goes_to_the_seat_that_it_knows_to_have_low_cards():
    state = arrange(HANDS)
    state.memory._see(0, state.hands[2], 2)  # as after trades
    assert chosen(state, 0) == "declare 2"


def test_it_passes_rather_than_trade_low_cards():
    state = arrange([HANDS[1].replace("7D", "7C"), HANDS[0], HANDS[2]])
    assert chosen(state, 0) == "pass"


def test_it_saves_a_deck_trade_for_the_end_and_uses_it_then():
    low = ["AC 2C 3C 4C 5C 6C KC", *HANDS[1:]]
    assert chosen(arrange(low, turns=30), 0) != "deck KC"
    assert chosen(arrange(low, turns=1, deck_trades={0: 1}), 0) != "deck KC"
    assert chosen(arrange(low, turns=1, deck_trades={0: 2}), 0) == "deck KC"
    state = arrange(low, turns=1)
    state.apply(0, GAME.parse("pass"))
    assert chosen(state, 0) == "last KC"


def test_it_declines_when_its_highest_card_is_low():
    state = arrange([HANDS[1].replace("7D", "7C"), *HANDS[:1], HANDS[2]], turns=1)
    state.apply(0, GAME.parse("pass"))
    assert chosen(state, 0) == "decline"


def test_it_sits_at_tables_of_this_game():
    assert house_bots()["greedy"]("trades", None) is not None


if __name__ == "__main__":  # python service/tests/house/test_trades.py
    for number in (3, 5, 7):
        print(f"{number} seats, 500 deals: ahead by %.2f ± %.2f points" % margin(number, 500))
