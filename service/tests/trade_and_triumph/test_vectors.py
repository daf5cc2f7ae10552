"""The vectors of the rulings."""

from tabletop import changed, do, give, lay, on_top, place

from croupier_games.trade_and_triumph import scoring


def test_the_rulebooks_turn(deal):
    """6 gold, no cards, move 2, draw 2, play 1, two spaces from a post by the mountain."""
    state = deal()
    state.gold[0] = 6
    state.left = [0, 2, 2, 1]
    place(state, 0, route=2, space=5)
    on_top(state, "Spice Caravan")
    do(state, "draw 1", "play Spice Caravan", "move 0", "move 0", "reveal Spice Caravan")
    assert state.resources[:4] == [0, 1, 0, 0]
    assert state.gold[0] == 10
    do(state, "draw 3")
    assert (state.gold[0], len(state.hands[0])) == (0, 1)


def test_a_sale_of_a_set_and_three_more(deal):
    state = deal()
    state.resources[:4] = [3, 2, 1, 1]
    place(state, 0, route=7, space=5)
    do(state, "move 0", "sell-resources 3 2 1 1")
    assert (state.points[0], state.resources[:4]) == (9, [0, 0, 0, 0])


def test_who_is_forced_home_reveals_and_sells_nothing_and_starts_from_the_city(deal):
    state = deal()
    give(state, 0, "Recall Order")
    give(state, 1, "Silver Ingots")
    lay(state, 1, "Spice Caravan")
    place(state, 1, route=3, space=2)
    state.resources[4] = 1
    do(state, "play Recall Order", "move 1", "end-turn")
    offered = [type(action).__name__ for action in state.legal_actions(1)]
    assert not {"Reveal", "SellCard", "SellResources"} & set(offered)
    assert [action.route for action in state.legal_actions(1)[:4]] == [1, 2, 3, 4]
    assert sum(state.resources[4:]) == 1


def test_more_gold_goes_first_at_21_points_each():
    result = scoring.score([21, 21], [7, 5], [0, 0, 0, 3, 2, 2])
    assert (result.placings, result.decided_by[1]) == ((1, 2), "gold")


def test_equal_gold_is_decided_by_upgrades_and_equal_upgrades_are_shared():
    assert scoring.score([21, 21], [7, 7], [0, 1, 0, 1, 1, 0]).placings == (2, 1)
    assert scoring.score([21, 21, 3], [7, 7, 9], [0, 1, 1, 1, 1, 0, 0, 0, 0]).placings == (1, 1, 3)


def test_the_round_is_completed_so_that_all_have_had_equally_many_turns(deal):
    state = deal(seats=3, first_seat=1)
    state.points[1] = 20
    do(state, "move 1", "end-turn")
    assert not state.over
    do(state, "move 1", "end-turn", "move 1", "end-turn")
    assert state.over
    assert state.result().points == (0, 20, 0)
    assert state.result().note == ""


def test_20_points_of_the_last_seat_end_the_game_at_once(deal):
    state = deal()
    do(state, "move 1", "end-turn")
    state.points[1] = 20
    changed(state)
    do(state, "move 1", "end-turn")
    assert (state.over, state.round) == (True, 1)


def test_a_cap_of_rounds_ends_a_game_that_stalls_and_the_result_says_so(deal):
    state = deal(round_cap=1)
    do(state, "move 1", "end-turn", "move 1", "end-turn")
    assert state.result().note == "nobody had 20 victory points after 1 rounds"
    assert state.to_act() == ()
