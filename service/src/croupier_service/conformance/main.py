"""``croupier bot check``."""

from __future__ import annotations

import asyncio
import difflib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from croupier_service.cli.connecting import EXIT_FAILED, EXIT_INTERRUPTED, Format, FormatOption, run, say

if TYPE_CHECKING:
    from .check import Check

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")


def check(argv: Sequence[str]) -> int:
    """See whether a bot, in any language, keeps to the play protocol."""
    return run(app, "bot check", argv)


@app.command(no_args_is_help=True)
def _check(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- COMMAND...", help="What starts the bot, with its arguments.", show_default=False),
    ] = None,
    *,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="CHECK", help="Run this check alone; may be repeated. Part of a name will do."),
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option(metavar="CHECK", help="Leave this check out; may be repeated. Likewise.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Tell what is checked, and why, and run nothing.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail where mere advice is not followed, too.")] = False,
    jobs: Annotated[int, typer.Option(min=1, max=16, metavar="N", help="How many checks run at once.")] = 3,
    patience: Annotated[
        float, typer.Option(min=0.5, max=600, metavar="SECONDS", help="How long to wait for what the bot should do.")
    ] = 15.0,
    sessions: Annotated[
        int, typer.Option(min=1, max=20_000, metavar="N", help='How many "thousands of sessions" are.')
    ] = 3_000,
    contract: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Speak as a server of this contract (what `buf build` writes), with fields that no contract has.",
        ),
    ] = None,
    log: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep what the bot says on stdout and stderr in this folder.")
    ] = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """See whether a bot, in any language, keeps to the play protocol.

    Starts COMMAND, with CROUPIER_TARGET, CROUPIER_NAME and CROUPIER_TOKEN in its environment, on a server that behaves
    by script: torn connections, newer servers, thousands of games. Prints a checklist; of what fails also what was
    seen, why it matters, and what to do.

    For example: croupier bot check -- python mybot.py

    With `--format json` each check is one line: `check`, `outcome` (passed, failed, skipped), `reason`, `seconds`,
    `advice`, and where it has failed `why`, `remedy`, `conversation` and `output`.

    Exit codes: 0 all is well, 1 a check has failed (one that is mere advice only with `--strict`), 2 wrong usage,
    130 interrupted.
    """
    from . import checks
    from .check import CHECKS
    from .dialect import BadContract, Dialect
    from .report import Checklist, tell_all
    from .running import run as run_checks
    from .stage import Settings

    del checks  # imported so that they register themselves
    chosen = _chosen(CHECKS, only or [], skip or [])
    if list_:
        tell_all(chosen, output)
        return
    if not command:
        raise typer.BadParameter("is missing: croupier bot check -- python mybot.py", param_hint="COMMAND")
    if shutil.which(command[0]) is None:
        raise typer.BadParameter(f"there is no program {command[0]!r} to be run", param_hint="COMMAND")
    try:
        dialect = None if contract is None else Dialect(contract)
    except BadContract as error:
        raise typer.BadParameter(str(error), param_hint="--contract") from None
    settings = Settings(tuple(command), patience, sessions, dialect=dialect)
    checklist = Checklist(chosen, output, strict=strict)

    async def work(folder: Path) -> None:
        with checklist:
            async for finding in run_checks(chosen, settings, folder, min(jobs, len(chosen)), checklist.began):
                checklist.tell(finding)

    try:
        if log is not None:
            asyncio.run(work(log))
        else:
            with tempfile.TemporaryDirectory(prefix="croupier-check-") as folder:
                asyncio.run(work(Path(folder)))
    except KeyboardInterrupt:
        say("bot check", "interrupted")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    raise typer.Exit(EXIT_FAILED if checklist.failed else 0)


def _chosen(checks: Sequence[Check], only: Sequence[str], skip: Sequence[str]) -> list[Check]:
    """Those that are asked for. A word that fits no name is wrong usage."""
    for option, words in (("--only", only), ("--skip", skip)):
        for word in words:
            if not any(word in check.name for check in checks):
                close = difflib.get_close_matches(word, [check.name for check in checks], n=1, cutoff=0.4)
                hint = f"did you mean {close[0]}?" if close else "--list tells which there are."
                raise typer.BadParameter(f"no check is called {word!r}; {hint}", param_hint=option)

    def named(check: Check, words: Sequence[str]) -> bool:
        exact = [word for word in words if any(word == other.name for other in checks)]
        return check.name in exact or any(word in check.name for word in words if word not in exact)

    chosen = [check for check in checks if (not only or named(check, only)) and not named(check, skip)]
    if not chosen:
        raise typer.BadParameter("leaves no check over", param_hint="--skip")
    return chosen
