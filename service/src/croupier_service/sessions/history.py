"""What has happened in a session, as one viewer may know it: looked up, or played again step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from croupier_games.kernel import Chosen, Game, Input, Move, Seed, Substituted, Table, Vacated

from .events import Faulted, SeatVacated, SessionEvent
from .session import Session
from .steps import Aside, Failed
from .summary import Archived


def events_seen(session: Session, viewer: int | None, first_seq: int) -> Iterator[tuple[int, SessionEvent]]:
    """Events from ``first_seq`` on with their numbers; a move's action is None where the viewer may not know it.

    What a viewer may know of a move is settled at the moment it is made, so older moves are shown by playing the game
    again up to them.
    """
    events = session.events
    if first_seq > len(events):
        return
    moves_before = sum(isinstance(event, Move) for event in events[: first_seq - 1])
    table = session.table
    if moves_before >= table.latest:
        moves = iter(table.moves[moves_before:])
        for seq, event in enumerate(events[first_seq - 1 :], start=first_seq):
            yield seq, _shown(table, next(moves), viewer) if isinstance(event, Move) else event
        return
    past = Past.of_session(session)
    again = Replay(past, viewer)
    while (happened := again.advance(past.mark())) is not None:
        yield from ((seq, event) for seq, event in happened if seq >= first_seq)


def _shown(table: Table, move: Move, viewer: int | None) -> Move:
    return replace(move, action=table.state.shown(viewer, move.seat, move.action))


class Mark(NamedTuple):
    """A point in a session's past: after so many inputs and so many asides."""

    inputs: int
    asides: int


@dataclass(frozen=True, slots=True)
class Past:
    """All from which a session can be played again, be it still running or over and kept."""

    session_id: str
    game: Game[Any, Any, Any]
    seats: int
    options: Any
    seed: Seed
    inputs: Sequence[Input]
    asides: Sequence[tuple[int, Aside]]
    charges: Sequence[int]
    """Milliseconds charged for each input."""

    @classmethod
    def of_session(cls, session: Session) -> Past:
        """Of a live one; it grows with the session."""
        table = session.table
        return cls(
            session.id,
            table.game,
            table.seats,
            table.options,
            table.seed,
            table.inputs,
            session.asides,
            session.charges,
        )

    @classmethod
    def of_archived(cls, archived: Archived, game: Game[Any, Any, Any]) -> Past:
        """Of one that is over."""
        record = archived.record
        return cls(
            archived.summary.session_id,
            game,
            record.seats,
            record.options,
            record.seed,
            record.inputs,
            archived.asides,
            archived.charges,
        )

    def mark(self) -> Mark:
        """As far as it goes now."""
        return Mark(len(self.inputs), len(self.asides))


class Replay:
    """Plays a session again on a table of its own, as one viewer (None: a spectator) may follow it."""

    def __init__(self, past: Past, viewer: int | None) -> None:
        self.steps = 0
        """Steps so far. The deal is the first; then each input and each aside is one."""
        self.seq = 0
        """Events so far."""
        self.charged_ms: int | None = None
        """What the seat was charged that decided in the latest step; None: none did."""
        self._past = past
        self._viewer = viewer
        self._inputs = 0
        self._asides = 0
        self._table: Table | None = None

    @property
    def game(self) -> str:
        """The game's name."""
        return self._past.game.name

    def advance(self, mark: Mark) -> list[tuple[int, SessionEvent]] | None:
        """Take the next step, not beyond the mark: its events, numbered, perhaps none. None when there is no step.

        A move's action is None where the viewer may not know it.
        """
        past, table = self._past, self._table
        events: list[SessionEvent] = []
        self.charged_ms = None
        if table is None:
            self._table = table = Table(past.game, past.seats, past.options, past.seed)
            events += self._moves(table, 0)
        elif self._asides < mark.asides and past.asides[self._asides][0] <= self._inputs:
            aside = past.asides[self._asides][1]
            self._asides += 1
            if isinstance(aside, Failed):
                events.append(Faulted(aside.seat, aside.kind))
        elif self._inputs < mark.inputs:
            item = past.inputs[self._inputs]
            self._inputs += 1
            table.put(item)
            if isinstance(item, Chosen | Substituted):
                self.charged_ms = past.charges[self._inputs - 1]
            if isinstance(item, Vacated):
                events.append(SeatVacated(item.seat))
            events += self._moves(table, table.latest)
        else:
            return None
        self.steps += 1
        first = self.seq + 1
        self.seq += len(events)
        return list(enumerate(events, start=first))

    def has_reached(self, mark: Mark) -> bool:
        """Whether no step is left up to the mark."""
        return self._table is not None and self._inputs >= mark.inputs and self._asides >= mark.asides

    def public_view(self) -> Any:
        """What a spectator may know after the latest step; there has been one."""
        assert self._table is not None
        return self._table.state.public_view()

    def _moves(self, table: Table, first: int) -> list[SessionEvent]:
        return [_shown(table, move, self._viewer) for move in table.moves[first:]]
