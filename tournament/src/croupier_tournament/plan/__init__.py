"""Who plays whom, from which seat, on which deal, and in which order. README.md says what is where."""

from croupier_tournament.plan.balance import Balance, Spread, balance, tenths
from croupier_tournament.plan.plan import Block, GameKey, Plan, make_plan
from croupier_tournament.plan.spec import MOST_GAMES, VERSION, Format, PlanError, PlanSpec

__all__ = [
    "MOST_GAMES",
    "VERSION",
    "Balance",
    "Block",
    "Format",
    "GameKey",
    "Plan",
    "PlanError",
    "PlanSpec",
    "Spread",
    "balance",
    "make_plan",
    "tenths",
]
