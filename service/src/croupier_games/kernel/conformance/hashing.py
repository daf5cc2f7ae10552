"""The check that needs processes of its own: does a game depend on the order in which Python happens to keep sets?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from ..game import Game, option_texts
from ..registry import GROUP
from .trial import Trial, check

HASH_SEEDS = ("1", "2", "3")


@check
def check_hash_seed(trial: Trial) -> None:
    """The same seed gives the same game in every process, whatever its PYTHONHASHSEED.

    It must be importable there: a registered game, or an attribute of the module of its class or of a package around
    that.
    """
    address = address_of(trial.game)
    if address is None:
        raise trial.wrong("other processes cannot import it: make it an attribute of the module of its class")
    order = json.dumps([address, trial.seats, trial.seed, option_texts(trial.options), trial.positions])
    running = [
        subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.hashing", order],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for hash_seed in HASH_SEEDS
    ]
    outcomes = [(*process.communicate(), process.returncode) for process in running]
    for _, errors, code in outcomes:
        if code:
            raise trial.wrong(f"it cannot be played in a process of its own: {errors.strip().splitlines()[-1:]}")
    if len({prints for prints, _, _ in outcomes}) > 1:
        raise trial.wrong(
            "the same seed gives different games in different processes: look for loops over sets, hash(), id(), "
            "global state"
        )


def address_of(game: Game[Any, Any, Any]) -> str | None:
    """Where to import a game from, as ``module:attribute``; None when it is nowhere to be found."""
    for entry in entry_points(group=GROUP):
        if entry.load() is game:
            return entry.value
    parts = type(game).__module__.split(".")
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        if module != "__main__" and module in sys.modules:
            for name, value in vars(sys.modules[module]).items():
                if value is game:
                    return f"{module}:{name}"
    return None


def game_at(address: str) -> Game[Any, Any, Any]:
    """The game at ``module:attribute``. Raises ImportError or AttributeError."""
    module, _, name = address.partition(":")
    game: Game[Any, Any, Any] = getattr(import_module(module), name)
    return game


def _print_fingerprint(order: str) -> None:
    address, seats, seed, texts, positions = json.loads(order)
    game = game_at(address)
    trial = Trial(game, seats, seed=seed, options=game.options(texts), positions=positions)
    sys.stdout.write(trial.fingerprint())


if __name__ == "__main__":
    _print_fingerprint(sys.argv[1])
