"""Writes the standings into a folder, for people and for programs."""

import shlex
from dataclasses import replace
from pathlib import Path

from croupier_tournament.report import Report, report_html, standings_csv, standings_json
from croupier_tournament.run.ledger import Entry
from croupier_tournament.run.publish import Replacing
from croupier_tournament.run.standing import Standing, subject_of
from croupier_tournament.run.tournament import Tournament


def report_of(tournament: Tournament, standing: Standing, entry: Entry | None = None) -> Report:
    """Return what reports of a tournament are made of; with an entry they say where it stands, too."""
    subject = subject_of(tournament.spec, tournament.plan, tournament.commitment.hex())
    if entry is not None:
        subject = replace(subject, state=entry.state, reason=entry.reason)
    return standing.report(subject)


def write_reports(tournament: Tournament, standing: Standing, entry: Entry, folder: Path) -> None:
    """Write `standings.json`, `standings.csv` and `report.html`; what was there is replaced."""
    report = report_of(tournament, standing, entry)
    name = shlex.quote(folder.name)
    commands = (
        ("check everything", f"croupier tournament verify {name}"),
        ("play the same plan with new cards", f"croupier tournament run {name}/spec.toml --dir another"),
    )
    page = replace(report, subject=replace(report.subject, commands=commands))
    for file, content in (
        ("standings.json", standings_json(report)),
        ("standings.csv", standings_csv(report)),
        ("report.html", report_html(page)),
    ):
        with Replacing(folder / file) as written:
            written.write(content)
