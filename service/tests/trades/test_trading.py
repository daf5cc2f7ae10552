"""A trade between two seats, by turns: halves drawn and chosen, who may be named, what may be passed on."""

from collections import Counter

import pytest

from croupier_games.kernel import IllegalAction, Seed
from croupier_games.trades import GAME, Options
from croupier_games.trades.cards import CARD_NAMES, cards, names


def rule_of(state, seat, text):
    with pytest.raises(IllegalAction) as error:
        state.check(seat, GAME.parse(text))
    return error.value.rule


# Turns.


def test_on_its_turn_a_seat_declares_or_trades_with_the_deck_or_passes(table, may):
    assert may(table(), 0) == [
        *("declare 1", "declare 2"),
        *("deck AC", "deck 2C", "deck 3C", "deck 4C", "deck 5C", "deck 6C", "deck 7C"),
        "pass",
    ]


def test_turns_go_clockwise_from_the_first(table, do):
    state = table(first=1)
    for seat in (1, 2, 0, 1):
        assert state.to_act() == (seat,)
        do(state, f"{seat} pass")


@pytest.mark.parametrize("move", ["pass", "deck 7C", "trade"])
def test_a_turn_is_over_when_the_seat_has_passed_traded_with_the_deck_or_finished_a_trade(table, do, trade, move):
    state = table()
    if move == "trade":
        trade(state, 0, 2, "6C 7C")
    else:
        do(state, f"0 {move}")
    assert state.to_act() == (1,)


# A trade.


@pytest.mark.parametrize(("number", "drawn", "chosen"), [(2, 1, 1), (3, 1, 2), (4, 2, 2)])
def test_half_is_drawn_rounded_down_and_half_is_chosen_rounded_up(table, do, number, drawn, chosen):
    state = table()
    do(state, "0 declare 1", f"0 offer {names(state.hands[0][:number])}")
    assert len(state.view(1).drawn) == drawn
    assert {len(action.cards) for action in state.legal_actions(1)} == {chosen}


def test_as_many_cards_go_one_way_as_the_other(table, do):
    state = table()
    do(state, "0 declare 1", "0 offer 5C 6C 7C")
    (drawn,) = state.view(1).drawn
    chosen = [card for card in state.hands[1] if card != drawn][:2]
    do(state, f"1 give {names(chosen)}")
    assert {*state.hands[0]} == {*cards("AC 2C 3C 4C"), drawn, *chosen}
    assert {*state.hands[1]} == {*cards("AD 2D 3D 4D 5D 6D 7D 5C 6C 7C")} - {drawn, *chosen}
    assert [len(hand) for hand in state.hands] == [7, 7, 7]


def test_any_two_three_or_four_cards_may_be_offered(table, do):
    state = table()
    do(state, "0 declare 1")
    sizes = Counter(len(action.cards) for action in state.legal_actions(0))
    assert sizes == {2: 21, 3: 35, 4: 35}


@pytest.mark.parametrize(("number", "ways"), [(2, 6), (3, 15), (4, 10)])
def test_the_target_may_choose_any_of_the_cards_not_drawn(table, do, number, ways):
    state = table()
    do(state, "0 declare 1", f"0 offer {names(state.hands[0][:number])}")
    assert len(state.legal_actions(1)) == ways


def test_nothing_changes_hands_before_the_target_has_chosen(table, do):
    state = table()
    before = [hand[:] for hand in state.hands]
    do(state, "0 declare 1", "0 offer 6C 7C")
    assert state.hands == before
    assert state.to_act() == (1,)


def test_the_target_cannot_refuse(table, do, may):
    state = table()
    do(state, "0 declare 1", "0 offer 6C 7C")
    assert {text.split()[0] for text in may(state, 1)} == {"give"}


# The blind draw.


@pytest.mark.parametrize(("number", "outcomes"), [(2, 7), (3, 7), (4, 21)])
def test_the_draw_is_uniform(table, do, number, outcomes):
    counts = Counter()
    for game in range(840):
        state = table(draws=f"draw/{game}")
        do(state, "0 declare 1", f"0 offer {names(state.hands[0][:number])}")
        counts[state.view(1).drawn] += 1
    share = 840 / outcomes
    assert len(counts) == outcomes
    assert all(abs(count - share) < 5 * share**0.5 for count in counts.values())


def test_every_trade_has_dice_of_its_own_so_that_choices_do_not_shift_the_luck_of_later_ones(table, do, trade):
    """However many cards the first trade takes, the second one draws the same place of the target's hand."""
    places = set()
    for offered in ("6C 7C", "5C 6C 7C", "4C 5C 6C 7C"):
        state = table(4)
        trade(state, 0, 1, offered)
        do(state, "1 declare 3")
        state.apply(1, state.legal_actions(1)[0])
        places.add(state.hands[3].index(state.view(3).drawn[0]))
    assert len(places) == 1


def test_the_draw_is_that_of_the_stream_named_after_the_trade(table, do):
    state = table(draws="any")
    do(state, "0 declare 1", "0 offer 6C 7C")
    place = Seed.of("any").dice("draw/1").below(7)
    assert state.view(1).drawn == (state.hands[1][place],)


# Not the same cards again.


def test_of_three_cards_received_any_two_may_go_but_not_all_three(table, do, may):
    state = table(received={0: "5C 6C 7C"})
    do(state, "0 declare 1")
    offers = may(state, 0)
    assert "offer 5C 6C" in offers
    assert "offer AC 2C 5C 7C" in offers
    assert not [offer for offer in offers if {"5C", "6C", "7C"} <= {*offer.split()}]
    assert len(offers) == 91 - 1 - 4
    assert rule_of(state, 0, "offer 5C 6C 7C") == "offer.same-cards"


def test_of_four_cards_received_at_most_three_are_among_four_offered(table, do, may):
    state = table(received={0: "4C 5C 6C 7C"})
    do(state, "0 declare 1")
    assert len(may(state, 0)) == 91 - 1
    assert rule_of(state, 0, "offer 4C 5C 6C 7C") == "offer.same-cards"


def test_a_card_drawn_from_the_deck_may_not_be_in_the_next_trade_deck_trades_included(table, do, may):
    state = table(deck="KS QS")
    do(state, "0 deck 7C", "1 pass", "2 pass")
    assert "deck KS" not in may(state, 0)
    assert rule_of(state, 0, "deck KS") == "deck-trade.same-cards"
    do(state, "0 declare 1")
    assert not [offer for offer in may(state, 0) if "KS" in offer]
    assert rule_of(state, 0, "offer AC KS") == "offer.same-cards"


def test_what_was_received_counts_only_for_the_next_trade(table, do, may, trade):
    state = table(received={0: "6C 7C"})
    trade(state, 0, 1, "5C 7C")
    assert {*state.received[0]} <= {*state.hands[0]}
    do(state, "1 pass", "2 declare 0", "2 offer 2H 3H")
    assert any("6C" in gift for gift in may(state, 0))


def test_a_turn_passed_is_no_trade(table, do, may):
    state = table(received={0: "6C 7C"})
    do(state, "0 pass", "1 pass", "2 pass", "0 declare 1")
    assert "offer 6C 7C" not in may(state, 0)


def test_of_the_targets_two_received_cards_both_are_never_drawn(table, do):
    """A draw of both would leave it nothing lawful."""
    drawn = set()
    for game in range(400):
        state = table(received={1: "6D 7D"}, draws=f"draw/{game}")
        do(state, "0 declare 1", "0 offer 4C 5C 6C 7C")
        drawn.add(names(state.view(1).drawn))
    assert "6D 7D" not in drawn
    assert len(drawn) == 21 - 1


def test_with_one_of_them_drawn_the_other_cannot_be_chosen(drawing, may):
    state = drawing("AD 6D", "4C 5C 6C 7C", received={1: "6D 7D"})
    gifts = may(state, 1)
    assert gifts == ["give 2D 3D", "give 2D 4D", "give 2D 5D", "give 3D 4D", "give 3D 5D", "give 4D 5D"]
    assert rule_of(state, 1, "give 2D 7D") == "give.same-cards"


def test_the_card_that_the_target_drew_from_the_deck_is_never_drawn_from_it(table, do):
    drawn = Counter()
    for game in range(300):
        state = table(received={1: "7D"}, draws=f"draw/{game}")
        do(state, "0 declare 1", "0 offer 6C 7C")
        drawn[names(state.view(1).drawn)] += 1
        assert "7D" not in names(card for action in state.legal_actions(1) for card in action.cards)
    assert {*drawn} == {"AD", "2D", "3D", "4D", "5D", "6D"}
    assert all(abs(count - 50) < 5 * 50**0.5 for count in drawn.values())


# Not the same partner again.


def test_two_who_have_just_traded_may_not_declare_on_each_other(table, trade, may, do):
    state = table()
    trade(state, 0, 1, "6C 7C")
    assert may(state, 1)[0] == "declare 2"
    assert rule_of(state, 1, "declare 0") == "declare.same-partner"
    do(state, "1 pass", "2 pass")
    assert may(state, 0)[0] == "declare 2"
    assert rule_of(state, 0, "declare 1") == "declare.same-partner"


def test_it_is_lifted_when_either_has_traded_with_a_third_seat(table, trade, may, do):
    state = table()
    trade(state, 0, 1, "6C 7C")
    trade(state, 1, 2)
    assert may(state, 2)[:2] == ["declare 0", "deck " + CARD_NAMES[state.hands[2][0]]]  # 1 and 2 have just traded
    do(state, "2 pass")
    assert may(state, 0)[:2] == ["declare 1", "declare 2"]
    do(state, "0 pass")
    assert may(state, 1)[0] == "declare 0"


def test_a_deck_trade_is_no_partner(table, trade, do, may):
    state = table()
    trade(state, 0, 1, "6C 7C")
    do(state, f"1 deck {CARD_NAMES[next(c for c in state.hands[1] if c not in state.received[1])]}", "2 pass")
    assert "declare 1" not in may(state, 0)


# The deck.


def test_a_card_goes_under_the_deck_and_the_top_one_is_taken(table, do):
    state = table(deck="KS QS JS")
    do(state, "0 deck 7C")
    assert names(state.hands[0]) == "AC 2C 3C 4C 5C 6C KS"
    assert names(state.deck[::-1][:2]) == "QS JS"
    assert names(state.deck[:1]) == "7C"


def test_what_was_put_under_the_deck_comes_up_again_when_the_deck_has_gone_through(table, do):
    """With seven seats three cards are left in the deck."""
    state = GAME.deal(7, Options(), Seed.of("seven"))
    (put,) = state.hands[state.first][:1]
    takers = [(state.first + step) % 7 for step in range(4)]
    for seat in takers:
        state.apply(seat, GAME.parse(f"deck {CARD_NAMES[state.hands[seat][0]]}"))
    assert put in state.hands[takers[3]]


def test_three_times_a_game(table, do, may):
    state = table(4, deck="KS KH KD")
    for card in ("7C", "6C", "5C"):
        do(state, f"0 deck {card}", "1 pass", "2 pass", "3 pass")
    assert not [text for text in may(state, 0) if text.startswith("deck")]
    assert rule_of(state, 0, "deck AC") == "deck-trade.none-left"
    assert state.table().deck_trades_left == (0, 3, 3, 3)
