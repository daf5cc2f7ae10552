"""Between the contract's messages and the sessions' dataclasses, for all that is not a game's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp

from croupier.v1 import game_pb2, play_pb2, session_pb2
from croupier_games.kernel import Chosen, Game, Input, Move, Result, Substituted, Ticked, Vacated
from croupier_service.sessions.events import Faulted, SessionEvent, SessionState
from croupier_service.sessions.settings import ClockSettings, FaultPolicy, FaultSettings, SettingError
from croupier_service.sessions.steps import Failed
from croupier_service.sessions.summary import Archived, SeatSummary, Summary
from croupier_service.wire.messages import GameWire, result_to_wire

_CAUSES = {
    "chosen": game_pb2.CAUSE_CHOSEN,
    "forced": game_pb2.CAUSE_FORCED,
    "substituted": game_pb2.CAUSE_SUBSTITUTED,
    "vacated": game_pb2.CAUSE_VACATED,
}


def clock_to_wire(clock: ClockSettings) -> game_pb2.ClockSettings:
    """The clock, every default filled in."""
    return game_pb2.ClockSettings(
        think_time_ms=clock.think_time_ms, bank_ms=clock.bank_ms, increment_ms=clock.increment_ms
    )


def clock_from_wire(message: game_pb2.ClockSettings, default: ClockSettings) -> ClockSettings:
    """The clock asked for. Raises SettingError naming the field."""
    return ClockSettings(
        think_time_ms=message.think_time_ms if message.HasField("think_time_ms") else default.think_time_ms,
        bank_ms=message.bank_ms if message.HasField("bank_ms") else default.bank_ms,
        increment_ms=message.increment_ms if message.HasField("increment_ms") else default.increment_ms,
    )


def faults_to_wire(faults: FaultSettings) -> game_pb2.FaultSettings:
    """The treatment of faults, every default filled in."""
    return game_pb2.FaultSettings(
        policy=game_pb2.FaultPolicy.ValueType(faults.policy.value),
        max_faults=faults.max_faults,
        attempts=faults.attempts,
    )


def faults_from_wire(message: game_pb2.FaultSettings, default: FaultSettings) -> FaultSettings:
    """The treatment asked for. Raises SettingError naming the field."""
    known = {policy.value for policy in FaultPolicy}
    if message.policy and message.policy not in known:
        raise SettingError("policy", f"is one of {sorted(known)}, or 0 for the default, not {message.policy}")
    return FaultSettings(
        policy=FaultPolicy(message.policy) if message.policy else default.policy,
        max_faults=message.max_faults if message.HasField("max_faults") else default.max_faults,
        attempts=message.attempts if message.HasField("attempts") else default.attempts,
    )


def event_to_wire(seq: int, event: SessionEvent, wire: GameWire) -> game_pb2.Event:
    """An event as somebody may know it; a move whose action is None is told without."""
    match event:
        case Move(seat, action):
            shown = None if action is None else wire.action(action)
            return game_pb2.Event(seq=seq, moved=game_pb2.Moved(seat=seat, action=shown, cause=_CAUSES[event.cause]))
        case Faulted(seat, kind):
            fault = game_pb2.Faulted(seat=seat, kind=game_pb2.FaultKind.ValueType(kind.value))
            return game_pb2.Event(seq=seq, faulted=fault)
        case _:
            return game_pb2.Event(seq=seq, vacated=game_pb2.Vacated(seat=event.seat))


def end_to_wire(session_id: str, seq: int, result: Result | None, seed: bytes) -> play_pb2.SessionEnd:
    """What a session's end is for everybody alike. Without a result it has been aborted, and shows no seed."""
    end = play_pb2.SessionEnd(session_id=session_id, seq=seq, reason=play_pb2.END_REASON_ABORTED)
    if result is not None:
        end.reason = play_pb2.END_REASON_FINISHED
        end.result.CopyFrom(result_to_wire(result))
        end.seed = seed
    return end


def session_to_wire(summary: Summary, wires: Mapping[str, GameWire]) -> session_pb2.Session:
    """A session as whoever sees its labels may know it."""
    known = summary.options is not None  # else its game is not installed any more, or takes other options
    message = session_pb2.Session(
        session_id=summary.session_id,
        game=summary.game,
        rules_version=summary.rules_version,
        options=wires[summary.game].codec.options_to_wire(summary.options) if known else None,
        seats=[_seat_to_wire(seat) for seat in summary.seats],
        clock=clock_to_wire(summary.clock),
        faults=faults_to_wire(summary.faults),
        state=session_pb2.SessionState.ValueType(summary.state.value),
        seq=summary.seq,
        to_act=summary.to_act,
        labels=dict(summary.labels),
        seed_commitment=summary.seed_commitment,
        create_time=timestamp(summary.created_at),
        spectator_delay_ms=summary.spectator_delay_ms,
    )
    if summary.result is not None:
        message.result.CopyFrom(result_to_wire(summary.result))
    if summary.ended_at is not None:
        message.end_time.CopyFrom(timestamp(summary.ended_at))
    return message


def record_text(archived: Archived, game: Game[object, object, object]) -> str:
    """The record of a session that is over as text, with what was committed to."""
    return replace(archived.record, commitment=archived.summary.seed_commitment).to_text(game)


def record_to_wire(
    archived: Archived, game: Game[object, object, object], wire: GameWire
) -> session_pb2.GetRecordResponse:
    """The record of a session that is over, typed and as text."""
    record, summary = archived.record, archived.summary
    faults = [
        session_pb2.RecordedFault(
            after_inputs=after, seat=aside.seat, kind=game_pb2.FaultKind.ValueType(aside.kind.value)
        )
        for after, aside in archived.asides
        if isinstance(aside, Failed)
    ]
    message = session_pb2.Record(
        game=record.game,
        rules_version=record.rules_version,
        seats=record.seats,
        options=wire.codec.options_to_wire(record.options),
        seed=record.seed.raw,
        inputs=[
            _input_to_wire(item, charged, wire) for item, charged in zip(record.inputs, archived.charges, strict=True)
        ],
        bots=[seat.bot for seat in summary.seats],
        seed_commitment=summary.seed_commitment,
        faults=faults,
        reason=play_pb2.END_REASON_FINISHED if summary.state is SessionState.FINISHED else play_pb2.END_REASON_ABORTED,
    )
    if summary.result is not None:
        message.result.CopyFrom(result_to_wire(summary.result))
    return session_pb2.GetRecordResponse(record=message, text=record_text(archived, game))


def _input_to_wire(item: Input, charged_ms: int, wire: GameWire) -> session_pb2.Input:
    match item:
        case Chosen(seat, action):
            chosen = session_pb2.ChosenInput(seat=seat, action=wire.action(action))
            return session_pb2.Input(chosen=chosen, charged_ms=charged_ms)
        case Substituted(seat):
            return session_pb2.Input(substituted=session_pb2.SubstitutedInput(seat=seat), charged_ms=charged_ms)
        case Vacated(seat):
            return session_pb2.Input(vacated=session_pb2.VacatedInput(seat=seat), charged_ms=charged_ms)
        case Ticked(now_ms):
            return session_pb2.Input(ticked=session_pb2.TickedInput(now_ms=now_ms), charged_ms=charged_ms)


def _seat_to_wire(seat: SeatSummary) -> session_pb2.SeatInfo:
    return session_pb2.SeatInfo(
        bot=seat.bot,
        connected=seat.connected,
        vacated=seat.vacated,
        faults=[
            session_pb2.FaultCount(kind=game_pb2.FaultKind.ValueType(kind.value), count=count)
            for kind, count in seat.faults
        ],
        decisions=seat.decisions,
        charged_ms=seat.charged_ms,
        bank_ms=seat.bank_ms,
    )


def timestamp(seconds: float) -> Timestamp:
    """A time in seconds since 1970."""
    stamp = Timestamp()
    stamp.FromDatetime(datetime.fromtimestamp(seconds, UTC))
    return stamp
