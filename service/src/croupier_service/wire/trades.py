"""Trades on the wire."""

from __future__ import annotations

from collections.abc import Iterable

from croupier.games.trades.v1 import trades_pb2 as pb
from croupier.v1 import game_pb2
from croupier_games.kernel import OptionError
from croupier_games.trades import (
    Action,
    Card,
    DeckTrade,
    Declare,
    Decline,
    Give,
    LastDeckTrade,
    Offer,
    Options,
    Pass,
    Style,
    Table,
    Trade,
    View,
)
from croupier_games.trades.actions import ascending
from croupier_games.trades.game import STYLES

from .codec import Codec, WireError, no_such_arm
from .encode import message, packed, uint

_TABLE, _SEAT = message(1), uint(2, explicit=True)
_HAND, _LAID, _DRAWN, _RECEIVED, _LAST_SEEN, _LEFT_SINCE = map(packed, range(3, 9))
_DECLARE, _OFFER, _DECK_TRADE, _PASS = uint(1, explicit=True), message(2), uint(3, explicit=True), uint(4)
_GIVE, _LAST_DECK_TRADE, _DECLINE, _CARDS = message(5), uint(6, explicit=True), uint(7), packed(1)
_SEATS, _PACKS, _STYLE, _PHASE, _FIRST = map(uint, range(1, 6))
_TURN, _TURNS_LEFT, _TIME_LIMIT_MS = (uint(field, explicit=True) for field in range(6, 9))
_NOW_MS, _DECK, _DECK_TRADES_LEFT, _PARTNERS = uint(9), uint(10), packed(11), packed(12)
_TRADES, _DECLARED, _VOID_TRADES, _VOID_REASONS = message(13), uint(14), packed(15), packed(16)
_NUMBER, _DECLARER, _TARGET, _LAID_CARDS, _STATUS = map(uint, range(1, 6))


class TradesCodec(Codec[Options, Action, View]):
    """See the module. Cards have the numbers of their enum."""

    game = "trades"
    arm = "trades"
    arm_number = 3

    def __init__(self) -> None:
        self._table: Table | None = None
        self._table_bytes = b""

    def options_from_wire(self, message: game_pb2.GameOptions) -> Options:
        options = message.trades
        return Options(
            style=_style_name(options.style),
            turns_per_seat=options.turns_per_seat if options.HasField("turns_per_seat") else None,
            time_limit_ms=options.time_limit_ms if options.HasField("time_limit_ms") else None,
            packs=options.packs if options.HasField("packs") else None,
        )

    def options_to_wire(self, options: Options) -> game_pb2.GameOptions:
        return game_pb2.GameOptions(
            trades=pb.Options(
                style=pb.Style.ValueType(STYLES[options.style]),
                turns_per_seat=options.turns_per_seat,
                time_limit_ms=options.time_limit_ms,
                packs=options.packs,
            )
        )

    def action_from_wire(self, message: game_pb2.GameAction) -> Action:
        action = message.trades
        match action.WhichOneof("action"):
            case "declare":
                return Declare(action.declare)
            case "offer":
                return Offer(ascending(action.offer.cards))
            case "deck_trade":
                return DeckTrade(_card(action.deck_trade))
            case "pass_turn" if action.pass_turn:
                return Pass()
            case "give":
                return Give(ascending(action.give.cards))
            case "last_deck_trade":
                return LastDeckTrade(_card(action.last_deck_trade))
            case "decline" if action.decline:
                return Decline()
        raise WireError(no_such_arm(message, "action", self))

    def action_bytes(self, action: Action) -> bytes:
        match action:
            case Declare(target):
                return _DECLARE(target)
            case Offer(cards):
                return _OFFER(_CARDS(cards))
            case DeckTrade(card):
                return _DECK_TRADE(card)
            case Pass():
                return _PASS(1)
            case Give(cards):
                return _GIVE(_CARDS(cards))
            case LastDeckTrade(card):
                return _LAST_DECK_TRADE(card)
            case Decline():
                return _DECLINE(1)

    def view_bytes(self, view: View) -> bytes:
        table = view.table
        if table is not self._table:  # several viewers in a row share one table
            self._table, self._table_bytes = table, _TABLE(_table_bytes(table))
        return b"".join(
            (
                self._table_bytes,
                b"" if view.seat is None else _SEAT(view.seat),
                _HAND(view.hand),
                _LAID(view.laid),
                _DRAWN(view.drawn),
                _RECEIVED(view.received),
                _LAST_SEEN(view.last_seen),
                _LEFT_SINCE(view.left_since),
            )
        )


def _table_bytes(table: Table) -> bytes:
    return b"".join(
        (
            _SEATS(table.seats),
            _PACKS(table.packs),
            _STYLE(table.style),
            _PHASE(table.phase),
            _FIRST(table.first),
            b"" if table.turn is None else _TURN(table.turn),
            b"" if table.turns_left is None else _TURNS_LEFT(table.turns_left),
            b"" if table.time_limit_ms is None else _TIME_LIMIT_MS(table.time_limit_ms),
            _NOW_MS(table.now_ms),
            _DECK(table.deck),
            _DECK_TRADES_LEFT(table.deck_trades_left),
            _PARTNERS(table.partners),
            _trades(table.trades),
            _DECLARED(table.declared),
            _VOID_TRADES(table.void_trades),
            _VOID_REASONS(table.void_reasons),
        )
    )


def _trades(trades: Iterable[Trade]) -> bytes:
    return b"".join(
        [
            _TRADES(
                _NUMBER(trade.number)
                + _DECLARER(trade.declarer)
                + _TARGET(trade.target)
                + _LAID_CARDS(trade.cards)
                + _STATUS(trade.status)
            )
            for trade in trades
        ]
    )


def _style_name(style: int) -> str:
    """Unspecified is by turns. Raises OptionError for a number that is no style."""
    for name, known in STYLES.items():
        if known == (style or Style.TURNS):
            return name
    raise OptionError("style", f"styles are numbered 1 to {len(STYLES)}, there is no {style}")


def _card(number: int) -> Card:
    """Raises MalformedAction when it is unspecified."""
    return ascending([number])[0]


CODEC = TradesCodec()
