"""Positions of your own: for puzzles, lessons and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..kernel import Seed
from .cards import CARD_NAMES, COLOR, FINISH, HIGHEST, HORSES, NO_CARD, Card, cards, horses, tickets
from .paddock import count_colors, enter_race, learn, take_out
from .rules import DISCARD, PLAY, go_on
from .seating import PLACES, ridden
from .state import State

IN_ORDER = "VANILLA_BEANS FORET_NOIRE SILVER_ARRASAN GATEAU_OPERA"
WHIPS = range(3)
ANY = range(1 << 31)
BETS = ("WIN VANILLA_BEANS", "VANILLA_BEANS WIN", "FORET_NOIRE WIN", "SILVER_ARRASAN WIN")


def arrange(
    hands: Sequence[str],
    *,
    seats: int = 4,
    race: int | None = None,
    leader: int = 0,
    held: str = IN_ORDER,
    standing: str = IN_ORDER,
    spaces: Sequence[int] = (0, 0, 0, 0),
    turned_up: Sequence[str] = (),
    discards: Sequence[str] = (),
    bets: Sequence[str] = BETS,
    whips: Sequence[int] = (2, 2, 2, 2),
    odds: Sequence[int] = (2, 2, 2, 2),
    points: Sequence[int] = (),
    seed: str = "arranged",
) -> State:
    """A race about to be run, from the names of its cards. Forced plays are made at once, as always.

    Lists are by place, with the dummy's hand fourth and from the top down, but ``spaces`` and ``odds`` are by horse.
    ``held`` are the horses of the places, ``standing`` is the order on the course, ``bets`` the tickets of each seat,
    the face-up one first. The leader is the start player too. ``race`` is the last one by default; what happened in
    races before is not there. Horses need their twelve cards only if another race follows.

    Raises ValueError when no table can look like that.

        >>> state = arrange(["RED-5 BLUE-1", "RED-2 BLUE-2", "BLUE-10 BLUE-3", "RED-8 BLUE-4"], whips=[0, 0, 1, 0])
        >>> state.legal_actions(0)
        [Play(card=5, whip=False), Play(card=13, whip=False)]
    """
    dealt = _by_place("hands", hands)
    out = [_by_place("turned-up cards", turned_up or ("",) * PLACES), _by_place("discards", discards or ("",) * PLACES)]
    own = [[*hand, *up, *down] for hand, up, down in zip(dealt, *out, strict=True)]
    state = _state(seats, race, leader, held, own, seed)
    if len({len(hand) for hand in dealt}) != 1 or not dealt[0]:
        raise ValueError("all hands have the same number of cards, and at least one")
    if any(len(card) > 1 for part in out for card in part):
        raise ValueError("a place has one card turned up and one discarded, or none")
    if state.race < state.races and any(len(own) != HIGHEST for own in state.cards):
        raise ValueError("before the last race every horse has twelve cards")
    if sorted(horses(standing)) != list(HORSES):
        raise ValueError(f"the standing has each horse once, not {standing}")
    _check_numbers("spaces", spaces, len(HORSES), range(FINISH + 1))
    if list(spaces).count(FINISH) > 1:
        raise ValueError("the race is over when a second horse is at 7")
    _check_numbers("odds", odds, len(HORSES))
    _check_numbers("whips", whips, PLACES, WHIPS)
    _check_numbers("points", points or [0] * seats, seats)
    laid = [tickets(bet) for bet in bets[:seats]]
    if [len(set(pair)) for pair in laid] != [2] * seats or len({up for up, _ in laid}) != seats:
        raise ValueError("each seat has laid two different tickets, and face up none that another seat shows")

    enter_race(state, horses(standing))
    state.spaces = list(spaces)
    state.standing.sort(key=lambda horse: -state.spaces[horse - 1])  # stable: piles stay as given
    state.hands = [hand if place >= seats else sorted(hand) for place, hand in enumerate(dealt)]
    state.hand_colors = count_colors(state.hands)
    state.top_cards = (NO_CARD,)
    state.turned_up = tuple(card[0] if card else NO_CARD for card in out[0])
    state.discards = [card[0] if card else NO_CARD for card in out[1]]
    state.discard_colors = tuple(COLOR[card] for card in state.discards)
    state.dummy_discards = tuple(state.discards[seats:])
    for place, card in enumerate(out[0]):
        learn(state.known, card, state.horses[place])
    _meet_horses(state)
    state.tickets_up, state.tickets_down = tuple(up for up, _ in laid), [down for _, down in laid]
    state.whips, state.odds = list(whips), list(odds)
    state.points = list(points) or [0] * seats
    state.phase = PLAY
    go_on(state)
    return state


def arrange_paddock(
    piles: Sequence[str],
    *,
    seats: int = 4,
    race: int = 1,
    start: int = 0,
    held: str = IN_ORDER,
    stack: str = IN_ORDER,
    whips: Sequence[int] = (2, 2, 2, 2),
    seed: str = "arranged",
) -> State:
    """A race whose piles have been shuffled into this order, the top card first: discards are to be chosen.

    Arguments are as in ``arrange``. Raises ValueError when no table can look like that; each pile has twelve cards.
    """
    shuffled = _by_place("piles", piles)
    if any(len(pile) != HIGHEST for pile in shuffled):
        raise ValueError("every pile has twelve cards")
    _check_numbers("whips", whips, PLACES, WHIPS)
    state = _state(seats, race, start, held, shuffled, seed)
    enter_race(state, horses(stack))
    take_out(state, shuffled)
    _meet_horses(state)
    state.whips = list(whips)
    state.phase = DISCARD
    state.waiting = tuple(range(seats))
    return state


def _check_numbers(what: str, given: Sequence[int], number: int, allowed: range = ANY) -> None:
    """Raise ValueError unless there are as many as there should be, all within their bounds."""
    if len(given) != number or not all(one in allowed for one in given):
        upto = "whole numbers from 0 on" if allowed is ANY else f"0 to {allowed[-1]}"
        raise ValueError(f"{what} are {number} numbers, {upto}, not {list(given)}")


def _by_place(what: str, texts: Sequence[str]) -> list[list[Card]]:
    if len(texts) != PLACES:
        raise ValueError(f"there are {PLACES} {what}, not {len(texts)}")
    return [cards(text) for text in texts]


def _state(seats: int, race: int | None, start: int, held: str, own: Sequence[Sequence[Card]], seed: str) -> State:
    """The game in this race, nothing of which has been prepared; ``own`` are all cards of each place's horse."""
    if seats not in (3, 4):
        raise ValueError(f"there are 3 or 4 seats, not {seats}")
    races = seats
    race = races if race is None else race
    if race not in range(1, races + 1) or start not in range(seats):
        raise ValueError(f"races are numbered 1 to {races}, and a seat starts, 0 to {seats - 1}")
    held_now = horses(held)
    if sorted(held_now) != list(HORSES):
        raise ValueError(f"each place holds one horse, not {held}")
    copies = Counter(card for cards_of in own for card in cards_of)
    for card, number in copies.items():
        if number > 1:
            raise ValueError(f"{CARD_NAMES[card]} is there {number} times")
    by_horse = [own[held_now.index(horse)] for horse in HORSES]
    state = State(seats, held_now, by_horse, Seed.of(seed), first=(start - (race - 1)) % seats)
    state.race = race
    return state


def _meet_horses(state: State) -> None:
    """Every seat knows the cards of all horses that it holds or has held, and everyone those that the dummy has."""
    for place in range(PLACES):
        for horse in ridden(state.circle, state.horses, state.race, place):
            who = state.known[place : place + 1] if place < state.seats else state.known
            learn(who, state.cards[horse - 1], horse)
