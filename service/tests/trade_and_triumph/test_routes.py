"""Routes, arrivals, and what is open where."""

import pytest
from tabletop import changed, do, give, lay, offered, place

from croupier_games.kernel import IllegalAction
from croupier_games.trade_and_triumph.cards import POST_1, POST_2


def moves(state):
    return [text for text in offered(state) if text.startswith("move")]


def test_four_routes_lead_out_of_the_city(deal):
    assert moves(deal()) == ["move 1", "move 2", "move 3", "move 4"]


@pytest.mark.parametrize(("post", "routes"), [(POST_1, ["move 5", "move 6"]), (POST_2, ["move 7", "move 8"])])
def test_home_from_a_post_by_either_of_its_two_regions(deal, post, routes):
    state = deal()
    place(state, 0, station=post)
    assert moves(state) == routes


@pytest.mark.parametrize("route", range(1, 9))
def test_a_route_takes_its_spaces_and_one_move_more(deal, route):
    state = deal()
    if route > 4:
        place(state, 0, station=POST_1 if route < 7 else POST_2)
    state.left[1] = 9
    for move in range(state.edition.spaces[(route - 1) % 4 + 1] + 1):
        assert move == 0 or state.table().routes[0] == route
        do(state, f"move {0 if move else route}")
    arrived = state.table().stations[0]
    assert arrived == ((POST_1 if route < 3 else POST_2) if route <= 4 else 1)
    assert state.travelled == (route - 1) % 4 + 1


def test_a_trader_on_a_route_cannot_turn_round(deal):
    state = deal()
    place(state, 0, route=1, space=1)
    assert moves(state) == ["move 0"]
    with pytest.raises(IllegalAction, match="completed"):
        do(state, "move 5")


def test_a_post_gives_a_resource_of_the_region_travelled_and_the_city_none(deal):
    state = deal()
    place(state, 0, route=4, space=6)
    do(state, "move 0")
    assert state.resources[:4] == [0, 0, 0, 1]
    place(state, 0, route=8, space=6)
    state.left[1] = 1
    changed(state)
    do(state, "move 0")
    assert state.resources[:4] == [0, 0, 0, 1]


def test_the_supply_of_resources_never_blocks(deal):
    state = deal()
    state.resources[3] = 7
    place(state, 0, route=4, space=6)
    do(state, "move 0")
    assert state.resources[3] == 8


def test_at_a_post_trade_cards_are_revealed_and_cards_sold_for_1(deal):
    state = deal()
    give(state, 0, "Silver Ingots")
    lay(state, 0, "Bales of Wool")
    place(state, 0, route=1, space=5)
    state.resources[1] = 1
    do(state, "move 0")
    number = state.edition.printed("Bales of Wool").number
    assert f"reveal {number}" in offered(state)
    assert not [text for text in offered(state) if text.startswith("sell-resources")]
    do(state, "sell-card Silver Ingots")
    assert state.gold[0] == 11


def test_in_the_city_trade_cards_are_revealed_resources_sold_and_cards_for_2(deal):
    state = deal()
    give(state, 0, "Silver Ingots")
    lay(state, 0, "Spice Caravan")
    place(state, 0, route=7, space=5)
    state.resources[1] = 1
    do(state, "move 0", "sell-card Silver Ingots", "sell-resources 0 1 0 0", "reveal Spice Caravan")
    assert (state.gold[0], state.points[0]) == (10 + 2 + 6, 1)  # home through the desert counts as travelled


def test_moving_on_closes_what_the_arrival_opened(deal):
    state = deal()
    lay(state, 0, "Spice Caravan")
    place(state, 0, route=1, space=5)
    state.left[1] = 2
    do(state, "move 0", "move 6")
    with pytest.raises(IllegalAction) as error:
        do(state, "reveal Spice Caravan")
    assert error.value.rule == "arrival.closed"


def test_what_is_open_closes_with_the_turn(deal):
    state = deal()
    lay(state, 0, "Spice Caravan")
    place(state, 0, route=1, space=5)
    do(state, "move 0", "end-turn", "move 1", "end-turn")
    assert state.turn == 0
    assert not [text for text in offered(state) if text.startswith(("reveal", "sell"))]


def test_nothing_is_open_at_the_start_of_the_game(deal):
    state = deal()
    give(state, 0, "Silver Ingots")
    lay(state, 0, "Spice Caravan")
    assert not [text for text in offered(state) if text.startswith(("reveal", "sell"))]


def test_resources_are_sold_singly_as_a_set_or_all(deal):
    state = deal()
    state.resources[:4] = [3, 2, 1, 1]
    place(state, 0, route=7, space=5)
    do(state, "move 0")
    assert [text for text in offered(state) if text.startswith("sell-resources")] == [
        *("sell-resources 1 0 0 0", "sell-resources 0 1 0 0", "sell-resources 0 0 1 0", "sell-resources 0 0 0 1"),
        *("sell-resources 1 1 1 1", "sell-resources 3 2 1 1"),
    ]
