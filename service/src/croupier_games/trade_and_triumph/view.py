"""What each viewer may know. The fields carry the names and meanings of the contract (``trade_and_triumph.proto``).

Built by allow-list: what is not written down here reaches nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from ..kernel import Seat, quick
from .cards import Card
from .choices import Phase

if TYPE_CHECKING:
    from .state import State


@quick
@dataclass(frozen=True, slots=True)
class View:
    """What one viewer may know. Viewers of the same position share the very same ``table``."""

    table: Table
    """What everyone may know."""
    seat: Seat | None
    """The viewer's seat; None for a spectator, whose other lists are all empty."""
    hand: tuple[Card, ...]
    """The viewer's hand, ascending."""
    face_down: tuple[Card, ...]
    """The viewer's own trade cards that lie face down, ascending."""
    top_sizes: tuple[int, ...]
    """How many cards the viewer knows of the top of each deck: trade, influence, specialty; empty when none."""
    tops: tuple[Card, ...]
    """Those cards deck by deck, of each the one that will be drawn first first."""
    known_sizes: tuple[int, ...]
    """How many cards the viewer knows each seat to hold, in hand or face down; empty when none. For itself 0."""
    known: tuple[Card, ...]
    """Those cards seat by seat, ascending."""


@quick
@dataclass(frozen=True, slots=True)
class Table:
    """What everyone may know. Lists by seat and something else are flat, seat by seat."""

    seats: int
    """Number of seats, 2 to 4."""
    round: int
    """The current round, 1-based."""
    round_cap: int
    """The round with which the game ends at the latest."""
    first_seat: Seat
    """Who has the first turn of every round."""
    phase: Phase
    """What is being decided."""
    turn: Seat
    """Whose turn it is; when the game is over, whose the last one was."""
    actor: Seat
    """Who is asked: the turn's seat, or one that has to discard because of it."""
    card: int
    """The card whose effects were last under way in this turn; 0: none."""
    deck: int
    """The deck that the open choice is about, 0: none."""
    wanted: int
    """How many answers of this kind are still wanted, this one included; 0 in other phases than choices."""
    moves: int
    """Moves that the turn has left."""
    draws: int
    """Draws that the turn has left."""
    plays: int
    """Plays that the turn has left."""
    spaces_moved: int
    """Spaces moved in this turn; before the first one it cannot be ended."""
    travelled: int
    """The region travelled while what the arrival opened is open, else 0."""
    decks_drawn: tuple[int, ...]
    """Decks that cannot be drawn from again in this turn."""
    used: tuple[Card, ...]
    """Eternal cards used in this turn."""
    price_changes: tuple[int, ...]
    """Changes to the favour of the turn's seat: costs of trade cards, influence cards, specialty draws, upgrades less;
    gold for cards sold, VP for single resources and for sets of the four more."""
    turn_actions: int
    """Steps of this turn, choices within effects left out; after 200 there is only a first move left, and its end."""
    gold: tuple[int, ...]
    """Gold by seat."""
    points: tuple[int, ...]
    """Victory points by seat."""
    resources: tuple[int, ...]
    """``resources[4 * seat + region - 1]``."""
    upgrades: tuple[int, ...]
    """Upgrades bought: ``upgrades[3 * seat + track - 1]``, tracks being move, draw, play."""
    stations: tuple[int, ...]
    """The station that each trader is at: 1 the city, 2 and 3 the posts; 0: on a route."""
    routes: tuple[int, ...]
    """The route that each trader is on, 1 to 8; 0: at a station."""
    spaces: tuple[int, ...]
    """Which space of the route, 1-based; 0: at a station."""
    hand_sizes: tuple[int, ...]
    """Cards in hand by their backs: ``hand_sizes[3 * seat + deck - 1]``."""
    face_down_sizes: tuple[int, ...]
    """Trade cards face down, by seat."""
    face_down_costs: tuple[int, ...]
    """The printed costs of those, seat by seat, ascending."""
    eternal_sizes: tuple[int, ...]
    """Eternal cards in play, by seat."""
    eternals: tuple[Card, ...]
    """Those cards seat by seat, in the order in which they were played."""
    deck_sizes: tuple[int, ...]
    """Cards in the trade, influence and specialty deck."""
    trade_discards: tuple[Card, ...]
    """In the order in which they were discarded, like the next two."""
    influence_discards: tuple[Card, ...]
    specialty_discards: tuple[Card, ...]
    shown_card: int
    """The card that was last laid open: played face up, revealed, sold or discarded; 0: none yet."""
    edition: str
    """The name of the edition that the cards' numbers are of."""


def view_of(state: State, seat: Seat | None) -> View:
    """What a seat, or a spectator, may know of a state."""
    if seat is None:
        return View(state.table(), None, (), (), (), (), (), ())
    tops: Sequence[tuple[Card, ...]] = ()
    known: Sequence[Sequence[Card]] = ()
    if state.insight:
        tops = [_top(state.decks[deck], state.tops[4 * seat + deck]) for deck in (1, 2, 3)]
        known = state.known[seat * state.seats : (seat + 1) * state.seats]
    return View(
        table=state.table(),
        seat=seat,
        hand=tuple(state.hands[seat]),
        face_down=tuple(state.hidden[seat]),
        top_sizes=tuple(map(len, tops)) if any(tops) else (),
        tops=tuple(chain(*tops)),
        known_sizes=tuple(map(len, known)) if any(known) else (),
        known=tuple(chain(*known)),
    )


def _top(cards: Sequence[Card], count: int) -> tuple[Card, ...]:
    return tuple(reversed(cards[-count:])) if count else ()


def table_of(state: State) -> Table:
    """The public part of a state."""
    edition, ask, seats = state.edition, state.ask, range(state.seats)
    hand_sizes = [0] * (3 * state.seats)
    for seat in seats:
        for card in state.hands[seat]:
            hand_sizes[3 * seat + edition.deck[card] - 1] += 1
    return Table(
        seats=state.seats,
        round=state.round,
        round_cap=state.round_cap,
        first_seat=state.first,
        phase=state.phase,
        turn=state.turn,
        actor=state.turn if ask is None else ask.seat(state),
        card=state.card,
        deck=0 if ask is None else ask.deck,
        wanted=0 if ask is None else ask.left,
        moves=state.left[1],
        draws=state.left[2],
        plays=state.left[3],
        spaces_moved=state.walked,
        travelled=state.travelled,
        decks_drawn=tuple(deck for deck in (1, 2, 3) if state.drawn >> deck & 1),
        used=tuple(state.used),
        price_changes=tuple(state.now[1:8]),
        turn_actions=state.acted,
        gold=tuple(state.gold),
        points=tuple(state.points),
        resources=tuple(state.resources),
        upgrades=tuple(state.levels),
        stations=tuple(edition.station[spot] for spot in state.spots),
        routes=tuple(edition.route[spot] for spot in state.spots),
        spaces=tuple(edition.space[spot] for spot in state.spots),
        hand_sizes=tuple(hand_sizes),
        face_down_sizes=tuple(map(len, state.hidden)),
        face_down_costs=tuple(cost for cards in state.hidden for cost in sorted(edition.cost[card] for card in cards)),
        eternal_sizes=tuple(map(len, state.eternals)),
        eternals=tuple(chain(*state.eternals)),
        deck_sizes=tuple(map(len, state.decks[1:])),
        trade_discards=tuple(state.discards[1]),
        influence_discards=tuple(state.discards[2]),
        specialty_discards=tuple(state.discards[3]),
        shown_card=state.shown_card,
        edition=state.edition_name,
    )
