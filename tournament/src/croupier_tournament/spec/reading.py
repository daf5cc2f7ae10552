"""Reads and validates a spec."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from croupier_games.kernel import OptionError, Seed, UnknownGame, find_game, games, option_texts
from croupier_tournament.spec.fields import Fields, shortened
from croupier_tournament.spec.model import (
    FORMATS,
    LENGTHS,
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
from croupier_tournament.spec.problems import Problem, SpecError, line_of, lines_of

NAME = re.compile(r"[a-z0-9_.-]{1,64}")
DAY_S = 86_400.0
SEATING = "duplicate"
MEANINGS = {"deals": "deals for each table", "blocks": "blocks in all"}
KINDS = 'remote = true, command = [...] or house = "..."'


def read_spec(text: str) -> Spec:
    """Read a spec from the text of its TOML file.

    Raises:
        SpecError: with every problem, each with its line and field.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        message = str(error).partition(" (at ")[0]
        raise SpecError([Problem("", f"this is no TOML: {message[:1].lower()}{message[1:]}", line)]) from error
    return spec_of(table, lines_of(text))


def spec_of(table: Mapping[str, Any], lines: Mapping[str, int] | None = None) -> Spec:
    """Make a spec of a table, as a TOML file or a JSON document has it.

    Args:
        table: the values.
        lines: the lines of the fields, where there are such.

    Raises:
        SpecError: with every problem.
    """
    problems: list[Problem] = []
    spec = _spec(Fields(table, "", problems))
    if not problems:
        problems += _contradictions(spec)
    if problems:
        known = dict(lines or {})
        raise SpecError([Problem(bad.field, bad.message, line_of(bad.field, known)) for bad in problems])
    return spec


def _spec(fields: Fields) -> Spec:
    game = fields.text("game", most=64)
    chosen = fields.choice("format", FORMATS, "balanced") or "balanced"
    fields.choice("seating", [SEATING], SEATING)
    seats = fields.whole("seats", 2, 64) or 0
    default_limits = _limits(fields.table("limits"), Limits())
    spec = Spec(
        title=fields.text("title", game or "tournament", most=128),
        game=game,
        seats=seats,
        entrants=tuple(_entrant(entrant, default_limits) for entrant in fields.tables("entrants")),
        format=chosen,
        deals=_length(fields, chosen, "deals"),
        blocks=_length(fields, chosen, "blocks"),
        seed=fields.text("seed", "croupier", most=128),
        options=_options(fields, game, seats),
        champion=fields.text("champion", most=64) if chosen == "gauntlet" else None,
        pair=_pair(fields) if chosen == "head-to-head" else None,
        clock=_clock(fields.table("clock")),
        faults=_faults(fields.table("faults")),
        stopping=_stopping(fields.table("stopping"), chosen),
        running=_running(fields.table("run")),
    )
    for name, form in (("champion", "gauntlet"), ("pair", "head-to-head")):
        if chosen != form and fields.has(name):
            fields.wrong(name, f"goes with the format {form}, not with {chosen}")
    fields.close()
    return spec


def _length(fields: Fields, chosen: str, name: str) -> int | None:
    """Deals for each table, or blocks in all: one of the two, as the format has it."""
    right = LENGTHS[chosen]
    other = "deals" if name == "blocks" else "blocks"
    given, other_given = fields.has(name), fields.has(other)
    if not given:
        if name == right[0] and not (other_given and other in right):
            fields.wrong(name, f"is missing: the format {chosen} takes {' or '.join(right)}")
        return None
    if name not in right:
        fields.wrong(name, f"the format {chosen} takes {right[0]} instead: {MEANINGS[right[0]]}")
    elif other_given and other in right and name == "blocks":
        fields.wrong(name, "either deals or blocks can be given, not both")
    return fields.whole(name, 1, 1_000_000)


def _pair(fields: Fields) -> tuple[str, str] | None:
    if not fields.has("pair"):
        return None  # the plan says whether it can do without
    pair = fields.texts("pair")
    if pair is None:
        return None
    if len(pair) != 2:
        fields.wrong("pair", "is the names of two entrants")
        return None
    return pair[0], pair[1]


def _options(fields: Fields, game_name: str, seats: int) -> Mapping[str, str]:
    """The options, held to the game's own rules for them; only those that differ from their defaults."""
    table = fields.table("options")
    texts = {name: _option_text(value) for name, value in table.rest().items()}
    if not game_name:
        return {}
    try:
        game = find_game(game_name)
    except UnknownGame:
        fields.wrong("game", f"no game is called {shortened(game_name)}; there are: {', '.join(games())}")
        return {}
    try:
        options = game.options(texts)
        if seats:
            game.deal(seats, options, Seed(bytes(32)))
    except OptionError as error:
        if error.field == "seats":
            fields.wrong("seats", str(error))
        else:
            table.wrong(error.field, str(error))
        return {}
    return option_texts(options)


def _option_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _entrant(fields: Fields, limits: Limits) -> Entrant:
    name = fields.text("name", most=64)
    if name and not NAME.fullmatch(name):
        fields.wrong("name", f"is 1 to 64 characters a-z 0-9 - _ . , not {shortened(name)}")
    kinds = [kind for kind in ("remote", "command", "house") if fields.has(kind)]
    if len(kinds) != 1:
        fields.wrong(kinds[1] if kinds else "name", f"an entrant has exactly one of {KINDS}")
    kind: Remote | Command | House = Remote()
    if "command" in kinds:
        argv = fields.texts("command")
        if argv == ():
            fields.wrong("command", "is a program and its arguments")
        token_env = fields.text("token_env", most=128) if fields.has("token_env") else None
        kind = Command(argv or (), _limits(fields.table("limits"), limits), token_env)
    elif "house" in kinds:
        kind = House(fields.text("house", most=64).removeprefix("house:"))
    elif "remote" in kinds:
        fields.take("remote", lambda value: None if value is True else "is true, or not there at all")
    fields.close()
    return Entrant(name, kind)


def _limits(fields: Fields, default: Limits) -> Limits:
    """Limits; 0 in a file is none."""

    def most(name: str, high: int, given: int | None) -> int | None:
        return fields.whole(name, 0, high, given, optional=True) or None

    limits = Limits(
        cpu_s=most("cpu_s", 10_000_000, default.cpu_s),
        memory_mib=most("memory_mib", 16_777_216, default.memory_mib),
        files=most("files", 1_000_000, default.files),
        file_size_mib=most("file_size_mib", 16_777_216, default.file_size_mib),
        time_s=fields.number("time_s", 0, 10_000_000, default.time_s) or None,
        restarts=fields.whole("restarts", 0, 1_000_000, default.restarts) or 0,
    )
    fields.close()
    return limits


def _clock(fields: Fields) -> Clock:
    clock = Clock(*(fields.number(name, 0, DAY_S) for name in ("think_time_s", "bank_s", "increment_s")))
    if clock.think_time_s == 0 and clock.bank_s == 0:
        fields.wrong("think_time_s", "think time and bank cannot both be 0: no decision could be made")
    fields.close()
    return clock


def _faults(fields: Fields) -> Faults:
    faults = Faults(
        policy=fields.choice("policy", ("substitute", "forfeit"), None, optional=True),
        max_faults=fields.whole("max_faults", 1, 1000, optional=True),
        attempts=fields.whole("attempts", 1, 10, optional=True),
    )
    fields.close()
    return faults


def _stopping(fields: Fields, chosen: str) -> Stopping:
    stopping = Stopping(fields.number("half_width", 0.001, 10_000), fields.number("alpha", 0.000_001, 0.999))
    if stopping.alpha is not None and chosen != "head-to-head":
        fields.wrong("alpha", f"goes with the format head-to-head; {chosen} stops on precision: half_width")
    fields.close()
    return stopping


def _running(fields: Fields) -> Running:
    default = Running()
    servers = fields.texts("servers") or ()
    for number, server in enumerate(servers):
        host, colon, port = server.rpartition(":")
        if not (host and colon and port.isdecimal() and 0 < int(port) < 65_536):
            fields.wrong(f"servers[{number}]", f"is host:port, such as localhost:7700, not {shortened(server)}")
    tls = fields.take("tls", lambda value: None if isinstance(value, bool | str) else "is true, false or a PEM file")
    running = Running(
        servers=servers,
        concurrency=fields.whole("concurrency", 1, 10_000, default.concurrency) or default.concurrency,
        ledger=fields.text("ledger", most=1000) if fields.has("ledger") else None,
        arrival_s=fields.number("arrival_s", 0.1, DAY_S, default.arrival_s) or default.arrival_s,
        server_patience_s=fields.number("server_patience_s", 0, DAY_S, default.server_patience_s) or 0.0,
        spectator_delay_s=fields.number("spectator_delay_s", 0, DAY_S, default.spectator_delay_s) or 0.0,
        tls=tls or False,
    )
    fields.close()
    return running


def _contradictions(spec: Spec) -> list[Problem]:
    """What is wrong with fields that are right by themselves."""
    problems = []
    seen: dict[str, int] = {}
    for number, entrant in enumerate(spec.entrants):
        if entrant.name in seen:
            problems.append(
                Problem(
                    f"entrants[{number}].name", f"{entrant.name!r} is the name of entrants[{seen[entrant.name]}], too"
                )
            )
        seen.setdefault(entrant.name, number)
    if len(spec.entrants) < spec.seats:
        problems.append(
            Problem("entrants", f"there are at least as many as seats: {spec.seats}, not {len(spec.entrants)}")
        )
    named = [("champion", spec.champion)] if spec.champion is not None else []
    named += [(f"pair[{number}]", name) for number, name in enumerate(spec.pair or ())]
    problems += [
        Problem(field, f"is the name of an entrant, not {shortened(name)}") for field, name in named if name not in seen
    ]
    return problems
