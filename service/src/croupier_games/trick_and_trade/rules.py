"""The rules: who may do what, and what happens then.

Two doors lead in, ``check`` and ``apply``. Behind them a round runs through its stages, in the order they have below:

1. ``play``          From the leader clockwise, each seat plays a card.
2. ``settle_trick``  The cards are ranked and the best one is won: its value counts for everyone.
3. ``receive``       In placing order, each seat takes a trade card of the front row,
   ``take_lead``     or the lead card while it is there.
4. ``end_round``     The trade card left over and the lead card find their owners.
5. ``next_round``    The back row moves to the front and a new one is revealed.

What leaves no choice is not asked: the engine does it at once and notes it among its moves (see ``play_last_cards``
and ``pass_turn``). All of this reads and changes a ``State``, whose parts are explained there.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

from ..kernel import IllegalAction, MalformedAction, Seat
from .actions import PLAYS, TAKE_LEAD, TAKES, Action, Play, TakeLead, TakeTrade
from .cards import CARD_NAMES, NO_TRADE_CARD, RANK, SHOWN, SUIT, SUITS, VALUE, Card

if TYPE_CHECKING:
    from .state import State


class Phase(IntEnum):
    """What is being decided; numbered as in the contract."""

    PLAY = 1
    TAKE = 2
    OVER = 3


PLAY, TAKE, OVER = Phase

LEAD = -1
"""Where the lead card lies among the offers of a round, whose trade cards lie at the places 0, 1, 2, ..."""

OFFERS: dict[int, dict[int, TakeTrade | TakeLead]] = {
    seats: {**dict(enumerate(TAKES[:seats])), LEAD: TAKE_LEAD} for seats in (3, 4, 5)
}
"""What a round offers to take, by number of seats: places ascending, then the lead card."""


# The doors.


def legal_actions(state: State, seat: Seat) -> list[Action]:
    """What the seat may do: cards ascending; or places ascending, then the lead card. Empty unless it is its turn."""
    if seat != state.turn:
        return []
    if state.phase is PLAY:
        return [*state.hands[seat].values()]
    return [*state.offers.values()]


def check(state: State, seat: Seat, action: Action) -> None:
    """Raise IllegalAction, naming the rule, unless the seat may do this now.

    The rules: ``game.over``, ``turn``, ``play.phase``, ``play.in-hand``, ``take.phase``, ``take.no-such-place``,
    ``take.empty-place``, ``take.lead-gone``.
    """
    if isinstance(action, Play):
        check_play(state, seat, action.card)
    elif isinstance(action, TakeTrade):
        check_take_trade(state, seat, action.place)
    elif isinstance(action, TakeLead):
        check_take_lead(state, seat)
    else:
        raise MalformedAction(f"{action!r} is no action of Trick and Trade")


def apply(state: State, seat: Seat, action: Action) -> None:
    """Decide. Raises as ``check`` does, and then nothing has changed.

    What is nearly always the case, that the action is legal, is seen here at once; ``check`` finds out what is wrong.
    """
    mine = seat == state.turn
    if isinstance(action, Play):
        card = action.card
        if not (mine and state.phase is PLAY and card in state.hands[seat]):
            check_play(state, seat, card)
        play(state, card)
    elif isinstance(action, TakeTrade):
        place = action.place
        if not (mine and state.phase is TAKE and place in state.offers):
            check_take_trade(state, seat, place)
        receive(state, seat, place)
        pass_turn(state)
    elif isinstance(action, TakeLead):
        check_take_lead(state, seat)
        take_lead(state)
    else:
        raise MalformedAction(f"{action!r} is no action of Trick and Trade")
    state.public = None


# Stage 1: play.


def check_play(state: State, seat: Seat, card: Card) -> None:
    """Any card of the hand may be played."""
    if seat != state.turn or state.phase is not PLAY:
        raise _not_now(state, seat, "play.phase")
    if card not in state.hands[seat]:
        hand = " ".join(CARD_NAMES[held] for held in state.hands[seat])
        raise IllegalAction("play.in-hand", f"{CARD_NAMES[card]} is not in your hand, which is {hand}")


def play(state: State, card: Card) -> None:
    """The seat whose turn it is plays a card; when the turn comes back to the leader the trick is complete."""
    seat = state.turn
    del state.hands[seat][card]
    state.played.append(card)
    state.turn = seat = (seat + 1) % state.seats
    if seat == state.leader:
        settle_trick(state)


def play_last_cards(state: State) -> None:
    """The last round's trick: everyone has one card, so nobody is asked."""
    for _ in range(state.seats):
        (card,) = state.hands[state.turn]
        state.engine_moves.append((state.turn, PLAYS[card]))
        play(state, card)


# Stage 2: settle the trick.


def settle_trick(state: State) -> None:
    """Rank the cards. The first-placed one is won; all others are out of the game."""
    trick, leader = state.played[-state.seats :], state.leader
    state.placing = placing = placing_order(trick, leader)
    best = trick[placing[0] - leader]
    state.won.append(best)
    state.values[SUIT[best]] += VALUE[best]
    state.phase = TAKE
    state.turn = placing[0]
    state.lying = None


def placing_order(trick: Sequence[Card], leader: Seat = 0) -> list[Seat]:
    """The seats in placing order, best first; the trick's cards are given as played, the leader's first.

    The suit led beats all others. Within it, and among all others whatever their suits, the higher rank is stronger; of
    equal ranks, the later card.

        >>> from .cards import cards
        >>> placing_order(cards("RATCOIN-1 OCTO-3 OCTO-8 RATCOIN-2"))
        [3, 0, 2, 1]
    """
    seats = len(trick)
    by_seat = [*trick[seats - leader :], *trick[: seats - leader]]
    strengths = list(map(_STRENGTH[SUIT[trick[0]]].__getitem__, by_seat))
    latest_first = _LATEST_FIRST[seats][leader]
    return sorted(latest_first, key=strengths.__getitem__, reverse=True)  # stable: of equals the later one stays ahead


_STRENGTH = [[rank + 10 * (suit == led) for suit, rank in zip(SUIT, RANK, strict=True)] for led in range(len(SUITS))]
"""How strong a card is: ``_STRENGTH[suit led][card]``."""

_LATEST_FIRST = {n: [[(leader + k) % n for k in reversed(range(n))] for leader in range(n)] for n in range(1, 6)}
"""The seats in the reverse order of play: ``_LATEST_FIRST[seats][leader]``."""


# Stage 3: take.


def check_take_trade(state: State, seat: Seat, place: int) -> None:
    """A trade card may be taken from any place of the front row that still has one."""
    if seat != state.turn or state.phase is not TAKE:
        raise _not_now(state, seat, "take.phase")
    if place not in state.offers:
        if place >= state.seats:
            raise IllegalAction("take.no-such-place", f"the front row has places 0 to {state.seats - 1}, not {place}")
        left = ", ".join(str(place) for place in state.offers if place != LEAD)
        raise IllegalAction("take.empty-place", f"place {place} is empty; there are trade cards at {left}")


def check_take_lead(state: State, seat: Seat) -> None:
    """The lead card may be taken while it is there, by the leader of the trick just played too."""
    if seat != state.turn or state.phase is not TAKE:
        raise _not_now(state, seat, "take.phase")
    if state.lead_taken_by is not None:
        raise IllegalAction("take.lead-gone", f"seat {state.lead_taken_by} has taken the lead card; take a trade card")


def take_lead(state: State) -> None:
    """The seat whose turn it is takes the lead card."""
    state.lead_taken_by = state.turn
    del state.offers[LEAD]
    pass_turn(state)


def receive(state: State, seat: Seat, place: int) -> None:
    """The trade card at this place becomes the seat's own: its one trade card of the round."""
    trade_card = state.front_row[place]
    state.front_row[place] = NO_TRADE_CARD
    del state.offers[place]
    state.taken[seat - state.seats] = trade_card
    state.lying = None
    icons, first = state.icons, 4 * seat
    for suit in SHOWN[trade_card]:
        icons[first + suit] += 1


def pass_turn(state: State) -> None:
    """On to the next seat in placing order. There is one more offer than there are seats still to take.

    The last-placed seat is not asked while the lead card is there: that and the trade card left are both its own.
    """
    left = len(state.offers)
    if left == 1:
        end_round(state)
        return
    state.turn = state.placing[1 - left]
    if left == 2 and state.lead_taken_by is None:
        place = next(iter(state.offers))
        state.engine_moves.append((state.turn, TAKES[place]))
        receive(state, state.turn, place)
        end_round(state)


# Stages 4 and 5: end the round, begin the next.


def end_round(state: State) -> None:
    """Who took the lead card gets the trade card left over; if nobody did, the last-placed seat gets the lead card."""
    leader = state.lead_taken_by
    if leader is None:
        leader = state.lead_taken_by = state.turn
        del state.offers[LEAD]
    else:
        (left_over,) = state.offers
        receive(state, leader, left_over)
    if state.round < state.rounds:
        next_round(state, leader)
    else:
        state.phase = OVER


def next_round(state: State, leader: Seat) -> None:
    """The back row moves to the front, a new one is revealed behind it, and the holder of the lead card leads."""
    state.leaders.append(state.leader)
    state.lying = None
    state.leader = state.turn = leader
    state.lead_taken_by = None
    state.front_row = state.row(state.round)
    state.round += 1
    state.offers = OFFERS[state.seats].copy()
    state.taken += [NO_TRADE_CARD] * state.seats
    state.placing = []
    state.phase = PLAY
    if state.round == state.rounds:
        play_last_cards(state)


def _not_now(state: State, seat: Seat, rule: str) -> IllegalAction:
    """Why a seat may not do something in this phase of the game."""
    if state.phase is OVER:
        return IllegalAction("game.over", "the game is over")
    if seat != state.turn:
        return IllegalAction("turn", f"it is the turn of seat {state.turn}, not of seat {seat}")
    if state.phase is PLAY:
        return IllegalAction(rule, "the trick is being played: play a card of your hand")
    return IllegalAction(rule, "the trick is over: take a trade card of the front row, or the lead card if it is there")
