"""The wire forms of the installed games, ours and third parties', by the entry-point group ``croupier.codecs``."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from .codec import Codec

GROUP = "croupier.codecs"


@cache
def codecs() -> dict[str, Codec[Any, Any, Any]]:
    """Every codec by its game's name. A game without one can be played offline, but not hosted."""
    found: dict[str, Codec[Any, Any, Any]] = {}
    for entry in entry_points(group=GROUP):
        codec: Codec[Any, Any, Any] = entry.load()
        found[codec.game] = codec
    return dict(sorted(found.items()))
