"""Positions of one's own."""

import pytest

from croupier_games.trick_stakes import Phase, arrange, arrange_paddock
from croupier_games.trick_stakes.cards import cards

HANDS = ["RED-1 RED-2", "RED-3 BLUE-4", "BLUE-9 BLUE-10", "GREEN-1 GREEN-2"]


def test_a_position_is_as_it_was_asked_for():
    state = arrange(
        HANDS,
        leader=2,
        held="FORET_NOIRE VANILLA_BEANS GATEAU_OPERA SILVER_ARRASAN",
        standing="GATEAU_OPERA SILVER_ARRASAN FORET_NOIRE VANILLA_BEANS",
        spaces=[2, 2, 7, 0],
        turned_up=["RED-11", "", "", "RED-12"],
        discards=["BLUE-11", "", "", "BLUE-12"],
        odds=[3, 4, 5, 6],
        whips=[2, 1, 0, 2],
        points=[1, 2, 3, 4],
    )
    table = state.table()
    assert (table.race, table.races, table.phase, table.start, table.to_act) == (4, 4, Phase.PLAY, 2, (2,))
    assert table.horses == (2, 1, 4, 3)
    assert table.standing == (3, 2, 1, 4)
    assert (table.spaces, table.odds, table.whips, table.points) == (
        (2, 2, 7, 0),
        (3, 4, 5, 6),
        (2, 1, 0, 2),
        (1, 2, 3, 4),
    )
    assert table.turned_up == (*cards("RED-11"), 0, 0, *cards("RED-12"))
    assert table.discard_colors == (2, 0, 0, 2)


def test_hands_may_be_given_in_any_order():
    assert arrange(["RED-2 RED-1", *HANDS[1:]]).hands[0] == cards("RED-1 RED-2")


def test_the_dummy_s_stay_in_theirs():
    assert arrange([*HANDS[:3], "GREEN-2 GREEN-1"], seats=3).hands[3] == cards("GREEN-2 GREEN-1")


def test_a_paddock_is_as_it_was_asked_for(piles):
    state = arrange_paddock(
        piles, seats=3, race=2, start=0, stack="GATEAU_OPERA FORET_NOIRE VANILLA_BEANS SILVER_ARRASAN"
    )
    assert state.circle == (2, 0, 1, 3)
    assert state.standing == [4, 2, 1, 3]
    assert (state.race, state.start, state.to_act()) == (2, 0, (0, 1, 2))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hands": HANDS[:3]}, "there are 4 hands, not 3"),
        ({"hands": ["RED-1", *HANDS[1:]]}, "the same number of cards"),
        ({"hands": ["", "", "", ""]}, "at least one"),
        ({"hands": ["RED-1 RED-3", *HANDS[1:]]}, "RED-3 is there 2 times"),
        ({"hands": ["RED-1 RED-13", *HANDS[1:]]}, "'RED-13' is no race card"),
        ({"seats": 5}, "3 or 4 seats, not 5"),
        ({"leader": 4}, "a seat starts, 0 to 3"),
        ({"leader": 3, "seats": 3}, "a seat starts, 0 to 2"),
        ({"race": 5}, "races are numbered 1 to 4"),
        ({"race": 3}, "before the last race every horse has twelve cards"),
        ({"held": "VANILLA_BEANS VANILLA_BEANS FORET_NOIRE GATEAU_OPERA"}, "each place holds one horse"),
        ({"standing": "VANILLA_BEANS"}, "the standing has each horse once"),
        ({"spaces": [0, 8, 0, 0]}, "spaces are 4 numbers, 0 to 7"),
        ({"spaces": [0, 0]}, r"spaces are 4 numbers, 0 to 7, not \[0, 0\]"),
        ({"odds": [2]}, "odds are 4 numbers, whole numbers from 0 on"),
        ({"whips": [5, 0, 0, 0]}, "whips are 4 numbers, 0 to 2"),
        ({"whips": [-1, 0, 0, 0]}, "whips are 4 numbers, 0 to 2"),
        ({"points": [1]}, "points are 4 numbers"),
        ({"bets": ["WIN VANILLA_BEANS", "WIN FORET_NOIRE", "FORET_NOIRE WIN", "SILVER_ARRASAN WIN"]}, "face up none"),
        ({"bets": ["WIN WIN", "VANILLA_BEANS WIN", "FORET_NOIRE WIN", "SILVER_ARRASAN WIN"]}, "two different tickets"),
        ({"bets": ["WIN VANILLA_BEANS"]}, "each seat has laid two"),
        ({"spaces": [7, 7, 0, 0]}, "the race is over when a second horse is at 7"),
        ({"turned_up": ["RED-11 RED-12", "", "", ""]}, "one card turned up and one discarded, or none"),
    ],
)
def test_what_no_table_can_look_like_is_refused(change, reason):
    with pytest.raises(ValueError, match=reason):
        arrange(**{"hands": HANDS} | change)


def test_a_pile_has_twelve_cards():
    with pytest.raises(ValueError, match="every pile has twelve cards"):
        arrange_paddock(HANDS)


def test_a_place_has_up_to_two_whips_in_the_paddock(piles):
    with pytest.raises(ValueError, match="whips are 4 numbers, 0 to 2"):
        arrange_paddock(piles, whips=[2, 2, 2, 3])
