"""Three seats: the dummy, which the engine plays."""

import pytest

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_stakes import GAME, Phase, Play, arrange, arrange_paddock
from croupier_games.trick_stakes.actions import PLAYS, WHIPPED
from croupier_games.trick_stakes.cards import BLUE, NO_COLOR, RED, cards
from croupier_games.trick_stakes.dummy import choose
from croupier_games.trick_stakes.seating import DUMMY


def test_it_sits_to_the_right_of_the_seat_with_vanilla_beans():
    """Clockwise: V, V+1, V+2, dummy."""
    state = GAME.deal(3, GAME.options(), Seed.of("seating"))
    first = state.horses.index(1)
    assert state.circle == (first, (first + 1) % 3, (first + 2) % 3, DUMMY)


def test_its_cards_lie_open_in_the_order_of_its_pile(piles):
    """Discard number 9: RED-12 and GREEN-11's neighbour below it are out."""
    table = arrange_paddock(piles, seats=3).table()
    names = "RED-10 BLUE-10 YELLOW-10 GREEN-10 RED-11 BLUE-11 YELLOW-11 GREEN-11 YELLOW-12 GREEN-12"
    assert table.dummy == tuple(cards(names))


def test_its_discards_are_the_card_that_the_number_says_and_the_one_below(piles):
    state = arrange_paddock(piles, seats=3)
    assert state.turned_up[DUMMY] == cards("RED-12")[0]
    assert state.table().dummy_discards == tuple(cards("BLUE-12"))


def test_for_the_twelfth_card_the_one_below_is_the_first(piles):
    """Discard number 12: GREEN-12 and RED-10."""
    state = arrange_paddock(
        [piles[0].replace("RED-9", "RED-12"), *piles[1:3], piles[3].replace("RED-12", "RED-9")], seats=3
    )
    assert state.turned_up[DUMMY] == cards("GREEN-12")[0]
    assert state.table().dummy_discards == tuple(cards("RED-10"))
    names = "BLUE-10 YELLOW-10 GREEN-10 RED-11 BLUE-11 YELLOW-11 GREEN-11 RED-9 BLUE-12 YELLOW-12"
    assert state.table().dummy == tuple(cards(names))


def test_it_has_ten_cards_when_the_seats_have_eleven(piles):
    assert [len(hand) for hand in arrange_paddock(piles, seats=3).hands] == [11, 11, 11, 10]


def test_both_of_its_whips_are_turned_face_up_in_every_race(piles, do):
    state = arrange_paddock(piles, seats=3, race=2, whips=[0, 1, 2, 0])
    do(state, "discard RED-1", "discard RED-4", "discard RED-7")
    assert state.table().whips == (1, 2, 2, 2)


HANDS = ["RED-5 BLUE-1", "RED-2 BLUE-2", "RED-9 BLUE-3", "BLUE-12 RED-8"]


@pytest.mark.parametrize("leader", [0, 1, 2])
def test_it_plays_last_when_it_does_not_lead_whatever_its_place_in_the_circle(leader, do, forced):
    state = arrange(HANDS, seats=3, leader=leader, whips=[2, 2, 2, 0])
    for _ in range(3):
        seat = state.to_act()[0]
        do(state, f"play {HANDS[seat].split()[0]}")
    assert state.played == tuple(cards(" ".join(HANDS[(leader + n) % 3].split()[0] for n in range(3)) + " RED-8"))
    assert forced(state) == [(DUMMY, "play RED-8")]


def test_when_it_has_won_it_leads_its_top_card_and_the_seats_follow_clockwise(do, forced):
    """The first race was started by seat 1, so clockwise from the dummy that is 1, 2, 0."""
    hands = ["RED-5 BLUE-1 BLUE-4", "RED-2 BLUE-2 BLUE-5", "RED-9 BLUE-3 BLUE-6", "BLUE-12 RED-10 GREEN-1"]
    state = arrange(hands, seats=3, race=3, leader=0, whips=[2, 2, 2, 0])
    assert state.circle == (1, 2, 0, DUMMY)
    do(state, "play RED-5", "play RED-2", "play RED-9")
    assert forced(state) == [(DUMMY, "play RED-10"), (DUMMY, "play BLUE-12")]
    assert state.leader == DUMMY
    seats = []
    for text in ("BLUE-2", "BLUE-3", "BLUE-1"):
        seats += state.to_act()
        do(state, f"play {text}")
    assert seats == [1, 2, 0]
    assert state.spaces[3] == 1 + 1


PILE = "GREEN-3 RED-2 BLUE-5 RED-9 BLUE-1"


@pytest.mark.parametrize(
    ("led", "may_whip", "action"),
    [
        (NO_COLOR, True, PLAYS[cards("GREEN-3")[0]]),
        (NO_COLOR, False, PLAYS[cards("GREEN-3")[0]]),
        (RED, True, PLAYS[cards("RED-9")[0]]),
        (BLUE, True, PLAYS[cards("BLUE-5")[0]]),
        (3, True, WHIPPED[cards("GREEN-3")[0]]),
        (3, False, PLAYS[cards("GREEN-3")[0]]),
    ],
    ids=["leads", "leads", "highest of the colour", "highest of the colour", "cannot follow: whip", "no whip"],
)
def test_what_it_plays(led, may_whip, action):
    assert choose(cards(PILE), led, may_whip=may_whip) == action


def test_unable_to_follow_it_declares_the_whip(do, forced):
    state = arrange(["RED-5 BLUE-1", "RED-2 BLUE-2", "RED-9 BLUE-3", "GREEN-1 GREEN-8"], seats=3)
    do(state, "play RED-5", "play RED-2", "play RED-9")
    assert forced(state)[0] == (DUMMY, "play GREEN-1 whip")
    assert state.table().whips[DUMMY] == 1
    assert state.table().leaders == (0,)
    assert state.table().spaces == (0, 0, 0, 4)  # and wins with it


def test_it_does_not_declare_where_somebody_has(do, forced):
    state = arrange(["RED-5 BLUE-1", "RED-2 BLUE-2", "RED-9 BLUE-3", "GREEN-1 GREEN-8"], seats=3)
    do(state, "play RED-5 whip")  # the others' cards are forced then
    assert forced(state)[:3] == [(1, "play RED-2"), (2, "play RED-9"), (DUMMY, "play GREEN-1")]
    assert state.table().whips == (1, 2, 2, 2)


def test_it_does_not_declare_without_a_whip(do, forced):
    state = arrange(["RED-5 BLUE-1", "RED-2 BLUE-2", "RED-9 BLUE-3", "GREEN-1 GREEN-8"], seats=3, whips=[2, 2, 2, 0])
    do(state, "play RED-5", "play RED-2", "play RED-9")
    assert forced(state)[0] == (DUMMY, "play GREEN-1")


def test_it_does_not_declare_when_it_leads(do, forced):
    """It won with GREEN-8, and leads GREEN-1, which nobody has to follow."""
    state = arrange(["GREEN-5 BLUE-1", "GREEN-2 BLUE-2", "GREEN-4 BLUE-3", "GREEN-8 GREEN-1"], seats=3)
    do(state, "play GREEN-5", "play GREEN-2", "play GREEN-4")
    assert forced(state) == [(DUMMY, "play GREEN-8"), (DUMMY, "play GREEN-1")]
    assert state.table().whips[DUMMY] == 2


@pytest.mark.parametrize("number", range(5))
def test_nobody_is_ever_asked_for_it(number):
    moves = 0
    for table in random_playout(GAME, 3, GAME.options(), Seed.of(f"dummy/{number}")):
        state = table.state
        assert DUMMY not in state.to_act()
        assert state.legal_actions(DUMMY) == []
        assert not state.trick or state.order[len(state.trick)] != DUMMY
    assert {move.cause for move in table.moves if move.seat == DUMMY} == {"forced"}
    moves = [move.action for move in table.moves if move.seat == DUMMY]
    assert all(isinstance(action, Play) for action in moves)
    assert len(moves) == sum(state.tricks)


def test_it_buys_no_tickets_and_earns_nothing():
    *_, table = random_playout(GAME, 3, GAME.options(), Seed.of("earnings"))
    view = table.state.table()
    assert view.phase is Phase.OVER
    assert len(view.tickets_up) == len(view.tickets_down) == 3 * 3
    assert len(view.points) == len(table.result().points) == 3
