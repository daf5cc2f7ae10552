"""Between the rows of ``sessions`` and what the host knows of a session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from sqlalchemy import Row

from croupier_games.kernel import Game, OptionError, Record, Result, Seed, TieBreak, option_texts
from croupier_service.sessions.events import SessionState
from croupier_service.sessions.journal import Opened
from croupier_service.sessions.settings import ClockSettings, FaultKind, FaultPolicy, FaultSettings
from croupier_service.sessions.steps import Steps
from croupier_service.sessions.summary import Archived, SeatSummary, Summary


def request_key(request_id: str) -> str:
    """What a request's id is looked up by."""
    return sha256(request_id.encode()).hexdigest()


def opening(opened: Opened, number: int) -> dict[str, Any]:
    """The row of a session that was started; what it does not name stays null until the session ends."""
    clock, faults = opened.clock, opened.faults
    return {
        "number": number,
        "id": opened.session_id,
        "state": SessionState.RUNNING.value,
        "game": opened.game,
        "rules_version": opened.rules_version,
        "options": json.dumps(option_texts(opened.options)),
        "bots": json.dumps(opened.bots),
        "seed": opened.seed.hex(),
        "seed_given": int(opened.seed_given),
        "think_time_ms": clock.think_time_ms,
        "bank_ms": clock.bank_ms,
        "increment_ms": clock.increment_ms,
        "policy": faults.policy.value,
        "max_faults": faults.max_faults,
        "attempts": faults.attempts,
        "labels": json.dumps(dict(opened.labels)),
        "spectator_delay_ms": opened.spectator_delay_ms,
        "created_at": opened.created_at,
        "request_key": request_key(opened.request_id) if opened.request_id else None,
        "fingerprint": opened.fingerprint.hex() if opened.request_id else None,
    }


def ending(summary: Summary) -> str:
    """What is known of a session once it is over, as JSON."""
    result = summary.result
    return json.dumps(
        {
            "seq": summary.seq,
            "seats": [
                [seat.connected, seat.vacated, seat.faults, seat.decisions, seat.charged_ms, seat.bank_ms]
                for seat in summary.seats
            ],
            "result": result
            and {
                "points": result.points,
                "placings": result.placings,
                "decided_by": result.decided_by,
                "forfeited": result.forfeited,
                "tie_breaks": [[tie.name, tie.values] for tie in result.tie_breaks],
                "fewest_wins": result.fewest_wins,
                "note": result.note,
            },
        }
    )


def opened_from(row: Row[Any], games: Mapping[str, Game[Any, Any, Any]]) -> Opened:
    """The opening of a row. Options are None where no installed game takes them. Raises ValueError."""
    return Opened(
        session_id=row.id,
        game=row.game,
        rules_version=row.rules_version,
        options=_options(row, games),
        bots=tuple(json.loads(row.bots)),
        seed=Seed.from_hex(row.seed),
        seed_given=bool(row.seed_given),
        clock=ClockSettings(row.think_time_ms, row.bank_ms, row.increment_ms),
        faults=FaultSettings(FaultPolicy(row.policy), row.max_faults, row.attempts),
        labels=tuple(sorted(json.loads(row.labels).items())),
        spectator_delay_ms=row.spectator_delay_ms,
        created_at=row.created_at,
        fingerprint=bytes.fromhex(row.fingerprint or ""),
    )


def _options(row: Row[Any], games: Mapping[str, Game[Any, Any, Any]]) -> Any:
    texts = json.loads(row.options)
    try:
        return games[row.game].options(texts)
    except (KeyError, OptionError):
        return None


def summary_from(row: Row[Any], games: Mapping[str, Game[Any, Any, Any]]) -> Summary:
    """The session of a row: as it was opened, ended or set aside. Raises ValueError."""
    opened = opened_from(row, games)
    at_first = opened.summary(row.ended_at)
    if row.ending is None:
        return at_first
    ended = json.loads(row.ending)
    return replace(
        at_first,
        state=SessionState(row.state),
        seq=ended["seq"],
        seats=tuple(
            SeatSummary(
                bot=bot,
                connected=connected,
                vacated=vacated,
                faults=tuple((FaultKind(kind), count) for kind, count in faults),
                decisions=decisions,
                charged_ms=charged_ms,
                bank_ms=bank_ms,
            )
            for bot, (connected, vacated, faults, decisions, charged_ms, bank_ms) in zip(
                opened.bots, ended["seats"], strict=True
            )
        ),
        result=_result(ended["result"]),
    )


def archived_from(row: Row[Any], steps: Steps, games: Mapping[str, Game[Any, Any, Any]]) -> Archived:
    """A session that is over. Raises ValueError."""
    summary = summary_from(row, games)
    record = Record(
        game=summary.game,
        rules_version=summary.rules_version,
        seats=len(summary.seats),
        options=summary.options,
        seed=Seed.from_hex(row.seed),
        inputs=tuple(steps.inputs),
        points=summary.result.points if summary.result else (),
        placings=summary.result.placings if summary.result else (),
    )
    return Archived(summary, record, tuple(steps.charges), tuple(steps.asides))


def _result(kept: dict[str, Any] | None) -> Result | None:
    if kept is None:
        return None
    return Result(
        points=tuple(kept["points"]),
        placings=tuple(kept["placings"]),
        decided_by=tuple(kept["decided_by"]),
        forfeited=tuple(kept["forfeited"]),
        tie_breaks=tuple(TieBreak(name, tuple(values)) for name, values in kept["tie_breaks"]),
        fewest_wins=kept["fewest_wins"],
        note=kept["note"],
    )
