"""What every game's table has in common: seats with their bots, cards in their colours, actions as text."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from croupier.v1 import game_pb2
from croupier_games.kernel import MalformedAction, UnknownGame, find_game
from croupier_service.wire.codec import Codec, WireError

ICONS = 4


class Look:
    """How a game is shown. ``view`` is always the contract's, as spectators get it."""

    def __init__(self, game: str, codec: Codec[Any, Any, Any] | None) -> None:
        self.game = game
        self._codec = codec

    def table(self, view: game_pb2.GameView, bots: Sequence[str]) -> RenderableType:
        """The whole table. ``bots`` by seat."""
        raise NotImplementedError

    def chapter(self, view: game_pb2.GameView) -> Hashable:
        """Changes when the table is worth to be shown anew to those who read along line by line."""
        raise NotImplementedError

    def action(self, action: game_pb2.GameAction) -> str:
        """An action in the game's own notation."""
        if self._codec is None:
            return f"an action that this program cannot read ({action.WhichOneof('action')})"
        try:
            return find_game(self.game).notation(self._codec.action_from_wire(action))
        except (WireError, MalformedAction, UnknownGame) as error:
            return f"an action that this program cannot read ({error})"


class Plain(Look):
    """For a game of which nothing more is known here."""

    def table(self, view: game_pb2.GameView, bots: Sequence[str]) -> RenderableType:
        return Text(f"(a table of {self.game}, which this program cannot draw)", style="dim")

    def chapter(self, view: game_pb2.GameView) -> Hashable:
        return None


def heading(*parts: str) -> Text:
    """The line above a table."""
    return Text(" · ").join(Text(part, style="bold") for part in parts if part)


def rows(*columns: str) -> Table:
    """A table with these columns; those whose title begins with ``>`` are to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column.removeprefix(">"), justify="right" if column.startswith(">") else "left", no_wrap=True)
    return table


def facts(*pairs: tuple[str, RenderableType]) -> Table:
    """Names and what there is of them, a line for each that has something."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, what in pairs:
        if what:
            table.add_row(name, what)
    return table


def stacked(*parts: RenderableType) -> Group:
    """One below the other, with an empty line between."""
    lines: list[RenderableType] = []
    for part in parts:
        if lines:
            lines.append(Text())
        lines.append(part)
    return Group(*lines)


def listed(items: Iterable[Text | str], gap: str = "  ") -> Text:
    """Side by side."""
    return Text(gap).join(Text(item) if isinstance(item, str) else item for item in items)


def seat_name(seat: int, bots: Sequence[str]) -> str:
    """A seat with its bot: ``1 ann``."""
    return f"{seat} {bots[seat]}".rstrip() if seat < len(bots) else f"{seat} dummy"


def by(values: Sequence[int], width: int) -> list[Sequence[int]]:
    """A flat list in rows of so many."""
    return [values[first : first + width] for first in range(0, len(values), width)]


def signed(number: int) -> str:
    """With its sign: ``+2``, ``−1``, ``0``."""
    return f"{number:+d}".replace("-", "−") if number else "0"


def turn_mark(*, acts: bool) -> Text:
    """Stands before the seats that are to act."""
    return Text("▸" if acts else " ", style="bold green")


def seats_listed(seats: Iterable[int]) -> str:
    """Seats in a sentence: ``seat 1``, ``seats 1, 2``."""
    numbers = [str(seat) for seat in seats]
    return f"seat{'s' if len(numbers) != 1 else ''} {', '.join(numbers) or 'none'}"
