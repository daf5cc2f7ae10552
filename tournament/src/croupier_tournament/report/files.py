"""Standings as files for programs: `standings.json` and `standings.csv`.

The same results give the same bytes: numbers are rounded to what is known of them, and nothing depends on a clock, nor
on games that were played in vain: an interrupted tournament ends with the files of one that was not. What the fields
mean is in docs/reference/standings.md.
"""

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import Any

from croupier_tournament.rating import Comparison, Pairs, Row
from croupier_tournament.report.subject import Report, Subject

FORMAT = "croupier-standings 1"


def standings_json(report: Report) -> bytes:
    """Return the contents of `standings.json`."""
    return (_laid_out(standings_document(report)) + "\n").encode()


def standings_document(report: Report) -> dict[str, Any]:
    """Return the standings as a JSON document, as docs/reference/standings.schema.json describes it."""
    subject, found = report.subject, report.standings
    return {
        "format": FORMAT,
        "title": subject.title,
        "game": subject.game,
        "rules_version": subject.rules_version,
        "seats": subject.seats,
        "plan": {
            "format": str(subject.format),
            "version": subject.plan_version,
            "hash": subject.plan_hash,
            "games": subject.planned,
        },
        "commitment": subject.commitment or None,
        "games": found.games,
        "deals": found.deals,
        "tables": [[_row(row, subject) for row in table] for table in found.tables],
        "not_played": _not_played(report),
        "seat_effects": [
            {"seat": seat.seat, "effect": _rounded(seat.effect, 2), "half_width": _rounded(seat.half_width, 2)}
            for seat in found.seats
        ],
        "pairs": _pairs(found.pairs, subject),
        "surprises": [
            {
                "one": subject.entrants[surprise.one],
                "other": subject.entrants[surprise.other],
                "share": _rounded(surprise.share, 4),
                "expected": _rounded(surprise.expected, 4),
                "standard_errors": _rounded(surprise.errors, 2),
                "deals": surprise.deals,
            }
            for surprise in found.pairs.surprises
        ],
        "comparison": _comparison(report.comparison(), subject),
    }


def standings_csv(report: Report) -> bytes:
    """Return the contents of `standings.csv`: a line for each entrant that has played, all tables one after the other.

    Columns are those of the rows of `standings.json`, after the number of the table, and one for each kind of fault.
    """
    rows = [
        {"table": number, **_row(row, report.subject)}
        for number, table in enumerate(report.standings.tables, 1)
        for row in table
    ]
    kinds = sorted({kind for row in rows for kind in row["faults"]})
    columns = ["table", *(name for name in _COLUMNS if name != "faults")]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, *(f"faults_{kind}" for kind in kinds)])
    for row in rows:
        row["prior_driven"] = "yes" if row["prior_driven"] else "no"
        writer.writerow([*(row[name] for name in columns), *(row["faults"].get(kind, 0) for kind in kinds)])
    return text.getvalue().encode()


_COLUMNS = (
    "rank",
    "rank_low",
    "rank_high",
    "entrant",
    "kind",
    "rating",
    "half_width",
    "games",
    "deals",
    "mean_points",
    "points_half_width",
    "win_share",
    "average_placing",
    "p_best",
    "faults",
    "forfeits",
    "prior_driven",
)


def _row(row: Row, subject: Subject) -> dict[str, Any]:
    values: dict[str, Any] = {
        "rank": row.rank,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "entrant": subject.entrants[row.entrant],
        "kind": subject.kind(row.entrant) or None,
        "rating": _rounded(row.rating, 2),
        "half_width": _rounded(row.half_width, 2),
        "games": row.games,
        "deals": row.deals,
        "mean_points": _rounded(row.mean_points, 4),
        "points_half_width": _rounded(row.points_half_width, 4),
        "win_share": _rounded(row.win_share, 4),
        "average_placing": _rounded(row.average_placing, 4),
        "p_best": _rounded(row.p_best, 4),
        "faults": dict(row.faults),
        "forfeits": row.forfeits,
        "prior_driven": row.prior_driven,
    }
    assert tuple(values) == _COLUMNS
    return values


def _not_played(report: Report) -> list[str]:
    played = {row.entrant for row in report.standings.rows}
    return [name for entrant, name in enumerate(report.subject.entrants) if entrant not in played]


def _pairs(pairs: Pairs, subject: Subject) -> list[dict[str, Any]]:
    """Return what happened between every two who have met, each pair once."""
    count = len(pairs.games)
    return [
        {
            "one": subject.entrants[one],
            "other": subject.entrants[other],
            "games": int(pairs.games[one, other]),
            "share": _rounded(float(pairs.shares[one, other]), 4),
            "expected": _rounded(float(pairs.expected[one, other]), 4),
        }
        for one in range(count)
        for other in range(one + 1, count)
        if pairs.games[one, other]
    ]


def _comparison(comparison: Comparison | None, subject: Subject) -> dict[str, Any] | None:
    if comparison is None:
        return None
    elo = comparison.elo
    return {
        "one": subject.entrants[comparison.one],
        "other": subject.entrants[comparison.other],
        "blocks": comparison.blocks,
        "score": _rounded(comparison.score, 4),
        "elo": None if elo is None else _rounded(elo.difference, 2),
        "elo_half_width": None if elo is None else _rounded(elo.half_width, 2),
        "normalised_elo": None if elo is None else _rounded(elo.normalised, 2),
        "normalised_elo_half_width": None if elo is None else _rounded(elo.normalised_half_width, 2),
        "superiority": None if elo is None else _rounded(elo.superiority, 4),
        "evidence": _significant(comparison.evidence),
        "evidence_against": _significant(comparison.evidence_against),
    }


def _rounded(value: float | None, digits: int) -> float | None:
    """Return a number as it is written: rounded, never -0.0, None where it is none that JSON knows."""
    return round(value, digits) + 0.0 if value is not None and math.isfinite(value) else None


def _significant(value: float) -> float | None:
    """Return a number with six significant digits; None where it is too large for any."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _laid_out(value: object, indent: str = "") -> str:
    """Write JSON with a line for each thing that is worth one: a row, a pair, a field of the document."""
    inner = indent + "  "
    if isinstance(value, Mapping) and (not indent or _depth(value) > 2):
        lines = [f"{json.dumps(name, ensure_ascii=False)}: {_laid_out(item, inner)}" for name, item in value.items()]
        brackets = "{}"
    elif isinstance(value, list) and _depth(value) > 1:
        lines = [_laid_out(item, inner) for item in value]
        brackets = "[]"
    else:
        return json.dumps(value, ensure_ascii=False)
    joined = f",\n{inner}".join(lines)
    return f"{brackets[0]}\n{inner}{joined}\n{indent}{brackets[1]}"


def _depth(value: object) -> int:
    """Return how many brackets there are around the innermost thing."""
    if isinstance(value, Mapping):
        return 1 + max((_depth(item) for item in value.values()), default=0)
    return 1 + max((_depth(item) for item in value), default=0) if isinstance(value, list) else 0
