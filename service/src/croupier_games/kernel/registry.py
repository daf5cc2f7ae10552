"""The registered games: ours and third parties', by the entry-point group ``croupier.games``."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from .game import Game

GROUP = "croupier.games"


class UnknownGame(KeyError):
    """No such game; the message lists those that there are."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"no game is called {self.name!r}; there are: {', '.join(sorted(games()))}"


@cache
def games() -> dict[str, Game[Any, Any, Any]]:
    """Every registered game by its name, in alphabetical order.

    Raises ValueError when two share a name, ImportError naming the entry point of one that cannot be loaded.
    """
    found: dict[str, Game[Any, Any, Any]] = {}
    for entry in entry_points(group=GROUP):
        try:
            game: Game[Any, Any, Any] = entry.load()
        except (ImportError, AttributeError) as error:
            raise ImportError(f"the game {entry.name!r} cannot be loaded from {entry.value!r}: {error}") from error
        if game.name in found:
            raise ValueError(f"two registered games are called {game.name!r}")
        found[game.name] = game
    return dict(sorted(found.items()))


def find_game(name: str) -> Game[Any, Any, Any]:
    """The game of that name. Raises UnknownGame."""
    try:
        return games()[name]
    except KeyError:
        raise UnknownGame(name) from None
