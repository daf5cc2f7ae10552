"""Re-deals: what a seat cannot know is drawn anew, all of it, and evenly."""

from collections import Counter
from itertools import permutations

import pytest

from croupier_games.kernel import IllegalAction, Seed
from croupier_games.kernel.playout import play_out, random_playout
from croupier_games.trick_and_trade import GAME, Options, arrange
from croupier_games.trick_and_trade.actions import PLAYS, TAKE_LEAD, TAKES
from croupier_games.trick_and_trade.cards import cards, trade_cards

(OCTO_10,) = cards("OCTO-10")


@pytest.fixture
def state():
    """Hidden from seat 0: seven trick cards, and which trade cards make the last row and which is not used."""
    return arrange(
        ["NEV-1 NEV-2 NEV-3", "ZEUS-1 ZEUS-2 OCTO-9", "ZEUS-3 ZEUS-4 OCTO-10"],
        ["NEV OCTO ZEUS", "NEV NEV+NEV ZEUS", "OCTO OCTO RATCOIN"],
        undealt="RATCOIN-5",
        unused="NEV+ZEUS",
    )


@pytest.fixture
def late(state, do):
    """In the second round; seat 1 has the lead card and has played."""
    do(state, "play NEV-1", "play OCTO-9", "play OCTO-10", "take 0", "take 2", "play ZEUS-1")
    return state


def assert_even(counts, number, draws):
    """All of so many outcomes came up, each within five standard deviations of its share of the draws."""
    assert len(counts) == number
    share = draws / number
    assert all(abs(count - share) < 5 * share**0.5 for count in counts.values())


def test_the_others_hands_and_the_undealt_card_are_drawn_evenly(late):
    """To seat 0 four cards are hidden: one of seat 1, two of seat 2, one undealt: 4! / 2! = 12 ways."""
    dice = Seed.of("redeal").dice("test")
    deals = [late.redeal(0, dice) for _ in range(6000)]
    assert_even(Counter((*deal.hands[1], *deal.hands[2], *deal.undealt) for deal in deals), 12, 6000)


def test_the_pile_and_the_unused_trade_cards_are_drawn_evenly_and_together(state):
    """Hidden are two equal trade cards and two others, in an order: 4! / 2! = 12 ways."""
    dice = Seed.of("redeal").dice("test")
    piles = Counter(tuple(state.redeal(0, dice).trades[6:]) for _ in range(6000))
    assert set(piles) == set(permutations(trade_cards("OCTO OCTO RATCOIN NEV+ZEUS")))
    assert_even(piles, 12, 6000)


def test_trick_cards_and_trade_cards_are_drawn_independently(state):
    """Seat 1 holds OCTO-10 in 3 of 7 deals, and in half of these, as of all, the unused trade card is an Octo."""
    dice = Seed.of("redeal").dice("test")
    deals = [state.redeal(0, dice) for _ in range(7000)]
    octo = trade_cards("OCTO")[0]
    held = Counter((OCTO_10 in deal.hands[1], deal.trades[-1] == octo) for deal in deals)
    assert abs(held[True, True] - 1500) < 175
    assert abs(held[True, False] - 1500) < 175


def test_what_the_seat_has_seen_stays(late):
    again = late.redeal(0, Seed.of("redeal").dice("test"))
    assert again.hands[0] == late.hands[0]
    assert again.trades[:9] == late.trades[:9]  # all rows have been turned up by now
    assert again.view(0) == late.view(0)


def test_the_original_is_left_alone(late):
    hands, trades, undealt = [dict(hand) for hand in late.hands], late.trades[:], late.undealt
    dice = Seed.of("redeal").dice("test")
    for seat in (0, 1, 2):
        play_out(late.redeal(seat, dice), dice)
    assert (late.hands, late.trades, late.undealt) == (hands, trades, undealt)


def refusals(state, seat):
    """What the seat would be told of every action there is."""
    told = []
    for action in (*PLAYS.values(), *TAKES, TAKE_LEAD):
        try:
            state.check(seat, action)
        except IllegalAction as error:
            told.append((error.rule, str(error)))
        else:
            told.append("legal")
    return told


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_seat_cannot_tell_a_redeal_from_the_game(seats):
    dice = Seed.of("redeal").dice("test")
    for game in random_playout(GAME, seats, Options(), Seed.of(f"redeal/{seats}")):
        state = game.state
        for seat in range(seats):
            again = state.redeal(seat, dice)
            assert again.view(seat) == state.view(seat)
            assert again.public_view() == state.public_view()
            assert again.to_act() == state.to_act()
            assert again.legal_actions(seat) == state.legal_actions(seat)
            assert refusals(again, seat) == refusals(state, seat)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_redeal_has_the_same_cards(seats):
    dice = Seed.of("redeal").dice("test")
    for game in random_playout(GAME, seats, Options(), Seed.of(f"cards/{seats}")):
        state = game.state
        for seat in range(seats):
            again = state.redeal(seat, dice)
            assert sorted(everything(again)) == sorted(everything(state))
            assert sorted(again.trades) == sorted(state.trades)
            assert [len(hand) for hand in again.hands] == [len(hand) for hand in state.hands]
            assert all(list(hand) == sorted(hand) for hand in again.hands)


def everything(state):
    return [*(card for hand in state.hands for card in hand), *state.undealt, *state.played]


def test_a_redeal_can_be_played_to_its_end():
    dice = Seed.of("redeal").dice("test")
    for game in random_playout(GAME, 3, Options(), Seed.of("redeal")):
        again = game.state.redeal(1, dice)
        play_out(again, dice)
        assert again.result() is not None
