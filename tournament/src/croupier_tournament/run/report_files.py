"""Standings as files and as a table for a terminal."""

import json
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from croupier_tournament.run.standing import Standing
from croupier_tournament.run.tournament import Tournament


def rows(standing: Standing, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the standings' rows for programs."""
    return [
        {
            "entrant": names[row.entrant],
            "rank": row.rank,
            "rank_low": row.rank_low,
            "rank_high": row.rank_high,
            "rating": row.rating,
            "half_width": row.half_width,
            "games": row.games,
            "deals": row.deals,
            "mean_points": row.mean_points,
            "win_share": row.win_share,
            "average_placing": row.average_placing,
            "p_best": row.p_best,
            "faults": dict(row.faults),
            "prior_driven": row.prior_driven,
        }
        for row in standing.standings.rows
    ]


def standings_json(names: tuple[str, ...], standing: Standing) -> bytes:
    """Return the standings as a JSON document."""
    return (json.dumps({"standings": rows(standing, names)}, indent=2) + "\n").encode()


def table(tournament: Tournament, standing: Standing) -> Table:
    """Return the standings as a table."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("rank", "bot", "rating", "games", "points", "wins", "faults"):
        shown.add_column(name)
    for row in standing.standings.rows:
        half = "" if row.half_width is None else f" ± {row.half_width:.0f}"
        shown.add_row(
            str(row.rank),
            tournament.names[row.entrant],
            f"{row.rating:.0f}{half}",
            str(row.games),
            f"{row.mean_points:.1f}",
            f"{row.win_share:.1%}",
            ", ".join(f"{count} {kind}" for kind, count in row.faults.items()),
        )
    return shown


def write(tournament: Tournament, standing: Standing, folder: Path) -> None:
    """Write the standings into a folder."""
    (folder / "standings.json").write_bytes(standings_json(tournament.names, standing))
