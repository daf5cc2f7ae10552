"""What can happen in a session: moves of the game, faults of bots, seats given up."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from croupier_games.kernel import Move

from .settings import FaultKind


class SessionState(IntEnum):
    """Where a session stands. Numbered as in the contract."""

    RUNNING = 1
    FINISHED = 2
    ABORTED = 3


@dataclass(frozen=True, slots=True)
class Faulted:
    """An event: a bot failed."""

    seat: int
    kind: FaultKind


@dataclass(frozen=True, slots=True)
class SeatVacated:
    """An event: a seat was given up."""

    seat: int


SessionEvent = Move | Faulted | SeatVacated
