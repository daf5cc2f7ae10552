"""Trick and Trade: the trick, the rows of trade cards, what the suits are worth, and who holds what."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rich.console import RenderableType
from rich.text import Text

from croupier.games.trick_and_trade.v1 import trick_and_trade_pb2 as pb
from croupier.v1 import game_pb2
from croupier_games.trick_and_trade.cards import CARD_NAMES, SHOWN, SUIT, SUITS, TRADE_CARD_NAMES
from croupier_games.trick_and_trade.scoring import multipliers, points

from .look import Look, by, facts, heading, listed, rows, seat_name, signed, stacked, turn_mark

STYLES = ("cyan", "red", "magenta", "yellow")
"""By suit."""


class TrickAndTradeLook(Look):
    """See the module."""

    def table(self, view: game_pb2.GameView, bots: Sequence[str]) -> RenderableType:
        table = view.trick_and_trade.table
        over = table.phase == pb.PHASE_OVER
        deciding = {pb.PHASE_PLAY: "plays a card", pb.PHASE_TAKE: "takes a trade card"}.get(table.phase, "")
        now = f"seat {table.turn} {deciding}" if deciding else "over"
        return stacked(
            heading("Trick and Trade", f"round {table.round} of {table.rounds}", now),
            facts(
                ("front row", "" if over else _row(table.front_row, numbered=True)),
                ("back row", "" if over else _row(table.back_row)),
                ("lead card", "" if over or table.phase == pb.PHASE_PLAY else _lead(table)),
                ("pile", "" if over else f"{table.pile} trade cards"),
                ("won", listed(_card(card) for card in table.won)),
            ),
            _suits(table),
            _seats(table, bots, over=over),
        )

    def chapter(self, view: game_pb2.GameView) -> Hashable:
        table = view.trick_and_trade.table
        return table.round, table.phase == pb.PHASE_OVER


def _suits(table: pb.Table) -> RenderableType:
    suits = rows("suit", ">value", ">an icon counts")
    for suit, (value, multiplier) in enumerate(zip(table.values, multipliers(table.values), strict=True)):
        suits.add_row(Text(SUITS[suit], style=STYLES[suit]), str(value), signed(multiplier))
    return suits


def _seats(table: pb.Table, bots: Sequence[str], *, over: bool) -> RenderableType:
    seats = rows("", "seat", "card", ">place", *(f">{suit}" for suit in SUITS), ">points" if over else ">points so far")
    played = {(table.leader + number) % table.seats: card for number, card in enumerate(table.trick)}
    counts = multipliers(table.values)
    for seat, icons in enumerate(by(table.icons, len(SUITS))):
        name = seat_name(seat, bots) + (" (leads)" if seat == table.leader and not over else "")
        place = list(table.placing).index(seat) + 1 if seat in table.placing else ""
        seats.add_row(
            turn_mark(acts=not over and seat == table.turn),
            name,
            _card(played[seat]) if seat in played else "",
            str(place),
            *map(str, icons),
            str(points(counts, icons)),
        )
    return seats


def _lead(table: pb.Table) -> str:
    return f"taken by seat {table.lead_taken_by}" if table.HasField("lead_taken_by") else "there"


def _card(card: int) -> Text:
    return Text(CARD_NAMES[card], style=STYLES[SUIT[card]])


def _row(trade_cards: Sequence[int], *, numbered: bool = False) -> Text:
    """Places have the numbers by which they are taken."""
    shown = []
    for place, trade_card in enumerate(trade_cards):
        name = Text(TRADE_CARD_NAMES[trade_card], style=STYLES[SHOWN[trade_card][0]] if trade_card else "dim")
        shown.append(Text.assemble((f"{place}:", "dim"), name) if numbered else name)
    return listed(shown)
