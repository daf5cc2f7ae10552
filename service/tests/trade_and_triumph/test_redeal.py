"""What a seat does not know is drawn anew, evenly: exact distributions where there are few cards."""

from collections import Counter
from itertools import permutations

import pytest
from tabletop import discarded, do, give, lay, names, on_top

from croupier_games.kernel import Seed

RUNS = 1500


def redeals(state, seat, look, runs=RUNS):
    dice = Seed.of("redeals").dice("redeal")
    return Counter(look(state.redeal(seat, dice)) for _ in range(runs))


def assert_even(counts, outcomes):
    """All weights of ``outcomes`` are met within five standard deviations."""
    total, runs = sum(outcomes.values()), sum(counts.values())
    assert set(counts) == set(outcomes)
    for outcome, weight in outcomes.items():
        expected = runs * weight / total
        assert abs(counts[outcome] - expected) < 5 * expected**0.5, (outcome, counts[outcome], expected)


@pytest.fixture
def loose(with_card):
    """A table of Ware (cost 1), Goods (cost 2) and It (cost 1), two of each in the trade deck, and nothing dealt."""

    def loose():
        state = with_card("trade", "reveal = [{ gold = 1 }]", cost=1)
        card = state.hands[0].pop()
        state.decks[1].append(card)
        return state

    return loose


def test_the_deck_is_in_any_order(loose):
    state = loose()
    weights = Counter(permutations(sorted(state.decks[1])))
    top = Counter()
    for order, weight in weights.items():
        top[order[-2:]] += weight
    assert_even(redeals(state, 0, lambda other: tuple(other.decks[1][-2:])), top)


def test_a_hand_is_any_cards_of_its_backs(loose):
    state = loose()
    give(state, 1, "Ware", "Favour")
    counts = redeals(state, 0, lambda other: tuple(names(other, other.hands[1])))
    trade = ("Ware", "Goods", "It")
    assert_even(counts, {(card, other): 1 for card in trade for other in ("Favour", "Steward")})


def test_a_card_face_down_is_any_of_its_cost(loose):
    state = loose()
    lay(state, 1, "Goods")
    assert_even(redeals(state, 0, lambda other: tuple(names(other, other.hidden[1]))), {("Goods",): 1})
    state = loose()
    lay(state, 1, "Ware")
    assert_even(redeals(state, 0, lambda other: tuple(names(other, other.hidden[1]))), {("Ware",): 1, ("It",): 1})


def test_ones_own_cards_stay(loose):
    state = loose()
    give(state, 0, "Ware", "Favour")
    lay(state, 0, "Goods")
    counts = redeals(state, 0, lambda other: (tuple(other.hands[0]), tuple(other.hidden[0])), runs=50)
    assert len(counts) == 1


def test_what_lies_open_stays(loose):
    state = loose()
    discarded(state, "Ware", "Goods", "Prize")
    lay(state, 1, "Steward")
    counts = redeals(state, 0, lambda other: (str(other.discards), str(other.eternals)), runs=50)
    assert len(counts) == 1


def test_what_was_seen_of_a_deck_stays_for_who_saw_it(with_card):
    state = with_card("specialty", 'play = [{ look = 2, deck = "trade", to = "order" }]')
    on_top(state, "Goods", "Ware")
    do(state, "play It")
    assert len(redeals(state, 0, lambda other: tuple(other.decks[1][-2:]), runs=50)) == 1
    assert len(redeals(state, 1, lambda other: tuple(other.decks[1][-2:]), runs=50)) > 1


def test_what_was_seen_and_then_drawn_by_another_is_known_to_be_its(with_card):
    state = with_card("specialty", 'play = [{ look = 2, deck = "trade", to = "order" }]', seats=3)
    on_top(state, "Goods", "Ware")
    do(state, "play It", "put-back Goods", "move 1", "end-turn", "draw 1")
    assert names(state, state.view(0).known) == ["Goods"]
    assert state.view(2).known == ()
    assert len(redeals(state, 0, lambda other: tuple(other.hands[1]), runs=50)) == 1
    assert len(redeals(state, 2, lambda other: tuple(other.hands[1]), runs=50)) > 1


def test_a_card_taken_back_stays_known_until_it_comes_to_light(with_card):
    state = with_card("specialty", 'play = [{ recover = "trade" }]')
    discarded(state, "Goods")
    do(state, "play It")
    assert names(state, state.view(1).known) == ["Goods"]
    state.left[3] = 1
    do(state, "play Goods")
    assert names(state, state.view(1).known) == ["Goods"]  # in hand or face down
    state.travelled = 1
    state.legal = None
    do(state, "reveal Goods")
    assert state.view(1).known == ()


def test_a_known_card_lies_in_hand_or_face_down_by_the_number_of_ways(loose):
    """Seat 1 is known to hold a Ware; it has one trade card in hand and one of cost 1 face down.

    Unseen besides are a Ware, two Its and two Goods. Ware face down: any of the five is in hand, 5 x 4! ways.
    Ware in hand: a card of cost 1 is face down, 3 x 4! ways.
    """
    state = loose()
    give(state, 1, "Goods")
    lay(state, 1, "Ware")
    state.insight = True
    state.known[0 * 2 + 1] = [1]
    weights = Counter()
    for other, weight in {"Ware": 1, "It": 2, "Goods": 2}.items():
        weights["Ware", other] += weight
    for other, weight in {"Ware": 1, "It": 2}.items():
        weights[other, "Ware"] += weight
    counts = redeals(state, 0, lambda o: (names(o, o.hidden[1])[0], names(o, o.hands[1])[0]))
    assert_even(counts, weights)


def test_the_chance_to_come_is_drawn_anew(loose):
    state = loose()
    assert state.redeal(0, Seed.of("one").dice("x")).seed != state.redeal(0, Seed.of("two").dice("x")).seed
