"""What a tournament is to be: one TOML file, read and validated."""

from croupier_tournament.spec.model import (
    FORMATS,
    Clock,
    Command,
    Entrant,
    Faults,
    House,
    Limits,
    Remote,
    Running,
    Spec,
    Stopping,
)
from croupier_tournament.spec.problems import Problem, SpecError
from croupier_tournament.spec.reading import read_spec
from croupier_tournament.spec.template import template

__all__ = [
    "FORMATS",
    "Clock",
    "Command",
    "Entrant",
    "Faults",
    "House",
    "Limits",
    "Problem",
    "Remote",
    "Running",
    "Spec",
    "SpecError",
    "Stopping",
    "read_spec",
    "template",
]
