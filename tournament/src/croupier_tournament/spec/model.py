"""The parts of a spec. All frozen; whatever is in one has been validated by `spec.reading`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

FORMATS = ("full", "design", "balanced", "gauntlet", "head-to-head")
"""How tables are chosen."""
LENGTHS = {
    "full": ("deals",),
    "design": ("deals",),
    "balanced": ("blocks",),
    "gauntlet": ("deals", "blocks"),
    "head-to-head": ("deals", "blocks"),
}
"""How the length of each format can be given: deals for each table, or blocks in all."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the process of an entrant may use. None: no limit."""

    cpu_s: int | None = None
    """Processor time, in seconds."""
    memory_mib: int | None = 4096
    """Address space, in MiB."""
    files: int | None = 256
    """Open files at once."""
    file_size_mib: int | None = 64
    """Size of each file that it writes, its log included, in MiB."""
    time_s: float | None = None
    """Time that a process may live, in seconds; then it is ended, which counts as a crash."""
    restarts: int = 10
    """Crashes that are forgiven; at the next one the entrant is disqualified."""


@dataclass(frozen=True, slots=True)
class Remote:
    """A bot that dials in by itself, under the entrant's name."""


@dataclass(frozen=True, slots=True)
class Command:
    """A process that the runner starts and supervises."""

    argv: tuple[str, ...]
    """Program and arguments."""
    limits: Limits = field(default_factory=Limits)
    token_env: str | None = None
    """The variable of the runner's environment that holds the bot's token, where servers ask for one."""


@dataclass(frozen=True, slots=True)
class House:
    """A bot that lives in the server."""

    name: str
    """Without "house:"."""


Kind: TypeAlias = Remote | Command | House


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes part."""

    name: str
    """Unique in the tournament: 1 to 64 characters a-z 0-9 - _ ."""
    kind: Kind

    @property
    def bot(self) -> str:
        """Its name on the servers."""
        return f"house:{self.kind.name}" if isinstance(self.kind, House) else self.name

    @property
    def kind_name(self) -> str:
        """What kind it is, for people."""
        match self.kind:
            case Remote():
                return "remote"
            case Command():
                return "command"
            case House(name):
                return f"house:{name}"


@dataclass(frozen=True, slots=True)
class Clock:
    """Of every session, in seconds. None: the server's default."""

    think_time_s: float | None = None
    bank_s: float | None = None
    increment_s: float | None = None


@dataclass(frozen=True, slots=True)
class Faults:
    """How sessions treat failing bots. None: the server's default."""

    policy: str | None = None
    """`substitute` or `forfeit`."""
    max_faults: int | None = None
    attempts: int | None = None


@dataclass(frozen=True, slots=True)
class Stopping:
    """When to stop before the plan is played; None: never for this reason."""

    half_width: float | None = None
    """Stop when every rating's 95% half-width is at most so many rating points."""
    alpha: float | None = None
    """Head-to-head: stop when the e-value reaches 1 / alpha."""


@dataclass(frozen=True, slots=True)
class Running:
    """How it is run. Nothing here changes what is played, and none of it is part of the plan."""

    servers: tuple[str, ...] = ()
    """Game servers, host:port; none: the runner starts one."""
    concurrency: int = 64
    """Games at once, for bots of about the same speed."""
    ledger: str | None = None
    """A database URL; None: SQLite in the tournament's folder."""
    arrival_s: float = 60.0
    """How long to wait for an entrant's bot to appear, in seconds."""
    server_patience_s: float = 30.0
    """How long to wait for a server that went away before its blocks are voided, in seconds."""
    spectator_delay_s: float = 0.0
    """How far spectators of its games lag behind, in seconds."""
    tls: bool | str = False
    """Whether servers are spoken to over TLS; or the PEM file with the authorities to trust."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A tournament as its organiser wants it."""

    title: str
    game: str
    seats: int
    entrants: tuple[Entrant, ...]
    format: str
    deals: int | None
    """For each table; None where blocks are given."""
    blocks: int | None
    """To play in all; None where deals are given."""
    seed: str
    """Of the plan: who meets whom in which order. It has nothing to do with the cards."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The game's options that differ from their defaults, as texts by name."""
    champion: str | None = None
    """Gauntlet: the entrant who meets all others."""
    pair: tuple[str, str] | None = None
    """Head-to-head: the two entrants who are compared; others fill up their tables."""
    clock: Clock = field(default_factory=Clock)
    faults: Faults = field(default_factory=Faults)
    stopping: Stopping = field(default_factory=Stopping)
    running: Running = field(default_factory=Running)

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants' names, in alphabetical order: the order of the plan."""
        return tuple(sorted(entrant.name for entrant in self.entrants))

    def entrant(self, name: str) -> Entrant:
        """An entrant by its name. Raises KeyError."""
        for entrant in self.entrants:
            if entrant.name == name:
                return entrant
        raise KeyError(name)
