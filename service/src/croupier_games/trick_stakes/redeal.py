"""Re-deals: another game that a seat cannot tell from this one, every such game being equally likely.

What is hidden from a seat, and how it is drawn anew:

* **The numbers of cards.** Backs show colours, so it is known how many cards of each colour a horse has. What a seat
  has not seen (``State.known``) is which of the remaining cards of a colour those are. The deal was even, so every way
  to share them out among the horses that lack them is as likely as any other. Nothing that was seen makes one of them
  likelier: piles are shuffled evenly whatever is in them, and who must follow, and how far a horse moves, depends on
  colours and on cards that have been seen. So the unknown cards of each colour are shuffled among themselves.
* **The second discards of others**, in all races. Each is one of the cards that its seat had in hand and did not play
  in that race, of the colour that was seen; while the choice is pending, any of the eleven. How many those are does
  not depend on the numbers, so drawing the numbers first and then each discard evenly is even over all games.
* **The face-down tickets of others** in a race that is not paid yet: any but the one that lies face up.
* **Chance to come** follows from a fresh seed. The order of the piles of earlier shuffles has no bearing on anything
  any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..kernel import Dice, Seat
from .cards import CARDS, COLOR, COLORS, NO_CARD, NO_COLOR, TICKETS, Card, Color
from .seating import PLACES

if TYPE_CHECKING:
    from .state import State


def redeal(state: State, seat: Seat, dice: Dice) -> State:
    """See the module; ``state`` is left as it is."""
    copy = state.clone()
    copy.seed = dice.seed()
    becomes = renumber(state, seat, dice)
    copy.cards = tuple(tuple([becomes[card] for card in own]) for own in state.cards)
    moved = [(card - 1, other - 1) for card, other in enumerate(becomes) if card != other]
    for other in range(state.seats):
        if other != seat:
            draw_discards(state, copy, other, becomes, dice)
            draw_ticket(state, copy, other, dice)
            known, then = state.known[other], copy.known[other]
            for card, instead in moved:
                then[instead] = known[card]
    return copy


def renumber(state: State, seat: Seat, dice: Dice) -> list[Card]:
    """What each card becomes, by its number: those that the seat does not know are shuffled within their colours."""
    known = state.known[seat]
    unknown: dict[Color, list[Card]] = {color: [] for color in COLORS}
    for own in state.cards:
        for card in own:
            if not known[card - 1]:
                unknown[COLOR[card]].append(card)
    becomes = [NO_CARD, *CARDS]
    for group in unknown.values():
        for card, other in zip(group, dice.shuffled(group), strict=True):
            becomes[card] = other
    return becomes


def draw_discards(state: State, copy: State, other: Seat, becomes: Sequence[Card], dice: Dice) -> None:
    """Another seat's second discards, and so what it has in hand; all with their new numbers."""
    unplayed = list(copy.unplayed)
    for at in range(other, len(state.discards), PLACES):
        finished = at < len(unplayed)
        cards = [becomes[card] for card in (unplayed[at] if finished else (state.discards[at], *state.hands[other]))]
        discard = cards.pop(0)
        if discard != NO_CARD:
            color = state.discard_colors[at]  # none: the choice is pending
            cards.append(discard)
            discard = dice.choice([card for card in cards if color in (NO_COLOR, COLOR[card])])
            cards.remove(discard)
            copy.discards[at] = discard
        if finished:
            unplayed[at] = (discard, *cards)
        if at >= len(state.discards) - PLACES:
            copy.hands[other] = sorted(cards)
    copy.unplayed = tuple(unplayed)


def draw_ticket(state: State, copy: State, other: Seat, dice: Dice) -> None:
    """Another seat's face-down ticket, if there is one that has not been shown."""
    at = other - state.seats
    if state.tickets_down[at] != state.tickets_shown[at]:
        copy.tickets_down[at] = dice.choice([ticket for ticket in TICKETS if ticket != state.tickets_up[at]])
