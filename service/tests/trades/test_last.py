"""The end: last deck trades, and totals."""

import pytest

from croupier_games.kernel import IllegalAction
from croupier_games.trades import GAME, Phase
from croupier_games.trades.cards import names


@pytest.fixture
def ended(table, do):
    """Trading is over; all three seats have deck trades left, and seat 1 had the first turn."""
    state = table(turns=1, first=1)
    do(state, "1 pass")
    return state


def test_when_the_last_turn_is_over_everybody_with_a_deck_trade_left_is_asked(ended, may):
    assert ended.table().phase is Phase.LAST
    assert ended.to_act() == (0, 1, 2)
    assert may(ended, 2) == ["last AH", "last 2H", "last 3H", "last 4H", "last 5H", "last 6H", "last 7H", "decline"]


def test_who_has_none_left_is_not_asked(table, do):
    state = table(turns=1, deck_trades={0: 0, 2: 0})
    do(state, "0 pass")
    assert state.to_act() == (1,)


def test_when_nobody_has_one_left_the_game_is_over_at_once(table, do):
    state = table(turns=1, deck_trades={0: 0, 1: 0, 2: 0})
    do(state, "0 pass")
    assert state.to_act() == ()
    assert state.result().points == (28, 28, 28)
    assert state.result().placings == (1, 1, 1)


def test_all_choose_at_once_and_the_last_one_reveals_them_all(ended, do):
    do(ended, "2 last 7H")
    assert ended.to_act() == (0, 1)
    assert names(ended.hands[2]) == "AH 2H 3H 4H 5H 6H 7H"
    assert ended.table().deck_trades_left == (3, 3, 3)
    do(ended, "0 decline", "1 last 7D")
    assert ended.table().phase is Phase.OVER
    assert ended.table().deck_trades_left == (3, 2, 2)


def test_they_are_resolved_clockwise_from_the_seat_with_the_first_turn(ended, do):
    """The deck begins KS QS JS; seat 1 was first, then come 2 and 0, in whatever order they chose."""
    do(ended, "0 last 7C", "2 last 7H", "1 last 7D")
    assert names(ended.hands[1]) == "AD 2D 3D 4D 5D 6D KS"
    assert names(ended.hands[2]) == "AH 2H 3H 4H 5H 6H QS"
    assert names(ended.hands[0]) == "AC 2C 3C 4C 5C 6C JS"
    assert ended.result().points == (21 + 11, 21 + 13, 21 + 12)


def test_each_may_make_one_only(ended, do):
    do(ended, "0 last 7C")
    with pytest.raises(IllegalAction) as error:
        ended.check(0, GAME.parse("last 6C"))
    assert error.value.rule == "turn"


def test_the_card_just_drawn_from_the_deck_may_not_go(table, do, may):
    state = table(turns=1)
    do(state, "0 deck 7C")
    assert "last KS" not in may(state, 0)
    with pytest.raises(IllegalAction) as error:
        state.check(0, GAME.parse("last KS"))
    assert error.value.rule == "last-deck-trade.same-cards"


def test_the_game_lasts_so_many_turns_for_each_seat(table, do):
    state = table(4, turns=8)
    for turn in range(8):
        assert state.table().turns_left == 8 - turn
        do(state, f"{turn % 4} pass")
    assert state.table().phase is Phase.LAST
    assert state.table().turns_left == 0


def test_fewest_points_win_and_equal_totals_share(table, do):
    state = table(4, deck="KS QS JS 10S", turns=1)
    do(state, "0 pass", "0 last 7C", "1 decline", "2 decline", "3 last AS")
    assert state.result().points == (34, 28, 28, 39)
    assert state.result().placings == (3, 1, 1, 4)
