"""A tournament that is planned: spec, plan and secret together, and what follows from the three."""

import hashlib
import json
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from croupier.v1 import session_pb2 as pb
from croupier_games.kernel import find_game
from croupier_tournament.plan import MOST_GAMES, GameKey, Plan, PlanError, PlanSpec, make_plan
from croupier_tournament.run.ledger import RUNNING, Entry, Ledger, LedgerError
from croupier_tournament.run.secret import commitment, deal_seed, new_secret
from croupier_tournament.run.wire import clock_message, fault_message, options_message
from croupier_tournament.spec import Problem, Spec, SpecError
from croupier_tournament.spec.reading import spec_of

UNPLANNED = ("run", "limits", "stopping", "title")
"""Parts of a spec that may change between two runs of one tournament."""
STAND_IN = "house:random"
"""Who plays for an entrant that was disqualified. The seat is placed last, whatever it does."""


@dataclass(frozen=True)
class Tournament:
    """See the module. Made by `add_tournament` or `load`."""

    entry: Entry
    spec: Spec
    plan: Plan

    @property
    def id(self) -> str:
        """Its id in the ledger."""
        return self.entry.id

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The entrants by the numbers that the plan gives them."""
        return self.plan.entrants

    @cached_property
    def commitment(self) -> bytes:
        """SHA-256 of the secret."""
        return commitment(self.entry.secret)

    def deal_seed(self, deal: int) -> bytes:
        """The seed of a deal; to be shown to nobody before the deal's last replay is over."""
        return deal_seed(self.entry.secret, self.plan.hash, deal)

    def table(self, block: int) -> tuple[int, ...]:
        """The entrants of a block, by number."""
        return self.plan.blocks[block].table

    def seating(self, key: GameKey) -> tuple[str, ...]:
        """The names of the entrants of a game, by seat."""
        return self.plan.seating(key)

    @cached_property
    def bots(self) -> dict[str, str]:
        """What servers call the entrants."""
        return {entrant.name: entrant.bot for entrant in self.spec.entrants}

    @cached_property
    def _template(self) -> pb.CreateSessionRequest:
        """What all its sessions have in common."""
        return pb.CreateSessionRequest(
            game=self.spec.game,
            options=options_message(self.spec.game, self.spec.options),
            clock=clock_message(self.spec.clock),
            faults=fault_message(self.spec.faults),
            spectator_delay_ms=round(self.spec.running.spectator_delay_s * 1000),
        )

    def request(self, key: GameKey, attempt: int, bots: tuple[str, ...]) -> pb.CreateSessionRequest:
        """What is asked of a server to play a game: the same whenever it is asked, so that it is played once.

        Args:
            key: which game.
            attempt: how often its block was voided before.
            bots: as they sit, in the servers' words.
        """
        request = pb.CreateSessionRequest()
        request.CopyFrom(self._template)
        substituted = "".join(str(seat) for seat, bot in enumerate(bots) if bot != self.bots[self.seating(key)[seat]])
        request.request_id = f"{self.id}/{key}/{attempt}" + (f"/{substituted}" if substituted else "")
        if request.spectator_delay_ms:  # it may have changed when the run is resumed: another request
            request.request_id += f"/behind-{request.spectator_delay_ms}"
        request.bots.extend(bots)
        request.seed = self.deal_seed(self.plan.blocks[key.block].deal)
        request.labels["tournament"] = self.id
        request.labels["game"] = str(key)
        return request


def plan_of(spec: Spec, most: int = MOST_GAMES) -> Plan:
    """Plan what a spec describes; so many games at most.

    Raises:
        SpecError: it cannot be planned.
    """
    try:
        return make_plan(
            PlanSpec(
                format=spec.format,
                entrants=spec.names,
                seats=spec.seats,
                deals=spec.deals or 1,
                options_digest=digest(spec),
                seed=spec.seed,
                blocks=spec.blocks,
                champion=spec.champion,
                pair=spec.pair,
            ),
            most,
        )
    except PlanError as error:
        raise SpecError([Problem(error.field, error.message)]) from error


def digest(spec: Spec) -> str:
    """Return SHA-256 of all that shapes a game besides its table and its deal, as hexadecimal digits.

    The game, the version of its rules, options, clock, treatment of faults, and what the entrants are.
    """
    shape = {
        "game": spec.game,
        "rules_version": find_game(spec.game).rules_version,
        "options": dict(spec.options),
        "clock": [spec.clock.think_time_s, spec.clock.bank_s, spec.clock.increment_s],
        "faults": [spec.faults.policy, spec.faults.max_faults, spec.faults.attempts],
        "bots": {entrant.name: entrant.bot for entrant in spec.entrants},
    }
    return hashlib.sha256(json.dumps(shape, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


async def add_tournament(
    ledger: Ledger,
    table: Mapping[str, Any],
    spec: Spec,
    plan: Plan,
    *,
    request_id: str | None = None,
    secret: bytes | None = None,
) -> Tournament:
    """Write a new tournament into a ledger.

    Args:
        ledger: where it will live.
        table: its spec, as a TOML file has it.
        spec: the same, read.
        plan: the same, planned.
        request_id: makes this idempotent: the tournament that the same request has added before is returned.
        secret: 32 bytes; None: drawn.
    """
    secret = secret or new_secret()
    entry = Entry(
        id=uuid.uuid4().hex[:12],
        number=0,
        title=spec.title,
        spec=table,
        plan_hash=plan.hash,
        rules_version=find_game(spec.game).rules_version,
        secret=secret,
        state=RUNNING,
        created=time.time(),
        request_id=request_id,
    )
    return Tournament(await ledger.add(entry, commitment(secret).hex()), spec, plan)


async def load(
    ledger: Ledger,
    tournament_id: str,
    table: Mapping[str, Any] | None = None,
    plan: Callable[[Spec], Awaitable[Plan]] | None = None,
) -> Tournament:
    """Read a tournament from a ledger, and plan it again.

    Args:
        ledger: where it lives.
        tournament_id: its id.
        table: a spec to use instead of the ledger's: how it is run may have changed, not what is played.
        plan: who plans, where that must not hold up others; raises SpecError as `plan_of` does.

    Raises:
        LedgerError: there is none, or the plan is not that of the ledger.
        SpecError: the spec cannot be played.
    """
    entry = await ledger.entry(tournament_id)
    if entry is None:
        raise LedgerError(f"the ledger has no tournament {tournament_id!r}")
    spec = spec_of(entry.spec if table is None else table)
    planned = plan_of(spec) if plan is None else await plan(spec)
    if planned.hash != entry.plan_hash:
        raise LedgerError(
            f"the plan is no longer that of the tournament: its hash was {entry.plan_hash[:16]}..., "
            f"now it is {planned.hash[:16]}...; restore the spec"
            f" (only {', '.join(UNPLANNED)} may change), the version of the game's rules or that of the program"
        )
    return Tournament(entry if table is None else replace(entry, title=spec.title, spec=table), spec, planned)
