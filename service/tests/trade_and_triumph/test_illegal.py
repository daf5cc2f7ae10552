"""What is refused, and by which rule."""

import pytest
from tabletop import changed, do, give, lay, place

from croupier_games.kernel import IllegalAction, MalformedAction, OptionError, Seed
from croupier_games.trade_and_triumph import GAME, Move, Options, Play, SellResources


def rule_of(state, text, seat=0):
    with pytest.raises(IllegalAction) as error:
        state.apply(seat, GAME.parse(text))
    return error.value.rule


def test_every_refusal_of_a_turn_names_its_rule(deal):
    state = deal()
    give(state, 0, "Patron of Arts", "Jade Figurines")
    lay(state, 0, "Stable Master", "Patron of Arts", "Spice Caravan", "Merchant Bank")
    numbers = {card.name: card.number for card in state.edition.cards}
    state.gold[0] = 0
    changed(state)
    assert rule_of(state, "move 1", seat=1) == "turn"
    assert rule_of(state, "move 0") == "move.route"
    assert rule_of(state, "move 5") == "move.route"
    assert rule_of(state, "end-turn") == "end-turn.move-first"
    assert rule_of(state, "draw 3") == "draw.gold"
    assert rule_of(state, f"play {numbers['Jade Figurines']}") == "play.gold"
    assert rule_of(state, f"play {numbers['Subsidy']}") == "play.in-hand"
    assert rule_of(state, f"reveal {numbers['Spice Caravan']}") == "arrival.closed"
    assert rule_of(state, f"sell-card {numbers['Jade Figurines']}") == "arrival.closed"
    assert rule_of(state, "sell-resources 1 0 0 0") == "arrival.closed"
    assert rule_of(state, "upgrade 1") == "upgrade.gold"
    assert rule_of(state, f"use-eternal {numbers['Chief Clerk']}") == "use-eternal.in-play"
    assert rule_of(state, f"use-eternal {numbers['Merchant Bank']}") == "use-eternal.passive"
    assert rule_of(state, f"use-eternal {numbers['Patron of Arts']}") == "use-eternal.need"
    assert rule_of(state, "choose-seat 1") == "choose.nothing"
    do(state, "use-eternal Stable Master", "draw 1", "move 1", "move 0")
    assert rule_of(state, f"use-eternal {numbers['Stable Master']}") == "use-eternal.once"
    assert rule_of(state, "draw 2") == "draw.none-left"
    assert rule_of(state, "move 0") == "move.none-left"
    state.left[2] = 1
    assert rule_of(state, "draw 1") == "draw.deck-once"
    state.left[3] = 0
    assert rule_of(state, f"play {numbers['Jade Figurines']}") == "play.none-left"
    state.levels[:3] = [3, 0, 0]
    assert rule_of(state, "upgrade 1") == "upgrade.complete"


def test_every_refusal_at_the_end_of_a_route_names_its_rule(deal):
    state = deal()
    place(state, 0, route=1, space=5)
    do(state, "move 0")
    assert rule_of(state, "reveal 1") == "reveal.face-down"
    assert rule_of(state, "sell-card 1") == "sell-card.in-hand"
    assert rule_of(state, "sell-resources 1 0 0 0") == "sell-resources.city"
    place(state, 0, route=5, space=5)
    state.left[1] = 1
    do(state, "move 0")
    state.resources[:4] = [2, 1, 0, 0]
    changed(state)
    assert rule_of(state, "sell-resources 3 0 0 0") == "sell-resources.held"
    assert rule_of(state, "sell-resources 2 0 0 0") == "sell-resources.counts"


def test_what_an_effect_wants_first_has_to_be_there(with_card):
    state = with_card("specialty", "play = [{ pay = 11 }, { points = 1 }]")
    assert rule_of(state, "play 6") == "play.need"
    state = with_card("trade", "reveal = [{ pay = 11 }, { points = 1 }]")
    lay(state, 0, "It")
    place(state, 0, route=1, space=2)
    do(state, "move 0")
    assert rule_of(state, "reveal 3") == "reveal.need"


def test_an_open_choice_is_answered_before_anything_else(with_card):
    state = with_card("specialty", 'play = [{ gain = "any" }]')
    do(state, "play It")
    assert rule_of(state, "move 1") == "choose.gain-resource"
    assert rule_of(state, "choose-region 1", seat=1) == "turn"


def test_a_game_that_is_over_takes_nothing(deal):
    state = deal(round_cap=1)
    do(state, "move 1", "end-turn", "move 1", "end-turn")
    assert rule_of(state, "move 1") == "game.over"
    assert state.legal_actions(0) == []


def test_a_refusal_changes_nothing(deal):
    state = deal()
    before = state.view(0)
    rule_of(state, "draw 3", seat=1)
    rule_of(state, "end-turn")
    assert state.view(0) == before


@pytest.mark.parametrize(
    "text",
    ["", "move", "move 9", "move 1 2", "play 0", "play 256", "play x", "draw 4", "end-turn 1", "sell-resources 1 0 0",
     "sell-resources 0 0 0 0", "sell-resources 01 0 0 0", "choose-seat 4", "choose-option 9", "fly 1"],
)  # fmt: skip
def test_nonsense_is_malformed(text):
    with pytest.raises(MalformedAction):
        GAME.parse(text)


@pytest.mark.parametrize("make", [lambda: Move(9), lambda: Move(-1), lambda: Play(0), lambda: SellResources((1, 2))])
def test_there_are_no_other_actions(make):
    with pytest.raises(MalformedAction):
        make()


def test_what_is_no_action_is_malformed(deal):
    with pytest.raises(MalformedAction):
        deal().apply(0, "move 1")


@pytest.mark.parametrize(
    ("options", "field"),
    [({"first_seat": "2"}, "first_seat"), ({"edition": "nowhere"}, "edition"), ({"round_cap": "0"}, "round_cap"),
     ({"round_cap": "1001"}, "round_cap"), ({"edition": ""}, "edition")],
)  # fmt: skip
def test_options_out_of_range_are_named(options, field):
    with pytest.raises(OptionError) as error:
        GAME.deal(2, GAME.options(options), Seed.of("x"))
    assert error.value.field == field


def test_two_to_four_seats():
    for seats in (1, 5):
        with pytest.raises(OptionError):
            GAME.deal(seats, Options(), Seed.of("x"))
