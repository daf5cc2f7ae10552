"""A game that is hosted: what its bots may do, and what comes of it. The authority; single-threaded, without a task.

An act comes in, is applied, and its consequences go to the seats' links. Time comes in through ``on_time``. What
happens when a bot fails is in ``referee``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import structlog

from croupier_games.kernel import (
    Chosen,
    IllegalAction,
    MalformedAction,
    Result,
    State,
    Substituted,
    Table,
    Vacated,
)

from . import referee
from .events import SessionEvent, SessionState
from .questions import Questions
from .seats import Decision, Outcome, SeatAt
from .services import Follower, Services
from .settings import ClockSettings, FaultKind, FaultPolicy, FaultSettings
from .steps import Aside, Failed, Restarted, Step

if TYPE_CHECKING:
    from .summary import Archived  # it summarises sessions

log = structlog.get_logger("croupier.session")

NEVER = float("inf")

P = ParamSpec("P")
R = TypeVar("R")


def _contained(entry: Callable[Concatenate[Session, P], R]) -> Callable[Concatenate[Session, P], R]:
    """A way into the session: what the game's own code raises ends this session and nothing else. It returns 0 then."""

    @wraps(entry)
    def contained(session: Session, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return entry(session, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the game's own code may raise anything
            session.game_failed(error)
            return 0  # type: ignore[return-value]

    return contained


class Session:
    """See the module. Seats are numbers; ``seq`` is the number of events so far."""

    def __init__(
        self,
        session_id: str,
        table: Table,
        bots: Sequence[str],
        services: Services,
        *,
        clock: ClockSettings,
        faults: FaultSettings,
        labels: Mapping[str, str],
        seed_given: bool,
        spectator_delay_ms: int,
    ) -> None:
        now = services.time.now()
        self.id = session_id
        self.table = table
        self.services = services
        self.clock = clock
        self.fault_settings = faults
        self.labels = dict(labels)
        self.seed_given = seed_given
        self.spectator_delay_ms = spectator_delay_ms
        self.created_at = services.wall_clock()
        self.ended_at: float | None = None
        self.seats = [SeatAt(number, bot, clock, now) for number, bot in enumerate(bots)]
        self.state = SessionState.RUNNING
        """As everybody may know it: an end shows only once it has been kept."""
        self.questions = Questions()
        self.events: list[SessionEvent] = []
        self.charges: list[int] = []
        """What each input was charged, in milliseconds."""
        self.asides: list[tuple[int, Aside]] = []
        """What happened besides the inputs; each with the number of inputs that had come before it."""
        self.wire_start = self.wire_end = b""
        """What all seats are told alike at the start and the end; a link may leave it here, encoded."""
        self.feed: Follower | None = None
        """Who shows it to spectators; None: nobody watches."""
        self.due = NEVER
        self._meter = services.meter(table.game.name)
        self._lag = services.lag
        self._dealt_at = now
        self._has_clock = type(table.state).deadline is not State.deadline
        """Whether the game itself wants to be told the time."""
        self._has_standing = type(table.state).may_wait is not State.may_wait
        """Whether it knows decisions that may wait for ever."""
        self._paused = False
        """Whether the game's own clock waits for bots to come back after a restart of the server; nobody is asked."""
        self._patient_until = NEVER
        """How long it does."""
        self._listeners = 0
        """Seats whose bots want to be told events."""
        self._moves_seen = 0
        self._inputs_seen = 0
        self._ending: SessionState | None = None
        self.final: Result | None = None
        """The result, as soon as there is one; nobody is told before it has been kept."""
        self.kept: Archived | None = None
        """The whole of it, as it is kept; None while it goes on."""

    @property
    def seq(self) -> int:
        """Number of events so far."""
        return len(self.events)

    @property
    def running(self) -> bool:
        """Whether it is still being played."""
        return self._ending is None

    @property
    def result(self) -> Result | None:
        """The result; None unless finished."""
        return self.final if self.state is SessionState.FINISHED else None

    @_contained
    def begin(self) -> None:
        """Start play, once the links are attached."""
        self.services.observer.session_started(self)
        if self.running:  # else the game has failed at telling a bot of it
            self.go_on(0)

    @_contained
    def attach(self, seat: SeatAt, link: Any, *, resumed: bool) -> None:
        """A bot is there (again): it is told of the session, and asked its open decision once more."""
        if seat.link is not None:
            self._listeners -= seat.link.wants_events
        seat.link = link
        self._listeners += link.wants_events
        link.start(self, seat, resumed=resumed)
        seat.rewind_to = None
        if self._paused:
            self._resume_when_complete(self.services.time.now())
        elif seat.open is not None:
            link.ask(self, seat.open)

    @_contained
    def detach(self, seat: SeatAt, now: float) -> None:
        """A bot has gone. Its running clock runs on; new questions wait for it, for the grace period."""
        if seat.link is not None:
            self._listeners -= seat.link.wants_events
        seat.link = None
        decision = seat.open
        unheard = decision.id if decision is not None and decision.started is None else 0
        if not unheard or unheard != seat.unheard:  # else it came and went, and its grace for this question runs on
            seat.gone_since = now
        seat.unheard = unheard
        self._set_timer(seat, now)

    def asked(self, decision: Decision, now: float) -> None:
        """The question is on its way: its clock starts (only once, however often it is asked again)."""
        if decision.started is None and decision.open and not decision.standing:
            decision.started = now
            decision.lag_before = self._lag.total_ms
            due = now + self.clock.think_time_ms + decision.seat.bank_ms
            if due < self.due:
                self.services.timers.at(due, self)

    def time_left(self, decision: Decision) -> tuple[int, int]:
        """Think time and bank left, in milliseconds; the whole of both while the clock has not started."""
        think, bank = self.clock.think_time_ms, decision.seat.bank_ms
        if decision.started is None:
            return think, int(bank)
        over = self.spent(decision, self.services.time.now()) - think
        return int(max(0.0, -over)), int(max(0.0, bank - max(0.0, over)))

    def patience(self, decision: Decision, now: float) -> float:
        """How long the bot may at most be silent because it is thinking about this, in milliseconds."""
        return 0.0 if decision.started is None else max(0.0, self._time_left(decision, now))

    @_contained
    def act(self, bot: str, decision_id: int, now: float, *, index: int | None = None, action: Any = None) -> int:
        """A bot answers, by the index of a legal action or by the action itself; it is told what is wrong.

        Returns the number of the frame in which it was asked; 0 where the decision is not open.
        """
        decision = self._find(bot, decision_id, now)
        if decision is None:
            return 0
        frame = decision.frame
        if decision.started is None:
            spent = 0.0
        else:
            spent = self.spent(decision, now)
            if spent > self.clock.think_time_ms + decision.seat.bank_ms:
                referee.time_is_up(self, decision, now)
                return frame
        if index is not None:
            if index >= len(decision.legal):
                count = len(decision.legal)
                referee.wrong(
                    self,
                    decision,
                    FaultKind.MALFORMED,
                    now,
                    f"index {index} is out of range: there are {count} actions, 0 to {count - 1}",
                    noted=f"index {index} is out of range",
                )
                return frame
            action = decision.legal[index]
        try:
            self.table.choose(decision.seat.number, action)
        except IllegalAction as error:
            referee.wrong(self, decision, FaultKind.ILLEGAL, now, str(error), rule=error.rule)
        except MalformedAction as error:
            referee.wrong(self, decision, FaultKind.MALFORMED, now, str(error))
        else:
            self.settle(decision, Outcome.DUPLICATE, "chosen", spent)
            self.go_on(int(spent))
        return frame

    def handled(self, acts: int, ms: float) -> None:
        """A frame with so many acts, the last of them for this session, took the server so long."""
        self._meter.handled(acts, ms, self.id)

    @_contained
    def malformed(self, bot: str, decision_id: int, now: float, message: str) -> int:
        """An act for this session makes no sense. Returns as ``act`` does."""
        decision = self._find(bot, decision_id, now)
        if decision is None:
            return 0
        if self._time_left(decision, now) < 0:
            referee.time_is_up(self, decision, now)
        else:
            referee.wrong(self, decision, FaultKind.MALFORMED, now, message)
        return decision.frame

    def _find(self, bot: str, decision_id: int, now: float) -> Decision | None:
        """The open decision that a bot speaks of; where there is none, the bot is told."""
        if self._has_clock:
            self._tell_time(now)
        decision = self.questions.open.get(decision_id)
        if decision is not None and decision.seat.bot == bot:
            return decision
        referee.not_open(self, bot, decision_id)
        return None

    def note(self, aside: Aside) -> None:
        """Keep something that is no input."""
        self.asides.append((len(self.charges), aside))
        self.services.journal.put(self, aside, 0)

    @_contained
    def stalled(self, seat: SeatAt, message: str) -> None:
        """The seat's bot was disconnected because it had stopped reading or answering."""
        if self.running and not self.table.is_vacated(seat.number):
            referee.stalled(self, seat, message)

    def abort(self) -> None:
        """End without a result. Does nothing when it is over."""
        if self.running:
            self._end(SessionState.ABORTED)

    def game_failed(self, error: Exception) -> None:
        """The game's own code has raised what it must not: the session is aborted, and others of its bots go on."""
        game = self.table.game.name
        log.error("the game has failed; its session is aborted", session=self.id, game=game, exc_info=error)
        self.abort()

    @_contained
    def on_time(self, now: float) -> None:
        """Something may be due: the game's own clock, a bot's, a grace period."""
        if not self.running:
            return
        if self._paused:
            self._resume_when_complete(now)
        if self._has_clock:
            self._tell_time(now)
        for seat in self.seats:
            decision = seat.open  # None for every seat once the session has ended on the way
            if decision is None or decision.standing:
                continue
            if self._time_left(decision, now) <= 0:
                referee.time_is_up(self, decision, now)
            elif seat.link is None and now >= seat.gone_since + self.services.grace_ms:
                referee.gone(self, decision, now)
            else:
                self._set_timer(seat, now)
        if self._has_clock:
            self._set_game_timer()

    # -- after a restart of the server -----------------------------------------------------------------------------

    def redo(self, step: Step, charged_ms: int) -> None:
        """Take a step that was kept, as it was taken then; it has been dealt, and there are no links.

        Raises IllegalAction, or ValueError, where it does not follow from what came before; and what the game raises.
        """
        match step:
            case Failed(number, kind, decision_id):
                seat = self.seats[number]
                referee.fault(self, seat, kind, "", decision_id)
                decision = self.questions.open.get(decision_id)
                if decision is None:
                    return
                if decision.attempt < self.fault_settings.attempts:
                    decision.attempt += 1
                elif decision.standing and self.fault_settings.policy is FaultPolicy.SUBSTITUTE:
                    self.questions.shut(decision, Outcome.STALE)
            case Restarted():
                self.note(step)
                self.questions.lose()
            case Vacated(number):
                referee.vacate(self, self.seats[number])
            case Chosen(number) | Substituted(number):
                decision = self.seats[number].open
                if decision is None:
                    raise ValueError(f"seat {number} was not asked")
                self.table.put(step)
                if isinstance(step, Chosen):
                    self.settle(decision, Outcome.DUPLICATE, "chosen", charged_ms)
                else:
                    self.settle(decision, Outcome.LATE, "substituted", charged_ms)
                self.go_on(charged_ms)
            case _:
                self.table.put(step)
                self.go_on(0)

    @_contained
    def resume(self, services: Services, *, grace_ms: float) -> None:
        """Go on, with these services, after all steps were taken again; bots have so long to come back.

        The time in between is charged to nobody: clocks begin anew when bots are asked again, and a game's own clock
        waits until all bots are there, or the grace is over.
        """
        now = services.time.now()
        self.services = services
        self._lag = services.lag
        self._meter = services.meter(self.table.game.name)
        self.note(Restarted())
        self.questions.lose()
        services.observer.session_started(self)
        if self._ending is not None:  # its last input was kept, and its end was not
            services.journal.finish(self, self._ending, self._ended)
            return
        for seat in self.seats:
            seat.rewind_to = self.seq
            seat.gone_since = now + grace_ms - services.grace_ms
            self._set_timer(seat, now)
        self._paused = self.table.state.deadline() is not None
        self._dealt_at = NEVER if self._paused else now - self.table.now_ms
        if self._paused:
            self._patient_until = now + grace_ms
            services.timers.at(self._patient_until, self)

    def _resume_when_complete(self, now: float) -> None:
        """Let a game's own clock run on once every bot is there, or has had its grace."""
        missing = any(seat.link is None and not self.table.is_vacated(seat.number) for seat in self.seats)
        if missing and now < self._patient_until:
            return
        self._paused = False
        self._dealt_at = now - self.table.now_ms
        self._set_game_timer()
        for seat in self.seats:
            if seat.open is not None and seat.link is not None:
                seat.link.ask(self, seat.open)

    # -- what the clock says ---------------------------------------------------------------------------------------

    def _tell_time(self, now: float) -> None:
        """Where the game's own deadline has passed, it hears of it before anything else: its timer may be late."""
        deadline = self.table.state.deadline()
        if deadline is not None and self.running and self._dealt_at + deadline <= now:
            self.table.tick(max(deadline, int(now - self._dealt_at)))
            self.go_on(0)

    def spent(self, decision: Decision, now: float) -> float:
        """What a decision has cost so far: the time since it was asked, less the server's own lateness."""
        if decision.started is None:
            return 0.0
        return max(0.0, now - decision.started - (self._lag.total_ms - decision.lag_before))

    def _time_left(self, decision: Decision, now: float) -> float:
        if decision.started is None:
            return NEVER
        return self.clock.think_time_ms + decision.seat.bank_ms - self.spent(decision, now)

    def _set_timer(self, seat: SeatAt, now: float) -> None:
        decision = seat.open
        if decision is None or decision.standing:
            return
        due = now + self._time_left(decision, now)
        if seat.link is None:
            due = min(due, max(now, seat.gone_since + self.services.grace_ms))
        if due < self.due:
            self.services.timers.at(due, self)

    def _set_game_timer(self) -> None:
        deadline = self.table.state.deadline()
        if deadline is not None and self.running:
            self.services.timers.at(self._dealt_at + deadline, self)

    # -- the game goes on ------------------------------------------------------------------------------------------

    def settle(self, decision: Decision, outcome: Outcome, how: str, spent: float) -> None:
        """A decision is made, by whomever: it is closed, and its seat's clock is charged so many milliseconds."""
        self.questions.shut(decision, outcome)
        if not decision.standing:
            decision.seat.charge(int(spent), self.clock)  # as the record has it, so that nothing depends on a restart
        self._meter.decided(how, spent, self.id)

    def go_on(self, charged_ms: int) -> None:
        """After an input: keep it, tell what happened, ask whoever has to decide now, or end."""
        table = self.table
        inputs = table.inputs
        while self._inputs_seen < len(inputs):
            item = inputs[self._inputs_seen]
            self._inputs_seen += 1
            self.charges.append(charged_ms)
            self.services.journal.put(self, item, charged_ms)
        moves = table.moves
        if self._moves_seen < len(moves):
            first = len(self.events) + 1
            self.events += moves[self._moves_seen :]
            self._moves_seen = len(moves)
            if self._listeners:
                self.tell_events(first)
        if self.feed is not None:
            self.feed.note()
        state = table.state
        to_act = state.to_act()
        if not to_act and state.result() is not None:
            self._end(SessionState.FINISHED)
            return
        if self.questions.open:  # somebody else is thinking, too
            for decision in list(self.questions.open.values()):
                if self._superseded(decision, to_act):
                    self.questions.shut(decision, Outcome.STALE)
        for number in to_act:
            seat = self.seats[number]
            if seat.open is None and not table.is_vacated(number):
                self._ask(seat, state)
        if self._has_clock:
            self._set_game_timer()

    def _superseded(self, decision: Decision, to_act: tuple[int, ...]) -> bool:
        """Whether an input elsewhere (another seat's, or time) has closed or changed what this seat was asked."""
        number = decision.seat.number
        return decision.standing or number not in to_act or self.table.state.legal_actions(number) != decision.legal

    def _ask(self, seat: SeatAt, state: State[Any, Any]) -> None:
        number = seat.number
        standing = self._has_standing and state.may_wait(number)
        decision = self.questions.ask(self, seat, state.legal_actions(number), standing=standing)
        if seat.link is not None:
            seat.link.ask(self, decision)
        else:
            self._set_timer(seat, self.services.time.now())

    def tell_events(self, first_seq: int) -> None:
        """Tell events from this one on to the seats whose bots want to be told."""
        for seat in self.seats:
            if seat.link is not None and seat.link.wants_events:
                seat.link.events(self, seat, first_seq)

    def _end(self, state: SessionState) -> None:
        self.final = self.table.result() if state is SessionState.FINISHED else None
        for decision in list(self.questions.open.values()):
            self.questions.shut(decision, Outcome.STALE)
        self._ending = state
        self.ended_at = self.services.wall_clock()
        self.services.journal.finish(self, state, self._ended)

    def _ended(self) -> None:
        if self._ending is None or self.state is not SessionState.RUNNING:
            return
        self.state = self._ending
        self.services.observer.session_ended(self)
        for seat in self.seats:
            if seat.link is not None:
                seat.link.end(self, seat)
                seat.link = None
        self.services.ended(self)
