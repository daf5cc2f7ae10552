"""A tournament as one JSON document."""

import json

from croupier_tournament.report.standings import standings
from croupier_tournament.run.local import Tournament


def document(tournament: Tournament) -> str:
    """Return it as text. All but `timing` comes out the same whenever the same is played."""
    settings, seconds = tournament.settings, tournament.seconds
    kinds = {entrant.name: entrant.kind for entrant in tournament.entrants}
    return json.dumps(
        {
            "game": tournament.game.name,
            "rules_version": tournament.game.rules_version,
            "seats": settings.seats,
            "seed": settings.secret,
            "planned": len(tournament.plan),
            "played": len(tournament.games),
            "deals": len({game.planned.deal for game in tournament.games}),
            "decisions": tournament.decisions,
            "verified": tournament.proven,
            "unverified": tournament.unproven,
            "standings": [
                {
                    "bot": row.bot,
                    "kind": kinds[row.bot],
                    "games": row.games,
                    "deals": row.deals,
                    "mean_points": row.mean_points,
                    "half_width": row.half_width,
                    "wins": row.wins,
                    "average_placing": row.average_placing,
                    "decisions": row.decisions,
                    "faults": dict(row.faults),
                }
                for row in standings(tournament.games, list(kinds))
            ],
            "timing": {
                "seconds": round(seconds, 3),
                "decisions_per_second": round(tournament.decisions / seconds) if seconds else None,
                "answer_ms": {bot: {"p50": times.p50, "p99": times.p99} for bot, times in tournament.times.items()},
            },
        },
        indent=2,
    )
