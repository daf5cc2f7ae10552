"""Re-deals: what a seat cannot know is drawn anew, all of it, and evenly."""

from collections import Counter
from itertools import permutations

import pytest

from croupier_games.kernel import IllegalAction, Seed
from croupier_games.kernel.playout import play_out, random_playout
from croupier_games.trick_stakes import GAME, Phase, arrange_paddock
from croupier_games.trick_stakes.actions import DISCARDS, PLAYS, TICKETS_DOWN, TICKETS_UP, WHIPPED
from croupier_games.trick_stakes.cards import CARDS, COLOR, HORSES, cards
from croupier_games.trick_stakes.paddock import learn
from croupier_games.trick_stakes.seating import ridden

RED_5, RED_7, RED_11 = cards("RED-5 RED-7 RED-11")


@pytest.fixture
def dice():
    return Seed.of("evenly").dice("test")


def teach(state, unknown):
    """Let everyone know all cards but these."""
    for horse in HORSES:
        learn(state.known[:1], [card for card in state.cards[horse - 1] if card not in unknown], horse)


@pytest.fixture
def state(piles):
    """Seat 0 lacks one red card of each of the three other horses, RED-5, RED-7 and RED-11, and nothing else."""
    state = arrange_paddock(piles)
    teach(state, (RED_5, RED_7, RED_11))
    return state


def holders(state):
    """Who has the three cards: horses 2, 3 and 4 in some order."""
    return tuple(next(horse for horse in HORSES if card in state.cards[horse - 1]) for card in (RED_5, RED_7, RED_11))


def assert_even(counts, number, draws):
    """All of so many outcomes came up, each within five standard deviations of its share of the draws."""
    assert len(counts) == number
    share = draws / number
    assert all(abs(count - share) < 5 * share**0.5 for count in counts.values())


def test_numbers_that_were_not_seen_are_shared_out_evenly(state, dice):
    counts = Counter(holders(state.redeal(0, dice)) for _ in range(1800))
    assert set(counts) == set(permutations((2, 3, 4)))
    assert_even(counts, 6, 1800)


def test_a_horse_that_lacks_two_cards_of_a_colour_gets_two(piles, dice):
    """RED-4 and RED-5 are horse 2's, RED-7 is horse 3's: three ways."""
    state = arrange_paddock(piles)
    teach(state, cards("RED-4 RED-5 RED-7"))
    deals = [state.redeal(0, dice) for _ in range(900)]
    counts = Counter(tuple(card for card in cards("RED-4 RED-5 RED-7") if card in deal.cards[1]) for deal in deals)
    assert_even(counts, 3, 900)
    assert all(len(own) == 2 for own in counts)


def test_colours_are_drawn_independently(piles, dice):
    """One red and one blue card may each be exchanged: four ways."""
    state = arrange_paddock(piles)
    exchanged = cards("RED-5 RED-7 BLUE-5 BLUE-7")
    teach(state, exchanged)
    deals = [state.redeal(0, dice) for _ in range(1200)]
    assert_even(Counter((exchanged[0] in d.cards[1], exchanged[2] in d.cards[1]) for d in deals), 4, 1200)


def test_what_is_known_by_elimination_stays(piles, dice):
    """Only horse 4 lacks cards."""
    state = arrange_paddock(piles)
    teach(state, cards("RED-10 RED-11 BLUE-10"))
    assert all({*own} == {*state.cards[h]} for h, own in enumerate(state.redeal(0, dice).cards))


def test_a_pending_discard_is_any_of_the_eleven_cards(state, do, dice):
    """And independent of the numbers: 6 * 11 ways."""
    do(state, "1: discard BLUE-4")
    deals = [state.redeal(0, dice) for _ in range(4950)]
    assert_even(Counter((holders(deal), deal.discards[1]) for deal in deals), 6 * 11, 4950)
    assert all(len(deal.hands[1]) == 10 and deal.discards[1] not in deal.hands[1] for deal in deals)


def test_a_discard_whose_colour_was_seen_is_any_card_of_that_colour(state, do, dice):
    """Each seat had three of the colour that it discarded: 3 ** 2 ways for seats 2 and 3, 6 * 3 with the numbers."""
    do(state, "discard BLUE-1", "discard RED-4", "discard BLUE-7", "discard YELLOW-10")
    deals = [state.redeal(0, dice) for _ in range(1800)]
    assert_even(Counter(tuple(deal.discards[2:]) for deal in deals), 3**2, 1800)
    assert_even(Counter((holders(deal), deal.discards[1]) for deal in deals), 6 * 3, 1800)
    for deal in deals[:50]:
        assert deal.discards[0] == state.discards[0]
        assert tuple(COLOR[card] for card in deal.discards) == state.discard_colors


def test_cards_played_are_no_discards(state, do, dice):
    """Seat 1 has played RED-6, so its red discard is RED-4 or the one that seat 0 does not know: 6 * 2 ways."""
    do(state, "discard BLUE-1", "discard RED-4", "discard BLUE-7", "discard YELLOW-10")
    do(state, *[f"ticket up {name}" for name in ("WIN", "FORET_NOIRE", "GATEAU_OPERA", "SILVER_ARRASAN")])
    do(state, *["ticket down VANILLA_BEANS"] * 4, "play RED-9", "play RED-6")
    deals = [state.redeal(0, dice) for _ in range(2400)]
    assert_even(Counter((holders(deal), deal.discards[1]) for deal in deals), 6 * 2, 2400)


def test_face_down_tickets_are_any_but_the_one_face_up(state, do, dice):
    do(state, "discard BLUE-1", "discard RED-4", "discard BLUE-7", "discard YELLOW-10")
    do(state, *[f"ticket up {name}" for name in ("WIN", "FORET_NOIRE", "GATEAU_OPERA", "SILVER_ARRASAN")])
    do(state, "0: ticket down WIN", "2: ticket down WIN", "3: ticket down WIN")
    deals = [state.redeal(0, dice) for _ in range(1600)]
    assert_even(Counter((deal.tickets_down[2], deal.tickets_down[3]) for deal in deals), 16, 1600)
    assert {deal.tickets_down[0] for deal in deals} == {state.tickets_down[0]}
    assert {deal.tickets_down[1] for deal in deals} == {0}  # has not chosen yet
    assert all(deal.tickets_down[seat] != deal.tickets_up[seat] for deal in deals for seat in (2, 3))


def test_discards_of_earlier_races_are_drawn_again_too(dice):
    """Seat 0 holds in the second race what seat 3 held in the first: it knows the cards, not which was discarded."""
    state = GAME.deal(4, GAME.options(), Seed.of("earlier/48"))
    while state.race == 1:  # low red cards are discarded, and the others played last
        seat = state.to_act()[0]
        state.apply(seat, state.legal_actions(seat)[0 if state.phase is Phase.DISCARD else -1])
    played = {*state.played, state.turned_up[3]}
    color = state.discard_colors[3]
    possible = [card for card in state.cards[state.horses[0] - 1] if COLOR[card] == color and card not in played]
    assert len(possible) > 1
    counts = Counter(state.redeal(0, dice).discards[3] for _ in range(600))
    assert set(counts) == set(possible)
    assert_even(counts, len(possible), 600)


def test_the_chance_to_come_is_drawn_anew(state, dice):
    deals = [state.redeal(0, dice) for _ in range(200)]
    stacks = Counter()
    for deal in deals:
        play_out(deal, dice, stop_after=60)
        stacks[deal.stacks[4:8]] += 1
    assert len(stacks) > 20  # of 24
    assert state.seed not in [deal.seed for deal in deals]


def test_what_the_seat_has_seen_stays(state, dice):
    again = state.redeal(0, dice)
    assert again.hands[0] == state.hands[0]
    assert again.view(0) == state.view(0)


def refusals(state, seat):
    """What the seat would be told of every action there is."""
    told = []
    for action in (*(a for kind in (DISCARDS, TICKETS_UP, TICKETS_DOWN, PLAYS, WHIPPED) for a in kind.values()),):
        try:
            state.check(seat, action)
        except IllegalAction as error:
            told.append((error.rule, str(error)))
        else:
            told.append("legal")
    return told


@pytest.mark.parametrize("seats", [3, 4])
def test_a_seat_cannot_tell_a_redeal_from_the_game(seats, dice):
    for number, table in enumerate(random_playout(GAME, seats, GAME.options(), Seed.of(f"redeal/{seats}"))):
        state = table.state
        for seat in range(seats):
            again = state.redeal(seat, dice)
            again.public = None
            assert again.view(seat) == state.view(seat)
            assert again.public_view() == state.public_view()
            assert again.to_act() == state.to_act()
            assert again.legal_actions(seat) == state.legal_actions(seat)
            if number % 10 == 0:
                assert refusals(again, seat) == refusals(state, seat)


@pytest.mark.parametrize("seats", [3, 4])
def test_a_redeal_is_a_game_that_could_have_been(seats, dice):
    """Cards, colours, hands, discards and what the others know fit together."""
    for table in random_playout(GAME, seats, GAME.options(), Seed.of(f"fits/{seats}")):
        state = table.state
        for seat in range(seats):
            fits(state.redeal(seat, dice), state)


def fits(again, state):
    assert sorted(card for own in again.cards for card in own) == list(CARDS)
    assert again.horse_colors == state.horse_colors
    for one, other in zip(again.cards, state.cards, strict=True):
        assert [COLOR[card] for card in one] == [COLOR[card] for card in other]
    first = 4 * sum(again.tricks[:-1])
    races = [*again.played[first:], *again.trick]
    for place in range(4):
        own = {*again.cards[again.horses[place] - 1]}
        out = {again.turned_up[place - 4], again.discards[place - 4]} - {0}
        left = own - out - {*again.hands[place]}
        assert left <= {*races}
        assert len(own) == len(left) + len(out) + len(again.hands[place])
        if again.phase is not Phase.DISCARD:
            assert again.discard_colors[place - 4] == COLOR[again.discards[place - 4]]
        held = ridden(again.circle, again.horses, again.race, place)[::-1]
        for race, rest in enumerate(again.unplayed[place::4]):
            assert rest[0] == again.discards[4 * race + place]
            assert {*rest} <= {*again.cards[held[race] - 1]}
            assert len({*rest}) == len(rest) == len(state.unplayed[4 * race + place])
        if place < again.seats:
            assert again.hands[place] == sorted(again.hands[place])
            for card in CARDS:
                horse = again.known[place][card - 1]
                assert not horse or card in again.cards[horse - 1]
                assert horse or not again.known[-1][card - 1]
            assert all(again.known[place][card - 1] for horse in held for card in again.cards[horse - 1])


def test_the_original_is_left_alone(state, do, dice):
    do(state, "1: discard BLUE-4")
    before = [state.view(seat) for seat in range(4)], state.cards, list(state.discards)
    for seat in range(4):
        play_out(state.redeal(seat, dice), dice)
    assert ([state.view(seat) for seat in range(4)], state.cards, list(state.discards)) == before


def test_nothing_is_hidden_of_tickets_when_the_game_is_over(dice):
    *_, table = random_playout(GAME, 4, GAME.options(), Seed.of("over"))
    again = table.state.redeal(1, dice)
    assert again.tickets_down == table.state.tickets_down
    assert again.result() == table.state.result()
