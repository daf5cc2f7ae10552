"""House bots: opponents that live in the server, for practice and for measuring.

A session names them ``house:<name>`` in its list of bots.
"""

from __future__ import annotations

from collections.abc import Callable

from croupier_service.sessions.seats import Link
from croupier_service.sessions.timing import Time

from . import uniform
from .link import HouseLink, Policy
from .trade_and_triumph import greedy as trade_and_triumph_greedy
from .trades import greedy as trades_greedy
from .trick_and_trade import greedy as trick_and_trade_greedy
from .trick_stakes import greedy as trick_stakes_greedy

_GREEDY: dict[str, Policy] = {
    "trade-and-triumph": trade_and_triumph_greedy,
    "trades": trades_greedy,
    "trick-and-trade": trick_and_trade_greedy,
    "trick-stakes": trick_stakes_greedy,
}


def house_bots() -> dict[str, Callable[[str, Time], Link | None]]:
    """By name: makes a link for a seat of a game, or None where the bot does not play it."""
    return {"random": _random, "greedy": _greedy}


def _random(_game: str, time: Time) -> Link:
    return HouseLink(uniform.choose, time)


def _greedy(game: str, time: Time) -> Link | None:
    policy = _GREEDY.get(game)
    return HouseLink(policy, time) if policy is not None else None
