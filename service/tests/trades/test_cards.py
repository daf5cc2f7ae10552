"""The pack, the hands, the names of cards."""

import pytest

from croupier_games.trades.cards import CARD_NAMES, CARDS, FACE_DOWN, VALUE, cards, names, pack
from croupier_games.trades.scoring import score, total


def test_a_pack_has_four_suits_of_thirteen_ranks_and_no_jokers():
    assert len(pack(1)) == 52
    assert len(pack(2)) == 104
    assert sorted(VALUE[card] for card in pack(1)) == sorted([*range(1, 14)] * 4)


def test_equal_cards_are_told_apart_by_pack():
    one, other = cards("10H 10H.2")
    assert other == one + 52
    assert VALUE[one] == VALUE[other] == 10


@pytest.mark.parametrize(("name", "value"), [("AS", 1), ("2C", 2), ("10D", 10), ("JH", 11), ("QC", 12), ("KS", 13)])
def test_ace_1_then_the_numbers_jack_11_queen_12_king_13(name, value):
    (card,) = cards(name)
    assert VALUE[card] == value


def test_the_total_of_a_hand():
    assert total(cards("AC KD QH JS 10C 2C 2D")) == 1 + 13 + 12 + 11 + 10 + 2 + 2 == 51


def test_every_card_has_a_name_of_its_own():
    assert [cards(CARD_NAMES[card])[0] for card in CARDS] == list(CARDS)
    assert names([FACE_DOWN, 1, 104]) == "? AC KS.2"


@pytest.mark.parametrize("name", ["1C", "AX", "10", "ac", "AC.1", "?"])
def test_what_is_no_card_is_named(name):
    with pytest.raises(ValueError, match="is no card; write rank"):
        cards(f"KS {name}")


def test_the_lowest_total_wins_and_equal_totals_share_their_placing():
    low, middle, equal, high = (
        cards("AC AD AH AS 2C 2D 2H"), cards("3C 4C 5C 6C 7C 8C 9C"), cards("3D 4D 5D 6D 7D 8D 9D"),
        cards("KC KD KH KS QC QD QH"),
    )  # fmt: skip
    result = score([middle, high, low, equal])
    assert result.points == (42, 88, 10, 42)
    assert result.placings == (2, 4, 1, 2)
    assert result.decided_by == ("points", "points", "", "shared")
    assert result.fewest_wins
