"""Playing a trick: who may play what, and who is placed where."""

import pytest

from croupier_games.trick_and_trade import arrange
from croupier_games.trick_and_trade.cards import CARDS, RANK, SUIT, cards
from croupier_games.trick_and_trade.rules import placing_order

ROWS = ["NEV OCTO ZEUS RATCOIN", "NEV NEV ZEUS ZEUS"]


@pytest.fixture
def state():
    hands = ["NEV-1 NEV-2", "ZEUS-10 NEV-5", "OCTO-10 OCTO-9", "RATCOIN-2 RATCOIN-1"]
    return arrange(hands, ROWS, leader=2)


@pytest.mark.parametrize(
    ("trick", "placing"),
    [
        ("RATCOIN-1 OCTO-3 OCTO-8 RATCOIN-2", [3, 0, 2, 1]),
        ("ZEUS-4 NEV-7 OCTO-7 RATCOIN-9", [0, 3, 2, 1]),
        ("NEV-1 ZEUS-10 OCTO-10", [0, 2, 1]),
    ],
    ids=["the rulebook's example", "off-suit tie", "all off-suit but the leader"],
)
def test_placing(trick, placing):
    assert placing_order(cards(trick)) == placing


def test_the_suit_led_beats_all_others():
    assert placing_order(cards("NEV-2 ZEUS-10 NEV-1")) == [0, 2, 1]


def test_within_the_suit_led_the_higher_rank_is_stronger():
    assert placing_order(cards("NEV-2 NEV-10 NEV-3 NEV-1 NEV-9")) == [1, 4, 2, 0, 3]


def test_off_suit_the_higher_rank_is_stronger_whatever_the_suit():
    assert placing_order(cards("NEV-5 ZEUS-1 RATCOIN-3 OCTO-2")) == [0, 2, 3, 1]


def test_of_equal_ranks_the_card_played_later_is_stronger():
    assert placing_order(cards("NEV-5 ZEUS-8 OCTO-8 RATCOIN-8")) == [0, 3, 2, 1]


@pytest.mark.parametrize("led", cards("NEV-1 ZEUS-10 OCTO-5 RATCOIN-7"))
def test_of_any_two_other_cards_the_rules_say_which_is_ahead(led):
    for first in CARDS:
        for second in CARDS:
            if len({led, first, second}) < 3:
                continue
            if SUIT[first] != SUIT[second] and SUIT[led] in (SUIT[first], SUIT[second]):
                first_ahead = SUIT[first] == SUIT[led]
            else:
                first_ahead = RANK[first] > RANK[second]  # of equal ranks the later one is ahead
            placing = placing_order([led, first, second])
            assert (placing.index(1) < placing.index(2)) == first_ahead


def test_the_leader_plays_first_then_clockwise(state, do):
    seats = []
    for text in ("play OCTO-9", "play RATCOIN-1", "play NEV-1", "play NEV-5"):
        seats += state.to_act()
        do(state, text)
    assert seats == [2, 3, 0, 1]


def test_any_card_of_the_hand_may_be_played(state, do, offered):
    do(state, "play OCTO-9", "play RATCOIN-1", "play NEV-1")
    assert offered(state) == ["play NEV-5", "play ZEUS-10"]


def test_the_first_placed_card_is_won_and_its_value_counts_for_its_suit(state, do):
    do(state, "play OCTO-9", "play RATCOIN-1", "play NEV-1", "play ZEUS-10")
    table = state.public_view().table
    assert table.placing == (2, 1, 0, 3)
    assert table.won == tuple(cards("OCTO-9"))
    assert table.values == (0, 0, 1, 0)


def test_values_accumulate(do):
    state = arrange(
        ["NEV-1 ZEUS-1", "NEV-2 ZEUS-2", "NEV-3 ZEUS-3"], ["NEV NEV NEV", "OCTO OCTO OCTO"], won="NEV-8 OCTO-10"
    )
    assert state.values == [2, 0, 0, 0]
    do(state, "play NEV-1", "play NEV-2", "play NEV-3", "take 0", "take 1")  # and the last trick is forced: ZEUS-3 wins
    assert state.values == [2 + 7, 7, 0, 0]
    assert state.public_view().table.won == tuple(cards("NEV-8 OCTO-10 NEV-3 ZEUS-3"))
