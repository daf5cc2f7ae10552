"""A session as it is shown and kept: a snapshot that nothing changes any more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from croupier_games.kernel import Record, Result, Seed

from .events import SessionState
from .session import Session
from .settings import ClockSettings, FaultKind, FaultSettings
from .steps import Aside, Steps


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """One seat. Times in milliseconds."""

    bot: str
    connected: bool
    vacated: bool
    faults: tuple[tuple[FaultKind, int], ...]
    decisions: int
    charged_ms: int
    bank_ms: int

    @classmethod
    def at_first(cls, bot: str, bank_ms: int) -> SeatSummary:
        """A seat of which nothing is known but who is to sit there."""
        return cls(bot, connected=False, vacated=False, faults=(), decisions=0, charged_ms=0, bank_ms=bank_ms)


@dataclass(frozen=True, slots=True)
class Summary:
    """What everyone may know of a session, running or over. Holds no seed and no cards."""

    session_id: str
    game: str
    rules_version: int
    options: Any
    seats: tuple[SeatSummary, ...]
    clock: ClockSettings
    faults: FaultSettings
    state: SessionState
    seq: int
    to_act: tuple[int, ...]
    result: Result | None
    labels: tuple[tuple[str, str], ...]
    seed_commitment: bytes
    created_at: float
    ended_at: float | None
    spectator_delay_ms: int

    def lags(self, now: float) -> bool:
        """Whether spectators are still behind what is in here. ``now``: seconds since 1970."""
        return self.spectator_delay_ms > 0 and (
            self.ended_at is None or now < self.ended_at + self.spectator_delay_ms / 1000
        )

    def at_its_start(self) -> Summary:
        """As it was when it began: what is known of it beforehand."""
        return replace(
            self,
            seats=tuple(SeatSummary.at_first(seat.bot, self.clock.bank_ms) for seat in self.seats),
            state=SessionState.RUNNING,
            seq=0,
            to_act=(),
            result=None,
            ended_at=None,
        )


@dataclass(frozen=True, slots=True)
class Archived:
    """A session that is over, as it is kept."""

    summary: Summary
    record: Record
    charges: tuple[int, ...]
    """Milliseconds charged for each input of the record."""
    asides: tuple[tuple[int, Aside], ...] = ()
    """What happened besides the inputs; each with the number of inputs that had come before it."""

    @property
    def steps(self) -> Steps:
        """Inputs and asides, in order."""
        return Steps(self.record.inputs, self.charges, self.asides)

    def bot_at(self, seat: int) -> str:
        """Who sat there; empty where there is no such seat."""
        seats = self.summary.seats
        return seats[seat].bot if seat < len(seats) else ""


def seed_commitment(seed: Seed, *, seed_given: bool) -> bytes:
    """SHA-256 of the seed; empty where the organiser gave it (and so knows it)."""
    return b"" if seed_given else seed.commitment()


def summarise(session: Session, state: SessionState | None = None) -> Summary:
    """The session as it stands; or as it will stand once ``state`` is told."""
    state = state or session.state
    table = session.table
    running = state is SessionState.RUNNING
    return Summary(
        session_id=session.id,
        game=table.game.name,
        rules_version=table.game.rules_version,
        options=table.options,
        seats=tuple(
            SeatSummary(
                bot=seat.bot,
                connected=seat.link is not None,
                vacated=table.is_vacated(seat.number),
                faults=tuple(sorted(seat.faults.items())),
                decisions=seat.asked,
                charged_ms=int(seat.charged_ms),
                bank_ms=int(seat.bank_ms),
            )
            for seat in session.seats
        ),
        clock=session.clock,
        faults=session.fault_settings,
        state=state,
        seq=session.seq,
        to_act=tuple(seat.number for seat in session.seats if seat.open is not None) if running else (),
        result=session.final if state is SessionState.FINISHED else None,
        labels=tuple(sorted(session.labels.items())),
        seed_commitment=seed_commitment(table.seed, seed_given=session.seed_given),
        created_at=session.created_at,
        ended_at=None if running else session.ended_at,
        spectator_delay_ms=session.spectator_delay_ms,
    )


def archive(session: Session, state: SessionState) -> Archived:
    """The whole session as it is to be kept: as it will stand once ``state`` is told.

    Of one that is aborted up to the last input that was taken: its game may have failed at the next.
    """
    record = Record.of(session.table, up_to=None if state is SessionState.FINISHED else len(session.charges))
    return Archived(summarise(session, state), record, tuple(session.charges), tuple(session.asides))
