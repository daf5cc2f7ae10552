"""What each viewer may know. The fields carry the names and meanings of the contract (``trades.proto``).

Built by allow-list: what is not written down here reaches nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..kernel import Seat, quick
from .cards import Card
from .rules import TRADING, Phase, Style
from .trading import Declaration, TradeStatus, free_cards

if TYPE_CHECKING:
    from .state import State


@quick
@dataclass(frozen=True, slots=True)
class View:
    """What one viewer may know. Viewers of the same position share the very same ``table``."""

    table: Table
    """What everyone may know."""
    seat: Seat | None
    """The viewer's seat; None for a spectator, who knows nothing but the table."""
    hand: tuple[Card, ...]
    """The viewer's seven cards, ascending, whatever lies of them for a trade."""
    laid: tuple[Card, ...]
    """Those of them that it has set aside for a trade which is not finished, ascending."""
    drawn: tuple[Card, ...]
    """Those of them that have been drawn blindly for a trade to which it has still to give cards, ascending."""
    received: tuple[Card, ...]
    """Those of them that it received in its last trade: not all of them may leave in its next one. Ascending."""
    last_seen: tuple[int, ...]
    """Where the viewer last saw each card: ``last_seen[card - 1]`` is 0: nowhere, 1 + seat, or 1 + seats: the deck."""
    left_since: tuple[int, ...]
    """``left_since[card - 1]`` cards has that seat since given away to others than the viewer; 0: the card is there."""


@quick
@dataclass(frozen=True, slots=True)
class Table:
    """What everyone may know. Lists by seat begin with seat 0."""

    seats: int
    """Number of seats, 3 to 14."""
    packs: int
    """Number of packs, 1 or 2."""
    style: Style
    """How trades are declared."""
    phase: Phase
    """What is going on."""
    first: Seat
    """The seat with the first turn, from which the last deck trades are resolved; 0 in a free-for-all."""
    turn: Seat | None
    """Whose turn it is; None in a free-for-all, and when trading is over."""
    turns_left: int | None
    """Turns to come, with this one; None in a free-for-all."""
    time_limit_ms: int | None
    """How long trading lasts, in milliseconds since the deal; None: as long as there are turns."""
    now_ms: int
    """The latest time that the game was told, in milliseconds since the deal: each tenth of the limit."""
    deck: int
    """Cards in the deck, at least one."""
    deck_trades_left: tuple[int, ...]
    """By seat, 3 at the start."""
    partners: tuple[int, ...]
    """By seat, 1 + its latest partner, 0 before its first trade. Two who name each other may not trade now."""
    trades: tuple[Trade, ...]
    """The declared trades that are not finished, by number."""
    declared: int
    """How many trades have been declared so far; the latest one has this number."""
    void_trades: tuple[int, ...]
    """By seat, the number of its latest declaration that came to nothing; 0: none."""
    void_reasons: tuple[int, ...]
    """By seat, why that was: a ``VoidReason``; 0: there was none."""


@dataclass(frozen=True, slots=True)
class Trade:
    """A declared trade that is not finished."""

    number: int
    """Declarations count from 1."""
    declarer: Seat
    """Who declared it."""
    target: Seat
    """Who was named."""
    cards: int
    """How many cards were laid for it, 2 to 4; 0 while the declarer is choosing them."""
    status: TradeStatus
    """How far it has come."""


def view_of(state: State, seat: Seat) -> View:
    """What a seat may know."""
    hand = state.hands[seat]
    free = free_cards(state, seat)
    drawn = next((trade.drawn for trade in state.queue if trade.drawn and trade.target == seat), ())
    return View(
        table=state.table(),
        seat=seat,
        hand=tuple(hand),
        laid=() if free is hand else tuple([card for card in hand if card not in free]),
        drawn=drawn,
        received=state.received[seat],
        last_seen=state.memory.last_seen(seat),
        left_since=state.memory.left_since(seat),
    )


def table_of(state: State) -> Table:
    """The public part of a state."""
    trading = state.phase is TRADING
    return Table(
        seats=state.seats,
        packs=state.packs,
        style=state.style,
        phase=state.phase,
        first=state.first,
        turn=state.whose_turn() if trading and state.by_turns else None,
        turns_left=None if state.turns is None else state.turns - state.turn if trading else 0,
        time_limit_ms=state.time_limit_ms,
        now_ms=state.now_ms,
        deck=len(state.deck),
        deck_trades_left=tuple(state.deck_trades),
        partners=tuple([partner + 1 for partner in state.partners]),
        trades=tuple(map(_trade, state.queue)),
        declared=state.declared,
        void_trades=tuple(state.void_trades),
        void_reasons=tuple(state.void_reasons),
    )


def _trade(declaration: Declaration) -> Trade:
    number, declarer, target = declaration.number, declaration.declarer, declaration.target
    return Trade(number, declarer, target, len(declaration.laid), declaration.status)
