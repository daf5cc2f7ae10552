"""Playing a trick: who may play what, who wins, and what the whip does."""

import pytest

from croupier_games.trick_stakes import arrange
from croupier_games.trick_stakes.cards import CARDS, COLOR, MARKS, NUMBER, cards
from croupier_games.trick_stakes.rules import winning


def test_the_highest_card_of_the_colour_led_wins():
    assert winning(cards("RED-5 RED-2 BLUE-10 RED-8"), 0) == 3


def test_the_winner_s_horse_moves_by_the_marks_on_the_winning_card(do):
    """A leads RED 5, B RED 2, C BLUE 10, D RED 8: D wins, its horse moves 2."""
    state = arrange(["RED-5 GREEN-1", "RED-2 GREEN-2", "BLUE-10 GREEN-3", "RED-8 GREEN-4"])
    do(state, "play RED-5", "play RED-2", "play BLUE-10", "play RED-8")
    assert state.leader == 3
    assert state.spaces == [0, 0, 0, 2]
    assert state.to_act() == (3,)  # the winner leads


def test_with_the_whip_the_highest_card_of_the_declarer_s_colour_wins(do):
    """A leads YELLOW 11, B GREEN 7, C YELLOW 4, D GREEN 2 with whip: B wins, its horse moves 2."""
    state = arrange(["YELLOW-11 RED-1", "GREEN-7 RED-2", "YELLOW-4 RED-3", "GREEN-2 RED-4"])
    do(state, "play YELLOW-11", "play GREEN-7", "play YELLOW-4", "play GREEN-2 whip")
    assert state.leader == 1
    assert state.spaces == [0, 2, 0, 0]
    assert state.whips == [2, 2, 2, 1]


def test_the_leader_may_declare_the_whip(do, offered):
    """A leads RED 3 with whip, B RED 9, C RED 1, D BLUE 12: B wins, 2 spaces; nobody else may whip."""
    state = arrange(["RED-3 GREEN-1", "RED-9 GREEN-2", "RED-1 GREEN-3", "BLUE-12 GREEN-4"], whips=[1, 2, 2, 2])
    do(state, "play RED-3 whip", "play BLUE-12")  # RED-9 and RED-1 are forced: nobody else may whip
    assert state.leader == 1
    assert state.spaces == [0, 2, 0, 0]
    assert state.table().whips == (0, 2, 2, 2)


def test_after_a_whip_nobody_else_is_offered_it(do, offered):
    state = arrange(["RED-3 GREEN-1", "RED-9 RED-2", "RED-1 GREEN-3", "BLUE-12 GREEN-4"])
    assert offered(state) == ["play RED-3", "play RED-3 whip", "play GREEN-1", "play GREEN-1 whip"]
    do(state, "play RED-3 whip")
    assert offered(state) == ["play RED-2", "play RED-9"]


def test_in_the_next_trick_the_whip_can_be_declared_again(do, offered):
    state = arrange(["RED-3 GREEN-1", "RED-9 RED-2", "RED-1 GREEN-3", "BLUE-12 GREEN-4"])
    do(state, "play RED-3 whip", "play RED-2", "play GREEN-4")
    assert state.to_act() == (0,)
    assert offered(state) == ["play GREEN-1", "play GREEN-1 whip"]
    assert state.whips_at == (1,)


def test_a_whip_turned_face_down_is_used(do, offered):
    state = arrange(["RED-3 GREEN-1", "RED-9 RED-2", "RED-1 GREEN-3", "BLUE-12 GREEN-4"], whips=[0, 1, 0, 0])
    assert offered(state) == ["play RED-3", "play GREEN-1"]
    do(state, "play RED-3", "play RED-9 whip")
    assert state.table().whips == (0, 0, 0, 0)


def test_whoever_holds_the_colour_led_must_play_it(do, offered):
    state = arrange(["RED-3 GREEN-1", "RED-9 GREEN-2", "BLUE-1 GREEN-3", "BLUE-12 GREEN-4"])
    do(state, "play RED-3")
    assert offered(state) == ["play RED-9", "play RED-9 whip"]


def test_whoever_does_not_may_play_anything(do, offered):
    state = arrange(["RED-3 GREEN-1", "BLUE-9 GREEN-2", "BLUE-1 GREEN-3", "BLUE-12 GREEN-4"], whips=[2, 0, 0, 0])
    do(state, "play RED-3")
    assert offered(state) == ["play BLUE-9", "play GREEN-2"]


def test_with_the_whip_too_the_colour_led_is_followed(do, offered):
    """The whip is declared in BLUE, but RED was led."""
    state = arrange(["RED-3 GREEN-1", "BLUE-9 BLUE-2", "BLUE-1 RED-5", "BLUE-12 RED-4"])
    do(state, "play RED-3", "play BLUE-9 whip")
    assert state.played == tuple(cards("RED-3 BLUE-9 RED-5 RED-4"))  # the others could only follow
    assert state.leader == 1


@pytest.mark.parametrize("whip_at", [0, 1, 2, 3, 4])
def test_the_winning_card_is_the_highest_of_its_colour(whip_at):
    for led in cards("RED-3 GREEN-12"):
        for second in CARDS[::5]:
            for third in CARDS[::7]:
                trick = [led, second, third, CARDS[40]]
                if len({*trick}) == 4:
                    winner = trick[winning(trick, whip_at)]
                    assert COLOR[winner] == COLOR[trick[max(0, whip_at - 1)]]
                    same = [card for card in trick if COLOR[card] == COLOR[winner]]
                    assert NUMBER[winner] == max(NUMBER[card] for card in same)


def test_it_goes_clockwise_from_the_leader(do):
    hands = ["RED-1 RED-2", "RED-3 RED-4", "RED-5 RED-6", "RED-7 RED-8"]
    state = arrange(hands, leader=2)
    seats = []
    for text in ("RED-5", "RED-7", "RED-1", "RED-3"):
        seats += state.to_act()
        do(state, f"play {text}")
    assert seats == [2, 3, 0, 1]


def test_a_card_led_alone_in_its_colour_wins(do):
    state = arrange(["RED-1 GREEN-1", "BLUE-9 BLUE-2", "BLUE-1 BLUE-5", "BLUE-12 BLUE-4"])
    do(state, "play RED-1", "play BLUE-9", "play BLUE-1", "play BLUE-12")
    assert state.leader == 0
    assert state.spaces == [MARKS[1], 0, 0, 0]
