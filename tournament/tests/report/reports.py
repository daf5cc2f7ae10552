"""Reports of tournaments that nobody has played."""

from dataclasses import replace
from functools import cache

from simulated_games import simulated

from croupier_tournament.rating import Results, fit, standings
from croupier_tournament.report import Report, Subject

NAMES = ("alice", "bob", "carol", "dave", "eve")


def report_of(games, names=NAMES, voided=None, **more):
    """A report of some games."""
    results = Results(games, len(names))
    subject = Subject(
        title=more.pop("title", "Autumn Cup"),
        game="trick-and-trade",
        rules_version=1,
        seats=results.seats or 4,
        format="balanced",
        entrants=names,
        plan_version=1,
        plan_hash="3f" * 32,
        planned=more.pop("planned", len(results)),
        **more,
    )
    return Report(subject, standings(fit(results, len(names)), results, voided), results)


@cache
def cup(**more):
    """Five bots, of whom carol is late now and then and eve forfeits when she cheats."""
    games = []
    for number, game in enumerate(simulated([1.0, 0.5, 0.4, 0.0, -0.8], 4, 60)):
        cheats = number % 20 == 7
        faults = tuple(
            {"late": 2} if entrant == 2 and number % 10 == 3 else {"illegal": 3} if entrant == 4 and cheats else {}
            for entrant in game.seating
        )
        forfeited = tuple(entrant == 4 and cheats for entrant in game.seating)
        decisions = tuple(10 + (number + seat) % 4 for seat in range(4))
        games.append(replace(game, faults=faults, forfeited=forfeited, decisions=decisions))
    return report_of(games, voided={1: 8}, **more)
