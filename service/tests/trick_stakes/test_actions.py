"""Decisions and how they are written."""

import pytest

from croupier_games.kernel import MalformedAction
from croupier_games.trick_stakes import GAME, Discard, Play, TicketDown, TicketUp, arrange


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("discard RED-1", Discard(1)),
        ("discard GREEN-12", Discard(48)),
        ("ticket up VANILLA_BEANS", TicketUp(1)),
        ("ticket up WIN", TicketUp(5)),
        ("ticket down GATEAU_OPERA", TicketDown(4)),
        ("play BLUE-7", Play(19)),
        ("play BLUE-7", Play(19, whip=False)),
        ("play BLUE-7 whip", Play(19, whip=True)),
    ],
)
def test_an_action_is_one_line_of_text_and_back(text, action):
    assert GAME.parse(text) == action
    assert GAME.notation(action) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "play",
        "play RED-13",
        "play red-7",
        "play RED-7 WHIP",
        "play RED-7 whip whip",
        "ticket WIN",
        "ticket up RED-7",
    ],
)
def test_a_text_that_is_no_action_is_malformed_and_told_what_would_be_right(text):
    with pytest.raises(MalformedAction, match=r"write 'discard RED-7', 'play RED-7' or .*, 'ticket up WIN' or "):
        GAME.parse(text)


@pytest.mark.parametrize("card", [0, 49, -1])
@pytest.mark.parametrize("kind", [Discard, Play])
def test_there_is_no_action_with_a_card_that_does_not_exist(kind, card):
    with pytest.raises(MalformedAction, match="numbered 1 to 48"):
        kind(card)


@pytest.mark.parametrize("ticket", [0, 6, -1])
@pytest.mark.parametrize("kind", [TicketUp, TicketDown])
def test_there_is_no_action_with_a_ticket_that_does_not_exist(kind, ticket):
    with pytest.raises(MalformedAction, match="numbered 1 to 5"):
        kind(ticket)


def test_an_action_made_by_hand_is_as_good_as_one_that_was_offered():
    state = arrange(["RED-1 RED-2", "RED-3 RED-4", "RED-5 RED-6", "RED-7 RED-8"])
    state.apply(0, Play(2))
    assert state.trick == [2]
