"""The bots of a tournament: how each has done, how its rating has come about, how long it thinks, when it was seen."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from croupier_tournament.rating import GameResult, NotConverged
from croupier_tournament.run.hosting import Hosted
from croupier_tournament.run.ledger import FINAL, Game, Ledger
from croupier_tournament.run.standing import rate, result_of

POINTS = 10
"""Of a rating history: fits of the first tenth of the games, the first two tenths, and so on."""
FEWEST_GAMES = 4
"""Before the first of them."""
MOST_GAMES = 50_000
"""Of longer tournaments there are no rating histories: they would take minutes."""
FRESH_S = 20.0
"""How long what was computed is shown to all who ask, while games go on."""


@dataclass(slots=True)
class Doings:
    """What one entrant has done in games that are final."""

    games: int = 0
    decisions: int = 0
    charged_ms: int = 0
    slowest_ms: float = 0.0
    """Of all games, the longest mean time of a decision."""
    faults: Counter[str] = field(default_factory=Counter)
    forfeits: int = 0
    last_s: float | None = None
    """When its latest game ended, in seconds since 1970."""


class Biographies:
    """Computed once for all who ask, in a thread. `clock` gives seconds."""

    def __init__(self, ledger: Ledger, clock: Callable[[], float] | None = None) -> None:
        self._ledger = ledger
        self._clock = clock or asyncio.get_running_loop().time
        self._lock = asyncio.Lock()
        self._known: dict[str, tuple[float, int, list[dict[str, Any]]]] = {}

    async def of(self, hosted: Hosted) -> list[dict[str, Any]]:
        """Every entrant of a tournament, in the order of its plan.

        Each is `{"name", "kind", "games", "decisions", "mean_ms", "slowest_ms", "faults", "forfeits", "last_s",
        "history": [{"games", "rating", "half_width"}, ...]}`; times are None where nothing is known.
        """
        tournament = hosted.tournament
        async with self._lock:
            final = (await self._ledger.counts(tournament.id)).get(FINAL, 0)
            at, of, known = self._known.get(tournament.id, (0.0, -1, []))
            if of == final or (known and self._clock() < at + FRESH_S):
                return known
            done = {name: Doings() for name in tournament.names}
            results: list[GameResult] = []
            async for game in self._ledger.games(tournament.id):
                note(done, tournament.seating(game.key), game)
                if final <= MOST_GAMES:
                    results.append(result_of(tournament.plan, game))
            history = await asyncio.to_thread(histories, results, len(tournament.names))
            made = [
                {
                    "name": name,
                    "kind": tournament.spec.entrant(name).kind_name,
                    **doings_json(done[name]),
                    "history": history.get(number, []),
                }
                for number, name in enumerate(tournament.names)
            ]
            self._known[tournament.id] = self._clock(), final, made
            return made


def note(done: dict[str, Doings], seating: tuple[str, ...], game: Game) -> None:
    """Add a game to what each entrant has done."""
    for seat, name in enumerate(seating):
        one = done[name]
        one.games += 1
        one.forfeits += bool(game.forfeited and game.forfeited[seat])
        if game.faults:
            one.faults.update(game.faults[seat])
        if game.decisions and game.charged and game.decisions[seat]:
            one.decisions += game.decisions[seat]
            one.charged_ms += game.charged[seat]
            one.slowest_ms = max(one.slowest_ms, game.charged[seat] / game.decisions[seat])
        if game.ended is not None:
            one.last_s = max(one.last_s or 0.0, game.ended)


def doings_json(one: Doings) -> dict[str, Any]:
    """The same, for the page."""
    return {
        "games": one.games,
        "decisions": one.decisions,
        "mean_ms": round(one.charged_ms / one.decisions, 2) if one.decisions else None,
        "slowest_ms": round(one.slowest_ms, 2) if one.decisions else None,
        "faults": dict(sorted(one.faults.items())),
        "forfeits": one.forfeits,
        "last_s": one.last_s,
    }


def histories(results: list[GameResult], entrants: int) -> dict[int, list[dict[str, Any]]]:
    """How ratings have come about: fits of ever more games, in the order of the plan; by the number of the entrant."""
    cuts = sorted({len(results) * part // POINTS for part in range(1, POINTS + 1)})
    found: dict[int, list[dict[str, Any]]] = {}
    for cut in cuts:
        if cut < FEWEST_GAMES:
            continue
        try:
            standing = rate(results[:cut], entrants)
        except NotConverged:
            continue
        for row in standing.standings.rows:
            point = {
                "games": cut,
                "rating": round(row.rating, 2),
                "half_width": None if row.half_width is None else round(row.half_width, 2),
            }
            found.setdefault(row.entrant, []).append(point)
    return found
