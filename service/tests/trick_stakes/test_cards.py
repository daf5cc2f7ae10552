"""The components, and that their numbers are those of the contract."""

import re
from collections import Counter
from pathlib import Path

import pytest

from croupier_games.trick_stakes import GAME
from croupier_games.trick_stakes.cards import (
    CARD_NAMES,
    CARDS,
    COLOR,
    COLOR_NAMES,
    HORSE_NAMES,
    HORSES,
    MARKS,
    NUMBER,
    TICKET_NAMES,
    TICKETS,
    cards,
    horses,
    tickets,
)

PROTO = Path(__file__).parents[3] / "proto/croupier/games/trick_stakes/v1/trick_stakes.proto"


def enum_of_the_contract(prefix):
    found = re.findall(rf"^  {prefix}_(\w+) = (\d+);", PROTO.read_text(encoding="utf-8"), re.MULTILINE)
    return {int(number): name for name, number in found if name != "UNSPECIFIED"}


def test_there_is_one_card_of_each_colour_and_number():
    assert len(CARDS) == 48
    assert {(COLOR[card], NUMBER[card]) for card in CARDS} == {(c, n) for c in range(1, 5) for n in range(1, 13)}


@pytest.mark.parametrize(("numbers", "marks"), [((1, 2, 3), 4), ((4, 5, 6), 3), ((7, 8, 9), 2), ((10, 11, 12), 1)])
def test_high_numbers_have_few_marks(numbers, marks):
    assert {MARKS[card] for card in CARDS if NUMBER[card] in numbers} == {marks}


def test_numbers_are_those_of_the_contract():
    assert enum_of_the_contract("COLOR") == dict(enumerate(COLOR_NAMES[1:], start=1))
    assert enum_of_the_contract("CARD") == {card: CARD_NAMES[card].replace("-", "_") for card in CARDS}
    assert enum_of_the_contract("HORSE") == {horse: HORSE_NAMES[horse] for horse in HORSES}
    assert enum_of_the_contract("TICKET") == {ticket: TICKET_NAMES[ticket] for ticket in TICKETS}


def test_a_horse_s_ticket_has_the_horse_s_number():
    assert TICKETS[:4] == HORSES


def test_cards_horses_and_tickets_are_found_by_name():
    assert cards("RED-7 GREEN-12") == [7, 48]
    assert horses("FORET_NOIRE VANILLA_BEANS") == [2, 1]
    assert tickets("WIN GATEAU_OPERA") == [5, 4]


@pytest.mark.parametrize("name", ["RED-0", "RED-13", "red-7", "RED", "."])
def test_what_is_no_card_is_named(name):
    with pytest.raises(ValueError, match=f"'{re.escape(name)}' is no race card; they are called RED-1, RED-2, ..., "):
        cards(f"BLUE-1 {name}")


def test_what_is_no_horse_or_ticket_is_named():
    with pytest.raises(ValueError, match="'WIN' is no horse; they are called VANILLA_BEANS, "):
        horses("WIN")
    with pytest.raises(ValueError, match=r"'LOSE' is no ticket; they are called VANILLA_BEANS, .*, WIN"):
        tickets("LOSE")


def test_the_game_has_fifty_eight_components():
    kinds = Counter(part.split()[0] for part in GAME.components() if " " in part)
    assert kinds == {"ticket": 5, "horse": 4}
    assert GAME.components() > {*CARD_NAMES[1:], "whip"}
    assert len(GAME.components()) == 48 + 5 + 4 + 1
