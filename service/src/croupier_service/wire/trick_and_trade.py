"""Trick and Trade on the wire."""

from __future__ import annotations

from typing import Any

from croupier.games.trick_and_trade.v1 import trick_and_trade_pb2 as pb
from croupier.v1 import game_pb2
from croupier_games.trick_and_trade import Action, Card, Options, Play, Table, TakeLead, TakeTrade, View

from .codec import Codec, WireError, no_such_arm
from .encode import LENGTH_DELIMITED, VARINT, message, packed, small, uint

_TABLE, _SEAT, _HAND = message(1), uint(2, explicit=True), packed(3)
_PLAY, _TAKE_TRADE, _TAKE_LEAD = (uint(field, explicit=True) for field in range(1, 4))
_TAKEN, _PLAYED, _LEADERS = packed(16), packed(17), packed(18)
_REMEMBERED = 4096
_NUMBER = tuple(field << 3 | VARINT for field in range(16))
_LIST = tuple(field << 3 | LENGTH_DELIMITED for field in range(16))


class TrickAndTradeCodec(Codec[Options, Action, View]):
    """See the module. Cards and trade cards have the numbers of their enums."""

    game = "trick-and-trade"
    arm = "trick_and_trade"
    arm_number = 1

    def __init__(self) -> None:
        self._table: Table | None = None
        self._table_bytes = b""
        self._lying: dict[int, tuple[Any, bytes]] = {}
        """What is encoded already of tables, by the identity of ``taken``, which is kept so that it stays its own."""

    def options_from_wire(self, message: game_pb2.GameOptions) -> Options:
        options = message.trick_and_trade
        return Options(first_leader=options.first_leader if options.HasField("first_leader") else None)

    def options_to_wire(self, options: Options) -> game_pb2.GameOptions:
        return game_pb2.GameOptions(trick_and_trade=pb.Options(first_leader=options.first_leader))

    def action_from_wire(self, message: game_pb2.GameAction) -> Action:
        action = message.trick_and_trade
        match action.WhichOneof("action"):
            case "play":
                return Play(Card(action.play))
            case "take_trade":
                return TakeTrade(action.take_trade)
            case "take_lead" if action.take_lead:
                return TakeLead()
        raise WireError(no_such_arm(message, "action", self))

    def action_bytes(self, action: Action) -> bytes:
        match action:
            case Play(card):
                return _PLAY(card)
            case TakeTrade(place):
                return _TAKE_TRADE(place)
            case TakeLead():
                return _TAKE_LEAD(1)

    def view_bytes(self, view: View) -> bytes:
        table = view.table
        if table is not self._table:  # several viewers in a row share one table
            self._table, self._table_bytes = table, self._encode(table)
        seat = b"" if view.seat is None else _SEAT(view.seat)
        return self._table_bytes + seat + _HAND(view.hand)

    def _encode(self, table: Table) -> bytes:
        """Every number in this game is small: cards, seats, counts, totals, lengths of lists."""
        lead_taken_by = table.lead_taken_by
        trick = small(
            (
                *(_NUMBER[1], table.seats, _NUMBER[2], table.round, _NUMBER[3], table.rounds, _NUMBER[4], table.phase),
                *(_NUMBER[5], table.turn, _NUMBER[6], table.leader),
                *(() if lead_taken_by is None else (_NUMBER[7], lead_taken_by)),
                *(_LIST[8], len(table.trick), *table.trick),
                *(_LIST[9], len(table.placing), *table.placing),
            )
        )
        known = self._lying.get(id(table.taken))
        if known is None or known[0] is not table.taken:
            if len(self._lying) >= _REMEMBERED:
                self._lying.clear()
            known = self._lying[id(table.taken)] = table.taken, _lying_bytes(table)
        return _TABLE(trick + known[1])


def _lying_bytes(table: Table) -> bytes:
    """What stays while a trick is being played: tables with the very same ``taken`` share it."""
    return (
        small(
            (
                *(_LIST[10], len(table.front_row), *table.front_row),
                *(_LIST[11], len(table.back_row), *table.back_row),
                *(_NUMBER[12], table.pile),
                *(_LIST[13], len(table.won), *table.won),
                *(_LIST[14], len(table.values), *table.values),
                *(_LIST[15], len(table.icons), *table.icons),
            )
        )
        + _TAKEN(table.taken)
        + _PLAYED(table.played)
        + _LEADERS(table.leaders)
    )


CODEC = TrickAndTradeCodec()
