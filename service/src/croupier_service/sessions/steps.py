"""Steps: what has to be kept of a running session so that it can be gone on with.

The inputs of its table, and between them the little that is no input: faults, and that the server was started again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from croupier_games.kernel import Input

from .settings import FaultKind


@dataclass(frozen=True, slots=True)
class Failed:
    """A bot failed."""

    seat: int
    kind: FaultKind
    decision: int = 0
    """The decision at which it cost an attempt; 0: none."""


@dataclass(frozen=True, slots=True)
class Restarted:
    """The server was started again and went on with the session; its decisions' numbers leave a gap."""


Aside = Failed | Restarted
Step = Input | Aside


@dataclass(frozen=True, slots=True)
class Steps:
    """All steps of a session, in order."""

    inputs: Sequence[Input] = ()
    charges: Sequence[int] = ()
    """Milliseconds charged for each input."""
    asides: Sequence[tuple[int, Aside]] = ()
    """What happened besides; each with the number of inputs that had come before it."""

    @classmethod
    def of(cls, taken: Iterable[tuple[Step, int]]) -> Steps:
        """From each step and what it was charged, in order."""
        inputs: list[Input] = []
        charges: list[int] = []
        asides: list[tuple[int, Aside]] = []
        for step, charged_ms in taken:
            if isinstance(step, Failed | Restarted):
                asides.append((len(inputs), step))
            else:
                inputs.append(step)
                charges.append(charged_ms)
        return cls(tuple(inputs), tuple(charges), tuple(asides))

    def __iter__(self) -> Iterator[tuple[Step, int]]:
        """Each step and what it was charged."""
        asides = iter(self.asides)
        place, aside = next(asides, (-1, None))
        for number, charged in enumerate(zip(self.inputs, self.charges, strict=True)):
            while aside is not None and place <= number:
                yield aside, 0
                place, aside = next(asides, (-1, None))
            yield charged
        while aside is not None:
            yield aside, 0
            place, aside = next(asides, (-1, None))

    def __len__(self) -> int:
        return len(self.inputs) + len(self.asides)
