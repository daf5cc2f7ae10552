"""The game as the rest of the house knows it: its name, its options, how it is dealt, how it is told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .. import kernel
from ..kernel import Game, OptionError, Seed
from . import actions
from .actions import Action
from .cards import CARD_NAMES, CARDS, SUITS, TRADE_CARD_KINDS, TRADE_CARD_NAMES, TRADE_CARDS, TradeCard, rounds_of
from .rules import OVER, PLAY
from .scoring import multipliers
from .state import State
from .view import Table, View


@dataclass(frozen=True, slots=True)
class Options:
    """How a session is set up."""

    first_leader: int | None = None
    """The seat that leads the first trick; None: drawn by the seed."""


class TrickAndTrade(Game[Options, Action, View]):
    """Trick and Trade, 3 to 5 seats."""

    name = "trick-and-trade"
    title = "Trick and Trade"
    rules_version = 1
    seat_range = range(3, 6)
    options_type = Options

    def _deal(self, seats: int, options: Options, seed: Seed) -> State:
        """Deal as RULES.md says, step by step. Raises OptionError naming ``first_leader`` when that is no seat."""
        leader = options.first_leader
        if leader is None:
            leader = seed.dice("first-leader").below(seats)
        elif leader not in range(seats):
            raise OptionError("first_leader", f"the first leader is a seat, 0 to {seats - 1}, or none; not {leader}")
        deck = seed.dice("deck").shuffled(CARDS)
        trades = seed.dice("trades").shuffled(TRADE_CARDS)
        size = rounds_of(seats)
        hands = [sorted(deck[seat * size : (seat + 1) * size]) for seat in range(seats)]
        return State(hands, trades, undealt=deck[seats * size :], leader=leader)

    def notation(self, action: Action) -> str:
        return actions.notation(action)

    def parse(self, text: str) -> Action:
        return actions.parse(text)

    def components(self) -> frozenset[str]:
        """The 40 trick cards and the 14 kinds of trade card."""
        return frozenset([CARD_NAMES[card] for card in CARDS] + [TRADE_CARD_NAMES[kind] for kind in TRADE_CARD_KINDS])

    def describe(self, state: kernel.State[Action, View]) -> str:
        """The public table on one line: all of it when a round begins, then what each decision is about."""
        return " | ".join(_describe(state.public_view().table))


def _describe(table: Table) -> list[str]:
    now = f"round {table.round}/{table.rounds}"
    trick = " ".join(CARD_NAMES[card] for card in table.trick)
    if table.phase is OVER:
        return ["over", _values(table), f"multipliers {_numbers(multipliers(table.values))}", _icons(table)]
    front = f"front {_trade_cards(table.front_row)}"
    if table.phase is PLAY and not table.trick:
        rows = [front, f"back {_trade_cards(table.back_row)}"]
        return [now, f"seat {table.turn} leads", *rows, _values(table), _icons(table)]
    if table.phase is PLAY:
        return [now, f"seat {table.turn} plays", f"trick {trick}"]
    first = table.turn == table.placing[0]
    settled = [f"trick {trick}", f"placing {_numbers(table.placing)}"] if first else []
    lead = "lead card there" if table.lead_taken_by is None else f"lead card with seat {table.lead_taken_by}"
    return [now, f"seat {table.turn} takes", *settled, front, lead]


def _numbers(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _trade_cards(row: Iterable[TradeCard]) -> str:
    return " ".join(TRADE_CARD_NAMES[trade_card] for trade_card in row)


def _values(table: Table) -> str:
    return f"values {_numbers(table.values)}"


def _icons(table: Table) -> str:
    suits = len(SUITS)
    holdings = [table.icons[suits * seat : suits * (seat + 1)] for seat in range(table.seats)]
    return "icons " + " ".join("/".join(map(str, holding)) for holding in holdings)
