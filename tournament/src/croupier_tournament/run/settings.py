"""What is to be played."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """A game, tables of so many seats, and how much of it; the bots are always the same five."""

    game: str = "trick-and-trade"
    seats: int = 4
    games: int = 200
    """At least."""
    concurrency: int = 32
    """Games at once."""
    secret: str = "croupier"  # noqa: S105 -- a demonstration's
    """What all deals, and the choices of random bots, follow from."""
