"""Trades: who has traded with whom, which trades are under way, and what is left to do."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rich.console import RenderableType
from rich.text import Text

from croupier.games.trades.v1 import trades_pb2 as pb
from croupier.v1 import game_pb2

from .look import Look, facts, heading, rows, seat_name, stacked, turn_mark

STATUS = {
    pb.TRADE_STATUS_DECLARED: "choosing the cards to lay",
    pb.TRADE_STATUS_LAID: "waits for earlier trades",
    pb.TRADE_STATUS_BEGUN: "cards are drawn; the other side chooses the rest",
}
PHASES = {
    pb.PHASE_FINISHING: "time is over, the last trades are finished",
    pb.PHASE_LAST: "last deck trades, in secret",
    pb.PHASE_OVER: "over",
}
REASONS = {
    pb.VOID_REASON_SAME_PARTNER: "the two had just traded with each other",
    pb.VOID_REASON_TIME: "time was over",
}


class TradesLook(Look):
    """See the module. Cards are never seen: they change hands face down."""

    def table(self, view: game_pb2.GameView, bots: Sequence[str]) -> RenderableType:
        table = view.trades.table
        style = "by turns" if table.style == pb.STYLE_TURNS else "free-for-all"
        now = PHASES.get(table.phase, f"seat {table.turn}'s turn" if table.HasField("turn") else "anybody may trade")
        return stacked(
            heading("Trades", style, now),
            facts(
                ("turns left", str(table.turns_left) if table.HasField("turns_left") else ""),
                ("time", _time(table)),
                ("deck", f"{table.deck} cards"),
                ("trades", f"{table.declared} declared so far"),
            ),
            _seats(table, bots),
            *([_under_way(table, bots)] if table.trades else []),
        )

    def chapter(self, view: game_pb2.GameView) -> Hashable:
        table = view.trades.table
        return table.phase, table.turns_left, not table.trades, table.now_ms

    def action(self, action: game_pb2.GameAction) -> str:
        trades = action.trades
        match trades.WhichOneof("action"):
            case "offer" if not any(trades.offer.cards):
                return f"lays {len(trades.offer.cards)} cards face down"
            case "give" if not any(trades.give.cards):
                count = len(trades.give.cards)
                return f"gives {count} card{'s' if count > 1 else ''}, and those that were drawn"
            case "deck_trade" if not trades.deck_trade:
                return "trades a card with the deck"
            case "last_deck_trade" if not trades.last_deck_trade:
                return "trades a card with the deck"
        return super().action(action)


def _seats(table: pb.Table, bots: Sequence[str]) -> RenderableType:
    seats = rows("", "seat", "last partner", ">deck trades left", "latest trade that came to nothing")
    for seat in range(table.seats):
        partner = table.partners[seat]
        seats.add_row(
            turn_mark(acts=table.HasField("turn") and table.turn == seat),
            seat_name(seat, bots),
            seat_name(partner - 1, bots) if partner else "",
            str(table.deck_trades_left[seat]),
            _void(table, seat),
        )
    return seats


def _under_way(table: pb.Table, bots: Sequence[str]) -> RenderableType:
    trades = rows(">trade", "from", "to", ">cards", "")
    for trade in table.trades:
        trades.add_row(
            f"#{trade.number}",
            seat_name(trade.declarer, bots),
            seat_name(trade.target, bots),
            str(trade.cards or "?"),
            Text(STATUS.get(trade.status, ""), style="dim"),
        )
    return trades


def _void(table: pb.Table, seat: int) -> str:
    if not table.void_trades[seat]:
        return ""
    reason = table.void_reasons[seat]
    return f"#{table.void_trades[seat]}: {REASONS.get(pb.VoidReason.ValueType(reason), '')}"


def _time(table: pb.Table) -> str:
    if not table.HasField("time_limit_ms"):
        return ""
    return f"{table.now_ms / 1000:g} of {table.time_limit_ms / 1000:g} s"
