"""``croupier backup`` and ``croupier store``."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .address import StoreAddress, StoreError
from .options import DEFAULT_STORE, STORE_OPTION, parse_store

EXIT_OK, EXIT_FAILED = 0, 1
SAMPLE = 1_000

backup_app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")
store_app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown", no_args_is_help=True
)

Format = Annotated[Literal["text", "json"], typer.Option("--format", help="For people, or for programs.")]


def backup(argv: Sequence[str]) -> int:
    """Copy the store of a server, while the server goes on."""
    return _run(backup_app, argv, "croupier backup")


def store(argv: Sequence[str]) -> int:
    """Check a server's store, or bring it up to date."""
    return _run(store_app, argv, "croupier store")


def _run(app: typer.Typer, argv: Sequence[str], name: str) -> int:
    try:
        app(list(argv), prog_name=name)
    except SystemExit as done:
        return int(done.code or EXIT_OK)
    except StoreError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return EXIT_FAILED
    return EXIT_OK


@backup_app.command()
def _backup(
    *,
    to: Annotated[Path, typer.Option(metavar="FILE", help="The copy; it must not exist yet.")],
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    output: Format = "text",
) -> None:
    """Copy the store of a server, while the server goes on.

    The copy is the store as it is at one moment, checked and complete, with all sessions, running ones too. To go back
    to it, stop the server and start it with the copy as its store.

    Works for stores in a file. PostgreSQL has a tool of its own, `pg_dump`, that does the same.

    Exit codes: 0 copied, 1 could not be copied, 2 wrong usage.
    """
    address = parse_store(store)
    if address.file is None:
        url = f"; its own tool does that: pg_dump --format=custom --file {to} {address}" if address.url else ""
        raise typer.BadParameter(f"{address} is no file{url}", param_hint="--store")
    from .backup import back_up

    with _progress("copying, pages") as bar:
        size = back_up(address.file, to, bar.tell)
    _say(output, f"{address} is copied to {to} ({size:,} bytes)", store=str(address), to=str(to), bytes=size)


@store_app.command("check")
def _check(
    *,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    sample: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Prove about N of the finished sessions, evenly spread; 0: every one."),
    ] = SAMPLE,
    output: Format = "text",
) -> None:
    """Check that a store is sound. A server may be at work in it; nothing is changed.

    Looks at the pages (SQLite), replays every session that is running, and proves finished ones: their results are
    derived anew from the rules. Sessions that a server has set aside are listed.

    Exit codes: 0 sound, 1 not sound or not to be read, 2 wrong usage.
    """
    report = asyncio.run(_checked(_of_a_database(store), sample))
    if output == "json":
        print(json.dumps(report, indent=2))
    else:
        for finding in report["findings"]:
            print(f"{'wrong' if finding['grave'] else 'note '}  {finding['session'] or 'store'}: {finding['what']}")
        print(
            f"{report['store']}: {report['finished']:,} sessions finished ({report['proven']:,} proven), "
            f"{report['running']:,} running (all replayed), {report['aborted']:,} aborted; "
            f"{'sound' if report['sound'] else 'NOT SOUND'}"
        )
    raise typer.Exit(EXIT_OK if report["sound"] else EXIT_FAILED)


@store_app.command("upgrade")
def _upgrade(*, store: Annotated[str, STORE_OPTION] = DEFAULT_STORE, output: Format = "text") -> None:
    """Bring a store up to date with this version of Croupier.

    A server does that by itself when it starts; this is for those who want to do it beforehand. Make a backup first:
    there is no way back, and an older version refuses a newer store. No server may be at work in it.

    Exit codes: 0 up to date, 1 could not be brought there, 2 wrong usage.
    """
    from .schema import REVISION

    address = _of_a_database(store)
    before = asyncio.run(_upgraded(address))
    if before == REVISION:
        text = f"{address} is up to date: its schema is {REVISION}"
    else:
        text = f"{address} is up to date now: its schema was {before or 'empty'}, and is {REVISION}"
    _say(output, text, store=str(address), before=before, now=REVISION)


def _of_a_database(store: str) -> StoreAddress:
    address = parse_store(store)
    if address.file is None and address.url is None:
        raise typer.BadParameter("what is in memory is gone with its server", param_hint="--store")
    return address


async def _checked(address: StoreAddress, sample: int) -> dict[str, Any]:
    from croupier_games.kernel import games
    from croupier_service.sessions.recovery import still

    from . import checking
    from .database import open_database

    database = await open_database(address, writing=False)
    try:
        held = await checking.contents(database)
        every = max(1, held.finished // sample) if sample else 1
        findings = await checking.check_pages(database) + await checking.check_set_aside(database)
        with _progress("replaying running sessions", held.running) as bar:
            findings += await checking.check_running(database, games(), still(), bar.step)
        with _progress("proving finished sessions", held.finished // every) as bar:
            findings += await checking.check_finished(database, games(), every, bar.step)
    finally:
        await database.close()
    return {
        "store": str(address),
        "sound": not any(finding.grave for finding in findings),
        "findings": [asdict(finding) for finding in findings],
        **asdict(held),
        "proven": bar.done,
    }


async def _upgraded(address: StoreAddress) -> str | None:
    from .database import upgrade_database

    return await upgrade_database(address)


class _Bar:
    """A bar on the terminal, if stderr is one."""

    def __init__(self, progress: Progress, what: str, total: int | None) -> None:
        self.done = 0
        self._progress = progress
        self._task = progress.add_task(what, total=total)

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        self._progress.update(self._task, completed=self.done)

    def tell(self, done: int, total: int) -> None:
        """So many are done, of so many."""
        self.done = done
        self._progress.update(self._task, completed=done, total=total)


@contextmanager
def _progress(what: str, total: int | None = None) -> Iterator[_Bar]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield _Bar(progress, what, total)


def _say(output: str, text: str, **fields: Any) -> None:
    print(json.dumps(fields) if output == "json" else text)
