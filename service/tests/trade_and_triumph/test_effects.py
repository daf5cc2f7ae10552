"""Every part of the vocabulary, by an example. Seat 0 has the card "It" in hand, 10 gold, and is in the city."""

import pytest
from tabletop import discarded, do, give, lay, names, offered, on_top, place

from croupier_games.kernel import IllegalAction
from croupier_games.trade_and_triumph import ChooseSeat, Phase

SEATS_3 = {"seats": 3}


def play(state):
    do(state, "play It")


def test_gold_is_gained(with_card):
    play(state := with_card("specialty", "play = [{ gold = 3 }]"))
    assert state.gold == [13, 10]


def test_points_are_gained(with_card):
    play(state := with_card("specialty", "play = [{ points = 2 }]"))
    assert state.points == [2, 0]


def test_gold_per_resource_up_to_a_limit(with_card):
    state = with_card("specialty", 'play = [{ gold = 2, per = "resource", limit = 5 }]')
    state.resources[:4] = [1, 2, 0, 0]
    play(state)
    assert state.gold[0] == 15


def test_points_per_kind_of_resource(with_card):
    state = with_card("specialty", 'play = [{ points = 1, per = "kind" }]')
    state.resources[:4] = [1, 2, 0, 0]
    play(state)
    assert state.points[0] == 2


def test_gold_per_space_moved_in_this_turn(with_card):
    state = with_card("specialty", 'play = [{ gold = 2, per = "space" }]')
    do(state, "move 1", "play It")
    assert state.gold[0] == 12


def test_gold_per_eternal_card(with_card):
    state = with_card("specialty", 'play = [{ gold = 3, per = "eternal" }]')
    lay(state, 0, "Steward")
    play(state)
    assert state.gold[0] == 13


def test_gold_per_card_face_down(with_card):
    state = with_card("specialty", 'play = [{ gold = 3, per = "hidden" }]')
    lay(state, 0, "Ware", "Goods")
    play(state)
    assert state.gold[0] == 16


def test_what_has_to_be_paid_first_must_be_there(with_card):
    state = with_card("specialty", "play = [{ pay = 4 }, { points = 1 }]")
    state.gold[0] = 3
    assert "play 6" not in offered(state)
    state.gold[0] = 4
    state.legal = None
    play(state)
    assert (state.gold[0], state.points[0]) == (0, 1)


def test_payment_comes_on_top_of_the_cost(with_card):
    state = with_card("influence", "play = [{ pay = 4 }, { points = 1 }]", cost=3)
    state.gold[0] = 6
    assert "play 5" not in offered(state)


def test_a_resource_to_be_returned_must_be_there(with_card):
    state = with_card("specialty", 'play = [{ spend = "desert" }, { points = 3 }]')
    assert "play 6" not in offered(state)
    state.resources[2] = 1
    state.legal = None
    play(state)
    assert (state.resources[:4], state.points[0]) == ([0, 0, 0, 0], 3)


def test_which_resource_is_returned_is_a_choice_among_those_held(with_card):
    state = with_card("specialty", 'play = [{ spend = "any" }, { points = 3 }]')
    state.resources[:4] = [1, 0, 2, 0]
    play(state)
    assert offered(state) == ["choose-region 1", "choose-region 3"]
    do(state, "choose-region 3")
    assert (state.resources[:4], state.points[0]) == ([1, 0, 1, 0], 3)


def test_a_resource_of_a_region_is_gained(with_card):
    play(state := with_card("specialty", 'play = [{ gain = "ocean" }]'))
    assert state.resources[:4] == [0, 0, 0, 1]


def test_a_resource_of_choice_is_gained(with_card):
    play(state := with_card("specialty", 'play = [{ gain = "any" }]'))
    assert offered(state) == [f"choose-region {region}" for region in (1, 2, 3, 4)]
    do(state, "choose-region 2")
    assert state.resources[:4] == [0, 1, 0, 0]


def test_a_resource_of_the_region_travelled_is_gained_on_top_of_that_of_the_post(with_card):
    state = with_card("trade", 'reveal = [{ gain = "travelled" }]')
    lay(state, 0, "It")
    place(state, 0, route=2, space=3)
    do(state, "move 0", "reveal It")
    assert state.resources[:4] == [0, 2, 0, 0]


def test_nothing_is_gained_of_the_region_travelled_when_no_arrival_is_open(with_card):
    play(state := with_card("specialty", 'play = [{ gain = "travelled" }]'))
    assert state.resources[:4] == [0, 0, 0, 0]


def test_cards_are_drawn_from_a_deck_free_of_charge_and_without_a_draw(with_card):
    play(state := with_card("specialty", 'play = [{ draw = "specialty" }, { draw = "trade", count = 2 }]'))
    assert (len(state.hands[0]), state.gold[0], state.left[2], state.drawn) == (3, 10, 1, 0)


def test_of_any_deck_is_asked_card_by_card(with_card):
    state = with_card("specialty", 'play = [{ draw = "any", count = 2 }]')
    play(state)
    assert offered(state) == ["choose-deck 1", "choose-deck 2", "choose-deck 3"]
    do(state, "choose-deck 3", "choose-deck 1")
    assert len(state.hands[0]) == 2


@pytest.mark.parametrize(("part", "track"), [("moves", 1), ("draws", 2), ("plays", 3)])
def test_more_actions_in_this_turn(with_card, part, track):
    state = with_card("specialty", f"play = [{{ {part} = 2 }}]")
    before = state.left[track]
    play(state)
    assert state.left[track] == before + 2 - (part == "plays")


def test_decks_may_be_drawn_from_again(with_card):
    state = with_card("specialty", "play = [{ draws = 1 }, { again = true }]")
    do(state, "draw 1", "play It")
    assert "draw 1" in offered(state)


def test_gold_is_taken_from_one_other_seat_as_far_as_it_goes(with_card):
    state = with_card("specialty", "play = [{ steal = 6 }]", **SEATS_3)
    state.gold[1:] = [4, 9]
    play(state)
    assert offered(state) == ["choose-seat 1", "choose-seat 2"]
    do(state, "choose-seat 1")
    assert state.gold == [14, 0, 9]


def test_with_one_other_seat_nobody_is_asked_whom(with_card):
    play(state := with_card("specialty", "play = [{ steal = 6 }]"))
    assert state.gold == [16, 4]
    assert state.drain_engine_moves() == [(0, ChooseSeat(1))]


def test_who_has_no_gold_is_not_offered(with_card):
    state = with_card("specialty", "play = [{ steal = 6 }]", **SEATS_3)
    state.gold[1:] = [0, 9]
    play(state)
    assert state.gold == [16, 0, 3]


def test_gold_is_taken_from_each_other_seat(with_card):
    state = with_card("specialty", "play = [{ steal = 3, each = true }]", **SEATS_3)
    state.gold[1:] = [1, 9]
    play(state)
    assert state.gold == [14, 0, 6]


def test_who_is_made_to_discard_chooses_what(with_card):
    state = with_card("specialty", "play = [{ discard = 1 }]")
    give(state, 1, "Ware", "Goods")
    play(state)
    assert state.to_act() == (1,)
    assert state.legal_actions(0) == []
    do(state, "discard Goods")
    assert names(state, state.discards[1]) == ["Goods"]
    assert state.to_act() == (0,)


def test_who_has_to_discard_all_is_not_asked(with_card):
    state = with_card("specialty", "play = [{ discard = 3 }]")
    give(state, 1, "Ware", "Goods")
    play(state)
    assert state.hands[1] == []
    assert [seat for seat, _ in state.drain_engine_moves()] == [0, 1, 1]


def test_each_other_seat_is_made_to_discard_clockwise(with_card):
    state = with_card("specialty", "play = [{ discard = 1, each = true }]", **SEATS_3)
    give(state, 1, "Ware", "Goods")
    give(state, 2, "Ware", "Goods")
    play(state)
    do(state, "discard Ware")
    assert state.to_act() == (2,)
    do(state, "discard Ware")
    assert [len(hand) for hand in state.hands] == [0, 1, 1]


def test_a_trader_is_sent_home(with_card):
    state = with_card("specialty", 'play = [{ send-home = "one" }]', **SEATS_3)
    place(state, 1, route=2, space=1)
    place(state, 2, station=3)
    play(state)
    assert offered(state) == ["choose-seat 1", "choose-seat 2"]
    do(state, "choose-seat 2")
    assert state.view(2).table.stations == (1, 0, 1)


def test_each_other_trader_is_sent_home(with_card):
    state = with_card("specialty", 'play = [{ send-home = "each" }]', **SEATS_3)
    place(state, 1, route=2, space=1)
    place(state, 2, station=3)
    play(state)
    assert state.view(0).table.stations == (1, 1, 1)


@pytest.mark.parametrize(
    "attack", ["{ steal = 3 }", "{ steal = 3, each = true }", "{ discard = 1 }", '{ send-home = "each" }']
)
def test_who_is_protected_suffers_nothing(with_card, attack):
    state = with_card("influence", 'lasting = [{ protect = ["steal", "discard", "send-home"] }]')
    lay(state, 1, "It")
    give(state, 1, "Ware")
    place(state, 1, route=2, space=1)
    other = with_card("specialty", f"play = [{attack}]")
    give(other, 1, "Ware")
    place(other, 1, route=2, space=1)
    other.prices = state.prices
    play(other)
    assert other.gold == [10, 10]
    assert (len(other.hands[1]), other.view(1).table.routes[1]) == (1, 2)


def test_a_look_takes_one_card_and_leaves_the_others(with_card):
    state = with_card("specialty", 'play = [{ look = 3, deck = "trade", to = "take" }]')
    on_top(state, "Ware", "Goods", "Ware")
    play(state)
    assert names(state, state.view(0).tops) == ["Ware", "Goods", "Ware"]
    assert offered(state) == ["take-seen 1", "take-seen 2"]
    do(state, "take-seen Goods")
    assert names(state, state.hands[0]) == ["Goods"]
    assert names(state, state.view(0).tops) == ["Ware", "Ware"]


def test_a_look_may_be_at_any_deck(with_card):
    play(state := with_card("specialty", 'play = [{ look = 1, deck = "any", to = "take" }]'))
    do(state, "choose-deck 1")
    assert len(state.hands[0]) == 1  # a single card is no choice


def test_cards_looked_at_are_put_back_in_the_order_chosen(with_card):
    state = with_card("specialty", 'play = [{ look = 3, deck = "trade", to = "order" }]')
    on_top(state, "Ware", "Goods", "Ware")
    play(state)
    do(state, "put-back Goods")
    assert state.table().wanted == 1
    do(state, "put-back Ware")
    assert names(state, reversed(state.decks[1][-3:])) == ["Goods", "Ware", "Ware"]
    assert names(state, state.view(0).tops) == ["Goods", "Ware", "Ware"]


def test_a_card_is_taken_back_from_the_discards_and_everyone_knows(with_card):
    state = with_card("specialty", 'play = [{ recover = "trade" }]', **SEATS_3)
    discarded(state, "Ware", "Goods")
    play(state)
    assert offered(state) == ["take-back 1", "take-back 2"]
    do(state, "take-back Goods")
    assert (names(state, state.hands[0]), names(state, state.view(1).known)) == (["Goods"], ["Goods"])
    assert state.view(2).known_sizes == (1, 0, 0)


def test_from_which_pile_is_asked_first(with_card):
    state = with_card("influence", 'play = [{ recover = "any" }]')
    discarded(state, "Ware", "Prize")
    play(state)
    assert offered(state) == ["choose-deck 1", "choose-deck 2", "choose-deck 3"]
    do(state, "choose-deck 3")
    assert names(state, state.hands[0]) == ["Prize"]


def test_nothing_is_taken_back_from_an_empty_pile(with_card):
    play(state := with_card("specialty", 'play = [{ recover = "trade" }]'))
    assert (state.hands[0], state.phase.name) == ([], "TURN")


@pytest.mark.parametrize(("price", "action"), [("trade", "play Goods"), ("influence", "play Favour")])
def test_cards_cost_less_while_an_eternal_card_says_so(with_card, price, action):
    state = with_card("influence", f'lasting = [{{ change = "{price}", by = 5 }}]')
    give(state, 0, "Goods", "Favour")
    play(state)
    state.left[3] = 1
    state.gold[0] = 0
    state.legal = None
    do(state, action)
    assert state.gold[0] == (action == "play Favour")


def test_specialty_draws_and_upgrades_cost_less_in_this_turn(with_card):
    state = with_card("specialty", 'play = [{ change = "specialty", by = 7 }, { change = "upgrade", by = 1 }]')
    do(state, "play It", "draw 3", "upgrade 1")
    assert state.gold[0] == 10 - 3 - 3
    do(state, "move 1", "move 0", "end-turn", "move 1", "end-turn")
    assert state.now == [0] * 9


def test_cards_sold_bring_more(with_card):
    state = with_card("specialty", 'play = [{ change = "card-sale", by = 3 }]')
    give(state, 0, "Ware")
    place(state, 0, route=5, space=2)
    do(state, "move 0", "play It", "sell-card Ware")
    assert state.gold[0] == 10 + 2 + 3


def test_resources_sold_bring_more(with_card):
    changes = '{ change = "resource-sale", by = 2 }, { change = "set-sale", by = 3 }'
    state = with_card("specialty", f"play = [{changes}]")
    state.resources[:4] = [2, 1, 1, 1]
    place(state, 0, route=5, space=2)
    do(state, "move 0", "play It", "sell-resources 2 1 1 1")
    assert state.points[0] == 6 + 3 + 1 + 2


def arrive(state):
    place(state, 0, route=1, space=2)
    do(state, "move 0")


@pytest.mark.parametrize(
    ("condition", "before", "holds"),
    [
        ('travelled = "forest"', arrive, True),
        ('travelled = "mountain"', arrive, False),
        ('travelled = "forest"', None, False),
        ('region = "forest"', arrive, True),
        ('region = "mountain"', arrive, True),  # a post is in both regions that lead to it
        ('region = "ocean"', arrive, False),
        ('region = "forest"', None, False),  # the city is in none
        ('region = "desert"', lambda state: place(state, 0, route=7, space=1), True),
        ('at = "city"', None, True),
        ('at = "post"', None, False),
        ('at = "post"', arrive, True),
        ('at = "city"', lambda state: place(state, 0, route=7, space=1), False),
        ('resource = "forest"', arrive, True),
        ('resource = "ocean"', arrive, False),
        ("resources = 1", arrive, True),
        ("resources = 2", arrive, False),
        ("eternals = 1", lambda state: lay(state, 0, "Steward"), True),
        ("eternals = 1", None, False),
        ("behind = 1", lambda state: state.points.__setitem__(1, 1), True),
        ("behind = 1", None, False),
    ],
)
def test_a_condition_decides_which_effects_happen(with_card, condition, before, holds):
    state = with_card(
        "specialty", f"play = [{{ when = {{ {condition} }}, do = [{{ points = 5 }}], else = [{{ points = 2 }}] }}]"
    )
    if before:
        before(state)
    play(state)
    assert state.points[0] == (5 if holds else 2)


def test_one_of_the_alternatives_that_can_be_met_is_chosen(with_card):
    options = "[[{ pay = 11 }, { points = 9 }], [{ pay = 5 }, { points = 2 }], [{ gold = 1 }]]"
    state = with_card("specialty", f"play = [{{ either = {options} }}, {{ points = 1 }}]")
    play(state)
    assert offered(state) == ["choose-option 1", "choose-option 2"]
    do(state, "choose-option 1")
    assert (state.gold[0], state.points[0]) == (5, 3)


def test_income_comes_at_the_start_of_every_turn(with_card):
    state = with_card("influence", "start = [{ gold = 2 }]")
    do(state, "play It", "move 1", "end-turn", "move 1", "end-turn")
    assert state.gold[0] == 12


def test_a_choice_at_the_start_of_a_turn_says_of_which_card_it_is(with_card):
    state = with_card("influence", "start = [{ either = [[{ gold = 2 }], [{ moves = 1 }]] }]")
    do(state, "play It", "move 1", "end-turn", "move 1", "end-turn")
    table = state.public_view().table
    assert (table.phase, table.card) == (Phase.OPTION, state.edition.printed("It").number)
    assert offered(state) == ["choose-option 0", "choose-option 1"]


@pytest.mark.parametrize(
    ("price", "wanted"),
    [
        ("{ spend = 'any' }", "a resource"),
        ("{ spend = 'desert' }", "1 desert resource"),
        ("{ pay = 50 }, { spend = 'any' }", "50 gold and a resource"),
    ],
)
def test_what_a_card_wants_is_named(with_card, price, wanted):
    with pytest.raises(IllegalAction, match=f"It wants {wanted} first"):
        play(with_card("specialty", f"play = [{price}, {{ points = 1 }}]"))


def test_an_eternal_card_is_used_once_a_turn_from_the_turn_it_is_played(with_card):
    state = with_card("influence", "use = [{ moves = 1 }]")
    do(state, "play It", "use-eternal It")
    assert "use-eternal 5" not in offered(state)
    do(state, "move 1", "move 0", "end-turn", "move 1", "end-turn")
    assert "use-eternal 5" in offered(state)
