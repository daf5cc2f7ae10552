"""The game as the rest of the house knows it: its name, its options, how it is dealt, how it is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .. import kernel
from ..kernel import Game, OptionError, Seed
from . import actions
from .actions import Action
from .cards import REGIONS, ROUTES, STATIONS
from .choices import Phase
from .edition import Edition, packaged, packaged_names
from .rules import settle, take_forced
from .state import State
from .view import Table, View

STANDARD = "standard"
"""The edition that the game comes with."""
ROUND_CAP = 200
MOST_ROUNDS = 1_000


@dataclass(frozen=True, slots=True)
class Options:
    """How a session is set up."""

    edition: str = STANDARD
    """The name of the edition: its board, tracks and cards."""
    round_cap: int = ROUND_CAP
    """The round with which the game ends at the latest, 1 to 1,000."""
    first_seat: int | None = None
    """The seat that has the first turn; None: drawn by the seed."""

    def __post_init__(self) -> None:
        if not 1 <= self.round_cap <= MOST_ROUNDS:
            raise OptionError("round_cap", f"is 1 to {MOST_ROUNDS} rounds, not {self.round_cap}")
        if not self.edition:
            raise OptionError("edition", "is the name of an edition")


class TradeAndTriumph(Game[Options, Action, View]):
    """Trade and Triumph, 2 to 4 seats."""

    name = "trade-and-triumph"
    title = "Trade and Triumph"
    rules_version = 1
    seat_range = range(2, 5)
    options_type = Options

    def __init__(self, editions: Mapping[str, Edition] | None = None) -> None:
        """``editions`` of your own, by name, beside those that come with the game."""
        self._editions = dict(editions or {})

    def edition(self, name: str = STANDARD) -> Edition:
        """An edition by name. Raises OptionError naming ``edition`` when there is none."""
        if name in self._editions:
            return self._editions[name]
        if name not in packaged_names():
            known = sorted({*self._editions, *packaged_names()})
            raise OptionError("edition", f"there is no edition {name!r}; there are: {', '.join(known)}")
        return packaged(name)

    def _deal(self, seats: int, options: Options, seed: Seed) -> State:
        """Deal as RULES.md says. Raises OptionError naming ``first_seat`` or ``edition`` where there is none such."""
        first = options.first_seat
        if first is None:
            first = seed.dice("first-seat").below(seats)
        elif first not in range(seats):
            raise OptionError("first_seat", f"the first seat is 0 to {seats - 1}, or none; not {first}")
        state = State(self.edition(options.edition), seats, first, options.round_cap, seed, options.edition)
        settle(state)
        take_forced(state)
        return state

    def notation(self, action: Action) -> str:
        return actions.notation(action)

    def parse(self, text: str) -> Action:
        return actions.parse(text)

    def components(self) -> frozenset[str]:
        """The cards of the standard edition."""
        return frozenset(card.name for card in self.edition().cards)

    def describe(self, state: kernel.State[Action, View]) -> str:
        """The public table on one line: all of it when a turn begins, then what has become of the turn's seat."""
        assert isinstance(state, State)
        return " | ".join(_describe(state.public_view().table, state.edition))


def _describe(table: Table, edition: Edition) -> list[str]:
    now = f"round {table.round}"
    if table.phase is Phase.OVER:
        return ["over", f"VP {_numbers(table.points)}", f"gold {_numbers(table.gold)}"]
    if table.phase is not Phase.TURN:
        about = edition.name(table.card) if table.card else "end of turn"
        return [now, f"seat {table.actor} chooses: {table.phase.name.lower().replace('_', '-')}", about]
    parts = [now, f"seat {table.turn} {_where(table, table.turn)}"]
    if not table.turn_actions:
        parts += [f"VP {_numbers(table.points)}", f"gold {_numbers(table.gold)}", f"decks {_numbers(table.deck_sizes)}"]
        parts.append(f"upgrades {' '.join('/'.join(map(str, row)) for row in _rows(table.upgrades, 3))}")
        parts.append(f"resources {' '.join('/'.join(map(str, row)) for row in _rows(table.resources, 4))}")
    else:
        seat = table.turn
        parts.append(f"{table.moves} moves {table.draws} draws {table.plays} plays")
        parts.append(f"VP {table.points[seat]} gold {table.gold[seat]}")
        if table.shown_card:
            parts.append(f"last shown {edition.name(table.shown_card)}")
    return parts


def _where(table: Table, seat: int) -> str:
    if table.routes[seat]:
        return f"on {ROUTES[table.routes[seat]]} {table.spaces[seat]}"
    opened = f" from the {REGIONS[table.travelled]}" if table.travelled and seat == table.turn else ""
    return f"at {STATIONS[table.stations[seat]]}{opened}"


def _rows(numbers: tuple[int, ...], width: int) -> list[tuple[int, ...]]:
    return [numbers[first : first + width] for first in range(0, len(numbers), width)]


def _numbers(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))
