"""Trick Stakes on the wire."""

from __future__ import annotations

from croupier.games.trick_stakes.v1 import trick_stakes_pb2 as pb
from croupier.v1 import game_pb2
from croupier_games.kernel import NoOptions
from croupier_games.trick_stakes import Action, Card, Discard, Play, Table, Ticket, TicketDown, TicketUp, View

from .codec import Codec, WireError, no_such_arm
from .encode import LENGTH_DELIMITED, VARINT, message, once, packed, small, uint

_TABLE, _SEAT, _HAND, _DISCARDS = message(1), uint(2, explicit=True), packed(3), packed(4)
_TICKET_DOWN_OWN, _KNOWN = uint(5), packed(6)
_DISCARD, _TICKET_UP, _TICKET_DOWN = (uint(field, explicit=True) for field in range(1, 4))
_PLAY, _PLAY_CARD, _PLAY_WHIP = message(4), uint(1), uint(2)
_NUMBER = tuple(field << 3 | VARINT for field in range(16))
_LIST = tuple(field << 3 | LENGTH_DELIMITED for field in range(16))
_HAND_COLORS, _DUMMY = packed(17), packed(18)
_CIRCLE, _HORSE_COLORS, _STACKS = (
    once(packed(field), 4096) for field in (16, 19, 20)
)  # what does not change in a trick
_TOP_CARDS, _TURNED_UP, _DISCARD_COLORS, _DUMMY_DISCARDS = (once(packed(field), 4096) for field in range(21, 25))
_TICKETS_UP, _TICKETS_DOWN, _FINISHES = (once(packed(field), 4096) for field in range(25, 28))
_TRICKS, _PLAYED, _LEADERS, _WHIPS_AT = (once(packed(field), 4096) for field in range(28, 32))


class TrickStakesCodec(Codec[NoOptions, Action, View]):
    """See the module. Cards, colours, horses and tickets have the numbers of their enums."""

    game = "trick-stakes"
    arm = "trick_stakes"
    arm_number = 2

    def __init__(self) -> None:
        self._table: Table | None = None
        self._table_bytes = b""

    def options_from_wire(self, message: game_pb2.GameOptions) -> NoOptions:
        return NoOptions()

    def options_to_wire(self, options: NoOptions) -> game_pb2.GameOptions:
        return game_pb2.GameOptions(trick_stakes=pb.Options())

    def action_from_wire(self, message: game_pb2.GameAction) -> Action:
        action = message.trick_stakes
        match action.WhichOneof("action"):
            case "discard":
                return Discard(Card(action.discard))
            case "ticket_up":
                return TicketUp(Ticket(action.ticket_up))
            case "ticket_down":
                return TicketDown(Ticket(action.ticket_down))
            case "play":
                return Play(Card(action.play.card), action.play.whip)
        raise WireError(no_such_arm(message, "action", self))

    def action_bytes(self, action: Action) -> bytes:
        match action:
            case Discard(card):
                return _DISCARD(card)
            case TicketUp(ticket):
                return _TICKET_UP(ticket)
            case TicketDown(ticket):
                return _TICKET_DOWN(ticket)
            case Play(card, whip):
                return _PLAY(_PLAY_CARD(card) + _PLAY_WHIP(whip))

    def view_bytes(self, view: View) -> bytes:
        table = view.table
        if table is not self._table:  # several viewers in a row share one table
            self._table, self._table_bytes = table, _TABLE(_table_bytes(table))
        seat = b"" if view.seat is None else _SEAT(view.seat)
        own = _HAND(view.hand) + _DISCARDS(view.discards) + _TICKET_DOWN_OWN(view.ticket_down)
        return self._table_bytes + seat + own + _KNOWN(view.known)


def _table_bytes(table: Table) -> bytes:
    """Every number in this game is small: cards, seats, counts, points; only the history can be long."""
    return b"".join(
        (
            small(
                (
                    *(_NUMBER[1], table.seats, _NUMBER[2], table.race, _NUMBER[3], table.races),
                    *(_NUMBER[4], table.phase, _NUMBER[5], table.start, _NUMBER[6], table.leader),
                    *(_NUMBER[7], table.whip_at),
                    *(_LIST[8], len(table.to_act), *table.to_act),
                    *(_LIST[9], len(table.trick), *table.trick),
                    *(_LIST[10], len(table.horses), *table.horses),
                    *(_LIST[11], len(table.odds), *table.odds),
                    *(_LIST[12], len(table.points), *table.points),
                    *(_LIST[13], len(table.whips), *table.whips),
                    *(_LIST[14], len(table.spaces), *table.spaces),
                    *(_LIST[15], len(table.standing), *table.standing),
                )
            ),
            _HAND_COLORS(table.hand_colors),
            _DUMMY(table.dummy),
            _CIRCLE(table.circle),
            _HORSE_COLORS(table.horse_colors),
            _STACKS(table.stacks),
            _TOP_CARDS(table.top_cards),
            _TURNED_UP(table.turned_up),
            _DISCARD_COLORS(table.discard_colors),
            _DUMMY_DISCARDS(table.dummy_discards),
            _TICKETS_UP(table.tickets_up),
            _TICKETS_DOWN(table.tickets_down),
            _FINISHES(table.finishes),
            _TRICKS(table.tricks),
            _PLAYED(table.played),
            _LEADERS(table.leaders),
            _WHIPS_AT(table.whips_at),
        )
    )


CODEC = TrickStakesCodec()
