"""Plays any legal action, all equally likely. Plays every game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from croupier_games.kernel import Dice


def choose(_view: Any, legal: Sequence[Any], dice: Dice) -> Any:
    """One of the legal actions."""
    return dice.choice(legal)
