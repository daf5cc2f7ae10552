"""The dashboard of tournaments."""

from grafana_foundation_sdk.builders import dashboard
from panels import board, choice, graph, number, stacked

HERE = 'tournament=~"$tournament"'
RATE = "[$__rate_interval]"


def made() -> dashboard.Dashboard:
    """The dashboard."""
    made = board(
        "Croupier · Tournament", "croupier-tournament", "How far tournaments are, who leads, and what goes wrong."
    ).with_variable(choice("tournament", "Tournament", "label_values(croupier_tournament_state, tournament)"))
    for title, panels in ROWS.items():
        made.with_row(dashboard.Row(title))
        for panel in panels():
            made.with_panel(panel)
    return made


def progress():
    """How far they are."""
    yield number("Running", "Tournaments.", "none", f'sum(croupier_tournament_state{{state="running", {HERE}}})')
    yield number(
        "Done", "Share of the games that are final.", "percentunit",
        f"sum(croupier_tournament_games_final{{{HERE}}}) / sum(croupier_tournament_games_planned{{{HERE}}})",
    )  # fmt: skip
    yield number("Games", "Final ones a second.", "none", f"sum(croupier_tournament_games_per_second{{{HERE}}})")
    yield number("Time left", "Of the one that takes longest.", "s", f"max(croupier_tournament_eta_seconds{{{HERE}}})")
    yield number(
        "Voided", "Games that were repeated.", "none", f"sum(croupier_tournament_games_voided_total{{{HERE}}})", warn=1
    )
    yield number(
        "Disk", "Used, of the disk of the files.", "percentunit",
        "max(1 - croupier_tournament_disk_free_bytes / croupier_tournament_disk_size_bytes)", warn=0.9,
    )  # fmt: skip
    yield graph(
        "Games", "Planned, being played, final.", "none",
        {
            "{{tournament}} planned": f"croupier_tournament_games_planned{{{HERE}}}",
            "{{tournament}} final": f"croupier_tournament_games_final{{{HERE}}}",
            "{{tournament}} running": f"croupier_tournament_games_running{{{HERE}}}",
        },
    )  # fmt: skip
    yield graph(
        "Blocks under way", "Begun and not final.", "none",
        {"{{tournament}}": f"croupier_tournament_blocks_leased{{{HERE}}}"},
    )  # fmt: skip
    yield stacked(
        "Games on servers", "Being played.", "none",
        {"{{server}}": f"sum by (server) (croupier_tournament_server_games{{{HERE}}})"},
    )  # fmt: skip


def entrants():
    """Who leads, and who fails."""
    yield graph(
        "Ratings", "1500 is the average.", "none", {"{{entrant}}": f"croupier_tournament_rating{{{HERE}}}"}, width=12
    )
    yield graph(
        "How sure that is", "Half-width of the 95 % intervals.", "none",
        {"{{entrant}}": f"croupier_tournament_rating_half_width{{{HERE}}}"}, width=12,
    )  # fmt: skip
    faults = f"sum by (entrant) (rate(croupier_tournament_faults_total{{{HERE}}}{RATE}))"
    games = f"sum by (entrant) (rate(croupier_tournament_entrant_games_total{{{HERE}}}{RATE}))"
    yield graph("Faults a game", "Of each entrant.", "none", {"{{entrant}}": f"{faults} / {games}"})
    yield graph(
        "Crashes", "Ends of entrants' processes that nobody asked for; disqualified entrants.", "none",
        {
            "{{entrant}}": f"croupier_tournament_crashes_total{{{HERE}}}",
            "disqualified": f"sum(croupier_tournament_entrant_disqualified{{{HERE}}}) or vector(0)",
        },
    )  # fmt: skip
    yield graph(
        "Servers that answer", "1 for one that does.", "none",
        {"{{server}}": f"min by (server) (croupier_tournament_servers{{{HERE}}})"},
    )  # fmt: skip


ROWS = {"Progress": progress, "Entrants and servers": entrants}
