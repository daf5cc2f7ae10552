"""What a plan is made from, and what is wrong with it."""

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from math import comb

from croupier_games.kernel import Seed

VERSION = 1
"""Raised whenever the same specification would give another plan."""

MOST_GAMES = 5_000_000
"""In one plan; it is held in memory, at about ten bytes for each game."""


class Format(StrEnum):
    """How tables are chosen."""

    FULL = "full"
    """Every set of entrants that fills a table."""
    DESIGN = "design"
    """A balanced incomplete block design: every two entrants meet equally often, in few tables."""
    BALANCED = "balanced"
    """The least played next, with whom they have met least: any number of entrants and blocks."""
    GAUNTLET = "gauntlet"
    """One entrant, the champion, sits at every table."""
    HEAD_TO_HEAD = "head-to-head"
    """Two entrants, the pair, sit at every table; others fill it up."""


class PlanError(ValueError):
    """A plan cannot be made. `field` is the field of the specification; the message says what would be right."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True)
class PlanSpec:
    """What a plan is a function of. The order in which entrants are named is of no importance."""

    format: Format | str
    entrants: tuple[str, ...]
    """Their names, each once."""
    seats: int
    """At each table."""
    deals: int
    """For each table; of no importance to `balanced` and wherever `blocks` are given."""
    options_digest: str
    """Whatever else the plan shall depend on, such as a digest of the game and its options."""
    seed: str
    """Any text. It has nothing to do with the deals."""
    blocks: int | None = None
    """How many in all: `balanced` needs it; `gauntlet` and `head-to-head` choose tables as `balanced` does if given."""
    champion: str | None = None
    """Of a gauntlet; in a head-to-head the one that is measured."""
    pair: tuple[str, str] | None = None
    """Of a head-to-head; can be left out where there are just two entrants, or where there is a champion and two."""

    def checked(self, most: int = MOST_GAMES) -> "PlanSpec":
        """Return the same in canonical form: entrants sorted, champion and pair filled in or gone.

        Args:
            most: how many games it may have; those of a design are not known yet.

        Raises:
            PlanError: something cannot be planned.
        """
        try:
            form = Format(self.format)
        except ValueError:
            raise PlanError("format", f"{self.format!r} is none of {', '.join(Format)}") from None
        self._check_entrants()
        canonical = replace(
            self,
            format=form,
            entrants=tuple(sorted(self.entrants)),
            blocks=None if form in (Format.FULL, Format.DESIGN) else self.blocks,
            champion=self._champion() if form is Format.GAUNTLET else None,
            pair=self._pair() if form is Format.HEAD_TO_HEAD else None,
        )
        return _with_numbers_checked(canonical, most)

    def digest(self) -> bytes:
        """Return SHA-256 of the canonical text: JSON of all fields and the plan version, keys sorted, no spaces."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return sha256(
            json.dumps({"version": VERSION, **fields}, sort_keys=True, separators=(",", ":")).encode()
        ).digest()

    def chance(self) -> Seed:
        """Return where the chance of the plan comes from."""
        return Seed(self.digest())

    @property
    def fixed(self) -> tuple[int, ...]:
        """The entrants that sit at every table, as indices of the sorted names. Of a canonical specification."""
        names = self.pair or ((self.champion,) if self.champion is not None else ())
        return tuple(sorted(self.entrants.index(name) for name in names))

    def _check_entrants(self) -> None:
        if self.seats < 2:
            raise PlanError("seats", f"a table has at least 2, not {self.seats}")
        twice = sorted({name for name in self.entrants if self.entrants.count(name) > 1})
        if twice:
            raise PlanError("entrants", f"{', '.join(twice)} named twice; give each entrant a name of its own")
        if len(self.entrants) < self.seats:
            raise PlanError("entrants", f"{len(self.entrants)} cannot fill a table of {self.seats}; name more entrants")
        if len(self.entrants) > 1 << 16:
            raise PlanError("entrants", f"at most {1 << 16} can be planned for, not {len(self.entrants)}")

    def _champion(self) -> str:
        if self.champion is None:
            raise PlanError("champion", "a gauntlet needs to know which entrant sits at every table")
        if self.champion not in self.entrants:
            raise PlanError("champion", f"{self.champion!r} is no entrant")
        return self.champion

    def _pair(self) -> tuple[str, str]:
        if self.pair is not None:
            one, other = self.pair
            unknown = [name for name in self.pair if name not in self.entrants]
            if unknown:
                raise PlanError("pair", f"{unknown[0]!r} is no entrant")
            if one == other:
                raise PlanError("pair", f"{one!r} cannot play against itself; name two entrants")
            return one, other
        if len(self.entrants) != 2:
            raise PlanError("pair", f"name the two of the {len(self.entrants)} entrants that are compared")
        one, other = sorted(self.entrants)
        if self.champion is None:
            return one, other
        if self.champion not in self.entrants:
            raise PlanError("champion", f"{self.champion!r} is no entrant")
        return (one, other) if self.champion == one else (other, one)


def _with_numbers_checked(spec: PlanSpec, most: int) -> PlanSpec:
    """Return it with `deals` 0 where `blocks` count."""
    if spec.format is Format.BALANCED and spec.blocks is None:
        raise PlanError("blocks", "a balanced plan needs to know how many; one block is one deal at one table")
    field, count = ("deals", spec.deals) if spec.blocks is None else ("blocks", spec.blocks)
    if count < 1:
        raise PlanError(field, f"at least 1{' for each table' if field == 'deals' else ''}, not {count}")
    if spec.blocks is None and spec.format is not Format.DESIGN:
        fixed = len(spec.fixed)
        count *= comb(len(spec.entrants) - fixed, spec.seats - fixed)
    check_length(field, count * spec.seats, most)
    return spec if spec.blocks is None else replace(spec, deals=0)


def check_length(field: str, games: int, most: int) -> None:
    """Raise PlanError where a plan would have too many games."""
    if games > most:
        other = "; the format balanced takes any number of blocks" if field == "deals" else ""
        raise PlanError(field, f"that is {games:,} games; a plan has at most {most:,}{other}")
