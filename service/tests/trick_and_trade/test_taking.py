"""Taking trade cards and the lead card, and the rows that move up."""

import pytest

from croupier_games.trick_and_trade import arrange
from croupier_games.trick_and_trade.cards import trade_cards

ROWS = ["NEV OCTO+OCTO ZEUS RATCOIN", "NEV NEV+NEV ZEUS ZEUS+RATCOIN", "OCTO OCTO OCTO RATCOIN"]


@pytest.fixture
def state(do):
    """Seat 0 has led; the placing is 3, 0, 2, 1."""
    hands = [
        "RATCOIN-1 NEV-1 NEV-2",
        "OCTO-3 NEV-3 NEV-4",
        "OCTO-8 NEV-5 NEV-6",
        "RATCOIN-2 NEV-7 NEV-8",
    ]
    state = arrange(hands, ROWS)
    do(state, "play RATCOIN-1", "play OCTO-3", "play OCTO-8", "play RATCOIN-2")
    return state


def icons(state, seat):
    return state.icons[4 * seat : 4 * seat + 4]


def test_seats_take_in_placing_order(state, do):
    seats = []
    for text in ("take 0", "take lead", "take 1", "take 2"):
        seats += state.to_act()
        do(state, text)
    assert seats == [3, 0, 2, 1]


def test_the_front_row_and_the_lead_card_are_offered(state, offered):
    assert offered(state) == ["take 0", "take 1", "take 2", "take 3", "take lead"]


def test_what_has_been_taken_is_offered_no_more(state, do, offered):
    do(state, "take 1")
    assert offered(state) == ["take 0", "take 2", "take 3", "take lead"]
    do(state, "take lead")
    assert offered(state) == ["take 0", "take 2", "take 3"]


def test_a_trade_card_taken_shows_its_icons_at_once(state, do):
    do(state, "take 1")
    table = state.public_view().table
    assert icons(state, 3) == [0, 0, 2, 0]
    assert table.front_row == (*trade_cards("NEV"), 0, *trade_cards("ZEUS RATCOIN"))
    assert table.taken == (0, 0, 0, *trade_cards("OCTO+OCTO"))


def test_whoever_takes_the_lead_card_gets_the_trade_card_left_over_and_leads(state, do):
    do(state, "take 0", "take 1", "take lead")
    assert state.public_view().table.lead_taken_by == 2
    do(state, "take 3")
    assert icons(state, 2) == [0, 1, 0, 0]
    assert state.leader == 2
    assert state.to_act() == (2,)


def test_the_first_placed_seat_may_take_the_lead_card(state, do):
    do(state, "take lead", "take 0", "take 1", "take 2")
    assert icons(state, 3) == [0, 0, 0, 1]
    assert state.leader == 3


def test_the_leader_may_keep_the_lead_card(state, do):
    do(state, "take 0", "take lead", "take 1", "take 2")
    assert state.leader == 0
    assert icons(state, 0) == [0, 0, 0, 1]


def test_if_nobody_takes_the_lead_card_the_last_placed_seat_gets_both(state, do):
    do(state, "take 0", "take 1", "take 2")
    assert icons(state, 1) == [0, 0, 0, 1]
    assert state.leader == 1
    assert state.to_act() == (1,)


def test_if_the_lead_card_is_gone_the_last_placed_seat_chooses_between_two(state, do, offered):
    do(state, "take 0", "take lead", "take 1")
    assert state.to_act() == (1,)
    assert offered(state) == ["take 2", "take 3"]


@pytest.mark.parametrize("lead_at", [0, 1, 2, None])
def test_every_seat_gets_one_trade_card_in_a_round(state, do, lead_at):
    """In whatever turn the lead card is taken, or in none."""
    for turn in range(4):
        if state.round == 1:
            do(state, "take lead" if turn == lead_at else f"take {turn}")
    assert sorted(state.taken[:4]) == sorted(trade_cards(ROWS[0]))


def test_the_back_row_moves_to_the_front_and_a_new_one_is_turned_up(state, do):
    before = state.public_view().table
    assert before.back_row == tuple(trade_cards(ROWS[1]))
    assert before.pile == 4
    do(state, "take lead", "take 0", "take 1", "take 2")
    after = state.public_view().table
    assert after.front_row == tuple(trade_cards(ROWS[1]))
    assert after.back_row == tuple(trade_cards(ROWS[2]))
    assert after.pile == 0


def test_the_last_round_has_no_back_row(state, do):
    do(state, "take lead", "take 0", "take 1", "take 2")
    do(state, "play NEV-7", "play NEV-1", "play NEV-3", "play NEV-5", "take lead", "take 0", "take 1", "take 2")
    table = state.public_view().table
    assert (table.round, table.rounds) == (3, 3)
    assert table.front_row == tuple(trade_cards(ROWS[2]))
    assert table.back_row == ()
    assert table.pile == 0


def test_the_round_s_cards_are_out_of_sight_when_the_next_begins(state, do):
    do(state, "take 0", "take 1", "take 2")
    table = state.public_view().table
    assert (table.trick, table.placing, table.lead_taken_by) == ((), (), None)
    assert table.taken[4:] == (0, 0, 0, 0)


def test_two_places_with_equal_trade_cards_are_two_actions(do, offered):
    state = arrange(["NEV-1", "NEV-2", "NEV-3"], ["NEV NEV ZEUS"])
    assert offered(state) == ["take 0", "take 1", "take 2", "take lead"]
