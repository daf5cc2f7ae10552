"""Between the contract's messages and what the runner knows."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from croupier.v1 import game_pb2
from croupier.v1 import tournament_pb2 as pb
from croupier_tournament.plan import GameKey
from croupier_tournament.rpc.errors import echo
from croupier_tournament.run.events import Progress
from croupier_tournament.run.ledger import FINAL, PAUSED, Entry, Game
from croupier_tournament.run.owner import alive
from croupier_tournament.run.secret import commitment
from croupier_tournament.run.standing import Standing
from croupier_tournament.run.tournament import Tournament
from croupier_tournament.run.wire import clock_message, fault_message, options_message, options_table
from croupier_tournament.spec import Command, Entrant, House, Problem, Spec, SpecError
from croupier_tournament.spec.reading import DAY_S

FORMATS = {
    "full": pb.FORMAT_FULL,
    "design": pb.FORMAT_DESIGN,
    "balanced": pb.FORMAT_BALANCED,
    "gauntlet": pb.FORMAT_GAUNTLET,
    "head-to-head": pb.FORMAT_HEAD_TO_HEAD,
}
STATES = {
    "running": pb.TOURNAMENT_STATE_RUNNING,
    "paused": pb.TOURNAMENT_STATE_PAUSED,
    "finished": pb.TOURNAMENT_STATE_FINISHED,
    "cancelled": pb.TOURNAMENT_STATE_CANCELLED,
}
POLICIES = {game_pb2.FAULT_POLICY_SUBSTITUTE: "substitute", game_pb2.FAULT_POLICY_FORFEIT: "forfeit"}


def table_of(message: pb.TournamentSpec, run: Mapping[str, Any]) -> dict[str, Any]:
    """Return a spec as a TOML file has it. What is unset is left out, so that defaults are in one place.

    Args:
        message: the spec.
        run: how this service runs tournaments.

    Raises:
        SpecError: it says what a TOML file cannot say.
    """
    problems = [
        Problem(f"entrants[{number}].remote", f"is the name of the entrant, not {echo(entrant.remote)}")
        for number, entrant in enumerate(message.entrants)
        if entrant.WhichOneof("kind") == "remote" and entrant.remote != entrant.name
    ]
    clock = {field.name.removesuffix("_ms"): value for field, value in message.clock.ListFields()}
    problems += [
        Problem(f"clock.{name}_s", f"is 0 to {DAY_S * 1000:,.0f} milliseconds, not {value:,}")
        for name, value in clock.items()
        if value > DAY_S * 1000
    ]
    if problems:
        raise SpecError(problems)
    names = {number: name for name, number in FORMATS.items()}
    chosen = names.get(message.format, "balanced" if not message.format else f"number {message.format}")
    table: dict[str, Any] = {"game": message.game, "seats": message.seats, "format": chosen}
    table |= {"title": message.title} if message.title else {}
    table |= {"seed": message.plan_seed} if message.plan_seed else {}
    table["deals" if chosen in ("full", "design") else "blocks"] = message.deals
    table |= {"champion": message.champion} if message.champion else {}
    table |= {"pair": list(message.pair)} if message.pair else {}
    table["entrants"] = [_entrant_table(entrant) for entrant in message.entrants]
    if message.HasField("options"):
        table["options"] = options_table(message.game, message.options)
    if message.HasField("clock"):
        table["clock"] = {f"{name}_s": value / 1000 for name, value in clock.items()}
    if message.HasField("faults"):
        table["faults"] = {field.name: value for field, value in message.faults.ListFields()}
        if policy := message.faults.policy:
            table["faults"]["policy"] = POLICIES.get(policy, f"number {policy}")
    stopping = {name: getattr(message.stopping, name) for name in ("half_width", "alpha")}
    table["stopping"] = {name: value for name, value in stopping.items() if value}
    table["run"] = {**run, **({"concurrency": message.concurrency} if message.concurrency else {})}
    return table


def _entrant_table(message: pb.Entrant) -> dict[str, Any]:
    table: dict[str, Any] = {"name": message.name}
    match message.WhichOneof("kind"):
        case "remote":
            table["remote"] = True
        case "house":
            table["house"] = message.house
        case "command":
            command = message.command
            table["command"] = list(command.argv)
            limits: dict[str, int] = {"time_s": command.time_limit_s} if command.time_limit_s else {}
            limits |= {"cpu_s": command.cpu_limit_s} if command.cpu_limit_s else {}
            limits["memory_mib"] = command.memory_limit_mib
            limits |= {"files": command.file_limit} if command.HasField("file_limit") else {}
            limits |= {"file_size_mib": command.file_size_limit_mib} if command.HasField("file_size_limit_mib") else {}
            limits |= {"restarts": command.restarts} if command.HasField("restarts") else {}
            table["limits"] = limits
    return table


def spec_message(spec: Spec) -> pb.TournamentSpec:
    """Return a spec for the wire, every default filled in."""
    message = pb.TournamentSpec(
        title=spec.title,
        game=spec.game,
        seats=spec.seats,
        entrants=[_entrant_message(entrant) for entrant in spec.entrants],
        format=FORMATS[spec.format],
        deals=spec.blocks or spec.deals or 0,
        clock=clock_message(spec.clock),
        faults=fault_message(spec.faults),
        stopping=pb.Stopping(half_width=spec.stopping.half_width or 0.0, alpha=spec.stopping.alpha or 0.0),
        plan_seed=spec.seed,
        concurrency=spec.running.concurrency,
        champion=spec.champion or "",
        pair=spec.pair or (),
    )
    options = options_message(spec.game, spec.options)
    if options is not None:
        message.options.CopyFrom(options)
    return message


def _entrant_message(entrant: Entrant) -> pb.Entrant:
    match entrant.kind:
        case House(name):
            return pb.Entrant(name=entrant.name, house=name)
        case Command(argv, limits):
            command = pb.CommandEntrant(
                argv=argv,
                cpu_limit_s=limits.cpu_s or 0,
                memory_limit_mib=limits.memory_mib or 0,
                file_limit=limits.files or 0,
                file_size_limit_mib=limits.file_size_mib or 0,
                time_limit_s=int(limits.time_s or 0),
                restarts=limits.restarts,
            )
            return pb.Entrant(name=entrant.name, command=command)
        case _:
            return pb.Entrant(name=entrant.name, remote=entrant.name)


def tournament_message(tournament: Tournament, entry: Entry, progress: Progress) -> pb.Tournament:
    """Return a tournament for everybody: its secret only once it is over."""
    message = _entry_message(entry)
    message.spec.CopyFrom(spec_message(tournament.spec))
    message.progress.CopyFrom(
        pb.Progress(
            planned=progress.planned,
            running=progress.running,
            final=progress.final,
            voided=progress.voided,
            rate=progress.rate,
            eta_ms=round((progress.eta_s or 0.0) * 1000),
        )
    )
    return message


def unreadable_message(entry: Entry, why: str) -> pb.Tournament:
    """Return what the ledger alone says of a tournament that cannot be read here, and why it does not go on."""
    going_on = entry.over or alive(entry, time.time())
    message = _entry_message(entry if going_on else replace(entry, state=PAUSED, reason=why))
    message.spec.title, message.spec.game = entry.title, str(entry.spec.get("game", ""))
    return message


def _entry_message(entry: Entry) -> pb.Tournament:
    message = pb.Tournament(
        tournament_id=entry.id,
        state=STATES[entry.state],
        secret_commitment=commitment(entry.secret),
        secret=entry.secret if entry.over else b"",
        plan_hash=bytes.fromhex(entry.plan_hash),
        create_time=_timestamp(entry.created),
        reason=entry.reason,
    )
    if entry.ended is not None:
        message.end_time.CopyFrom(_timestamp(entry.ended))
    return message


def standings_message(standing: Standing | None, names: tuple[str, ...]) -> pb.Standings:
    """Return standings for the wire; empty where there are none yet."""
    if standing is None:
        return pb.Standings()
    rows = [
        pb.Standing(
            entrant=names[row.entrant],
            rank=row.rank,
            rank_low=row.rank_low or 0,
            rank_high=row.rank_high or 0,
            rating=row.rating,
            half_width=row.half_width,
            games=row.games,
            deals=row.deals,
            mean_points=row.mean_points,
            win_share=row.win_share,
            average_placing=row.average_placing,
            p_best=row.p_best or 0.0,
            faults=sum(row.faults.values()),
            voided=row.voided,
            prior_driven=row.prior_driven,
        )
        for row in standing.standings.rows
    ]
    return pb.Standings(rows=rows, seat_effects=[seat.effect for seat in standing.standings.seats])


def match_message(tournament: Tournament, key: GameKey, game: Game | None) -> pb.Match:
    """Return a game for everybody: result and seed only once its whole block is final.

    Args:
        tournament: whose.
        key: which game.
        game: as the ledger has it; None where it has not begun.
    """
    deal = tournament.plan.blocks[key.block].deal
    match = pb.Match(
        number=key.block * tournament.spec.seats + key.replay,
        deal=deal,
        replay=key.replay,
        entrants=tournament.seating(key),
    )
    if game is not None:
        match.session_id, match.server = game.session, game.server
        if game.state == FINAL:
            match.result.points.extend(game.points)
            match.result.placings.extend(game.placings)
            match.result.forfeited.extend(game.forfeited)
            match.deal_seed = tournament.deal_seed(deal)
    return match


def _timestamp(seconds: float) -> Timestamp:
    stamp = Timestamp()
    stamp.FromNanoseconds(round(seconds * 1e9))
    return stamp
