"""The setup: sizes, chance, and the deal that RULES.md shows."""

import re
from collections import Counter
from pathlib import Path

import pytest

import croupier_games.trick_and_trade
from croupier_games.kernel import OptionError, Seed
from croupier_games.trick_and_trade import GAME, Options
from croupier_games.trick_and_trade.cards import CARD_NAMES, CARDS, TRADE_CARD_NAMES, TRADE_CARDS

RULES = Path(croupier_games.trick_and_trade.__file__).with_name("RULES.md")


def deal(seats, text="deal", **options):
    return GAME.deal(seats, Options(**options), Seed.of(text))


@pytest.mark.parametrize(("seats", "rounds", "undealt", "unused"), [(3, 13, 1, 3), (4, 10, 0, 2), (5, 8, 0, 2)])
def test_sizes_of_the_deal(seats, rounds, undealt, unused):
    state = deal(seats)
    assert [len(hand) for hand in state.hands] == [rounds] * seats
    assert len(state.undealt) == undealt
    assert state.rounds == rounds
    assert len(state.trades) == rounds * seats + unused


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_every_card_is_dealt_once(seats):
    state = deal(seats)
    assert sorted([*(card for hand in state.hands for card in hand), *state.undealt]) == list(CARDS)
    assert sorted(state.trades) == list(TRADE_CARDS)


@pytest.mark.parametrize(("seats", "pile"), [(3, 39 - 6), (4, 40 - 8), (5, 40 - 10)])
def test_two_rows_are_turned_up(seats, pile):
    table = deal(seats).public_view().table
    assert (len(table.front_row), len(table.back_row), table.pile) == (seats, seats, pile)


def test_hands_are_in_ascending_order():
    assert all(list(hand) == sorted(hand) for hand in deal(4).hands)


@pytest.mark.parametrize("seats", [2, 6])
def test_it_is_played_with_three_to_five_seats(seats):
    with pytest.raises(OptionError, match="3 to 5 seats") as caught:
        deal(seats)
    assert caught.value.field == "seats"


@pytest.mark.parametrize("first_leader", [0, 1, 2])
def test_the_first_leader_can_be_fixed(first_leader):
    state = deal(3, first_leader=first_leader)
    assert state.to_act() == (first_leader,)
    assert state.leader == first_leader


@pytest.mark.parametrize("first_leader", [-1, 3])
def test_the_first_leader_is_a_seat(first_leader):
    with pytest.raises(OptionError, match="a seat, 0 to 2, or none") as caught:
        deal(3, first_leader=first_leader)
    assert caught.value.field == "first_leader"


def test_the_first_leader_is_any_seat_alike():
    leaders = Counter(deal(4, f"leader/{number}").leader for number in range(400))
    assert sorted(leaders) == [0, 1, 2, 3]
    assert min(leaders.values()) > 70  # 100 expected, standard deviation 8.7


def test_fixing_the_first_leader_changes_no_card():
    drawn, fixed = deal(5), deal(5, first_leader=2)
    assert (drawn.hands, drawn.trades) == (fixed.hands, fixed.trades)


def test_the_deal_in_the_rules_is_the_deal():
    """RULES.md has it line by line; here it is derived from the dice alone, as in any other language."""
    seed, seats, size = Seed.of("croupier"), 3, 13
    deck, trades = seed.dice("deck").shuffled(range(1, 41)), seed.dice("trades").shuffled(TRADE_CARDS)
    hands = [sorted(deck[size * seat : size * (seat + 1)]) for seat in range(seats)]

    def names_of(numbers, names):
        return " ".join(names[number] for number in numbers)

    lines = [
        f"first leader  {seed.dice('first-leader').below(seats)}",
        *(f"seat {seat}        {names_of(hand, CARD_NAMES)}" for seat, hand in enumerate(hands)),
        f"left over     {names_of(deck[39:], CARD_NAMES)}",
        f"front row     {names_of(trades[:3], TRADE_CARD_NAMES)}",
        f"back row      {names_of(trades[3:6], TRADE_CARD_NAMES)}",
        f"last row      {names_of(trades[36:39], TRADE_CARD_NAMES)}",
        f"left over     {names_of(trades[39:], TRADE_CARD_NAMES)}",
    ]
    (shown,) = re.findall(r"```\n(first leader.*?)\n```", RULES.read_text(encoding="utf-8"), re.DOTALL)
    assert lines == shown.split("\n")

    state = deal(seats, "croupier")
    assert [list(hand) for hand in state.hands] == hands
    assert state.trades == trades
    assert state.undealt == tuple(deck[39:])
    assert f"first leader  {state.leader}" == lines[0]
