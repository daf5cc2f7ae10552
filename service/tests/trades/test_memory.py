"""What a stateless bot finds in its view of what it has seen before: where a card was last, and what has left since."""

import pytest
import trades_invariants as invariants

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trades import GAME, Options
from croupier_games.trades.cards import cards
from croupier_games.trades.history import DeckTraded, Traded, events_of


def memory(state, viewer, name):
    """Where the viewer last saw a card, and how many cards have left that place since."""
    (card,) = cards(name)
    view = state.view(viewer)
    return view.last_seen[card - 1], view.left_since[card - 1]


def test_a_card_given_away_is_with_its_new_owner_until_that_gives_something_to_somebody_else(table, trade):
    state = table()
    trade(state, 0, 1, "6C 7C")
    assert memory(state, 0, "7C") == (2, 0)
    trade(state, 1, 2)
    assert memory(state, 0, "7C") == (2, 2)


def test_what_comes_back_is_seen_again(table, do, trade):
    state = table()
    trade(state, 0, 2, "6C 7C")
    do(state, "1 declare 2", "1 offer 6D 7D")
    state.apply(2, state.legal_actions(2)[0])
    assert memory(state, 0, "7C") == (3, 2)
    do(state, "2 declare 0", "2 offer 6D 7C" if cards("7C")[0] in state.hands[2] else "2 offer 6D 7H")
    state.apply(0, state.legal_actions(0)[0])
    where = 1 if cards("7C")[0] in state.hands[0] else 3
    assert memory(state, 0, "7C") == (where, 0 if where == 1 else 2)  # what seat 2 gave to seat 0, that has seen


def test_a_deck_trade_of_the_owner_may_have_taken_it(table, do, trade):
    state = table()
    trade(state, 0, 1, "6C 7C")
    do(state, "1 deck 4D" if cards("4D")[0] in state.hands[1] else "1 deck 7D")
    assert memory(state, 0, "7C") == (2, 1)


def test_what_a_seat_puts_under_the_deck_it_can_follow_until_somebody_draws_it(do):
    """With seven seats three cards lie in the deck, so the fourth to trade with it draws what the first has put."""
    state = GAME.deal(7, Options(), Seed.of("follow"))
    seats = [(state.first + step) % 7 for step in range(5)]
    put = state.hands[seats[0]][0]
    for step, seat in enumerate(seats):
        place = state.view(seats[0]).last_seen[put - 1]
        assert place == {0: seats[0] + 1, 1: 8, 2: 8, 3: 8}.get(step, seats[3] + 1)
        action = next(action for action in state.legal_actions(seat) if GAME.notation(action).startswith("deck"))
        state.apply(seat, action)
    assert state.view(seats[0]).left_since[put - 1] == 0
    assert put in state.hands[seats[3]]
    assert state.view(seats[1]).last_seen[put - 1] == 0  # nobody else knows


@pytest.mark.parametrize("seats", [3, 5, 7, 14])
@pytest.mark.parametrize("style", ["turns", "free-for-all"])
def test_memory_is_what_follows_from_all_that_a_seat_has_seen(seats, style):
    """Found again from the history, differently: card by card, for each viewer."""
    options = Options(style=style, time_limit_ms=None if style == "turns" else 2_000)
    *_, game = random_playout(GAME, seats, options, Seed.of(f"memory/{seats}"))
    state = game.state
    invariants.memories_are_true(state)
    for viewer in range(0, seats, 2):
        seen = seen_by(viewer, state)
        view = state.view(viewer)
        for card in range(1, 52 * state.packs + 1):
            assert (view.last_seen[card - 1], view.left_since[card - 1]) == seen.get(card, (0, 0))


def seen_by(viewer, state):
    """Place and number of cards that have left it since, of each card that the viewer has ever seen."""
    seen = dict.fromkeys(state.dealt.hands[viewer], (viewer + 1, 0))
    under = [None] * len(state.dealt.deck)  # what the viewer knows to be in the deck, the top last
    for event in events_of(state.history):
        match event:
            case Traded(one, other, _, offered, given):
                for giver, taker, number in ((one, other, len(offered)), (other, one, len(given))):
                    if viewer not in (giver, taker):
                        left(seen, giver, number)
                if viewer in (one, other):
                    seen |= dict.fromkeys(offered, (other + 1, 0)) | dict.fromkeys(given, (one + 1, 0))
            case DeckTraded(seat, put, drawn):
                known = under.pop()
                under.insert(0, put if seat == viewer else None)
                if seat == viewer:
                    seen |= {put: (state.seats + 1, 0), drawn: (viewer + 1, 0)}
                else:
                    left(seen, seat, 1)
                    if known is not None:
                        seen[known] = (seat + 1, 0)
    return seen


def left(seen, seat, number):
    for card, (place, before) in seen.items():
        if place == seat + 1:
            seen[card] = (place, before + number)
