"""The rules: who may do what, and what happens then.

Two doors lead in, ``check`` and ``apply``. Behind them a race runs through its stages, in the order they have below:

1. ``begin_race``   Stack and piles are shuffled, the discard number is read (in ``paddock``).
2. ``discard``      Every seat takes a second card out, all at once; ``end_discards`` turns the whips.
3. ``ticket_up``    In turn, every seat lays a ticket face up,
   ``ticket_down``  and then a second one face down, all at once.
4. ``play``         A trick is played, the dummy's cards among it;
   ``end_trick``    its winner's horse moves. And so on until
5. ``end_race``     two horses are at the finish or the hands are empty: it is paid, and the next race begins.

What leaves no choice is not asked: the engine does it at once and notes it among its moves, and the dummy's moves too
(see ``go_on``). All of this reads and changes a ``State``, whose parts are explained there.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

from ..kernel import IllegalAction, MalformedAction, Seat
from . import dummy
from .actions import DISCARDS, PLAYS, TICKETS_DOWN, TICKETS_UP, WHIPPED, Action, Discard, Play, TicketDown, TicketUp
from .cards import CARD_NAMES, COLOR, COLOR_NAMES, MARKS, NO_COLOR, TICKET_NAMES, TICKETS, WHIPS, Card, Color, Ticket
from .course import advance, is_over
from .paddock import pass_horses, prepare_race
from .scoring import next_odds, payout
from .seating import PLACES

if TYPE_CHECKING:
    from .state import State


class Phase(IntEnum):
    """What is being decided; numbered as in the contract."""

    DISCARD = 1
    TICKET_UP = 2
    TICKET_DOWN = 3
    PLAY = 4
    OVER = 5


DISCARD, TICKET_UP, TICKET_DOWN, PLAY, OVER = Phase


# The doors.


def legal_actions(state: State, seat: Seat) -> Sequence[Action]:
    """What the seat may do: cards ascending, each without the whip and then with it; tickets in their order.

    Empty unless the seat is to act.
    """
    if seat not in state.waiting:
        return []
    if state.phase is PLAY:
        cards = playable(state, seat)
        if may_whip(state, seat):
            return [action for card in cards for action in (PLAYS[card], WHIPPED[card])]
        return [PLAYS[card] for card in cards]
    if state.phase is DISCARD:
        return [DISCARDS[card] for card in state.hands[seat]]
    if state.phase is TICKET_UP:
        return [TICKETS_UP[ticket] for ticket in TICKETS if ticket not in face_up(state)]
    return [TICKETS_DOWN[ticket] for ticket in TICKETS if ticket != face_up(state)[seat]]


def check(state: State, seat: Seat, action: Action) -> None:
    """Raise IllegalAction, naming the rule, unless the seat may do this now.

    The rules: ``game.over``, ``turn``, ``discard.phase``, ``discard.out``, ``discard.in-hand``, ``ticket-up.phase``,
    ``ticket-up.taken``, ``ticket-down.phase``, ``ticket-down.used``, ``play.phase``, ``play.in-hand``, ``play.follow``,
    ``whip.none-left``, ``whip.one-a-trick``.
    """
    if isinstance(action, Play):
        check_play(state, seat, action.card, whip=action.whip)
    elif isinstance(action, Discard):
        check_discard(state, seat, action.card)
    elif isinstance(action, TicketUp):
        check_ticket_up(state, seat, action.ticket)
    elif isinstance(action, TicketDown):
        check_ticket_down(state, seat, action.ticket)
    else:
        raise MalformedAction(f"{action!r} is no action of Trick Stakes")


def apply(state: State, seat: Seat, action: Action) -> None:
    """Decide. Raises as ``check`` does, and then nothing has changed."""
    if isinstance(action, Play):
        check_play(state, seat, action.card, whip=action.whip)
        play(state, seat, action.card, whip=action.whip)
        go_on(state)
    elif isinstance(action, Discard):
        check_discard(state, seat, action.card)
        discard(state, seat, action.card)
    elif isinstance(action, TicketUp):
        check_ticket_up(state, seat, action.ticket)
        ticket_up(state, seat, action.ticket)
    elif isinstance(action, TicketDown):
        check_ticket_down(state, seat, action.ticket)
        ticket_down(state, seat, action.ticket)
    else:
        raise MalformedAction(f"{action!r} is no action of Trick Stakes")
    state.public = None


# Stage 1: the paddock.


def begin_race(state: State) -> None:
    """All that chance decides, then every seat has to discard."""
    prepare_race(state)
    state.phase = DISCARD
    state.waiting = tuple(range(state.seats))


# Stage 2: the second discard.


def check_discard(state: State, seat: Seat, card: Card) -> None:
    """Any card of the hand may be discarded; the one that was turned up is out already."""
    _check_turn(state, seat, DISCARD)
    if card not in state.hands[seat]:
        if card == state.turned_up[seat - 4]:
            raise IllegalAction("discard.out", f"{CARD_NAMES[card]} was turned up and is out; discard one of your hand")
        raise _not_in_hand(state, seat, card, "discard.in-hand")


def discard(state: State, seat: Seat, card: Card) -> None:
    """The seat's choice, which is its own until all have chosen."""
    state.hands[seat].remove(card)
    state.discards[seat - 4] = card
    _has_chosen(state, seat)
    if not state.waiting:
        end_discards(state)


def end_discards(state: State) -> None:
    """The colours of the discards are seen. One whip of each seat is turned face up, and all that the dummy has."""
    state.discard_colors = tuple(COLOR[card] for card in state.discards)
    for seat in range(state.seats):
        state.hand_colors[4 * seat + state.discard_colors[seat - 4] - 1] -= 1
    for place, whips in enumerate(state.whips):
        state.whips[place] = min(WHIPS, whips + 1) if place < state.seats else WHIPS
    state.phase = TICKET_UP
    state.waiting = ((state.start + 1) % state.seats,)


# Stage 3: the tickets.


def face_up(state: State) -> tuple[Ticket, ...]:
    """The tickets that lie face up in this race, by seat."""
    return state.tickets_up[-state.seats :]


def check_ticket_up(state: State, seat: Seat, ticket: Ticket) -> None:
    """No ticket may lie face up twice."""
    _check_turn(state, seat, TICKET_UP)
    if ticket in face_up(state):
        other = face_up(state).index(ticket)
        raise IllegalAction("ticket-up.taken", f"{TICKET_NAMES[ticket]} lies face up with seat {other}; show another")


def ticket_up(state: State, seat: Seat, ticket: Ticket) -> None:
    """The seat lays its first ticket. It goes clockwise, and the start player is the last."""
    laid = list(state.tickets_up)
    laid[seat - state.seats] = ticket
    state.tickets_up = tuple(laid)
    if seat == state.start:
        state.phase = TICKET_DOWN
        state.waiting = tuple(range(state.seats))
    else:
        state.waiting = ((seat + 1) % state.seats,)


def check_ticket_down(state: State, seat: Seat, ticket: Ticket) -> None:
    """Any of the seat's other tickets, whatever the others have laid."""
    _check_turn(state, seat, TICKET_DOWN)
    if ticket == face_up(state)[seat]:
        raise IllegalAction("ticket-down.used", f"you have laid {TICKET_NAMES[ticket]} face up; choose another")


def ticket_down(state: State, seat: Seat, ticket: Ticket) -> None:
    """The seat's second ticket, which is its own until the race is paid."""
    state.tickets_down[seat - state.seats] = ticket
    _has_chosen(state, seat)
    if not state.waiting:
        state.phase = PLAY
        go_on(state)


# Stage 4: tricks.


def go_on(state: State) -> None:
    """Up to the next seat with a choice. The engine plays the dummy's cards, and what is the only thing to play."""
    while state.phase is PLAY:
        place = state.order[len(state.trick)]
        if place >= state.seats:  # the dummy's
            action = dummy.choose(state.hands[place], led(state), may_whip=may_whip(state, place))
        elif has_choice(state, place):
            state.waiting = (place,)
            return
        else:
            (card,) = playable(state, place)
            action = PLAYS[card]
        state.engine_moves.append((place, action))
        play(state, place, action.card, whip=action.whip)


def check_play(state: State, seat: Seat, card: Card, *, whip: bool) -> None:
    """A card of the colour led must be played if there is one. The whip: only a face-up one, one in a trick."""
    _check_turn(state, seat, PLAY)
    if card not in state.hands[seat]:
        raise _not_in_hand(state, seat, card, "play.in-hand")
    color = led(state)
    if color not in (NO_COLOR, COLOR[card]) and state.hand_colors[4 * seat + color - 1]:
        following = " ".join(CARD_NAMES[held] for held in playable(state, seat))
        told = f"{COLOR_NAMES[color]} was led and {CARD_NAMES[card]} is not: play {following}"
        raise IllegalAction("play.follow", told)
    if whip and not state.whips[seat]:
        raise IllegalAction("whip.none-left", "you have no whip face up: play the card without it")
    if whip and state.whip_at:
        declarer = state.order[state.whip_at - 1]
        raise IllegalAction("whip.one-a-trick", f"seat {declarer} has declared the whip in this trick: play without it")


def led(state: State) -> Color:
    """The colour led in this trick; ``NO_COLOR`` before its first card."""
    return COLOR[state.trick[0]] if state.trick else NO_COLOR


def playable(state: State, place: int) -> list[Card]:
    """The cards that a place may play now: those of the colour led, or all if it has none of them."""
    hand = state.hands[place]
    if state.trick:
        color = COLOR[state.trick[0]]
        if state.hand_colors[4 * place + color - 1]:
            return [card for card in hand if COLOR[card] == color]
    return hand


def has_choice(state: State, place: int) -> bool:
    """Whether a place can do more than one thing now: play one of several cards, or a card with or without the whip."""
    if may_whip(state, place):
        return True
    if state.trick:
        following = state.hand_colors[4 * place + COLOR[state.trick[0]] - 1]
        if following:
            return following > 1
    return len(state.hands[place]) > 1


def may_whip(state: State, place: int) -> bool:
    """Whether a place may declare the whip with its card."""
    return not state.whip_at and state.whips[place] > 0


def play(state: State, place: int, card: Card, *, whip: bool) -> None:
    """Lay a card. With the fourth one the trick is complete."""
    state.hands[place].remove(card)
    state.hand_colors[4 * place + COLOR[card] - 1] -= 1
    state.trick.append(card)
    horse = state.horses[place]
    for known in state.known:  # everyone sees whose card it is
        known[card - 1] = horse
    if whip:
        state.whips[place] -= 1
        state.whip_at = len(state.trick)
    if len(state.trick) == len(state.order):
        end_trick(state)


def end_trick(state: State) -> None:
    """The winner's horse moves by its card, and the winner leads the next trick, if there is one."""
    trick, winner = state.trick, winning(state.trick, state.whip_at)
    place = state.order[winner]
    state.played += tuple(trick)
    state.leaders += (state.leader,)
    state.whips_at += (state.whip_at,)
    state.tricks = (*state.tricks[:-1], state.tricks[-1] + 1)
    state.trick = []
    state.whip_at = 0
    state.leader = place
    state.order = state.orders[place]
    advance(state.standing, state.spaces, state.horses[place], MARKS[trick[winner]])
    if is_over(state.spaces) or not state.hands[0]:
        end_race(state)


def winning(trick: Sequence[Card], whip_at: int) -> int:
    """Which card of a trick wins: the first one played is 0, and so on.

    It is the highest of the colour led; or, where the whip was declared with the card number ``whip_at`` (1 to 4; 0: it
    was not), of that card's colour.

        >>> from .cards import cards
        >>> winning(cards("YELLOW-11 GREEN-7 YELLOW-4 GREEN-2"), 0)
        0
        >>> winning(cards("YELLOW-11 GREEN-7 YELLOW-4 GREEN-2"), 4)
        1
    """
    color = COLOR[trick[whip_at - 1]] if whip_at else COLOR[trick[0]]
    return trick.index(max(card for card in trick if COLOR[card] == color))


# Stage 5: the end of a race.


def end_race(state: State) -> None:
    """Tickets are turned up and paid; then horses, odds and the start move on, if there is another race."""
    order, seats = state.standing, state.seats
    state.finishes += tuple(order)
    state.tickets_shown = tuple(state.tickets_down)
    state.unplayed += tuple((state.discards[place - 4], *state.hands[place]) for place in range(PLACES))
    tickets = list(zip(face_up(state), state.tickets_down[-seats:], strict=True))
    earned = payout(order, state.odds, state.horses, tickets)
    state.points = [total + points for total, points in zip(state.points, earned, strict=True)]
    if state.race == state.races:
        state.phase = OVER
        state.waiting = ()
        return
    state.odds = next_odds(order, state.odds)
    state.race += 1
    pass_horses(state)
    begin_race(state)


# What they have in common.


def _has_chosen(state: State, seat: Seat) -> None:
    state.waiting = tuple(other for other in state.waiting if other != seat)


_NAMES = {DISCARD: "discard", TICKET_UP: "ticket-up", TICKET_DOWN: "ticket-down", PLAY: "play"}

_WHAT_TO_DO = {
    DISCARD: "discard a card of your hand",
    TICKET_UP: "lay a ticket face up",
    TICKET_DOWN: "lay a ticket face down",
    PLAY: "play a card of your hand",
}


def _check_turn(state: State, seat: Seat, phase: Phase) -> None:
    """Raise unless the seat is to act and this is what is being decided."""
    if state.phase is OVER:
        raise IllegalAction("game.over", "the game is over")
    if seat not in state.waiting:
        if state.phase in (DISCARD, TICKET_DOWN):
            raise IllegalAction("turn", "you have chosen; others have still to choose")
        raise IllegalAction("turn", f"it is the turn of seat {state.waiting[0]}, not of seat {seat}")
    if state.phase is not phase:
        raise IllegalAction(f"{_NAMES[phase]}.phase", f"now is the time to {_WHAT_TO_DO[state.phase]}")


def _not_in_hand(state: State, seat: Seat, card: Card, rule: str) -> IllegalAction:
    hand = " ".join(CARD_NAMES[held] for held in state.hands[seat])
    return IllegalAction(rule, f"{CARD_NAMES[card]} is not in your hand, which is {hand}")
