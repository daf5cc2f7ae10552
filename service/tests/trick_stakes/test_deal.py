"""The setup: who gets what, chance, and the deal that RULES.md shows."""

import re
from collections import Counter
from pathlib import Path

import pytest

import croupier_games.trick_stakes
from croupier_games.kernel import NoOptions, OptionError, Seed
from croupier_games.trick_stakes import GAME
from croupier_games.trick_stakes.cards import CARD_NAMES, CARDS, HORSE_NAMES, HORSES, VANILLA_BEANS

RULES = Path(croupier_games.trick_stakes.__file__).with_name("RULES.md")


def deal(seats, text="deal"):
    return GAME.deal(seats, NoOptions(), Seed.of(text))


@pytest.mark.parametrize("seats", [3, 4])
def test_twelve_cards_are_dealt_to_each_horse(seats):
    state = deal(seats)
    assert [len(own) for own in state.cards] == [12] * 4
    assert sorted(card for own in state.cards for card in own) == list(CARDS)


@pytest.mark.parametrize("seats", [3, 4])
def test_every_place_holds_a_horse(seats):
    assert sorted(deal(seats).horses) == list(HORSES)


@pytest.mark.parametrize("seats", [3, 4])
def test_whoever_has_vanilla_beans_starts(seats):
    for number in range(20):
        state = deal(seats, f"start/{number}")
        assert state.horses[state.start] == VANILLA_BEANS
        assert state.start == state.circle[0] == state.leader


def test_with_three_seats_it_is_drawn_again_until_a_seat_has_vanilla_beans():
    """With these dice the dummy has it at first."""
    drawn = [Seed.of(f"again/{number}").dice("horses").shuffled(HORSES) for number in range(40)]
    again = [number for number, horses in enumerate(drawn) if horses[3] == VANILLA_BEANS]
    assert again
    for number in range(40):
        horses = deal(3, f"again/{number}").horses
        assert horses[3] != VANILLA_BEANS
        assert (horses == drawn[number]) == (number not in again)


@pytest.mark.parametrize(("seats", "expected"), [(3, 1000 / 3), (4, 1000 / 4)])
def test_the_first_start_player_is_any_seat_alike(seats, expected):
    starts = Counter(deal(seats, f"even/{number}").start for number in range(1000))
    assert sorted(starts) == list(range(seats))
    assert all(abs(count - expected) < 75 for count in starts.values())  # five standard deviations


@pytest.mark.parametrize("seats", [3, 4])
def test_there_are_as_many_races_as_seats(seats):
    table = deal(seats).table()
    assert (table.race, table.races) == (1, seats)


def test_odds_start_at_two_and_points_at_none():
    table = deal(4).table()
    assert table.odds == (2, 2, 2, 2)
    assert table.points == (0, 0, 0, 0)


@pytest.mark.parametrize("seats", [2, 5])
def test_it_is_played_with_three_or_four_seats(seats):
    with pytest.raises(OptionError, match="3 to 4 seats") as caught:
        deal(seats)
    assert caught.value.field == "seats"


def test_the_deal_in_the_rules_is_the_deal():
    """RULES.md has it line by line; here it is derived from the dice alone, as in any other language."""
    seed, seats = Seed.of("croupier"), 3
    draw = seed.dice("horses")
    horses = draw.shuffled([1, 2, 3, 4])
    while horses[3] == 1:
        horses = draw.shuffled([1, 2, 3, 4])
    deck = seed.dice("deck").shuffled(range(1, 49))
    stack = seed.dice("stack/1").shuffled([1, 2, 3, 4])
    piles = [
        seed.dice(f"paddock/1/{place}").shuffled(deck[12 * (horse - 1) : 12 * horse])
        for place, horse in enumerate(horses)
    ]
    start = horses.index(1)
    top = piles[start][0]
    number = (top - 1) % 12 + 1

    def names_of(numbers, names=CARD_NAMES):
        return " ".join(names[number] for number in numbers)

    places = ["seat 0", "seat 1", "seat 2", "dummy"]
    turned_up = [pile[number - 1] for pile in piles]
    lines = [
        *(f"{place:<16}{HORSE_NAMES[horse]}" for place, horse in zip(places, horses, strict=True)),
        *(f"{name:<16}{names_of(deck[12 * h : 12 * h + 12])}" for h, name in enumerate(HORSE_NAMES[1:])),
        f"stack           {names_of(stack, HORSE_NAMES)}",
        *(f"pile of {place:<8}{names_of(pile)}" for place, pile in zip(places, piles, strict=True)),
        f"discard number  {number}",
        f"turned up       {names_of(turned_up)}",
        f"dummy's second  {CARD_NAMES[piles[3][number % 12]]}",
    ]
    (shown,) = re.findall(r"```\n(seat 0.*?)\n```", RULES.read_text(encoding="utf-8"), re.DOTALL)
    assert shown.split("\n") == lines

    state = deal(seats, "croupier")
    assert state.horses == horses
    assert [list(own) for own in state.cards] == [deck[first : first + 12] for first in (0, 12, 24, 36)]
    assert list(state.stacks) == state.standing == stack
    assert state.start == start
    assert state.top_cards == (top,)
    assert state.turned_up == tuple(turned_up)
    for seat in range(3):
        assert state.hands[seat] == sorted({*piles[seat]} - {turned_up[seat]})
