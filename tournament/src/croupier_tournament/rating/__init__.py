"""How good entrants are, and how sure that is. README.md says what is where."""

from croupier_tournament.rating.elo import Comparison, Elo, block_scores, compare, elo
from croupier_tournament.rating.fit import FEWEST_DEALS, NotConverged, Ratings, fit
from croupier_tournament.rating.pairs import Pairs, Surprise
from croupier_tournament.rating.results import GameResult, Results
from croupier_tournament.rating.standings import Row, SeatEffect, Standings, standings
from croupier_tournament.rating.stopping import EProcess, Gsprt, Precision, gsprt

__all__ = [
    "FEWEST_DEALS",
    "Comparison",
    "EProcess",
    "Elo",
    "GameResult",
    "Gsprt",
    "NotConverged",
    "Pairs",
    "Precision",
    "Ratings",
    "Results",
    "Row",
    "SeatEffect",
    "Standings",
    "Surprise",
    "block_scores",
    "compare",
    "elo",
    "fit",
    "gsprt",
    "standings",
]
