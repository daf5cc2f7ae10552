"""The game as the rest of the house knows it: its name, its options, how it is dealt, how it is told."""

from __future__ import annotations

from dataclasses import dataclass

from .. import kernel
from ..kernel import Game, OptionError, Seed
from . import actions
from .actions import Action
from .cards import CARD_NAMES, CARDS, HAND, PACKS, pack
from .history import Dealt
from .rules import FINISHING, LAST, OVER, Style
from .state import State, hands_of
from .trading import VoidReason
from .view import Table, View

STYLES = {"turns": Style.TURNS, "free-for-all": Style.FREE_FOR_ALL}
TURNS_PER_SEAT, MOST_TURNS = 10, 1_000
TIME_LIMIT_MS = 300_000
MOST_SEATS = (0, 7, 14)
"""By number of packs."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a session is set up. Raises OptionError where a value is out of range, or does not go with the style."""

    style: str = "turns"
    """``turns`` or ``free-for-all``."""
    turns_per_seat: int | None = None
    """By turns: how many each seat has, 1 to 1,000; None: 10, or the most there can be where there is a time limit."""
    time_limit_ms: int | None = None
    """How long trading lasts, in milliseconds, 100 to 86,400,000; None: 300,000 in a free-for-all, none by turns."""
    packs: int | None = None
    """1 for up to 7 seats, or 2 for up to 14; None: as few as the seats need."""

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise OptionError("style", f"is {' or '.join(STYLES)}, not {self.style!r}")
        _within("turns_per_seat", self.turns_per_seat, 1, MOST_TURNS)
        _within("time_limit_ms", self.time_limit_ms, 100, 86_400_000)
        _within("packs", self.packs, 1, PACKS)
        if self.turns_per_seat is not None and STYLES[self.style] is Style.FREE_FOR_ALL:
            raise OptionError("turns_per_seat", "there are no turns in a free-for-all; its end is set by time_limit_ms")


def _within(field: str, value: int | None, low: int, high: int) -> None:
    if value is not None and not low <= value <= high:
        raise OptionError(field, f"is {low:,} to {high:,}, not {value:,}")


def turns_per_seat(options: Options) -> int:
    """How many turns each seat has, by turns."""
    return options.turns_per_seat or (TURNS_PER_SEAT if options.time_limit_ms is None else MOST_TURNS)


class Trades(Game[Options, Action, View]):
    """Trades, 3 to 14 seats."""

    name = "trades"
    title = "Trades"
    rules_version = 1
    seat_range = range(3, MOST_SEATS[PACKS] + 1)
    options_type = Options

    def _deal(self, seats: int, options: Options, seed: Seed) -> State:
        """Deal as RULES.md says, step by step. Raises OptionError naming ``packs`` when these seats need more."""
        packs = options.packs or (1 if seats <= MOST_SEATS[1] else 2)
        if seats > MOST_SEATS[packs]:
            raise OptionError("packs", f"one pack is enough for {MOST_SEATS[1]} seats, {seats} need two")
        style = STYLES[options.style]
        free = style is Style.FREE_FOR_ALL
        deck = seed.dice("deck").shuffled(pack(packs))
        hands = [deck[HAND * seat : HAND * (seat + 1)] for seat in range(seats)]
        return State(
            Dealt(hands_of(hands), tuple(reversed(deck[HAND * seats :])), received=((),) * seats),
            packs=packs,
            style=style,
            first=0 if free else seed.dice("first-turn").below(seats),
            turns=None if free else turns_per_seat(options) * seats,
            time_limit_ms=options.time_limit_ms or (TIME_LIMIT_MS if free else None),
            seed=seed,
        )

    def notation(self, action: Action) -> str:
        return actions.notation(action)

    def parse(self, text: str) -> Action:
        return actions.parse(text)

    def components(self) -> frozenset[str]:
        """The cards of both packs."""
        return frozenset(CARD_NAMES[card] for card in CARDS)

    def describe(self, state: kernel.State[Action, View]) -> str:
        """The public table on one line: whose turn it is, the trades under way, what has come of them."""
        return " | ".join(_describe(state.public_view().table))


def _describe(table: Table) -> list[str]:
    told = {FINISHING: "time is over", LAST: "last deck trades", OVER: "over"}.get(table.phase, "")
    if not told:
        told = "free-for-all" if table.turn is None else f"seat {table.turn}'s turn"
        told += f", {table.turns_left} left" if table.turns_left is not None else ""
        told += f", {table.now_ms} of {table.time_limit_ms} ms" if table.time_limit_ms is not None else ""
    trades = [
        f"#{trade.number} {trade.declarer}>{trade.target} {trade.cards or '?'} {trade.status.name.lower()}"
        for trade in table.trades
    ]
    partners = " ".join(str(partner - 1) if partner else "-" for partner in table.partners)
    deck_trades = " ".join(map(str, table.deck_trades_left))
    voids = sorted(
        (number, reason) for number, reason in zip(table.void_trades, table.void_reasons, strict=True) if number
    )
    void = [f"void #{number} {VoidReason(reason).name.lower().replace('_', '-')}" for number, reason in voids[-1:]]
    return [told, *trades, f"partners {partners}", f"deck trades {deck_trades}", *void]
