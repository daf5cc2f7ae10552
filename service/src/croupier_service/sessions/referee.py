"""What happens when a bot fails: the fault is counted, the bot is told, and the session's policy decides for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .events import Faulted, SeatVacated
from .seats import ActReport, Decision, Outcome, SeatAt
from .settings import FaultKind, FaultPolicy
from .steps import Failed

if TYPE_CHECKING:
    from .session import Session

VACATED = "the seat was vacated and is played on without the bot"
CLOSED = {
    Outcome.DUPLICATE: "the decision has been answered already; the first answer counts",
    Outcome.LATE: "the decision's time had run out before the answer came",
    Outcome.STALE: "the decision is no longer open",
    Outcome.VACATED: VACATED,
}


def not_open(session: Session, bot: str, decision_id: int) -> None:
    """A bot speaks of a decision that is not open for it: it is told what became of it.

    One that it was never asked is a fault of its (first) seat; no decision is touched.
    """
    own = next(seat for seat in session.seats if seat.bot == bot)
    if session.questions.lost(decision_id):
        report(session, own, decision_id, Outcome.STALE, "the decision was lost in a restart of the server")
        return
    closed = session.questions.closed(decision_id)
    if closed is not None and session.seats[closed[0]].bot == bot:
        number, outcome = closed
        report(session, session.seats[number], decision_id, outcome, CLOSED[outcome])
    elif session.table.is_vacated(own.number):
        report(session, own, decision_id, Outcome.VACATED, VACATED)
    elif not session.running:
        report(session, own, decision_id, Outcome.STALE, "the session is over")
    else:
        message = f"decision {decision_id} was never asked of this seat"
        fault(session, own, FaultKind.MALFORMED, message)
        report(session, own, decision_id, Outcome.UNKNOWN_DECISION, message, kind=FaultKind.MALFORMED)
        vacate_if_too_many(session, own)


def wrong(
    session: Session,
    decision: Decision,
    kind: FaultKind,
    now: float,
    message: str,
    *,
    rule: str = "",
    noted: str = "",
) -> None:
    """An act that cannot be taken: another attempt while there are any, and time.

    ``noted`` is for the log where the message tells of the hand: what is in it, or how much there is to choose.
    """
    seat = decision.seat
    attempts_left = session.fault_settings.attempts - decision.attempt
    # a rule's message may name the whole hand
    fault(session, seat, kind, noted or (f"breaks {rule}" if rule else message), decision.id)
    report(
        session,
        seat,
        decision.id,
        Outcome.ILLEGAL if kind is FaultKind.ILLEGAL else Outcome.MALFORMED,
        message,
        rule=rule,
        attempts_left=attempts_left,
        kind=kind,
    )
    if vacate_if_too_many(session, seat):
        return
    if attempts_left > 0:
        decision.attempt += 1
        if seat.link is not None:
            seat.link.ask(session, decision)
    else:
        decide_for(session, decision, Outcome.STALE, session.spent(decision, now))


def time_is_up(session: Session, decision: Decision, now: float) -> None:
    """Think time and bank are used up."""
    seat = decision.seat
    spent = min(session.spent(decision, now), session.clock.think_time_ms + seat.bank_ms)
    message = "think time and bank have run out"
    fault(session, seat, FaultKind.LATE, message)
    report(session, seat, decision.id, Outcome.LATE, message, kind=FaultKind.LATE)
    if not vacate_if_too_many(session, seat):
        decide_for(session, decision, Outcome.LATE, spent)


def gone(session: Session, decision: Decision, now: float) -> None:
    """The bot has been away for longer than its grace."""
    seat = decision.seat
    fault(session, seat, FaultKind.DISCONNECTED, f"gone for {(now - seat.gone_since) / 1000:.1f} s")
    if not vacate_if_too_many(session, seat):
        decide_for(session, decision, Outcome.LATE, session.spent(decision, now))


def stalled(session: Session, seat: SeatAt, message: str) -> None:
    """The bot was disconnected because it had stopped reading or answering."""
    fault(session, seat, FaultKind.STALLED, message)
    vacate_if_too_many(session, seat)


def decide_for(session: Session, decision: Decision, outcome: Outcome, spent: float) -> None:
    """The seat has failed to decide: the session's policy does."""
    if session.fault_settings.policy is FaultPolicy.FORFEIT:
        vacate(session, decision.seat)
    elif decision.standing:  # to wait is the neutral action: it may answer again after the next change
        session.questions.shut(decision, outcome)
    else:
        session.table.substitute(decision.seat.number)
        session.settle(decision, outcome, "substituted", spent)
        session.go_on(int(spent))


def fault(session: Session, seat: SeatAt, kind: FaultKind, message: str, decision_id: int = 0) -> None:
    """Count a fault; at a decision, where it cost an attempt."""
    session.note(Failed(seat.number, kind, decision_id))
    seat.faults[kind] += 1
    session.events.append(Faulted(seat.number, kind))
    session.services.observer.faulted(session, seat, kind, message)
    session.tell_events(session.seq)
    if session.feed is not None:
        session.feed.note()


def vacate_if_too_many(session: Session, seat: SeatAt) -> bool:
    """Vacate a seat that has used up its faults; whether that was so."""
    if seat.faults.total() < session.fault_settings.max_faults:
        return False
    vacate(session, seat)
    return True


def vacate(session: Session, seat: SeatAt) -> None:
    """The seat is played on without its bot."""
    if session.table.is_vacated(seat.number):
        return
    decision = seat.open
    if decision is not None:
        session.settle(decision, Outcome.VACATED, "vacated", 0.0)
    session.events.append(SeatVacated(seat.number))
    session.services.observer.vacated(session, seat)
    session.tell_events(session.seq)
    report(session, seat, decision.id if decision else 0, Outcome.VACATED, VACATED)
    session.table.vacate(seat.number)
    session.go_on(0)


def report(
    session: Session,
    seat: SeatAt,
    decision_id: int,
    outcome: Outcome,
    message: str,
    *,
    rule: str = "",
    attempts_left: int = 0,
    kind: FaultKind | None = None,
) -> None:
    """Tell the bot of a seat about an act, or its absence."""
    if seat.link is not None:
        total, most = seat.faults.total(), session.fault_settings.max_faults
        seat.link.report(
            ActReport(session.id, seat.number, decision_id, outcome, message, rule, attempts_left, kind, total, most)
        )
