"""Going on after the server was stopped, in whatever way: unfinished sessions are played again to where they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from croupier_games.kernel import Game, IllegalAction, Table

from .events import SessionState
from .journal import Opened, Unfinished
from .seats import SeatAt
from .services import Services
from .session import Session
from .settings import FaultKind
from .steps import Step
from .timing import Cancellable, LagMeter, Timed, Timers


class Lost(Exception):
    """A session that cannot be gone on with. The message says why, and names no card: it goes to the log."""

    def __init__(self, message: str, *, broken: bool) -> None:
        super().__init__(message)
        self.broken = broken
        """Whether what was kept is damaged; else this server cannot host it (any more)."""


def restore(unfinished: Unfinished, games: Mapping[str, Game[Any, Any, Any]], services: Services) -> Session:
    """Play a session again up to its last step; nobody is told, and no clock runs, until ``Session.resume``.

    Raises Lost.
    """
    opened = unfinished.opened
    if opened is None or unfinished.trouble:
        raise Lost(unfinished.trouble, broken=True)
    game = games.get(opened.game)
    if game is None:
        raise Lost(f"the game {opened.game} is not installed any more", broken=False)
    if game.rules_version != opened.rules_version:
        raise Lost(
            f"it is played by version {opened.rules_version} of the rules of {game.name}, and installed is version "
            f"{game.rules_version}",
            broken=False,
        )
    if opened.options is None:
        raise Lost(f"{game.name} does not take its options any more", broken=False)
    try:
        session = _deal(opened, game, services)
    except Exception as error:
        raise Lost(f"it cannot be dealt again: {type(error).__name__}", broken=True) from error
    for number, (step, charged_ms) in enumerate(unfinished.steps, start=1):
        try:
            session.redo(step, charged_ms)
        except Exception as error:  # a game's own code may raise anything at what is not of its making
            why = f"it breaks {error.rule}" if isinstance(error, IllegalAction) else type(error).__name__
            raise Lost(f"step {number} of {len(unfinished.steps)} does not follow: {why}", broken=True) from error
    return session


def _deal(opened: Opened, game: Game[Any, Any, Any], services: Services) -> Session:
    silence = Silence()
    session = Session(
        opened.session_id,
        Table(game, len(opened.bots), opened.options, opened.seed),
        opened.bots,
        replace(services, observer=silence, journal=silence, meter=lambda _: silence, timers=_NoTimers()),
        clock=opened.clock,
        faults=opened.faults,
        labels=dict(opened.labels),
        seed_given=opened.seed_given,
        spectator_delay_ms=opened.spectator_delay_ms,
    )
    session.created_at = opened.created_at
    session.go_on(0)
    return session


def still() -> Services:
    """Services for replaying alone: nobody is told, nothing is kept, no time passes."""
    silence = Silence()
    time = _NoTime()
    return Services(
        time=time,
        timers=_NoTimers(),
        lag=LagMeter(time),
        observer=silence,
        meter=lambda _: silence,
        journal=silence,
        wall_clock=time.now,
        ended=lambda _: None,
        grace_ms=0.0,
    )


class Silence:
    """An observer, a meter and a journal to which what happens again is no news."""

    def session_started(self, session: Session) -> None:
        pass

    def session_ended(self, session: Session) -> None:
        pass

    def faulted(self, session: Session, seat: SeatAt, kind: FaultKind, message: str) -> None:
        pass

    def vacated(self, session: Session, seat: SeatAt) -> None:
        pass

    def decided(self, outcome: str, ms: float, session_id: str) -> None:
        pass

    def handled(self, acts: int, ms: float, session_id: str) -> None:
        pass

    def put(self, session: Session, step: Step, charged_ms: int) -> None:
        pass

    def finish(self, session: Session, state: SessionState, then: Callable[[], None]) -> None:
        pass


class _NoTimers(Timers):
    """What has been is not waited for."""

    def __init__(self) -> None:
        pass

    def at(self, when: float, timed: Timed) -> None:
        pass


class _NoTime:
    """Time that does not pass."""

    def now(self) -> float:
        return 0.0

    def call_at(self, when_ms: float, callback: Callable[[], None]) -> Cancellable:
        return self

    def call_soon(self, callback: Callable[[], None]) -> Cancellable:
        return self

    def cancel(self) -> None:
        pass
