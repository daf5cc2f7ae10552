"""What each viewer may know. The fields carry the names and meanings of the contract (``trick_stakes.proto``).

Built by allow-list: what is not written down here reaches nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..kernel import Seat, quick
from .cards import Card, Color, Horse, Ticket
from .rules import Phase
from .seating import DUMMY

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
    """The viewer's hand, ascending, without what it has discarded; empty for a spectator."""
    discards: tuple[Card, ...]
    """The viewer's second discards, one for each race; 0 while it has yet to choose. Empty for a spectator."""
    ticket_down: Ticket
    """The viewer's face-down ticket of this race; 0 until it has laid one, and for a spectator."""
    known: tuple[Horse, ...]
    """Which horse's card ``c`` is, at ``c - 1``, as far as the viewer has seen it; 0 where it has not.

    That is all twelve cards of every horse that the viewer holds or has held, or that the dummy holds or has held; of
    the others those that were turned up, shown or played in any race. ``horse_colors`` tells how many are missing.
    """


@quick
@dataclass(frozen=True, slots=True)
class Table:
    """What everyone may know.

    Places are the seats' and, with three seats, number 3 for the dummy. Lists by place have four entries; lists by
    horse have the horse of number ``h`` at ``h - 1``. Lists by race as well are flat, race by race, up to the current
    one.
    """

    seats: int
    """Number of seats, 3 or 4."""
    race: int
    """The current race, 1-based."""
    races: int
    """Number of races, as many as seats."""
    phase: Phase
    """What is being decided."""
    start: Seat
    """The race's start player."""
    leader: int
    """The place that leads the current trick; before the first one, will lead it."""
    whip_at: int
    """The card of the current trick with which the whip was declared, 1 for the leader's, to 4; 0: none so far."""
    to_act: tuple[Seat, ...]
    """The seats that have still to decide: one in turn, or all that have not chosen yet."""
    trick: tuple[Card, ...]
    """The current trick as played so far, the leader's card first."""
    horses: tuple[Horse, ...]
    """The horse held, by place."""
    odds: tuple[int, ...]
    """The odds of this race, by horse."""
    points: tuple[int, ...]
    """Points of all finished races, by seat."""
    whips: tuple[int, ...]
    """Whips face up, by place."""
    spaces: tuple[int, ...]
    """The space of each horse, by horse: 0 is the gate, 7 the finish."""
    standing: tuple[Horse, ...]
    """The horses best first, as if the race ended now; on one space from the top of the pile down."""
    circle: tuple[int, ...]
    """The places clockwise, from the start player of the first race; horses are passed on along it."""
    hand_colors: tuple[int, ...]
    """Backs in hand: ``hand_colors[4 * place + color - 1]``. A second discard counts in until all have chosen."""
    dummy: tuple[Card, ...]
    """The dummy's cards from the top of its pile down; empty with four seats, and once it has played them all."""
    horse_colors: tuple[int, ...]
    """Backs of a horse's twelve cards: ``horse_colors[4 * (horse - 1) + color - 1]``."""
    stacks: tuple[Horse, ...]
    """The piles on the gate before the first trick, the top first: four for each race."""
    top_cards: tuple[Card, ...]
    """The start player's top card of each race. Its number was the discard number; it is out only if that was 1."""
    turned_up: tuple[Card, ...]
    """The cards turned up and out: ``turned_up[4 * (race - 1) + place]``."""
    discard_colors: tuple[Color, ...]
    """The second discards: ``discard_colors[4 * (race - 1) + place]``; a seat's are 0 until all have chosen."""
    dummy_discards: tuple[Card, ...]
    """The dummy's second discard of each race; empty with four seats."""
    tickets_up: tuple[Ticket, ...]
    """The face-up tickets: ``tickets_up[seats * (race - 1) + seat]``; 0 until laid."""
    tickets_down: tuple[Ticket, ...]
    """The face-down tickets, likewise; 0 until the race is paid."""
    finishes: tuple[Horse, ...]
    """The finishing orders, best first: four horses for each finished race."""
    tricks: tuple[int, ...]
    """Number of finished tricks in each race."""
    played: tuple[Card, ...]
    """The cards of all finished tricks of all races, four for each trick in the order played."""
    leaders: tuple[int, ...]
    """The places that led these tricks. Order is clockwise from there, but the dummy is last unless it leads."""
    whips_at: tuple[int, ...]
    """The cards of these tricks with which the whip was declared, as ``whip_at``."""


def table_of(state: State) -> Table:
    """The public part of a state. Tables share what has not changed: the wire knows it again."""
    return Table(
        seats=state.seats,
        race=state.race,
        races=state.races,
        phase=state.phase,
        start=state.start,
        leader=state.leader,
        whip_at=state.whip_at,
        to_act=state.waiting,
        trick=tuple(state.trick),
        horses=tuple(state.horses),
        odds=tuple(state.odds),
        points=tuple(state.points),
        whips=tuple(state.whips),
        spaces=tuple(state.spaces),
        standing=tuple(state.standing),
        circle=state.circle,
        hand_colors=tuple(state.hand_colors),
        dummy=tuple(state.hands[DUMMY]) if state.seats == DUMMY else (),
        horse_colors=state.horse_colors,
        stacks=state.stacks,
        top_cards=state.top_cards,
        turned_up=state.turned_up,
        discard_colors=state.discard_colors,
        dummy_discards=state.dummy_discards,
        tickets_up=state.tickets_up,
        tickets_down=state.tickets_shown,
        finishes=state.finishes,
        tricks=state.tricks,
        played=state.played,
        leaders=state.leaders,
        whips_at=state.whips_at,
    )
