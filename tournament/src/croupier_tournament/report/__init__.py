"""What comes of a tournament, for people and for programs. README.md says what is where."""

from croupier_tournament.report.files import standings_csv, standings_document, standings_json
from croupier_tournament.report.page import report_html
from croupier_tournament.report.subject import Report, Subject
from croupier_tournament.report.table import StandingsTable

__all__ = [
    "Report",
    "StandingsTable",
    "Subject",
    "report_html",
    "standings_csv",
    "standings_document",
    "standings_json",
]
