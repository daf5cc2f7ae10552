"""The questions of one session: which are open, and what became of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .seats import Decision, Outcome, SeatAt

if TYPE_CHECKING:
    from .session import Session

LOST = 255
LOST_DECISIONS = 256
"""Numbers of decisions left out at a restart: so many may have been given since the last commit, and meant another."""


class Questions:
    """Decisions are numbered from 1. Of one that is closed nothing is kept but whose it was and its outcome."""

    __slots__ = ("_asked_of", "_outcomes", "open")

    def __init__(self) -> None:
        self.open: dict[int, Decision] = {}
        """Those that are open now, by number."""
        self._asked_of = bytearray()
        """Whose each was, by its number less 1."""
        self._outcomes = bytearray()
        """What became of each; 0: it is open; LOST: it may have been asked before a restart of the server."""

    def __len__(self) -> int:
        """How many numbers have been given."""
        return len(self._outcomes)

    def ask(self, session: Session, seat: SeatAt, legal: Sequence[Any], *, standing: bool) -> Decision:
        """A new one, of this seat."""
        self._asked_of.append(seat.number)
        self._outcomes.append(0)
        number = len(self._outcomes)
        decision = Decision(session, number, seat, legal, standing)
        self.open[number] = seat.open = decision
        seat.asked += 1
        return decision

    def shut(self, decision: Decision, outcome: Outcome) -> None:
        """It is no longer open; an act that comes for it yet is told the outcome."""
        decision.open = False
        decision.seat.open = None
        self._outcomes[decision.id - 1] = outcome
        del self.open[decision.id]

    def lost(self, number: int) -> bool:
        """Whether it may have been asked before a restart, and was not kept."""
        return self._outcome(number) == LOST

    def closed(self, number: int) -> tuple[int, Outcome] | None:
        """Whose it was, by seat, and what became of it; None where there was none of that number, or it is open."""
        outcome = self._outcome(number)
        return (self._asked_of[number - 1], Outcome(outcome)) if outcome not in (0, LOST) else None

    def lose(self) -> None:
        """Numbers that may have been given before a restart and whose decisions were not kept are not given again."""
        self._asked_of += bytes(LOST_DECISIONS)
        self._outcomes += bytes([LOST]) * LOST_DECISIONS

    def _outcome(self, number: int) -> int:
        """As in ``_outcomes``; 0 as well for a number that was never given."""
        return self._outcomes[number - 1] if 0 < number <= len(self._outcomes) else 0
