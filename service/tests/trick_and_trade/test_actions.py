"""Decisions and how they are written."""

import pytest

from croupier_games.kernel import MalformedAction, Seed
from croupier_games.trick_and_trade import GAME, Play, TakeLead, TakeTrade


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("play NEV-1", Play(1)),
        ("play NEV-7", Play(7)),
        ("play RATCOIN-10", Play(40)),
        ("take 0", TakeTrade(0)),
        ("take 4", TakeTrade(4)),
        ("take lead", TakeLead()),
    ],
)
def test_an_action_is_one_line_of_text_and_back(text, action):
    assert GAME.parse(text) == action
    assert GAME.notation(action) == text


@pytest.mark.parametrize("text", ["", "play", "play NEV-11", "play nev-7", "take 5", "take -1", "take  2", "pass"])
def test_a_text_that_is_no_action_is_malformed_and_told_what_would_be_right(text):
    with pytest.raises(MalformedAction, match=r"write 'play NEV-7' .*, 'take 2' .* or 'take lead'"):
        GAME.parse(text)


@pytest.mark.parametrize("card", [0, 41, -1])
def test_there_is_no_action_that_plays_a_card_that_does_not_exist(card):
    with pytest.raises(MalformedAction, match="numbered 1 to 40"):
        Play(card)


@pytest.mark.parametrize("place", [-1, 5])
def test_there_is_no_action_that_takes_from_a_place_that_no_row_has(place):
    with pytest.raises(MalformedAction, match="numbered 0 to 4"):
        TakeTrade(place)


def test_an_action_made_by_hand_is_as_good_as_one_that_was_offered():
    state = GAME.deal(3, GAME.options({"first_leader": "1"}), Seed.of("actions"))
    offered = state.legal_actions(1)[0]
    state.apply(1, Play(offered.card))
    assert state.trick == [offered.card]
