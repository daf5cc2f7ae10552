"""What has happened in a session, as one viewer may know it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from croupier_games.kernel import Move, Table

from .events import SessionEvent
from .session import Session


def events_seen(session: Session, viewer: int | None, first_seq: int) -> Iterator[tuple[int, SessionEvent]]:
    """Events from ``first_seq`` on with their numbers; a move's action is None where the viewer may not know it.

    What a viewer may know of a move is settled at the moment it is made, so older moves are shown by playing the game
    again up to them.
    """
    events = session.events
    if first_seq > len(events):
        return
    moves_before = sum(isinstance(event, Move) for event in events[: first_seq - 1])
    shown = _shown_moves(session.table, viewer, moves_before)
    for seq, event in enumerate(events[first_seq - 1 :], start=first_seq):
        yield seq, (next(shown) if isinstance(event, Move) else event)


def _shown_moves(table: Table, viewer: int | None, first: int) -> Iterator[Move]:
    """The moves from number ``first`` on, each as the viewer was entitled to see it when it was made."""
    if first >= table.latest:
        yield from (_shown(table, move, viewer) for move in table.moves[first:])
        return
    replayed = Table(table.game, table.seats, table.options, table.seed)
    yield from (_shown(replayed, move, viewer) for move in replayed.moves[first:])
    for item in table.inputs:
        replayed.put(item)
        yield from (_shown(replayed, move, viewer) for move in replayed.moves[max(first, replayed.latest) :])


def _shown(table: Table, move: Move, viewer: int | None) -> Move:
    return replace(move, action=table.state.shown(viewer, move.seat, move.action))
