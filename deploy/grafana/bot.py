"""The dashboard of one bot in one tournament."""

from grafana_foundation_sdk.builders import dashboard
from panels import board, choice, graph, number, stacked

HERE = 'tournament=~"$tournament", entrant=~"$entrant"'
RATE = "[$__rate_interval]"


def made() -> dashboard.Dashboard:
    """The dashboard."""
    made = (
        board("Croupier · Bot", "croupier-bot", "One entrant of a tournament that runs.")
        .with_variable(
            choice(
                "tournament",
                "Tournament",
                "label_values(croupier_tournament_entrant_games_total, tournament)",
                several=False,
            )
        )
        .with_variable(
            choice(
                "entrant",
                "Bot",
                'label_values(croupier_tournament_entrant_games_total{tournament="$tournament"}, entrant)',
                several=False,
            )
        )
    )
    for panel in panels():
        made.with_panel(panel)
    return made


def panels():
    """How it does."""
    rating, width = f"croupier_tournament_rating{{{HERE}}}", f"croupier_tournament_rating_half_width{{{HERE}}}"
    faults = f"sum(increase(croupier_tournament_faults_total{{{HERE}}}[10m]))"
    games = f"sum(increase(croupier_tournament_entrant_games_total{{{HERE}}}[10m]))"
    yield number("Rank", "1 is best.", "none", f"max(croupier_tournament_rank{{{HERE}}})", width=6)
    yield number("Rating", "1500 is the average.", "none", f"max({rating})", width=6)
    yield number("Games", "Final ones.", "none", f"sum(croupier_tournament_entrant_games_total{{{HERE}}})", width=6)
    yield number("Faults a game", "Over ten minutes.", "none", f"({faults} or vector(0)) / {games}", warn=0.2, width=6)
    yield graph(
        "Rating", "With its 95 % interval.", "none",
        {
            "{{entrant}}": rating,
            "{{entrant}} at most": f"{rating} + {width}",
            "{{entrant}} at least": f"{rating} - {width}",
        },
        width=12,
    )  # fmt: skip
    kinds = f"sum by (entrant, kind) (rate(croupier_tournament_faults_total{{{HERE}}}{RATE}))"
    yield stacked(
        "Faults by kind", "A minute.", "none", {"{{entrant}} {{kind}}": f"60 * {kinds}"},
        width=12,
    )  # fmt: skip
    yield graph(
        "Games", "A minute.", "none",
        {"{{entrant}}": f"60 * rate(croupier_tournament_entrant_games_total{{{HERE}}}{RATE})"}, width=12,
    )  # fmt: skip
    yield graph(
        "Crashes", "Ends of its process that nobody asked for; 1 where it is disqualified.", "none",
        {
            "{{entrant}} crashes": f"croupier_tournament_crashes_total{{{HERE}}} or 0 * {rating}",
            "{{entrant}} disqualified": f"croupier_tournament_entrant_disqualified{{{HERE}}} or 0 * {rating}",
        },
        width=12,
    )  # fmt: skip
