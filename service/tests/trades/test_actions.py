"""Actions as text, and what is none."""

import pytest

from croupier_games.kernel import MalformedAction
from croupier_games.trades import GAME, DeckTrade, Declare, Decline, Give, LastDeckTrade, Offer, Pass
from croupier_games.trades.actions import (
    DECK_TRADES,
    DECLARES,
    DECLINE,
    LAST_DECK_TRADES,
    PASS,
    ascending,
    face_down,
    give,
    offer,
)

TEXTS = [
    ("declare 0", Declare(0)),
    ("declare 13", Declare(13)),
    ("offer AC 2C", Offer((1, 2))),
    ("offer AC KS AC.2 KS.2", Offer((1, 52, 53, 104))),
    ("deck 10H", DeckTrade(36)),
    ("pass", Pass()),
    ("give KS", Give((52,))),
    ("give 9C KS", Give((9, 52))),
    ("last KS.2", LastDeckTrade(104)),
    ("decline", Decline()),
]


@pytest.mark.parametrize(("text", "action"), TEXTS)
def test_every_kind_of_action_survives_as_text(text, action):
    assert GAME.notation(action) == text
    assert GAME.parse(text) == action


def test_cards_may_be_written_in_any_order():
    assert GAME.parse("offer KS 2C 9H") == Offer((2, 35, 52))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "offer",
            "offer AC",
            "offer AC 2C 3C 4C 5C",
            "offer AC AC",
            "offer AC  2C",
            "offer AC ?",
            "offer 1 2",
        ),
        *(
            "give",
            "give AC 2C 3C",
            "give ?",
            "deck",
            "deck AC 2C",
            "deck ?",
            "last",
            "last AC 2C",
            "declare",
            "declare 14",
        ),
        *("declare -1", "declare 01", "pass 1", "decline AC", "Pass", "trade AC", "declare 1 2", " pass", "pass "),
    ],
)
def test_what_is_no_action_is_malformed_and_says_what_would_be_right(text):
    with pytest.raises(MalformedAction, match="is no action; write 'declare 3'"):
        GAME.parse(text)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Declare(14),
        lambda: Declare(-1),
        lambda: DeckTrade(105),
        lambda: LastDeckTrade(-1),
        lambda: Offer((1,)),
        lambda: Offer((1, 2, 3, 4, 5)),
        lambda: Offer((2, 1)),
        lambda: Offer((1, 1)),
        lambda: Offer((0, 1)),
        lambda: Offer((1, 105)),
        lambda: Offer([1, 2]),
        lambda: Give(()),
        lambda: Give((1, 2, 3)),
        lambda: Give((2, 1)),
        lambda: ascending([0, 1]),
    ],
)
def test_actions_that_cannot_be_are_malformed(make):
    with pytest.raises(MalformedAction):
        make()


def test_actions_that_are_offered_again_are_the_same_objects():
    assert GAME.parse("declare 3") is DECLARES[3]
    assert GAME.parse("deck AC") is DECK_TRADES[1]
    assert GAME.parse("last AC") is LAST_DECK_TRADES[1]
    assert GAME.parse("pass") is PASS
    assert GAME.parse("decline") is DECLINE
    assert offer((1, 2)) is offer((1, 2))
    assert give((1,)) is give((1,))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("declare 2", "declare 2"),
        ("offer AC KS 2C", "offer ? ? ?"),
        ("give AC KS", "give ? ?"),
        ("deck AC", "deck ?"),
        ("pass", "pass"),
    ],
)
def test_others_see_the_cards_of_an_action_face_down(text, seen):
    assert GAME.notation(face_down(GAME.parse(text))) == seen
