"""Re-dealing: another state that a seat cannot tell from the one it is in.

What a seat knows is what its view says: its hand and face-down cards, everything that lies open, how many cards of
which back everybody holds, the printed costs of the face-down ones, what it has seen of the tops of decks, and cards
that it has seen come into somebody's hands (``known``). Everything else is drawn anew, such that every way to lay the
unseen cards in the places where they can lie is equally likely; two copies of a card count as two cards.

The decks have backs of their own, so each is dealt with by itself. Influence and specialty cards are simple: all places
are alike, so the unseen cards are shuffled. With trade cards, a place face down takes only cards of its printed cost,
and a card that a seat is known to hold may lie in its hand or face down. Suppose that it is settled which of the known
cards lie face down. Then there are, for each cost, ``n`` unseen cards of that cost for ``m`` further places face down,
so ``n (n-1) ... (n-m+1)`` ways to fill those, and the remaining ``r`` unseen cards fill the hands and the deck in
``r!`` ways. The known cards themselves can be put into the places in a product of falling factorials too. So the
settlement is drawn by these weights (there are few known cards, so few settlements), and then the rest is filled
uniformly.

What could be reasoned from the order of events before a deck was made anew, or from how others play, is left out.
Chance still to come is drawn anew by a new seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import factorial, perm
from typing import TYPE_CHECKING

from ..kernel import Dice, Seat
from .cards import TRADE, Card

if TYPE_CHECKING:
    from .state import State


def redeal(state: State, seat: Seat, dice: Dice) -> None:
    """Draw anew, in place, all that this seat does not know."""
    state.public = None
    state.legal = None if state.turn != seat else state.legal
    state.engine_moves = []
    rivals = [rival for rival in range(state.seats) if rival != seat]
    for deck in (1, 2, 3):
        _redeal_deck(state, seat, rivals, deck, dice)
    state.seed = dice.seed()
    for viewer in rivals:
        _keep_in_step(state, viewer, seat)


def _redeal_deck(state: State, seat: Seat, rivals: Sequence[Seat], deck: int, dice: Dice) -> None:
    """Lay the unseen cards of one back into the places where they can lie."""
    deck_of = state.edition.deck
    top = state.tops[4 * seat + deck]
    cards = state.decks[deck]
    unknown = len(cards) - top
    unseen = Counter(cards[:unknown])
    sizes: dict[Seat, int] = {}
    known: dict[Seat, list[Card]] = {}
    for rival in rivals:
        held = [card for card in state.hands[rival] if deck_of[card] == deck]
        sizes[rival] = len(held)
        known[rival] = [card for card in state.known[seat * state.seats + rival] if deck_of[card] == deck]
        unseen.update(held)
        if deck == TRADE:
            unseen.update(state.hidden[rival])
        unseen.subtract(known[rival])
    pool = dice.shuffled([card for card in sorted(unseen) for _ in range(unseen[card])])
    hands = {rival: list(known[rival]) for rival in rivals}
    if deck == TRADE:
        settled = _settle_known(state, rivals, known, pool, dice)
        for rival in rivals:
            for card in settled[rival]:
                hands[rival].remove(card)
            state.hidden[rival] = sorted(_fill_face_down(state, rival, settled[rival], pool))
    for rival in rivals:
        while len(hands[rival]) < sizes[rival]:
            hands[rival].append(pool.pop())
        others = [card for card in state.hands[rival] if deck_of[card] != deck]
        state.hands[rival] = sorted(others + hands[rival])
    state.decks[deck] = pool + cards[unknown:]


def _fill_face_down(state: State, rival: Seat, settled: Sequence[Card], pool: list[Card]) -> list[Card]:
    """A rival's face-down cards: those settled already, and in the other places cards that ``pool`` loses."""
    cost = state.edition.cost
    lying = list(settled)
    places = Counter(cost[card] for card in state.hidden[rival]) - Counter(cost[card] for card in settled)
    for price in sorted(places.elements()):
        place = next(place for place, card in enumerate(pool) if cost[card] == price)
        lying.append(pool.pop(place))
    return lying


def _settle_known(
    state: State, rivals: Sequence[Seat], known: dict[Seat, list[Card]], pool: Sequence[Card], dice: Dice
) -> dict[Seat, list[Card]]:
    """Which of the known cards lie face down, drawn by the number of ways to complete each settlement."""
    cost = state.edition.cost
    groups = [(rival, price) for rival in rivals for price in sorted({cost[card] for card in known[rival]})]
    if not groups:
        return {rival: [] for rival in rivals}
    here = [[card for card in known[rival] if cost[card] == price] for rival, price in groups]
    places = [sum(cost[card] == price for card in state.hidden[rival]) for rival, price in groups]
    supply = Counter(cost[card] for card in pool)
    wanted = Counter(cost[card] for rival in rivals for card in state.hidden[rival])
    room = {rival: sum(state.edition.deck[card] == TRADE for card in state.hands[rival]) for rival in rivals}
    settlements = list(product(*(range(min(len(h), p) + 1) for h, p in zip(here, places, strict=True))))
    weights = []
    for settlement in settlements:
        open_places, standing = wanted.copy(), {rival: len(known[rival]) for rival in rivals}
        weight = 1
        for (rival, price), cards, number, down in zip(groups, here, places, settlement, strict=True):
            open_places[price] -= down
            standing[rival] -= down
            weight *= perm(len(cards), down) * perm(number, down) // factorial(down)
        for price, number in open_places.items():
            weight *= perm(supply[price], number)
        for rival in rivals:
            weight *= perm(room[rival], standing[rival])
        if weight:  # else there are not enough cards of some cost
            weight *= factorial(len(pool) - sum(open_places.values()))
        weights.append(weight)
    drawn = _weighted(weights, dice)
    lying: dict[Seat, list[Card]] = {rival: [] for rival in rivals}
    for (rival, _), cards, down in zip(groups, here, settlements[drawn], strict=True):
        lying[rival] += dice.shuffled(cards)[:down]
    return lying


def _weighted(weights: Sequence[int], dice: Dice) -> int:
    """An index, drawn by exact integer weights however large."""
    total = sum(weights)
    words = total.bit_length() // 32 + 2
    drawn = 0
    for _ in range(words):
        drawn = drawn << 32 | dice.word()
    drawn = drawn * total >> 32 * words  # bias below 2**-32
    for index, weight in enumerate(weights):
        if drawn < weight:
            return index
        drawn -= weight
    raise AssertionError("the weights sum to their total")


def _keep_in_step(state: State, viewer: Seat, seat: Seat) -> None:
    """What the others know has to be true of the new cards as well.

    Of the seat itself they know what they knew, for its cards are the same. Of one another they know as many cards as
    before, now taken from the new ones.
    """
    for holder in range(state.seats):
        known = state.known[viewer * state.seats + holder]
        if holder in (seat, viewer) or not known:
            continue
        held = Counter(state.hands[holder] + state.hidden[holder])
        kept = list((Counter(known) & held).elements())
        spare = sorted((held - Counter(kept)).elements())
        deck_of = state.edition.deck
        for card in (Counter(known) - Counter(kept)).elements():
            place = next((p for p, other in enumerate(spare) if deck_of[other] == deck_of[card]), None)
            if place is not None:
                kept.append(spare.pop(place))
        state.known[viewer * state.seats + holder] = sorted(kept)
