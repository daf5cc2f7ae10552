"""What a check is. Checks register themselves where they are defined, in ``checks/``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from .failures import Failed
from .stage import Stage

Play: TypeAlias = Callable[[Stage], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a bot has to do right.

    Attributes:
        name: for ``--only``.
        what: what a bot does that passes.
        why: why that matters.
        remedy: what to do where it fails.
        play: what happens; raises Failed, or DoesNotApply.
        fresh: whether it takes a bot that has just been started, and leaves none behind.
        advice: whether the contract lets a bot do otherwise: it fails a bot with ``--strict`` only.
        slow: whether it waits much, and is better begun early.
    """

    name: str
    what: str
    why: str
    remedy: str
    play: Play
    fresh: bool = False
    advice: bool = False
    slow: bool = False


CHECKS: list[Check] = []
"""In the order in which they are run and told."""


def check(
    *, why: str, remedy: str, fresh: bool = False, advice: bool = False, slow: bool = False
) -> Callable[[Play], Play]:
    """Make a function a check, called like the function; its docstring says what a bot does that passes."""

    def register(play: Play) -> Play:
        name = getattr(play, "__name__", "").replace("_", "-")
        what = (play.__doc__ or "").rstrip(".")
        CHECKS.append(Check(name, what, why, remedy, play, fresh, advice, slow))
        return play

    return register


def require(condition: object, message: str) -> None:
    """Raise Failed with this message unless the condition holds."""
    if not condition:
        raise Failed(message)
