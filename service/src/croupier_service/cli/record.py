"""``croupier record``: export, show and verify the records of games."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from croupier import admin
from croupier.errors import RequestError
from croupier.terminal import harmless
from croupier_games.kernel import Record, RecordError, option_texts
from croupier_games.kernel.game import name_value
from croupier_games.kernel.record import commitment_from_hex

from .connecting import (
    DEFAULT_TARGET,
    EXIT_FAILED,
    EXIT_USAGE,
    Connection,
    Format,
    FormatOption,
    Target,
    Tls,
    TlsCa,
    Token,
    json_line,
    run,
    say,
    stdout,
)
from .exporting import Exported, Filter, exported, found, named
from .proving import Verdict, verdicts
from .recordfiles import STDIN, Entry, entries
from .replaying import steps
from .showing import Log
from .tables import look_of
from .tables.look import facts, stacked

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True, rich_markup_mode="markdown"
)

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILE...]",
        help="Files or folders with records, as text or as JSON lines; - or none: stdin.",
        show_default=False,
    ),
]


class RecordFormat(StrEnum):
    """How records are written."""

    JSON = "json"
    TEXT = "text"


def record(argv: Sequence[str]) -> int:
    """Export, show and verify the records of games."""
    return run(app, "record", argv)


@app.callback()
def _record() -> None:
    """Export, show and verify the records of games.

    A record is everything from which a game can be played again. Only `export` needs a server.
    """


@app.command("export")
def _export(
    session_ids: Annotated[
        list[str] | None, typer.Argument(metavar="[SESSION...]", help="Sessions that are over.", show_default=False)
    ] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="All finished sessions, or with filters all that fit.")] = False,
    game: Annotated[str, typer.Option(metavar="GAME", help="With --all: only of this game.", show_default=False)] = "",
    bot: Annotated[str, typer.Option(metavar="BOT", help="With --all: only where it sat.", show_default=False)] = "",
    label: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="With --all: only those with this label.")
    ] = None,
    aborted: Annotated[bool, typer.Option("--aborted", help="With --all: aborted sessions too.")] = False,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; else stdout.", show_default=False)
    ] = None,
    output: Annotated[
        RecordFormat, typer.Option("--format", help="JSON lines, with all that the server says; or text for people.")
    ] = RecordFormat.JSON,
    target: Target = DEFAULT_TARGET,
    token: Token = None,
    tls: Tls = False,
    tls_ca: TlsCa = None,
) -> None:
    """Export records of sessions that are over from a server, one object a line (docs/reference/record.schema.json).

    Exit codes: 0 all exported, 1 some could not be had (stderr says which and why), 2 wrong usage, 3 no server.
    """
    if bool(session_ids) == every:
        raise typer.BadParameter("name the sessions, or say --all", param_hint="SESSION")
    try:
        wanted = Filter(game, bot, dict(name_value(text) for text in label or ()), aborted=aborted)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--label") from error
    if session_ids and wanted != Filter(labels={}):
        raise typer.BadParameter("filters go with --all, not with sessions that are named", param_hint="SESSION")

    async def work(server: admin.Server) -> int:
        sessions = await (found(server, wanted) if every else named(server, session_ids or ()))
        failed = 0
        with _written(file) as stream, _progress("records", len(sessions)) as advance:
            async for one in exported(server, sessions):
                advance()
                if one.error is not None:
                    say("record export", f"session {one.session_id}: {_why(one)}")
                    failed += 1
                    continue
                if output is RecordFormat.TEXT:
                    stream.write(one.text + "\n")
                else:
                    typer.echo(_json_of(one), file=stream)
        say("record export", f"{len(sessions) - failed:,} of {len(sessions):,} records")
        return failed

    connection = Connection("record export", target, token, tls, tls_ca)
    if connection.call(work, {"session_id": "SESSION", "game": "--game", "bot": "--bot"}):
        raise typer.Exit(EXIT_FAILED)


@app.command("show")
def _show(
    files: Files = None,
    *,
    number: Annotated[int, typer.Option("--record", min=1, metavar="N", help="Which record of the files.")] = 1,
    step: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Only the table after so many inputs; 0: the deal.", show_default=False),
    ] = None,
) -> None:
    """Show a record readably: what it is of, what happened, the table now and then.

    Exit codes: 0 shown, 1 it cannot be read or does not follow from the rules, 2 wrong usage.
    """
    with _reading("record show"):
        entry = next(islice(entries(files or [STDIN]), number - 1, None), None)
    if entry is None:
        raise typer.BadParameter(f"there is no record {number} in these files", param_hint="--record")
    try:
        _tell(entry, step)
    except RecordError as error:
        say("record show", f"{entry.where_is(error)}: {error}")
        raise typer.Exit(EXIT_FAILED) from None
    except KeyError as error:
        say("record show", f"{entry.where}: there is no table for games of {error}")
        raise typer.Exit(EXIT_FAILED) from None


@app.command("verify")
def _verify(
    files: Files = None,
    *,
    commitment: Annotated[
        str,
        typer.Option(
            metavar="HEX",
            help="A commitment that you were told before the game: hold the seed against it.",
            show_default=False,
        ),
    ] = "",
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Let records without a result pass, if their inputs follow.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say something of every record.")] = False,
    workers: Annotated[int, typer.Option(min=0, metavar="N", help="Processes; 0: one for each processor.")] = 0,
    output: FormatOption = Format.TEXT,
) -> None:
    """Play records again and see whether their results follow from the rules, and seeds from their commitments.

    Needs no server. Of a record that does not hold, the first input that does not follow is named, with its line, its
    seat and the rule that it breaks.

    Exit codes: 0 all hold, 1 some do not (or there are none), 2 wrong usage or a file cannot be read.
    """
    committed = _commitment(commitment)
    holding = failing = without_result = with_commitment = 0
    with _reading("record verify"), _progress("records", None) as advance:
        for verdict in verdicts(entries(files or [STDIN]), committed, workers):
            advance()
            passes = verdict.holds and (verdict.finished or unfinished)
            holding += passes
            failing += not passes
            without_result += verdict.holds and not verdict.finished
            with_commitment += passes and verdict.committed
            if output is Format.JSON:
                json_line({**asdict(verdict), "holds": passes, "error": _error(verdict, passes=passes)})
            elif not passes:
                _print("record verify", f"{verdict.where}: {_error(verdict, passes=passes)}")
            elif verbose:
                _print("record verify", f"{verdict.where}: holds")
    if not holding + failing:
        say("record verify", "there is no record in these files")
        raise typer.Exit(EXIT_FAILED)
    summary = f"{holding:,} of {holding + failing:,} records hold"
    if with_commitment:
        summary += f", {with_commitment:,} of them with a seed that was committed to"
    if without_result and unfinished:
        summary += f", {without_result:,} without a result"
    (say if output is Format.JSON else _print)("record verify", summary)
    if failing:
        raise typer.Exit(EXIT_FAILED)


# Inside.


def _print(_command: str, line: str) -> None:
    typer.echo(harmless(line))


def _error(verdict: Verdict, *, passes: bool) -> str:
    if verdict.holds and not passes:
        return "the record has no result, the game is not over (--unfinished lets it pass)"
    return verdict.error


def _why(one: Exported) -> str:
    violations = one.error.violations if isinstance(one.error, RequestError) else ()
    return "; ".join(what for _, what in violations) or str(one.error)


def _json_of(one: Exported) -> str:
    return harmless(json.dumps(one.data, ensure_ascii=False, separators=(",", ":")))


def _tell(entry: Entry, step: int | None) -> None:
    record_, game, about = entry.read()
    bots = [str(bot) for bot in about.get("bots", [])] or [""] * record_.seats
    look = look_of(game.name)
    console = stdout()
    last = len(record_.inputs)
    if step is not None and step > last:
        raise typer.BadParameter(f"is 0 to {last}: so many inputs the record has", param_hint="--step")
    console.print(_heading(record_, about), soft_wrap=True)
    with closing(Log(console, look, bots)) as log:
        for one in steps(record_, game):
            if step is None:
                for update in one.updates:
                    log.update(update)
            elif one.number == step:
                console.print()
                what = Text.assemble((f"step {step} of {last}", "bold"), f"  {one.input or 'the deal'}")
                console.print(what, soft_wrap=True)
                for update in one.updates:
                    log.update(update)
                return
    if not record_.points:
        console.print(Text("The record ends here; the game is not over.", style="bold"))


def _heading(record_: Record, about: dict[str, Any]) -> RenderableType:
    options = ", ".join(f"{name}={value}" for name, value in option_texts(record_.options).items())
    return stacked(
        Text(f"record of {record_.game}", style="bold"),
        facts(
            ("session", str(about.get("id", ""))),
            ("rules", str(record_.rules_version)),
            ("seats", str(record_.seats)),
            ("options", options),
            ("seed", record_.seed.hex()),
            ("commitment", record_.commitment.hex()),
            ("inputs", str(len(record_.inputs))),
        ),
    )


def _commitment(text: str) -> bytes:
    if not text:
        return b""
    try:
        return commitment_from_hex(text)
    except ValueError:
        raise typer.BadParameter(f"is 64 hexadecimal digits, not {text!r}", param_hint="--commitment") from None


@contextmanager
def _reading(command: str) -> Iterator[None]:
    """Say which file cannot be read, and exit."""
    try:
        yield
    except UnicodeDecodeError as error:
        say(command, f"a file is not UTF-8: {error}")
        raise typer.Exit(EXIT_USAGE) from None
    except BrokenPipeError:
        raise  # whoever reads our output has had enough
    except OSError as error:
        say(command, f"{error.filename or 'stdin'}: {error.strerror or error}")
        raise typer.Exit(EXIT_USAGE) from None


@contextmanager
def _written(file: Path | None) -> Iterator[TextIO]:
    """The file, once all of it has been written; else stdout."""
    if file is None:
        yield sys.stdout
        return
    part = file.with_name(file.name + ".part")
    try:
        with part.open("w", encoding="utf-8") as stream:
            yield stream
    except BaseException as error:
        part.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        say("record export", f"{error.filename or file}: {error.strerror}")
        raise typer.Exit(EXIT_USAGE) from None
    part.replace(file)


@contextmanager
def _progress(what: str, total: int | None) -> Iterator[Any]:
    """A bar on stderr, where that is a terminal; gives a function to call after each of them."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task(what, total=total)
        yield lambda: progress.advance(bar)
