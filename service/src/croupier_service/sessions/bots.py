"""Remote bots, as the host knows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from .seats import Link
from .session import Session


class BotLink(Link, Protocol):
    """A link over which a remote bot is connected."""

    def close(self, reason: str, *, come_back: bool = False) -> None:
        """Tell the bot why, and whether it should try again, and end the connection."""

    def drain(self, grace_ms: float, reason: str) -> None:
        """Tell the bot that the server is about to stop."""


@dataclass(slots=True)
class BotAt:
    """A remote bot that has been here, connected or not."""

    name: str
    link: BotLink | None = None
    games: frozenset[str] = frozenset()
    """The games it plays, as it said last; empty: any."""
    max_sessions: int = 0
    """How many sessions it may sit in at once; 0: any number."""
    sessions: dict[str, Session] = field(default_factory=dict)
    """The running sessions in which it sits."""
    told: set[str] = field(default_factory=set)
    """Those of them that it has been told of."""
    rate: Any = None
    """How much it has said of late. Who reads its streams may leave it here: a new stream is no clean slate."""
