"""Before a race: the stack, the discard number, and the second discard."""

import pytest

from croupier_games.kernel import Seed
from croupier_games.trick_stakes import GAME, Phase, arrange_paddock
from croupier_games.trick_stakes.cards import BLUE, COLOR, GREEN, RED, YELLOW, cards


@pytest.fixture
def state(piles):
    """Seat 0 starts and shows RED-9."""
    return arrange_paddock(piles)


def test_the_number_of_the_start_player_s_top_card_is_the_discard_number(state):
    assert state.top_cards == tuple(cards("RED-9"))


def test_every_seat_turns_up_the_card_that_the_number_says_from_the_top_of_its_own_pile(state):
    assert state.turned_up == tuple(cards("GREEN-2 GREEN-5 GREEN-8 RED-12"))


def test_the_start_player_s_top_card_is_only_read_and_stays(state):
    assert cards("RED-9")[0] in state.hands[0]


def test_the_start_player_s_top_card_is_out_if_its_number_is_one(piles):
    (one,) = cards("RED-1")
    state = arrange_paddock([piles[0].replace("RED-9 RED-1", "RED-1 RED-9"), *piles[1:]])
    assert state.turned_up[0] == one == state.top_cards[0]
    assert one not in state.hands[0]


@pytest.mark.parametrize("start", range(4))
def test_whoever_starts_shows_the_card(piles, start):
    state = arrange_paddock(piles, start=start)
    assert state.top_cards == tuple(cards(piles[start].split()[0]))


def test_eleven_cards_are_left_of_which_each_seat_discards_one(state, do, offered):
    assert [len(hand) for hand in state.hands] == [11] * 4
    assert state.to_act() == (0, 1, 2, 3)
    assert [len(offered(state, seat)) for seat in range(4)] == [11] * 4
    do(state, "discard RED-1", "discard RED-4", "discard RED-7", "discard RED-10")
    assert [len(hand) for hand in state.hands] == [10] * 4


def test_cards_are_offered_ascending(state, offered):
    assert offered(state, 1)[:3] == ["discard RED-4", "discard RED-5", "discard RED-6"]


def test_seats_discard_all_at_once_in_any_order(piles, do):
    """What they discard counts, not who was first to choose."""
    texts = ["0: discard RED-1", "1: discard RED-4", "2: discard RED-7", "3: discard RED-10"]
    states = [arrange_paddock(piles) for _ in range(2)]
    do(states[0], *texts)
    do(states[1], *texts[::-1])
    assert [states[0].view(seat) for seat in range(4)] == [states[1].view(seat) for seat in range(4)]


def test_who_has_chosen_is_asked_no_more(state, do):
    do(state, "2: discard RED-7")
    assert state.to_act() == (0, 1, 3)
    assert state.legal_actions(2) == []


def test_colours_of_second_discards_are_seen_when_all_have_chosen(state, do):
    do(state, "0: discard RED-1", "1: discard BLUE-4", "2: discard YELLOW-7")
    assert state.table().discard_colors == (0, 0, 0, 0)
    do(state, "3: discard GREEN-10")
    assert state.table().discard_colors == (RED, BLUE, YELLOW, GREEN)


def test_backs_in_hand_count_a_second_discard_until_all_have_chosen(state, do):
    do(state, "0: discard RED-1", "1: discard BLUE-4", "2: discard YELLOW-7")
    assert state.table().hand_colors[:4] == (4, 3, 3, 1)  # without GREEN-2
    do(state, "3: discard GREEN-10")
    assert state.table().hand_colors == (*(3, 3, 3, 1), *(3, 2, 3, 2), *(2, 3, 2, 3), *(2, 3, 3, 2))


def test_whips_are_turned_after_the_second_discard(piles, do):
    """One of each seat, but there are only two."""
    state = arrange_paddock(piles, race=2, whips=[0, 1, 2, 0])
    assert state.table().whips == (0, 1, 2, 0)
    do(state, "discard RED-1", "discard RED-4", "discard RED-7", "discard RED-10")
    assert state.table().whips == (1, 2, 2, 1)


def test_every_seat_has_two_whips_in_the_first_race(state, do):
    do(state, "discard RED-1", "discard RED-4", "discard RED-7", "discard RED-10")
    assert state.table().whips == (2, 2, 2, 2)
    assert state.phase is Phase.TICKET_UP


@pytest.mark.parametrize("seats", [3, 4])
def test_horses_are_stacked_anew_in_every_race(seats):
    seed = Seed.of("stacks")
    state = GAME.deal(seats, GAME.options(), seed)
    for race in range(1, seats + 1):
        stack = seed.dice(f"stack/{race}").shuffled([1, 2, 3, 4])
        assert list(state.stacks[-4:]) == stack
        while state.race == race and state.result() is None:
            seat = state.to_act()[0]
            state.apply(seat, state.legal_actions(seat)[0])


def test_a_hand_s_backs_are_those_of_its_cards(state):
    for place in range(4):
        backs = [sum(COLOR[card] == color for card in state.hands[place]) for color in (RED, BLUE, YELLOW, GREEN)]
        assert list(state.table().hand_colors[4 * place : 4 * place + 4]) == backs
