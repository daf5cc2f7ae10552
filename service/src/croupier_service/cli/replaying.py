"""A record as spectators would have seen it: the updates that a server would have sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from croupier.v1 import game_pb2, play_pb2, spectator_pb2
from croupier_games.kernel import Chosen, Game, Input, Record, Table, Vacated, input_line, replaying
from croupier_service.wire.messages import GameWire, result_to_wire
from croupier_service.wire.registry import codecs


class Step:
    """The deal, or one input and what followed from it."""

    def __init__(self, number: int, item: Input | None, table: Table, wire: GameWire, moves: int) -> None:
        """Input ``item`` of this number (None, 0: the deal) has been put in; before it there were so many moves."""
        self.number = number
        self.input = "" if item is None else input_line(table.game, item)
        """As a line of the record; empty for the deal."""
        self.updates = list(_updates(item, table, wire, moves))


def steps(record: Record, game: Game[Any, Any, Any]) -> Iterator[Step]:
    """The deal, then each input. Everything is shown, secret choices too: the game is over.

    Raises RecordError at the first input that does not follow, KeyError where the game has no form on the wire.
    """
    wire = GameWire(codecs()[game.name])
    moves = 0
    for number, table in enumerate(replaying(record, game)):
        yield Step(number, record.inputs[number - 1] if number else None, table, wire, moves)
        moves = len(table.moves)


def _updates(item: Input | None, table: Table, wire: GameWire, moves: int) -> Iterator[spectator_pb2.SessionUpdate]:
    if isinstance(item, Vacated):
        yield spectator_pb2.SessionUpdate(event=game_pb2.Event(vacated=game_pb2.Vacated(seat=item.seat)))
    for number, move in enumerate(table.moves[moves:], start=moves + 1):
        cause = "CHOSEN" if isinstance(move, Chosen) else move.cause.upper()
        moved = game_pb2.Moved(
            seat=move.seat, action=wire.action(move.action), cause=game_pb2.Cause.Value(f"CAUSE_{cause}")
        )
        yield spectator_pb2.SessionUpdate(event=game_pb2.Event(seq=number, moved=moved))
    yield spectator_pb2.SessionUpdate(view=wire.view(table.state.public_view()))
    result = table.result()
    if result is not None:
        yield spectator_pb2.SessionUpdate(
            end=play_pb2.SessionEnd(
                seq=len(table.moves), reason=play_pb2.END_REASON_FINISHED, result=result_to_wire(result)
            )
        )
