"""Re-deals: what a seat cannot know is drawn anew, all of it, evenly, and as it could have been."""

from collections import Counter
from itertools import combinations

import pytest
import trades_invariants as invariants

from croupier_games.kernel import IllegalAction, Seed
from croupier_games.kernel.playout import play_out, random_playout
from croupier_games.trades import GAME, Options, Phase, arrange
from croupier_games.trades.cards import CARD_NAMES, cards, names
from croupier_games.trades.history import DeckTraded, Laid, Traded, Voided, events_of

FREE = Options(style="free-for-all", time_limit_ms=1_000)
STYLES = {"turns": Options(turns_per_seat=3), "free-for-all": FREE}
LONG = 90
"""Inputs after which a game is left."""


@pytest.fixture
def dice():
    return Seed.of("redeal").dice("test")


def assert_even(counts, number, draws):
    """All of so many outcomes came up, each within five standard deviations of its share of the draws."""
    assert len(counts) == number
    share = draws / number
    assert all(abs(count - share) < 5 * share**0.5 for count in counts.values())


def assert_shares(counts, shares, draws):
    """Each outcome came up as often as it should, within five standard deviations."""
    assert {*counts} == {*shares}
    for outcome, share in shares.items():
        assert abs(counts[outcome] - share * draws) < 5 * (draws * share * (1 - share)) ** 0.5, (outcome, counts)


# Evenness, on cases that can be counted.


def test_cards_never_seen_are_drawn_evenly_from_all_places(table, dice):
    """45 cards are hidden from seat 0: seven with each of the others, 31 in the deck."""
    state, (king,) = table(), cards("KD")
    places = Counter(place_of(state.redeal(0, dice), king) for _ in range(1800))
    assert_shares(places, {1: 7 / 45, 2: 7 / 45, "deck": 31 / 45}, 1800)


def test_they_are_drawn_together(table, dice):
    """Two given hidden cards are in one hand in 7 * 6 / (45 * 44) of the deals, for each hand."""
    state, (one, other) = table(), cards("KD KH")
    pairs = Counter()
    for _ in range(2500):
        deal = state.redeal(0, dice)
        pairs[place_of(deal, one) == place_of(deal, other) == 1] += 1
    share = 42 / (45 * 44)
    assert_shares(pairs, {True: share, False: 1 - share}, 2500)


def test_which_of_the_cards_that_it_gave_went_on_is_even(table, do, dice):
    """Seat 0 gave three cards to seat 1, and seat 1 two cards to seat 2: any two of its seven, 21 ways."""
    state = table()
    do(state, "0 declare 1", "0 offer 5C 6C 7C")
    state.apply(1, state.legal_actions(1)[0])
    known = {*cards("5C 6C 7C")}
    laid = sorted(known)[:2]
    do(state, "1 declare 2", f"1 offer {names(laid)}")
    state.apply(2, state.legal_actions(2)[0])
    went = Counter(frozenset(known & {*state.redeal(0, dice).hands[2]}) for _ in range(1260))
    ways = {frozenset(some): 1 for size in range(3) for some in combinations(known, size)}
    shares = {some: (1, 4, 6)[2 - len(some)] / 21 for some in ways}  # the others come from four cards
    assert_shares(went, shares, 1260)


def test_two_cards_received_do_not_go_on_together(table, do, dice):
    """Seat 1 received two cards from seat 0, so not both may be among the two that it gave to seat 2: 20 ways."""
    state = table()
    do(state, "0 declare 1", "0 offer 6C 7C")
    state.apply(1, state.legal_actions(1)[0])
    do(state, "1 declare 2")
    state.apply(1, next(action for action in state.legal_actions(1) if not {6, 7} & {*action.cards}))
    state.apply(2, state.legal_actions(2)[0])
    went = Counter(names(sorted({6, 7} & {*state.redeal(0, dice).hands[2]})) for _ in range(2000))
    assert_shares(went, {"": 10 / 20, "6C": 5 / 20, "7C": 5 / 20}, 2000)


@pytest.mark.parametrize("really", [0, 1, 2])
def test_what_was_true_is_forgotten(table, do, dice, really):
    """Of four cards known to be with seat 1, it gave 0, 1 or 2 to seat 2, which then gave two unknown cards to seat 0.

    Seat 1 chose two of seven cards: 3, 12 or 6 ways. Seat 2 then chose two of the cards unknown to seat 0, of which it
    had 7, 6 or 5, but not both that it had just received: 20, 15 or 10 ways. So 60, 180 or 60 of 300 pasts, and that
    must come out whatever really happened.
    """
    state = table(turns=9)
    known = cards("4C 5C 6C 7C")
    do(state, "0 declare 1", f"0 offer {names(known)}")
    state.apply(1, state.legal_actions(1)[0])
    others = [card for card in state.hands[1] if card not in known]
    do(state, "1 declare 2", f"1 offer {names(known[:really] + others[: 2 - really])}")
    state.apply(2, state.legal_actions(2)[0])
    own = [card for card in state.hands[2] if card not in state.received[2]]
    do(state, "2 declare 0", f"2 offer {names(own[:2])}")
    state.apply(0, state.legal_actions(0)[0])
    went = Counter(len({*known} & {*state.redeal(0, dice).hands[2]}) for _ in range(1000))
    assert_shares(went, {0: 0.2, 1: 0.6, 2: 0.2}, 1000)


def test_a_card_under_the_deck_is_followed(dice):
    """Three cards in the deck of seven seats: the viewer's card is drawn by the fourth, and has not moved since."""
    state = GAME.deal(7, Options(), Seed.of("follow"))
    seats = [(state.first + step) % 7 for step in range(4)]
    put = state.hands[seats[0]][0]
    for seat in seats:
        assert all(place_of(state.redeal(seats[0], dice), put) == place_of(state, put) for _ in range(20))
        action = next(action for action in state.legal_actions(seat) if GAME.notation(action).startswith("deck"))
        state.apply(seat, action)
    assert place_of(state, put) == seats[3]
    assert all(place_of(state.redeal(seats[0], dice), put) == seats[3] for _ in range(20))


def test_cards_laid_and_drawn_are_drawn_anew(table, do, dice):
    """To seat 2 it is hidden which two of seven cards were laid, and which one was drawn."""
    state = table()
    do(state, "0 declare 1", "0 offer 6C 7C")
    deals = [state.redeal(2, dice) for _ in range(1260)]
    laid = Counter(tuple(deal.hands[0].index(card) for card in deal.view(0).laid) for deal in deals)
    drawn = Counter(deal.hands[1].index(deal.view(1).drawn[0]) for deal in deals)
    assert_even(laid, 21, 1260)
    assert_even(drawn, 7, 1260)


def test_what_the_viewer_laid_and_what_was_drawn_from_it_stays(table, do, dice):
    state = table()
    do(state, "0 declare 1", "0 offer 6C 7C")
    for _ in range(50):
        assert names(state.redeal(0, dice).view(0).laid) == "6C 7C"
        assert state.redeal(1, dice).view(1).drawn == state.view(1).drawn


def test_secret_last_deck_trades_are_drawn_anew(table, do, dice):
    state = table(turns=1)
    do(state, "0 pass", "1 last 7D")
    chosen = Counter()
    for _ in range(800):
        deal = state.redeal(0, dice)
        card = deal.last_chosen[1]
        chosen[deal.hands[1].index(card) if card else "declined"] += 1
    assert_even(chosen, 8, 800)
    assert all(state.redeal(1, dice).last_chosen == state.last_chosen for _ in range(20))


def test_the_chance_to_come_is_drawn_anew(table, do, dice):
    state = table()
    drawn = Counter()
    for _ in range(350):
        deal = state.redeal(0, dice)
        do(deal, "0 declare 1", "0 offer 6C 7C")
        drawn[deal.hands[1].index(deal.view(1).drawn[0])] += 1
    assert_even(drawn, 7, 350)


def test_received_cards_of_others_are_those_that_they_could_have_received(table, do, dice, trade):
    state = table(4)
    trade(state, 0, 1)
    trade(state, 1, 2)
    for _ in range(200):
        deal = state.redeal(3, dice)
        assert {*deal.received[0]} <= {*deal.hands[0]}
        assert {*deal.received[2]} <= {*deal.hands[2]}
        assert not {*deal.received[1]} <= {*events_of(deal.history)[-1].offered}


def place_of(state, card):
    for seat, hand in enumerate(state.hands):
        if card in hand:
            return seat
    return "deck"


# What holds for all of them.


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seats", [3, 5, 8])
def test_a_seat_cannot_tell_a_redeal_from_the_game(seats, style, dice):
    for game in random_playout(GAME, seats, STYLES[style], Seed.of(f"redeal/{seats}")):
        if len(game.inputs) > LONG:
            break
        state = game.state
        seat = len(game.inputs) % seats
        again = state.redeal(seat, dice)
        assert again.view(seat) == state.view(seat)
        assert again.public_view() == state.public_view()
        assert again.to_act() == state.to_act()
        assert again.legal_actions(seat) == state.legal_actions(seat)
        assert refusals(again, seat) == refusals(state, seat)
        assert GAME.describe(again) == GAME.describe(state)


def refusals(state, seat):
    """What the seat would be told of many actions."""
    told = []
    for text in ("declare 0", "declare 1", "deck AC", "deck KS", "pass", "offer AC KS", "give AC", "last KS"):
        try:
            state.check(seat, GAME.parse(text))
        except IllegalAction as error:
            told.append((error.rule, str(error)))
        else:
            told.append("legal")
    return told


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seats", [3, 5, 8])
def test_a_redeal_is_a_game_that_could_have_been(seats, style, dice):
    """The same cards, lawful from its deal on, with the same things seen on the way."""
    for game in random_playout(GAME, seats, STYLES[style], Seed.of(f"could/{seats}")):
        if len(game.inputs) > LONG:
            break
        if len(game.inputs) % 3 or game.state.table().phase is Phase.OVER:
            continue
        state, seat = game.state, len(game.inputs) // 3 % seats
        again = state.redeal(seat, dice)
        invariants.hold(again)
        invariants.memories_are_true(again)
        events = events_of(again.history)
        assert_lawful(again.dealt, events)
        assert seen(again.dealt, events, seat) == seen(state.dealt, events_of(state.history), seat)


def assert_lawful(dealt, events):
    """Every choice left something of what its seat had received last."""
    received = [*map(set, dealt.received)]
    for event in events:
        match event:
            case Laid(seat, _, chosen) | DeckTraded(seat, chosen, _) | Traded(_, seat, _, _, chosen):
                leaving = {*chosen} if isinstance(chosen, tuple) else {chosen}
                assert not received[seat] or not received[seat] <= leaving
        match event:
            case Traded(one, other, _, offered, given):
                received[one], received[other] = {*given}, {*offered}
            case DeckTraded(seat, _, drawn):
                received[seat] = {drawn}


def seen(dealt, events, seat):
    """What a seat has seen from the deal on."""
    what = [dealt.hands[seat]]
    for event in events:
        match event:
            case Traded(declarer, target, number, offered, given):
                exchanged = (offered, given) if seat in (declarer, target) else len(offered)
                what.append((declarer, target, number, exchanged))
            case DeckTraded(who, put, drawn):
                what.append((who, put, drawn) if who == seat else who)
            case Laid(who, number, laid):
                what.append((who, number, laid if who == seat else len(laid)))
            case Voided(who, number):
                what.append((who, number))
    return what


@pytest.mark.parametrize("style", STYLES)
def test_a_redeal_can_be_played_to_its_end(style, dice):
    for game in random_playout(GAME, 4, STYLES[style], Seed.of("end")):
        if len(game.inputs) % 9 == 0 and len(game.inputs) <= LONG:
            again = game.state.redeal(1, dice)
            play_out(again, dice, game.now_ms)
            assert again.result() is not None


def test_the_original_is_left_alone(table, do, dice, trade):
    state = table()
    trade(state, 0, 1)
    do(state, "1 declare 2")
    hands, deck, history = [hand[:] for hand in state.hands], state.deck[:], state.history
    views = [state.view(seat) for seat in range(3)]
    for seat in range(3):
        play_out(state.redeal(seat, dice), dice)
    assert (state.hands, state.deck, state.history) == (hands, deck, history)
    assert [state.view(seat) for seat in range(3)] == views


def test_when_a_game_is_over_the_totals_are_known_and_nothing_is_drawn(dice):
    *_, game = random_playout(GAME, 3, Options(turns_per_seat=1), Seed.of("over"))
    again = game.state.redeal(0, dice)
    assert again.hands == game.state.hands
    assert again.result() == game.state.result()


def test_what_others_remember_belongs_to_the_redealt_game(dice):
    """Seat 1 knows what it has given to seat 2; in a re-deal for seat 0 that is another card, and it knows that one."""
    hands = ["AC 2C 3C 4C 5C 6C 7C", "AD 2D 3D 4D 5D 6D 7D", "AH 2H 3H 4H 5H 6H 7H"]
    state = arrange(hands, first=1)
    for text in ("declare 2", "offer 6D 7D"):
        state.apply(1, GAME.parse(text))
    state.apply(2, state.legal_actions(2)[0])
    for _ in range(30):
        again = state.redeal(0, dice)
        (event,) = [event for event in events_of(again.history) if len(event) == 5]
        for card in event.offered:
            assert again.view(1).last_seen[card - 1] == 3, CARD_NAMES[card]
