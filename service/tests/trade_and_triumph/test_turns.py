"""A turn: moves, draws, plays, upgrades, eternal cards, the limit of the hand, decks made anew."""

import pytest
from tabletop import changed, discarded, do, give, lay, names, offered, on_top, place

from croupier_games.kernel import IllegalAction
from croupier_games.trade_and_triumph import EndTurn, Move


def test_a_turn_begins_with_a_move_a_draw_and_a_play(deal):
    assert deal().left == [0, 1, 1, 1]


def test_a_turn_is_not_ended_before_a_move(deal):
    state = deal()
    assert "end-turn" not in offered(state)
    do(state, "move 1")
    assert "end-turn" in offered(state)


def test_from_each_deck_once_a_turn(deal):
    state = deal()
    state.left[2] = 3
    do(state, "draw 1")
    assert [text for text in offered(state) if text.startswith("draw")] == ["draw 2", "draw 3"]


def test_a_specialty_card_costs_10_to_draw(deal):
    state = deal()
    state.gold[0] = 9
    changed(state)
    assert "draw 3" not in offered(state)
    state.gold[0] = 11
    changed(state)
    do(state, "draw 3")
    assert (state.gold[0], len(state.hands[0])) == (1, 1)


def test_trade_cards_are_played_face_down_for_their_cost(deal):
    state = deal()
    give(state, 0, "Silver Ingots")
    cost = state.edition.printed("Silver Ingots").cost
    do(state, "play Silver Ingots")
    assert state.gold[0] == 10 - cost
    assert names(state, state.hidden[0]) == ["Silver Ingots"]
    assert state.table().face_down_costs == (cost,)
    assert state.discards[1] == []


def test_influence_cards_go_to_the_discards_unless_they_are_eternal(deal):
    state = deal()
    give(state, 0, "Subsidy", "City Guard")
    state.left[3] = 2
    do(state, "play Subsidy", "play City Guard")
    assert names(state, state.discards[2]) == ["Subsidy"]
    assert names(state, state.eternals[0]) == ["City Guard"]


def test_a_second_copy_of_an_eternal_card_is_discarded_at_once(deal):
    state = deal()
    give(state, 0, "City Guard")
    lay(state, 0, "City Guard")
    do(state, "play City Guard")
    assert (names(state, state.eternals[0]), names(state, state.discards[2])) == (["City Guard"], ["City Guard"])


def test_an_upgrade_can_be_used_at_once(deal):
    state = deal()
    do(state, "move 1")
    assert state.left[1] == 0
    do(state, "upgrade 1")
    assert (state.gold[0], state.left[1], state.levels[:3]) == (0, 1, [1, 0, 0])
    do(state, "move 0")


def test_upgrades_end_with_the_last_square(deal):
    state = deal()
    state.gold[0] = 100
    state.levels[0] = 3
    changed(state)
    assert "upgrade 1" not in offered(state)


def test_the_hand_is_brought_down_to_7_as_the_seat_chooses(deal):
    state = deal()
    give(state, 0, *[card.name for card in state.edition.cards[:9]])
    do(state, "move 1", "end-turn")
    assert (state.phase.name, state.table().wanted) == ("HAND_LIMIT", 2)
    do(state, "discard Spice Caravan", "discard Silver Ingots")
    assert (len(state.hands[0]), state.turn) == (7, 1)


def test_an_empty_deck_is_made_anew_from_its_discards(deal):
    state = deal()
    state.decks[1] = []
    before = sorted(state.discards[1])
    discarded_here = [card.number for card in state.edition.cards[:5]]
    state.discards[1] = before + discarded_here
    changed(state)
    do(state, "draw 1")
    assert len(state.decks[1]) == 4
    assert sorted([*state.decks[1], *state.hands[0]]) == discarded_here
    assert state.discards[1] == []


def test_from_an_empty_deck_without_discards_nothing_is_drawn(deal):
    state = deal()
    state.decks[1] = []
    changed(state)
    assert "draw 1" not in offered(state)
    with pytest.raises(IllegalAction) as error:
        do(state, "draw 1")
    assert error.value.rule == "draw.empty"


def test_what_leaves_no_choice_is_not_asked(deal):
    """Without cards, draws and gold there is only the way on, and then the end of the turn."""
    state = deal()
    do(state, "draw 1", "move 1")
    state.gold = [0, 0]
    state.hands[0], state.hands[1] = [], []
    place(state, 1, route=1, space=1)
    state.decks[1], state.decks[2], state.decks[3] = [], [], []
    state.discards[3] = []
    place(state, 0, route=1, space=1)
    do(state, "end-turn")
    assert state.drain_engine_moves()[:2] == [(1, Move(0)), (1, EndTurn())]


def test_a_hand_that_cannot_be_played_is_no_reason_not_to_ask(deal):
    """To end the turn by itself would tell the others that no card can be paid for."""
    state = deal()
    give(state, 0, "Silver Ingots")
    do(state, "draw 3")
    state.gold[0] = 0
    state.hands[0] = [state.edition.printed("Silver Ingots").number]
    changed(state)
    do(state, "move 1")
    assert offered(state) == ["end-turn"]


def test_no_card_can_stall_a_turn(with_card):
    state = with_card("influence", "use = [{ moves = 9 }]")
    do(state, "play It", "use-eternal It")
    state.acted = 200
    changed(state)
    assert offered(state) == ["move 1", "move 2", "move 3", "move 4"]
    with pytest.raises(IllegalAction) as error:
        do(state, "draw 1")
    assert error.value.rule == "turn.cap"
    do(state, "move 1")
    assert state.turn == 1  # ended by the engine


def test_after_its_last_step_a_turn_ends_though_there_are_cards_to_play(with_card):
    state = with_card("influence", "play = [{ plays = 1 }]")
    do(state, "move 1")
    state.acted = 199
    do(state, "draw 2")
    assert (state.turn, state.hands[0] != []) == (1, True)


def test_eternal_cards_of_a_seat_pay_in_the_order_in_which_they_were_played(deal):
    state = deal()
    lay(state, 1, "Rented Houses", "Guild Seat")
    do(state, "move 1", "end-turn")
    assert state.gold[1] == 10 + 2 + 2


def test_the_top_of_a_deck_is_drawn(deal):
    state = deal()
    on_top(state, "Lamp Oil")
    do(state, "draw 1")
    assert names(state, state.hands[0]) == ["Lamp Oil"]


def test_a_discarded_card_lies_open(deal):
    state = deal()
    discarded(state, "Lamp Oil")
    assert names(state, state.table().trade_discards) == ["Lamp Oil"]
