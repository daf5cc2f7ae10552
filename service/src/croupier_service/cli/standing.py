"""Sessions as they stand: for people, or for programs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from croupier.v1 import game_pb2, session_pb2

from .connecting import Format, as_json, json_line, stdout
from .showing import placings
from .tables.look import facts, rows, stacked


def tell(one: session_pb2.Session, output: Format) -> None:
    """Say how one session stands."""
    if output is Format.JSON:
        json_line(as_json(one))
        return
    result = [placings(one.result, [seat.bot for seat in one.seats])] if one.HasField("result") else []
    parts = stacked(Text(f"session {one.session_id}", style="bold"), _facts(one), _seats(one), *result)
    stdout().print(parts, soft_wrap=True)


def tell_all(sessions: Sequence[session_pb2.Session], output: Format) -> None:
    """List sessions, a line for each."""
    if output is Format.JSON:
        for one in sessions:
            json_line(as_json(one))
        return
    table = rows("session", "game", "state", ">events", "bots", "result")
    for one in sessions:
        bots = ", ".join(seat.bot for seat in one.seats)
        table.add_row(one.session_id, one.game, _state(one), str(one.seq), bots, _result_in_short(one))
    stdout().print(table if sessions else "no such sessions")


def _facts(one: session_pb2.Session) -> Table:
    return facts(
        ("game", f"{one.game}, rules {one.rules_version}"),
        ("state", _state(one)),
        ("events", str(one.seq)),
        ("to act", ", ".join(map(str, one.to_act))),
        ("clock", _clock(one.clock)),
        ("spectators", f"{one.spectator_delay_ms / 1000:g} s behind" if one.spectator_delay_ms else ""),
        ("labels", ", ".join(f"{key}={value}" for key, value in sorted(one.labels.items()))),
        ("created", one.create_time.ToJsonString()),
        ("ended", one.end_time.ToJsonString() if one.HasField("end_time") else ""),
        ("commitment", one.seed_commitment.hex() or "none, the seed was given"),
    )


def _seats(one: session_pb2.Session) -> Table:
    running = one.state == session_pb2.SESSION_STATE_RUNNING
    seats = rows(">seat", "bot", "", ">decisions", ">thought", ">bank left", "faults")
    for number, seat in enumerate(one.seats):
        where = "vacated" if seat.vacated else "connected" if seat.connected else "away"
        faults = [f"{fault.count} {_kind(fault.kind)}" for fault in seat.faults]
        seats.add_row(
            str(number),
            seat.bot,
            where if running or seat.vacated else "",
            str(seat.decisions),
            f"{seat.charged_ms / 1000:.1f} s",
            f"{seat.bank_ms / 1000:.1f} s",
            ", ".join(faults),
        )
    return seats


def _clock(clock: game_pb2.ClockSettings) -> str:
    times = ((clock.think_time_ms, "a decision"), (clock.bank_ms, "bank"), (clock.increment_ms, "increment"))
    return ", ".join(f"{ms / 1000:g} s {what}" for ms, what in times)


def _kind(kind: game_pb2.FaultKind.ValueType) -> str:
    return game_pb2.FaultKind.Name(kind).removeprefix("FAULT_KIND_").lower()


def _state(one: session_pb2.Session) -> str:
    return session_pb2.SessionState.Name(one.state).removeprefix("SESSION_STATE_").lower()


def _result_in_short(one: session_pb2.Session) -> str:
    if one.HasField("result"):
        return " ".join(map(str, one.result.placings))
    return f"to act: {', '.join(map(str, one.to_act))}" if one.to_act else ""
