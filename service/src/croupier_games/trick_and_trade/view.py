"""What each viewer may know. The fields carry the names and meanings of the contract (``trick_and_trade.proto``).

Built by allow-list: what is not written down here reaches nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..kernel import Seat, quick
from .cards import Card, TradeCard
from .rules import Phase

if TYPE_CHECKING:
    from .state import State


@quick
@dataclass(frozen=True, slots=True)
class View:
    """What one viewer may know. Viewers of the same position share the very same ``table``."""

    table: Table
    """What everyone may know."""
    seat: Seat | None
    """The viewer's seat; None for a spectator."""
    hand: tuple[Card, ...]
    """The viewer's hand, ascending; empty for a spectator."""


@quick
@dataclass(frozen=True, slots=True)
class Table:
    """What everyone may know. Lists by seat and suit are flat, seat by seat."""

    seats: int
    """Number of seats, 3 to 5."""
    round: int
    """The current round, 1-based."""
    rounds: int
    """Number of rounds: 13, 10, 8 with 3, 4, 5 seats."""
    phase: Phase
    """What is being decided."""
    turn: Seat
    """Whose decision it is; when the game is over, who took the last card."""
    leader: Seat
    """Who leads this round's trick."""
    lead_taken_by: Seat | None
    """Who has taken the lead card in this round; None until then."""
    trick: tuple[Card, ...]
    """This round's trick as played, the leader's card first, clockwise. It stays until the next
    round begins; the last one stays for good."""
    placing: tuple[Seat, ...]
    """The seats in the trick's placing order, best first; empty while cards are being played."""
    front_row: tuple[TradeCard, ...]
    """The front row by place; 0 where a card has been taken."""
    back_row: tuple[TradeCard, ...]
    """The back row by place; empty in the last round."""
    pile: int
    """Trade cards still face down in the pile."""
    won: tuple[Card, ...]
    """The cards won so far, one for each finished trick, in order."""
    values: tuple[int, ...]
    """The value totals of the four suits."""
    icons: tuple[int, ...]
    """Icons held: ``icons[4 * seat + suit]``."""
    taken: tuple[TradeCard, ...]
    """Every trade card received: ``taken[seats * (round - 1) + seat]``; 0 where a seat waits for this round's card."""
    played: tuple[Card, ...]
    """The cards of all earlier tricks, trick by trick, each as played; those in ``trick`` are not among them."""
    leaders: tuple[Seat, ...]
    """Of all earlier tricks: ``played[seats * (trick - 1) + k]`` is by seat ``(leaders[trick - 1] + k) % seats``."""


Lying = tuple[
    tuple[TradeCard, ...],
    tuple[TradeCard, ...],
    int,
    tuple[Card, ...],
    tuple[int, ...],
    tuple[int, ...],
    tuple[TradeCard, ...],
    tuple[Card, ...],
    tuple[Seat, ...],
]
"""The part of a table that stays while a trick is being played: from ``front_row`` on."""


def table_of(state: State) -> Table:
    """The public part of a state.

    Tables with the same ``taken`` object share all from ``front_row`` on: it is made, and may be encoded, only once.
    """
    before = state.seats * (state.round - 1)
    if state.lying is None:
        state.lying = _lying(state, before)
    return Table(
        state.seats,
        state.round,
        state.rounds,
        state.phase,
        state.turn,
        state.leader,
        state.lead_taken_by,
        tuple(state.played[before:]),
        tuple(state.placing),
        *state.lying,
    )


def _lying(state: State, before: int) -> Lying:
    return (
        tuple(state.front_row),
        tuple(state.row(state.round)),
        max(0, state.rounds - state.round - 1) * state.seats,
        tuple(state.won),
        tuple(state.values),
        tuple(state.icons),
        tuple(state.taken),
        tuple(state.played[:before]),
        tuple(state.leaders),
    )
