"""The command line of the conformance suite."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from ..dice import Seed
from ..game import Game, OptionError, name_value
from ..registry import UnknownGame, find_game
from . import NotConformant, Tally, Trial, check_game, game_at


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one game. Returns 0 when it conforms, 1 when it does not.

    Leaves with 2 when asked for something that does not exist.
    """
    parser = _parser()
    asked = parser.parse_args(arguments)
    try:
        game = _game(asked.game)
        options = game.options(dict(asked.option))
        if asked.option or asked.seats:
            for seats in asked.seats or game.seat_range:
                game.deal(seats, options, Seed.of(asked.seed))
    except (UnknownGame, ImportError, AttributeError) as error:
        parser.error(str(error))
    except OptionError as error:
        parser.error(f"{error.field}: {error}")
    try:
        tally = check_game(
            game,
            games_per_seat_count=asked.games,
            seed=asked.seed,
            options=options,
            seat_counts=asked.seats,
            positions=asked.positions,
            hidden=not asked.nothing_hidden,
            progress=_Progress(asked.games),
        )
    except NotConformant as error:
        print(f"not conformant: {error}", file=sys.stderr)
        return 1
    print(_verdict(game, tally))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m croupier_games.kernel.conformance",
        description="Hold a game to the contract by playing it at random and looking closely.",
        epilog="Exit status: 0 it conforms, 1 it does not, 2 there is no such game, option or seat count.",
    )
    parser.add_argument("game", metavar="NAME", help="a registered game, or module:attribute")
    parser.add_argument("--games", type=_positive, default=5, metavar="N", help="games per seat count (5)")
    parser.add_argument("--seats", type=int, action="append", metavar="K", help="only this seat count; may be repeated")
    parser.add_argument(
        "--positions",
        type=_positive,
        default=6,
        metavar="N",
        help="positions looked into, per game and kind of decision (6)",
    )
    parser.add_argument("--seed", default="conformance", metavar="TEXT", help="any text; other games for another one")
    parser.add_argument(
        "--option",
        type=name_value,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game; may be repeated",
    )
    parser.add_argument(
        "--nothing-hidden",
        action="store_true",
        help="the game has neither secrets nor chance: re-deals may change nothing",
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _game(name: str) -> Game[Any, Any, Any]:
    return game_at(name) if ":" in name else find_game(name)


class _Progress:
    """A line per seat count."""

    def __init__(self, games: int) -> None:
        self._games = games
        self._tally = Tally()

    def __call__(self, trial: Trial) -> None:
        self._tally.add(trial.tally)
        done = self._tally.games == self._games
        if done or sys.stdout.isatty():
            text = f"{trial.seats} seats: {self._tally.games} of {self._games} games, {self._tally.inputs} inputs"
            print(f"\r{text}", end="\n" if done else "", flush=True)
        if done:
            self._tally = Tally()


def _verdict(game: Game[Any, Any, Any], tally: Tally) -> str:
    verdict = (
        f"{game.title} conforms: {tally.games} games, {tally.decisions} decisions, "
        f"{tally.longest} actions in the longest list, {tally.forced} moves made by the engine"
    )
    if tally.lone:
        verdict += (
            f"\nnote: {tally.lone} times a seat alone was asked although it had one action: "
            "take it for the seat, unless the move would tell something"
        )
    return verdict
