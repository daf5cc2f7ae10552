"""What a seat has learnt of each horse's twelve cards."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_stakes import GAME, Discard, Play, State, arrange_paddock
from croupier_games.trick_stakes.cards import CARDS, COLOR, HORSES, cards
from croupier_games.trick_stakes.rules import begin_race


def known(view, horse):
    return {card for card in CARDS if view.known[card - 1] == horse}


def test_a_seat_knows_the_cards_of_its_own_horse_and_what_was_shown_of_the_others(piles):
    state = arrange_paddock(piles)
    view = state.view(1)
    assert known(view, 2) == {*cards(piles[1])}
    assert known(view, 1) == {*cards("RED-9 GREEN-2")}  # the start player's top card, and the one turned up
    assert known(view, 3) == {*cards("GREEN-8")}
    assert known(view, 4) == {*cards("RED-12")}


def test_a_spectator_knows_what_was_shown(piles):
    view = arrange_paddock(piles).public_view()
    assert [len(known(view, horse)) for horse in HORSES] == [2, 1, 1, 1]


def test_everyone_knows_the_cards_of_the_dummy_s_horse(piles):
    state = arrange_paddock(piles, seats=3)
    for view in (state.public_view(), state.view(0), state.view(2)):
        assert known(view, 4) == {*cards(piles[3])}


def test_a_card_played_is_known_from_then_on():
    for table in random_playout(GAME, 4, GAME.options(), Seed.of("played")):
        state = table.state
        for card in (*state.played, *state.trick):
            assert all(state.view(seat).known[card - 1] for seat in range(4))
            assert state.public_view().known[card - 1]


@pytest.mark.parametrize("seats", [3, 4])
def test_horses_that_a_seat_has_held_stay_known_to_it(seats):
    for table in random_playout(GAME, seats, GAME.options(), Seed.of(f"held/{seats}")):
        state = table.state
        if not table.inputs:
            held = [set() for _ in range(seats)]
            all_knew = set()
        for seat in range(seats):
            held[seat].add(state.horses[seat])
        if seats == 3:
            all_knew.add(state.horses[3])
        for seat in range(seats):
            for horse in HORSES:
                mine = known(state.view(seat), horse)
                assert mine <= {*state.cards[horse - 1]}
                if horse in held[seat] | all_knew:
                    assert mine == {*state.cards[horse - 1]}
                else:
                    assert mine == known(state.public_view(), horse)


def test_backs_are_known_to_everyone():
    state = GAME.deal(4, GAME.options(), Seed.of("backs"))
    for horse in HORSES:
        backs = Counter(COLOR[card] for card in state.cards[horse - 1])
        assert state.table().horse_colors[4 * horse - 4 : 4 * horse] == tuple(backs[color] for color in (1, 2, 3, 4))


def swapped(action, swap):
    """What the other game's seat does instead."""
    if isinstance(action, Discard):
        return Discard(swap.get(action.card, action.card))
    if isinstance(action, Play):
        return Play(swap.get(action.card, action.card), action.whip)
    return action


@settings(max_examples=120, deadline=None)
@given(seats=st.sampled_from([3, 4]), seed=st.binary(min_size=32, max_size=32).map(Seed), data=st.data())
def test_two_deals_of_numbers_that_a_seat_has_not_seen_cannot_be_told_apart(seats, seed, data):
    """Two games side by side, the same but for two cards of one colour, which two horses have exchanged.

    The viewer has never held either horse, nor seen either card. Whoever has the one card does with it in one game what
    is done with the other card in the other.
    """
    here = GAME.deal(seats, GAME.options(), seed)
    viewer = data.draw(st.integers(0, seats - 1), "viewer")
    owner = {card: horse for horse in HORSES for card in here.cards[horse - 1]}
    unseen = [card for card in CARDS if not here.view(viewer).known[card - 1]]
    pairs = [(a, b) for a, b in combinations(unseen, 2) if COLOR[a] == COLOR[b] and owner[a] != owner[b]]
    one, other = data.draw(st.sampled_from(pairs), "exchanged")
    swap = {one: other, other: one}
    there = State(seats, here.horses, [[swap.get(card, card) for card in own] for own in here.cards], seed)
    begin_race(there)

    dice = seed.dice("players")
    while not (here.view(viewer).known[one - 1] or here.view(viewer).known[other - 1]):
        assert there.view(viewer) == here.view(viewer)
        assert there.public_view() == here.public_view()
        assert there.legal_actions(viewer) == here.legal_actions(viewer)
        assert there.result() == here.result()
        assert GAME.describe(there) == GAME.describe(here)
        moves = [(seat, here.shown(viewer, seat, action)) for seat, action in here.drain_engine_moves()]
        assert [(seat, there.shown(viewer, seat, action)) for seat, action in there.drain_engine_moves()] == moves
        if here.result() is not None:
            break
        seat = dice.choice(here.to_act())
        action = dice.choice(here.legal_actions(seat))
        here.apply(seat, action)
        there.apply(seat, swapped(action, swap))


def test_deals_are_told_apart_as_soon_as_a_card_is_seen(piles, do):
    """So the test above does compare something: GREEN-3 or GREEN-6 make the difference only once played."""
    exchanged = [pile.replace("GREEN-3", "x").replace("GREEN-6", "GREEN-3").replace("x", "GREEN-6") for pile in piles]
    games = [arrange_paddock(each) for each in (piles, exchanged)]
    discards = ["discard RED-1", "discard RED-4", "discard RED-7", "discard RED-10"]
    laid = ["ticket up WIN", "ticket up GATEAU_OPERA", "ticket up FORET_NOIRE", "ticket up VANILLA_BEANS"]
    for game in games:
        do(game, *discards, *laid, *["ticket down SILVER_ARRASAN"] * 4)
        do(game, "play GREEN-1")
    assert games[0].view(0) == games[1].view(0)
    do(games[0], "play GREEN-3")
    do(games[1], "play GREEN-6")
    assert games[0].view(0) != games[1].view(0)
