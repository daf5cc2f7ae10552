"""The components, and that their numbers are those of the contract."""

import re
from collections import Counter
from pathlib import Path

import pytest

from croupier_games.trick_and_trade import GAME
from croupier_games.trick_and_trade.cards import (
    CARD_NAMES,
    CARDS,
    RANK,
    SHOWN,
    SUIT,
    SUITS,
    TRADE_CARD_KINDS,
    TRADE_CARD_NAMES,
    TRADE_CARDS,
    VALUE,
    cards,
    trade_cards,
)

PROTO = Path(__file__).parents[3] / "proto/croupier/games/trick_and_trade/v1/trick_and_trade.proto"


def enum_of_the_contract(prefix):
    found = re.findall(rf"^  {prefix}_(\w+) = (\d+);", PROTO.read_text(encoding="utf-8"), re.MULTILINE)
    return {int(number): name for name, number in found if name != "UNSPECIFIED"}


def test_there_is_one_trick_card_of_each_suit_and_rank():
    assert len(CARDS) == 40
    assert {(SUIT[card], RANK[card]) for card in CARDS} == {(suit, rank) for suit in range(4) for rank in range(1, 11)}


def test_the_value_of_a_trick_card_is_ten_less_its_rank():
    (weakest, strongest) = cards("NEV-1 RATCOIN-10")
    assert (VALUE[weakest], VALUE[strongest]) == (9, 0)
    assert all(RANK[card] + VALUE[card] == 10 for card in CARDS)


def test_there_are_three_copies_of_each_way_to_show_one_or_two_icons():
    assert len(TRADE_CARDS) == 42
    assert set(Counter(TRADE_CARDS).values()) == {3}
    assert len({tuple(sorted(SHOWN[kind])) for kind in TRADE_CARD_KINDS}) == 4 + 4 + 6


def test_the_trade_cards_show_eighteen_icons_of_each_suit():
    assert Counter(suit for card in TRADE_CARDS for suit in SHOWN[card]) == {0: 18, 1: 18, 2: 18, 3: 18}


def test_numbers_are_those_of_the_contract():
    assert enum_of_the_contract("CARD") == {card: CARD_NAMES[card].replace("-", "_") for card in CARDS}
    assert enum_of_the_contract("TRADE_CARD") == {
        kind: TRADE_CARD_NAMES[kind].replace("+", "_") for kind in TRADE_CARD_KINDS
    }
    assert enum_of_the_contract("SUIT") == dict(enumerate(SUITS, start=1))


def test_cards_are_found_by_name():
    assert cards("NEV-7 ZEUS-10") == [7, 20]
    assert trade_cards("NEV+ZEUS OCTO") == [9, 3]


@pytest.mark.parametrize("name", ["NEV-0", "NEV-11", "nev-7", "NEV", "."])
def test_what_is_no_trick_card_is_named(name):
    with pytest.raises(ValueError, match=f"'{re.escape(name)}' is no trick card; they are called NEV-1, NEV-2, ..., "):
        cards(f"ZEUS-1 {name}")


@pytest.mark.parametrize("name", ["ZEUS+NEV", "NEV-1", "."])
def test_what_is_no_trade_card_is_named(name):
    with pytest.raises(ValueError, match=f"'{re.escape(name)}' is no trade card"):
        trade_cards(f"NEV {name}")


def test_the_game_has_fifty_four_components():
    assert GAME.components() == {*CARD_NAMES[1:], *TRADE_CARD_NAMES[1:]}
    assert len(GAME.components()) == 40 + 14
