"""What a report is about."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from croupier_tournament.rating import Comparison, Results, Standings, compare


@dataclass(frozen=True, slots=True)
class Subject:
    """A tournament, as far as reports tell of it. Nothing here depends on clocks or machines."""

    title: str
    game: str
    """Its name on servers."""
    rules_version: int
    seats: int
    """At each table."""
    format: str
    """How tables are chosen: see `Format`."""
    entrants: tuple[str, ...]
    """Their names, in the order of the plan."""
    plan_version: int
    plan_hash: str
    """64 hexadecimal digits."""
    planned: int
    """Games."""
    kinds: tuple[str, ...] = ()
    """Of each entrant, such as remote, command or house; may be left out."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Of the game, where they are not its defaults."""
    commitment: str = ""
    """SHA-256 of the secret, 64 hexadecimal digits; empty where there is none."""
    state: str = ""
    """Where it stands, for people: finished, paused, ..."""
    reason: str = ""
    """Why it ended, for people."""
    pair: tuple[int, int] | None = None
    """The two entrants of a head-to-head, the one that is measured first."""
    commands: tuple[tuple[str, str], ...] = ()
    """How to reproduce and check it: what for, and what to type."""

    def kind(self, entrant: int) -> str:
        """Return the kind of an entrant; empty where it is not known."""
        return self.kinds[entrant] if self.kinds else ""


@dataclass(frozen=True, slots=True)
class Report:
    """All that reports show."""

    subject: Subject
    standings: Standings
    results: Results

    def comparison(self) -> Comparison | None:
        """Return how the two of a head-to-head compare; None elsewhere."""
        return None if self.subject.pair is None else compare(self.results, *self.subject.pair)
