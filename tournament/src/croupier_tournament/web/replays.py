"""Finished games, frame by frame. Replaying takes a while, so it is done in a thread, one at a time, and remembered."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from croupier_games.kernel import Record, RecordError, UnknownGame, find_game
from croupier_tournament.web.answers import WebError
from croupier_tournament.web.feeds import encoded
from croupier_tournament.web.frames import replay_frames

MOST_BYTES = 64 * 1024 * 1024
"""Of answers that are remembered."""


class Replays:
    """See the module."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._known: OrderedDict[Hashable, bytes] = OrderedDict()
        self._bytes = 0

    async def of(self, key: Hashable, make: Callable[[], dict[str, Any]]) -> bytes:
        """The answer of this key; `make` computes it where it is not known. Raises WebError."""
        async with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
            try:
                made = await asyncio.to_thread(lambda: encoded(make()))
            except (RecordError, UnknownGame) as error:
                raise WebError(409, f"this game cannot be replayed here: {error}") from error
            self._known[key] = made
            self._bytes += len(made)
            while self._bytes > MOST_BYTES:
                self._bytes -= len(self._known.popitem(last=False)[1])
            return made


def replay_json(
    text: str,
    viewer: str,
    bots: Sequence[str],
    charged_ms: Sequence[int] = (),
    more: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """A replay with what is around it.

    Args:
        text: the record.
        viewer: whose cards are shown: see `frames.viewers_of`.
        bots: who sat where.
        charged_ms: what each input's seat was charged; empty: not known.
        more: what else the page is to know of the game.

    Raises:
        UnknownViewer, RecordError, UnknownGame: it cannot be had.
    """
    record = Record.from_text(text, find_game)
    game = find_game(record.game)
    return {
        "game": record.game,
        "title": game.title,
        "seats": record.seats,
        "bots": list(bots),
        **(more or {}),
        **replay_frames(record, game, viewer, charged_ms),
    }
