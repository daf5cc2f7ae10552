"""The conformance suite: what every game must keep to, ours and third parties'.

From a test, in one line:

    check_game(GAME)

or each check by itself:

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_conformance(check):
        check(Trial(GAME, seats=3))

From a command line: ``python -m croupier_games.kernel.conformance trick-and-trade``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..game import Game
from .data import difference
from .deciding import check_legality, check_turns
from .declaring import check_declaration, check_notation
from .hashing import check_hash_seed, game_at
from .replaying import check_determinism, check_forfeits, check_records, check_results
from .seeing import check_clone, check_redeal, check_secrets, check_views
from .trial import Check, Knowledge, NotConformant, Position, Tally, Trial

CHECKS: tuple[Check, ...] = (
    check_declaration,
    check_turns,
    check_clone,
    check_determinism,
    check_views,
    check_legality,
    check_notation,
    check_secrets,
    check_redeal,
    check_results,
    check_records,
    check_forfeits,
    check_hash_seed,
)
"""In the order in which they explain one another: a game whose clones are not independent fails others too."""

ONCE = frozenset({check_declaration, check_hash_seed})
"""Checks that one game is enough for, whatever its seats."""


def check_game(
    game: Game[Any, Any, Any],
    *,
    games_per_seat_count: int = 5,
    seed: str = "conformance",
    options: Any = None,
    seat_counts: Iterable[int] | None = None,
    positions: int = 6,
    hidden: bool = True,
    progress: Callable[[Trial], None] | None = None,
) -> Tally:
    """Run every check. Raises NotConformant for the first that fails; returns what was played.

    ``options`` is of the game's options type (None: the defaults); ``positions`` and ``hidden`` are as in ``Trial``;
    ``progress`` is told each trial after its checks.
    """
    tally, known = Tally(), dict[Any, None]()
    for seats in game.seat_range if seat_counts is None else seat_counts:
        for number in range(games_per_seat_count):
            trial = Trial(
                game,
                seats,
                seed=f"{seed}/{seats}/{number}",
                options=options,
                positions=positions,
                hidden=hidden,
                known=known,
            )
            for check in CHECKS:
                if tally.games == 0 or check not in ONCE:
                    check(trial)
            tally.add(trial.tally)
            if progress is not None:
                progress(trial)
    return tally


__all__ = [
    "CHECKS",
    "ONCE",
    "Check",
    "Knowledge",
    "NotConformant",
    "Position",
    "Tally",
    "Trial",
    "check_clone",
    "check_declaration",
    "check_determinism",
    "check_forfeits",
    "check_game",
    "check_hash_seed",
    "check_legality",
    "check_notation",
    "check_records",
    "check_redeal",
    "check_results",
    "check_secrets",
    "check_turns",
    "check_views",
    "difference",
    "game_at",
]
