"""Tables for a terminal: what a spectator sees, as people know it. One file for each game."""

from __future__ import annotations

from functools import cache

from croupier_service.wire.registry import codecs

from .look import Look, Plain
from .trade_and_triumph import TradeAndTriumphLook
from .trades import TradesLook
from .trick_and_trade import TrickAndTradeLook
from .trick_stakes import TrickStakesLook

LOOKS: dict[str, type[Look]] = {
    "trick-and-trade": TrickAndTradeLook,
    "trick-stakes": TrickStakesLook,
    "trades": TradesLook,
    "trade-and-triumph": TradeAndTriumphLook,
}


@cache
def look_of(game: str) -> Look:
    """How a game is shown; one that is not known here is shown by its actions alone, as far as they can be read."""
    codec = codecs().get(game)
    return LOOKS.get(game, Plain)(game, codec)


__all__ = ["Look", "look_of"]
