"""Trades: how declared ones wait, begin, are finished or come to nothing; and how cards change hands.

Declared trades are numbered and stand in a queue. Each of them goes through these stages:

1. ``declare``  The target is named; from now on the declarer is busy.
2. ``lay``      The declarer sets its cards aside.
3. ``begin``    No earlier trade in the queue involves either seat: half of the target's cards are drawn blindly.
4. ``finish``   The target has chosen the other half, and the cards change hands.

``advance`` lets begin what can. There a trade may prove void: when the two seats have just traded with each other.
When time is over, ``void`` ends all that have not begun. By turns there is never more than one trade in the queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import combinations
from operator import itemgetter
from typing import TYPE_CHECKING

from ..kernel import Dice, Seat
from .actions import Pick, Sets, give, offer
from .cards import Card
from .history import DeckTraded, Laid, Traded, Voided

if TYPE_CHECKING:
    from .state import State

NOBODY = -1

FEWEST, MOST = 2, 4
"""Cards in an offer."""


class VoidReason(IntEnum):
    """Why a declared trade came to nothing; numbered as in the contract."""

    SAME_PARTNER = 1
    """When its turn came, the two had just traded with each other."""
    TIME = 2
    """Time was over before it had begun."""


SAME_PARTNER, TIME = VoidReason


class TradeStatus(IntEnum):
    """How far a declared trade has come; numbered as in the contract."""

    DECLARED = 1
    """Its declarer is choosing cards."""
    LAID = 2
    """The cards are laid, and it waits for earlier trades, or for its target to lay cards for its own."""
    BEGUN = 3
    """Cards have been drawn from the target's hand, and the target is choosing the others."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declared trade that is not finished yet."""

    number: int
    """Declarations count from 1."""
    declarer: Seat
    target: Seat
    most: int
    """The most cards that may be laid for it."""
    laid: tuple[Card, ...] = ()
    """What the declarer has set aside, ascending; nothing yet while it is choosing."""
    drawn: tuple[Card, ...] = ()
    """What was drawn blindly from the target's hand, ascending; nothing until the trade begins."""
    aside: tuple[Card, ...] = ()
    """What the target had set aside when the trade began. It is out of this trade, whatever becomes of it meanwhile."""

    @property
    def status(self) -> TradeStatus:
        """How far it has come."""
        if self.drawn:
            return TradeStatus.BEGUN
        return TradeStatus.LAID if self.laid else TradeStatus.DECLARED

    @property
    def wanted(self) -> int:
        """How many cards the target chooses itself."""
        return len(self.laid) - len(self.drawn)

    def involves(self, seat: Seat) -> bool:
        """Whether the seat is one of the two."""
        return seat in (self.declarer, self.target)


# What a seat may part with.


def leaves_some(received: Sequence[Card], leaving: Sequence[Card]) -> bool:
    """Whether something stays of what the seat received in its last trade, when all of these leave."""
    return not received or len(received) > len(leaving) or any(card not in leaving for card in received)


def free_cards(state: State, seat: Seat) -> list[Card]:
    """The cards of its hand that it has not set aside, ascending."""
    for declaration in state.queue:
        if declaration.declarer == seat and declaration.laid:
            return [card for card in state.hands[seat] if card not in declaration.laid]
    return state.hands[seat]


def offers(state: State, declaration: Declaration) -> Sets:
    """What the declarer may lay: fewer cards first."""
    hand, received = tuple(state.hands[declaration.declarer]), state.received[declaration.declarer]
    return Sets(offer, hand, picks(len(hand), FEWEST, declaration.most, _places(hand, received)))


def target_cards(state: State, declaration: Declaration) -> tuple[Card, ...]:
    """What the target can give, besides what was drawn, in a trade that has begun. Ascending."""
    out = declaration.aside + declaration.drawn
    return tuple([card for card in state.hands[declaration.target] if card not in out])


def _target_hand(state: State, declaration: Declaration) -> tuple[tuple[Card, ...], int]:
    """What the target can still give, and the places in it of cards of which not all may leave."""
    hand, received = target_cards(state, declaration), state.received[declaration.target]
    if any(card in declaration.aside for card in received):
        return hand, 0  # one of them stays in any case
    return hand, _places(hand, received)


@cache
def picks(cards: int, fewest: int, most: int, barred: int) -> tuple[Pick, ...]:
    """All ways to pick from so many cards, fewer first, but for those with all of the barred ones in them.

    ``barred`` has a bit for the place of each of them; 0: none are.
    """
    ways = [way for size in range(fewest, most + 1) for way in combinations(range(cards), size)]
    lawful = [way for way in ways if not barred or sum(1 << place for place in way) & barred != barred]
    return tuple(map(_pick, lawful))


def _pick(way: tuple[int, ...]) -> Pick:
    first, *rest = way
    return itemgetter(first, *rest) if rest else itemgetter(slice(first, first + 1))


def _places(hand: Sequence[Card], received: Sequence[Card]) -> int:
    """A bit for the place of each card received."""
    return sum(1 << place for place, card in enumerate(hand) if card in received)


def draw(state: State, declaration: Declaration, dice: Dice) -> tuple[Card, ...]:
    """Draw blindly, all that leaves the target something lawful to choose being equally likely.

    That is all but those with everything in them that it received in its last trade: a target has at least one card
    more than it gives, so of any other draw it can keep one of the cards received.
    """
    hand, barred = _target_hand(state, declaration)
    size = len(declaration.laid) // 2
    return dice.choice(picks(len(hand), size, size, barred))(hand)


def completions(state: State, declaration: Declaration) -> Sets:
    """What the target may choose to give with the cards drawn."""
    hand, barred = _target_hand(state, declaration)
    return Sets(give, hand, picks(len(hand), declaration.wanted, declaration.wanted, barred))


def have_just_traded(state: State, one: Seat, other: Seat) -> bool:
    """Whether each is the other's latest partner."""
    return state.partners[one] == other and state.partners[other] == one


# The stages of a declared trade.


def declare(state: State, declarer: Seat, target: Seat) -> None:
    """Queue a trade.

    A declarer for which an earlier trade is waiting lays two cards: five are left, so that it can give up to four of
    them and keep one of those it has received.
    """
    state.declared += 1
    awaited = any(declaration.target == declarer for declaration in state.queue)
    state.queue.append(Declaration(state.declared, declarer, target, FEWEST if awaited else MOST))


def lay(state: State, declaration: Declaration, cards: tuple[Card, ...]) -> None:
    """Set the declarer's cards aside, and let begin what can."""
    number, declarer = declaration.number, declaration.declarer
    _replace(state, declaration, Declaration(number, declarer, declaration.target, declaration.most, cards))
    state.history = (state.history, Laid(declarer, number, cards))
    advance(state)


def advance(state: State) -> None:
    """Let every trade begin whose turn has come, in the order of their numbers.

    Besides both seats being free of earlier trades, the target must not be choosing cards to lay: what can be drawn
    from its hand is not settled then. It chooses under its clock, so that this never lasts.
    """
    choosing = {declaration.declarer for declaration in state.queue if not declaration.laid}
    involved: set[Seat] = set()
    for declaration in list(state.queue):
        pair = {declaration.declarer, declaration.target}
        if declaration.laid and not declaration.drawn and not pair & involved and declaration.target not in choosing:
            if have_just_traded(state, declaration.declarer, declaration.target):
                void(state, declaration, SAME_PARTNER)
                continue
            begin(state, declaration)
        involved |= pair


def begin(state: State, declaration: Declaration) -> None:
    """Draw blindly, by dice of this trade's own."""
    number, declarer, target = declaration.number, declaration.declarer, declaration.target
    aside = next((other.laid for other in state.queue if other.declarer == target), ())
    begun = Declaration(number, declarer, target, declaration.most, declaration.laid, (), aside)
    drawn = draw(state, begun, state.seed.dice(f"draw/{number}"))
    begun = Declaration(number, declarer, target, declaration.most, declaration.laid, drawn, aside)
    _replace(state, declaration, begun)


def finish(state: State, declaration: Declaration, chosen: tuple[Card, ...]) -> None:
    """The target has chosen: the cards change hands."""
    state.queue.remove(declaration)
    given = tuple(sorted(declaration.drawn + chosen))
    event = Traded(declaration.declarer, declaration.target, declaration.number, declaration.laid, given)
    state.history = (state.history, event)
    exchange(state, event)
    state.partners[declaration.declarer] = declaration.target
    state.partners[declaration.target] = declaration.declarer


def void(state: State, declaration: Declaration, reason: VoidReason) -> None:
    """A declared trade comes to nothing, and its declarer is told why."""
    state.queue.remove(declaration)
    state.void_trades[declaration.declarer] = declaration.number
    state.void_reasons[declaration.declarer] = reason
    state.history = (state.history, Voided(declaration.declarer, declaration.number))


def _replace(state: State, old: Declaration, new: Declaration) -> None:
    state.queue[state.queue.index(old)] = new


# How cards change hands.


def exchange(state: State, trade: Traded) -> None:
    """Cards go from hand to hand."""
    one, other, by_one, by_other = trade.declarer, trade.target, trade.offered, trade.given
    state.hands[one] = _swapped(state.hands[one], by_one, by_other)
    state.hands[other] = _swapped(state.hands[other], by_other, by_one)
    state.received[one] = by_other
    state.received[other] = by_one
    state.memory.trade(one, other, by_one, by_other)


def trade_with_deck(state: State, seat: Seat, put: Card) -> None:
    """One card goes under the deck, and the top one into the hand. Uses up one of the seat's deck trades."""
    state.deck_trades[seat] -= 1
    drawn = state.deck[-1]
    event = DeckTraded(seat, put, drawn)
    state.history = (state.history, event)
    go_through_deck(state, event)


def go_through_deck(state: State, trade: DeckTraded) -> None:
    """The same, as it happens to the cards."""
    seat, put, drawn = trade
    state.deck.pop()
    put_by = state.put_by.pop()
    state.deck.insert(0, put)
    state.put_by.insert(0, seat)
    state.hands[seat] = _swapped(state.hands[seat], (put,), (drawn,))
    state.received[seat] = (drawn,)
    state.memory.deck_trade(seat, put, drawn, put_by)


def _swapped(hand: Sequence[Card], leaving: Sequence[Card], coming: Sequence[Card]) -> list[Card]:
    return sorted([*(card for card in hand if card not in leaving), *coming])
