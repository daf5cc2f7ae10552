"""What the rules forbid, by the name of the rule, and what the seat is told."""

import pytest

from croupier_games.kernel import IllegalAction, MalformedAction
from croupier_games.trick_stakes import GAME, Phase, arrange, arrange_paddock


@pytest.fixture
def discarding(piles):
    """Seat 0 starts; GREEN-2, GREEN-5, GREEN-8 and RED-12 are turned up."""
    return arrange_paddock(piles)


@pytest.fixture
def buying(discarding, do):
    """It is the turn of seat 1 to lay its first ticket."""
    do(discarding, "discard RED-1", "discard RED-4", "discard RED-7", "discard RED-10")
    return discarding


@pytest.fixture
def hiding(buying, do):
    """All have laid their first tickets."""
    do(buying, "ticket up WIN", "ticket up VANILLA_BEANS", "ticket up FORET_NOIRE", "ticket up SILVER_ARRASAN")
    return buying


@pytest.fixture
def playing():
    """Seat 0 is to lead; seats 1 and 3 have no whip."""
    hands = ["RED-5 BLUE-1", "RED-2 BLUE-2 ", "BLUE-9 BLUE-3", "RED-8 RED-9"]
    return arrange(hands, whips=[1, 0, 1, 0])


@pytest.fixture
def over():
    state = arrange(["RED-5", "RED-2", "RED-9", "RED-8"], whips=[0, 0, 0, 0])
    assert state.phase is Phase.OVER
    return state


def refusal(state, seat, text):
    """The rule and the message with which ``check`` and ``apply`` both refuse, changing nothing."""
    before = [state.view(viewer) for viewer in range(state.seats)], state.to_act()
    with pytest.raises(IllegalAction) as checked:
        state.check(seat, GAME.parse(text))
    with pytest.raises(IllegalAction) as applied:
        state.apply(seat, GAME.parse(text))
    assert (checked.value.rule, str(checked.value)) == (applied.value.rule, str(applied.value))
    assert ([state.view(viewer) for viewer in range(state.seats)], state.to_act()) == before
    return checked.value.rule, str(checked.value)


def test_discarding_a_card_that_is_out(discarding):
    told = "GREEN-2 was turned up and is out; discard one of your hand"
    assert refusal(discarding, 0, "discard GREEN-2") == ("discard.out", told)


@pytest.mark.parametrize("text", ["discard RED-4", "discard GREEN-5"])
def test_discarding_what_others_have(discarding, text):
    rule, told = refusal(discarding, 0, text)
    assert rule == "discard.in-hand"
    assert told.endswith("is not in your hand, which is RED-1 RED-2 RED-3 RED-9 BLUE-1 BLUE-2 BLUE-3 YELLOW-1 YELLOW-2 "
                         "YELLOW-3 GREEN-1")  # fmt: skip


def test_discarding_twice(discarding, do):
    do(discarding, "2: discard RED-7")
    assert refusal(discarding, 2, "discard RED-8") == ("turn", "you have chosen; others have still to choose")


def test_a_ticket_that_lies_face_up_already(buying, do):
    do(buying, "ticket up WIN")
    told = "WIN lies face up with seat 1; show another"
    assert refusal(buying, 2, "ticket up WIN") == ("ticket-up.taken", told)


def test_the_same_ticket_face_up_and_face_down(hiding):
    told = "you have laid WIN face up; choose another"
    assert refusal(hiding, 1, "ticket down WIN") == ("ticket-down.used", told)


def test_a_second_face_down_ticket(hiding, do):
    do(hiding, "1: ticket down FORET_NOIRE")
    told = "you have chosen; others have still to choose"
    assert refusal(hiding, 1, "ticket down VANILLA_BEANS") == ("turn", told)


def test_not_following(playing, do):
    do(playing, "play RED-5")  # RED-2 is forced, and seat 2 cannot follow
    do(playing, "play BLUE-9")
    assert playing.to_act() == (3,)
    assert refusal(playing, 3, "play BLUE-1")[0] == "play.in-hand"
    state = arrange(["RED-5 BLUE-1", "RED-2 RED-3", "BLUE-9 BLUE-3", "RED-8 GREEN-9"], whips=[0, 0, 0, 1])
    do(state, "play RED-5", "play RED-2", "play BLUE-3")
    told = "RED was led and GREEN-9 is not: play RED-8"
    assert refusal(state, 3, "play GREEN-9") == ("play.follow", told)
    assert refusal(state, 3, "play GREEN-9 whip") == ("play.follow", told)


def test_a_card_that_is_not_in_the_hand(playing):
    assert refusal(playing, 0, "play RED-2") == ("play.in-hand", "RED-2 is not in your hand, which is RED-5 BLUE-1")


def test_a_whip_that_is_not_there(playing, do):
    do(playing, "play RED-5", "play BLUE-3")
    told = "you have no whip face up: play the card without it"
    assert refusal(playing, 3, "play RED-8 whip") == ("whip.none-left", told)


def test_a_second_whip_in_a_trick(playing, do):
    do(playing, "play RED-5 whip")
    told = "seat 0 has declared the whip in this trick: play without it"
    assert refusal(playing, 2, "play BLUE-3 whip") == ("whip.one-a-trick", told)


@pytest.mark.parametrize("text", ["ticket up WIN", "ticket down WIN", "play RED-1", "play RED-1 whip"])
def test_discards_come_first(discarding, text):
    rule, told = refusal(discarding, 0, text)
    assert rule == "-".join(text.split()[:2]) + ".phase" if text.startswith("ticket") else "play.phase"
    assert told == "now is the time to discard a card of your hand"


@pytest.mark.parametrize(
    ("text", "rule"),
    [("discard RED-1", "discard.phase"), ("ticket down WIN", "ticket-down.phase"), ("play RED-1", "play.phase")],
)
def test_then_tickets_face_up(buying, text, rule):
    assert refusal(buying, 1, text) == (rule, "now is the time to lay a ticket face up")


@pytest.mark.parametrize(
    ("text", "rule"),
    [("discard RED-1", "discard.phase"), ("ticket up WIN", "ticket-up.phase"), ("play RED-1", "play.phase")],
)
def test_then_tickets_face_down(hiding, text, rule):
    assert refusal(hiding, 1, text) == (rule, "now is the time to lay a ticket face down")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("discard RED-5", "discard.phase"),
        ("ticket up WIN", "ticket-up.phase"),
        ("ticket down WIN", "ticket-down.phase"),
    ],
)
def test_then_tricks(playing, text, rule):
    assert refusal(playing, 0, text) == (rule, "now is the time to play a card of your hand")


@pytest.mark.parametrize("text", ["discard RED-4", "ticket up WIN", "ticket down WIN", "play RED-4"])
def test_turn_while_tickets_are_laid(buying, text):
    assert refusal(buying, 0, text) == ("turn", "it is the turn of seat 1, not of seat 0")


def test_turn_in_a_trick(playing):
    assert refusal(playing, 3, "play RED-8") == ("turn", "it is the turn of seat 0, not of seat 3")


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("text", ["discard RED-5", "ticket up WIN", "ticket down WIN", "play RED-5"])
def test_game_over(over, seat, text):
    assert refusal(over, seat, text) == ("game.over", "the game is over")


def test_something_that_is_no_action_of_this_game_is_malformed(playing):
    for door in (playing.check, playing.apply):
        with pytest.raises(MalformedAction, match="'play RED-5' is no action of Trick Stakes"):
            door(0, "play RED-5")


def test_nothing_is_legal_out_of_turn(playing, over):
    assert [playing.legal_actions(seat) for seat in (1, 2, 3)] == [[], [], []]
    assert [over.legal_actions(seat) for seat in range(4)] == [[], [], [], []]
