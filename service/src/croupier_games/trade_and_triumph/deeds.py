"""What can happen to a state, in its smallest parts. No rule is asked here; ``rules`` and ``effects`` do that."""

from __future__ import annotations

from bisect import insort
from typing import TYPE_CHECKING, NamedTuple

from ..kernel import Seat
from .cards import CITY, DECKS, Card
from .vocabulary import SHIELD, Threat

if TYPE_CHECKING:
    from .state import State


class Need(NamedTuple):
    """What a list of effects wants before any of it can be done."""

    gold: int
    resource: int
    """-1: none; 0: one of any region; else one of this region."""


NO_NEED = Need(0, -1)


def met(state: State, need: Need, gold: int) -> bool:
    """Whether the turn's seat can meet a need, out of so much gold."""
    if need.gold > gold:
        return False
    if need.resource < 0:
        return True
    first = 4 * state.turn
    held = state.resources[first : first + 4]
    return any(held) if need.resource == 0 else held[need.resource - 1] > 0


def others(state: State, seat: Seat) -> list[Seat]:
    """The other seats, clockwise from the left of this one."""
    return [(seat + step) % state.seats for step in range(1, state.seats)]


def vulnerable(state: State, seat: Seat, threat: Threat) -> bool:
    """Whether a seat can be made to suffer this: it is not protected, and has something to lose."""
    if state.prices[seat][SHIELD] >> threat & 1:
        return False
    if threat is Threat.STEAL:
        return state.gold[seat] > 0
    if threat is Threat.DISCARD:
        return bool(state.hands[seat])
    return state.spots[seat] != CITY


def steal(state: State, victim: Seat, amount: int) -> None:
    """Gold, as far as there is any, goes from a seat to the one whose turn it is."""
    taken = min(amount, state.gold[victim])
    state.gold[victim] -= taken
    state.gold[state.turn] += taken


def send_home(state: State, victim: Seat) -> None:
    """A trader is put into the city: no arrival, so it opens nothing."""
    state.spots[victim] = CITY


def gain_resource(state: State, region: int) -> None:
    """The turn's seat gains a resource."""
    state.resources[4 * state.turn + region - 1] += 1


def lose_resource(state: State, region: int) -> None:
    """The turn's seat returns a resource."""
    state.resources[4 * state.turn + region - 1] -= 1


def can_draw(state: State, deck: int) -> bool:
    """Whether there is a card to draw, be it after renewing the deck."""
    return bool(state.decks[deck] or state.discards[deck])


def renew(state: State, deck: int) -> None:
    """Shuffle the discards of a deck that has run out into a new one. Nobody knows anything of its order then."""
    if state.decks[deck] or not state.discards[deck]:
        return
    state.renewals[deck] += 1
    state.seen.update(state.discards[deck])
    dice = state.seed.dice(f"renewal/{DECKS[deck]}/{state.renewals[deck]}")
    state.decks[deck] = dice.shuffled(state.discards[deck])
    state.discards[deck] = []


def draw(state: State, deck: int) -> None:
    """The turn's seat draws the top card of a deck; nothing happens when there is none."""
    cards = state.decks[deck]
    if not cards:
        renew(state, deck)
        cards = state.decks[deck]
        if not cards:
            return
    card = cards.pop()
    if state.insight:
        _remember_draw(state, deck, card)
    insort(state.hands[state.turn], card)


def _remember_draw(state: State, deck: int, card: Card) -> None:
    """Whoever has looked at the top of the deck knows what the seat draws."""
    tops = state.tops
    for viewer in range(state.seats):
        place = 4 * viewer + deck
        if tops[place]:
            tops[place] -= 1
            if viewer != state.turn:
                learn(state, viewer, state.turn, card)


def learn(state: State, viewer: Seat, holder: Seat, card: Card) -> None:
    """A seat comes to know that another one holds a card, in hand or (a trade card) face down."""
    state.insight = True
    insort(state.known[viewer * state.seats + holder], card)


def publish(state: State, holder: Seat, card: Card) -> None:
    """A card that a seat held has come to light: it is no longer among what others know it to hold."""
    if state.insight:
        for viewer in range(state.seats):
            known = state.known[viewer * state.seats + holder]
            if card in known:
                known.remove(card)


def discard(state: State, seat: Seat, card: Card) -> None:
    """A card of the hand goes to its discard pile, face up."""
    state.hands[seat].remove(card)
    lay_off(state, seat, card)


def lay_off(state: State, seat: Seat, card: Card) -> None:
    """A card that has left the seat's hand, or its face-down cards, goes to its discard pile, face up."""
    publish(state, seat, card)
    state.discards[state.edition.deck[card]].append(card)
    state.shown_card = card
