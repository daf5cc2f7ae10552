"""Positions of one's own."""

import pytest

from croupier_games.trick_and_trade import arrange

HANDS = ["NEV-1 NEV-2", "NEV-3 OCTO-4", "ZEUS-9 OCTO-10"]
ROWS = ["NEV OCTO ZEUS", "NEV+NEV OCTO ZEUS"]


def test_a_position_is_as_it_was_asked_for():
    state = arrange(HANDS, ROWS, leader=2, won="RATCOIN-3", held=["NEV+ZEUS NEV", "", "OCTO"])
    table = state.table()
    assert state.to_act() == (2,)
    assert (table.round, table.rounds) == (1, 2)
    assert table.values == (0, 0, 0, 7)
    assert table.icons == (*(2, 1, 0, 0), *(0, 0, 0, 0), *(0, 0, 1, 0))


def test_hands_may_be_given_in_any_order():
    state = arrange(["NEV-2 NEV-1", *HANDS[1:]], ROWS)
    assert list(state.hands[0]) == [1, 2]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hands": HANDS[:2]}, "3 to 5 hands, not 2"),
        ({"hands": ["NEV-1", *HANDS[1:]]}, "the same number of cards"),
        ({"hands": ["", "", ""], "rows": []}, "at least one"),
        ({"hands": ["NEV-1 NEV-3", *HANDS[1:]]}, "NEV-3 is there 2 times; the game has 1"),
        ({"hands": ["NEV-1 NEV-11", *HANDS[1:]]}, "'NEV-11' is no trick card"),
        ({"rows": ROWS[:1]}, "2 rows of 3 trade cards"),
        ({"rows": [ROWS[0], "NEV OCTO"]}, "2 rows of 3 trade cards"),
        ({"leader": 3}, "a seat, 0 to 2, not 3"),
        ({"won": "NEV-1"}, "NEV-1 is there 2 times"),
        ({"undealt": "OCTO-4"}, "OCTO-4 is there 2 times"),
        ({"held": ["NEV"]}, "for all 3 seats or for none"),
        ({"held": ["OCTO", "OCTO", ""]}, "OCTO is there 4 times; the game has 3"),
        ({"unused": "OCTO OCTO"}, "OCTO is there 4 times"),
    ],
)
def test_what_no_table_can_look_like_is_refused(change, reason):
    with pytest.raises(ValueError, match=reason):
        arrange(**{"hands": HANDS, "rows": ROWS} | change)
