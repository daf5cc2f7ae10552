"""What happens before a race without anybody deciding: horses change hands, piles are shuffled, cards turned up.

All of it reads and changes a ``State``, whose parts are explained there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from . import dummy
from .cards import COLOR, COLORS, HORSES, NO_CARD, NO_TICKET, NUMBER, Card, Horse

if TYPE_CHECKING:
    from .state import State


def pass_horses(state: State) -> None:
    """Each horse goes with its twelve cards to the left neighbour, the dummy being one of the circle."""
    before = state.horses[:]
    for giver, place in zip(state.circle, (*state.circle[1:], state.circle[0]), strict=True):
        state.horses[place] = before[giver]


def prepare_race(state: State) -> None:
    """Stack the horses on the gate, shuffle everybody's cards, and take out what the discard number says.

    Chance has a stream for each: ``stack/<race>`` and ``paddock/<race>/<place>``. What is shuffled are the horses in
    their order, and a horse's cards in the order in which they were dealt.
    """
    race = state.race
    enter_race(state, state.seed.dice(f"stack/{race}").shuffled(HORSES))
    piles = [
        state.seed.dice(f"paddock/{race}/{place}").shuffled(state.cards[horse - 1])
        for place, horse in enumerate(state.horses)
    ]
    take_out(state, piles)


def enter_race(state: State, stack: Sequence[Horse]) -> None:
    """The start passes on, the horses stand on the gate in this pile, the top first, and all tickets are back."""
    state.start = state.leader = state.circle[state.race - 1]
    state.order = state.orders[state.start]
    state.standing = list(stack)
    state.stacks += tuple(stack)
    state.spaces = [0] * len(HORSES)
    state.tricks += (0,)
    none = (NO_TICKET,) * state.seats
    state.tickets_up += none
    state.tickets_down += none
    state.tickets_shown += none


def take_out(state: State, piles: Sequence[Sequence[Card]]) -> None:
    """The start player's top card says which card of its own pile every place turns up, the start player too.

    What is turned up takes no part in this race; the rest is the hand. Of the dummy's pile a second one is out at once.
    """
    shown = piles[state.start][0]
    number = NUMBER[shown]
    turned_up = [pile[number - 1] for pile in piles]
    discards = [NO_CARD if place < state.seats else dummy.discards(pile, number)[1] for place, pile in enumerate(piles)]
    state.top_cards += (shown,)
    state.turned_up += tuple(turned_up)
    state.discards += discards
    state.discard_colors += tuple(COLOR[card] for card in discards)
    state.dummy_discards += tuple(discards[state.seats :])
    for place, pile in enumerate(piles):
        hand = [card for card in pile if card not in (turned_up[place], discards[place])]
        state.hands[place] = sorted(hand) if place < state.seats else hand
    state.hand_colors = count_colors(state.hands)

    learn(state.known, [shown], state.horses[state.start])
    for place, horse in enumerate(state.horses):
        everyone, holder = state.known, state.known[place : place + 1]
        learn(everyone, [turned_up[place]], horse)
        learn(holder if place < state.seats else everyone, state.cards[horse - 1], horse)


def count_colors(hands: Iterable[Sequence[Card]]) -> list[int]:
    """How many cards of each colour every hand has, flat by hand and colour."""
    backs = [[COLOR[card] for card in hand] for hand in hands]
    return [colors.count(color) for colors in backs for color in COLORS]


def learn(known: Iterable[list[Horse]], cards: Sequence[Card], horse: Horse) -> None:
    """Write down, for some, that these cards belong to this horse."""
    for lot in known:
        for card in cards:
            lot[card - 1] = horse
