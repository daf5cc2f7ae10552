"""Laying tickets: one face up, each other than before, then one face down."""

import pytest

from croupier_games.trick_stakes import Phase, arrange_paddock
from croupier_games.trick_stakes.cards import tickets


@pytest.fixture
def state(piles, do):
    """Seat 1 starts; all have discarded."""
    state = arrange_paddock(piles, start=1)
    do(state, "discard RED-1", "discard RED-4", "discard RED-7", "discard RED-10")
    return state


def test_tickets_are_laid_face_up_from_the_start_player_s_left_who_is_the_last(state, do):
    seats = []
    for text in ("WIN", "GATEAU_OPERA", "FORET_NOIRE", "VANILLA_BEANS"):
        seats += state.to_act()
        do(state, f"ticket up {text}")
    assert seats == [2, 3, 0, 1]
    assert state.table().tickets_up == tuple(tickets("FORET_NOIRE VANILLA_BEANS WIN GATEAU_OPERA"))


def test_the_dummy_is_passed_over(piles, do):
    state = arrange_paddock(piles, seats=3, start=1)
    do(state, "discard RED-1", "discard RED-5", "discard RED-7")
    seats = []
    for text in ("WIN", "GATEAU_OPERA", "FORET_NOIRE"):
        seats += state.to_act()
        do(state, f"ticket up {text}")
    assert seats == [2, 0, 1]
    assert state.phase is Phase.TICKET_DOWN


def test_all_five_tickets_are_offered_to_the_first(state, offered):
    names = ["VANILLA_BEANS", "FORET_NOIRE", "SILVER_ARRASAN", "GATEAU_OPERA", "WIN"]
    assert offered(state) == [f"ticket up {name}" for name in names]


def test_what_lies_face_up_is_offered_no_more(state, do, offered):
    do(state, "ticket up WIN", "ticket up GATEAU_OPERA")
    assert offered(state) == [f"ticket up {name}" for name in ("VANILLA_BEANS", "FORET_NOIRE", "SILVER_ARRASAN")]


def test_the_second_ticket_is_any_other_one_of_the_seat_s_own(state, do, offered):
    do(state, "ticket up WIN", "ticket up GATEAU_OPERA", "ticket up FORET_NOIRE", "ticket up VANILLA_BEANS")
    names = ["VANILLA_BEANS", "FORET_NOIRE", "SILVER_ARRASAN", "GATEAU_OPERA"]
    assert offered(state, 2) == [f"ticket down {name}" for name in names]  # its own is WIN


def test_second_tickets_are_laid_all_at_once_in_any_order(state, do):
    do(state, "ticket up WIN", "ticket up GATEAU_OPERA", "ticket up FORET_NOIRE", "ticket up VANILLA_BEANS")
    assert state.to_act() == (0, 1, 2, 3)
    do(state, "3: ticket down WIN", "1: ticket down WIN", "0: ticket down WIN")
    assert state.to_act() == (2,)
    do(state, "ticket down GATEAU_OPERA")
    assert state.phase is Phase.PLAY
    assert state.to_act() == (1,)  # the start player leads


def test_second_tickets_are_not_seen_until_the_race_is_paid(state, do):
    do(state, "ticket up WIN", "ticket up GATEAU_OPERA", "ticket up FORET_NOIRE", "ticket up VANILLA_BEANS")
    do(state, *[f"{seat}: ticket down SILVER_ARRASAN" for seat in range(4)])
    assert state.table().tickets_down == (0, 0, 0, 0)
    while state.race == 1:
        seat = state.to_act()[0]
        state.apply(seat, state.legal_actions(seat)[0])
    assert state.table().tickets_down == (*tickets("SILVER_ARRASAN") * 4, 0, 0, 0, 0)
