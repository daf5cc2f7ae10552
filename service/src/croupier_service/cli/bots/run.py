"""``croupier bot run``: keeps a bot playing on a server, wherever that is."""

from __future__ import annotations

import asyncio
import shlex
import signal
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from croupier.backoff import Backoff
from croupier.processes import STEADY_S, Kept, Program, tail
from croupier_service.cli.connecting import (
    DEFAULT_TARGET,
    EXIT_FAILED,
    EXIT_OK,
    Format,
    FormatOption,
    Target,
    Tls,
    TlsCa,
    Token,
    json_line,
    run,
)

from .command import Command, checked, environment, named, writable

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")


def run_(argv: Sequence[str]) -> int:
    """Keep a bot playing on a server: started again when it ends, with a log of its own."""
    return run(app, "bot run", argv)


@app.command(no_args_is_help=True)
def _run(
    command: Command = None,
    *,
    name: Annotated[
        str | None,
        typer.Option(envvar="CROUPIER_NAME", help="The bot's name. [default: made from COMMAND]", show_default=False),
    ] = None,
    target: Target = DEFAULT_TARGET,
    token: Token = None,
    tls: Tls = False,
    tls_ca: TlsCa = None,
    tls_cert: Annotated[
        Path | None,
        typer.Option(metavar="FILE", exists=True, dir_okay=False, help="The bot's own certificate, a PEM file."),
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="FILE", exists=True, dir_okay=False, help="Its private key, a PEM file.")
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the bot's output goes, behind what is there. [default: NAME.log]"),
    ] = None,
    restarts: Annotated[
        int, typer.Option(min=0, metavar="N", help="Give up after so many quick ends in a row, each within 30 s.")
    ] = 10,
    output: FormatOption = Format.TEXT,
) -> None:
    """Keep a bot playing on a server: started again when it ends, with a log of its own.

    COMMAND gets where to play in its environment: CROUPIER_TARGET, CROUPIER_NAME, CROUPIER_TOKEN, CROUPIER_TLS and its
    kin. When it ends with another exit code than 0 it is started again, after 0.1 s at first and 10 s at last. Ctrl-C
    and SIGTERM end it cleanly.

    For example: croupier bot run --target cards.example.org:7700 --tls --name ann -- python ann.py

    With `--format json` what happens is a line each: `event` (started, ended, waiting, gave-up, stopped), and of an end
    `how`, `code` and `seconds`, of waiting `again_in`, in seconds.

    Exit codes: 0 the bot has ended by itself with exit code 0, or was asked to end; 1 it was given up; 2 wrong usage.
    """
    argv = checked(command, "croupier bot run -- python mybot.py")
    who = named(name, argv)
    given = {
        "CROUPIER_TARGET": target,
        "CROUPIER_NAME": who,
        **({"CROUPIER_TOKEN": token} if token else {}),
        **({"CROUPIER_TLS": "1"} if tls else {}),
        **{
            f"CROUPIER_TLS_{what}": str(path.resolve())
            for what, path in (("CA", tls_ca), ("CERT", tls_cert), ("KEY", tls_key))
            if path is not None
        },
    }
    program = Program(argv, log=writable(log or Path(f"{who}.log"), "--log"), environment=environment(given))
    raise typer.Exit(asyncio.run(Supervisor(program, restarts, Teller(output)).run()))


class Teller:
    """Says what happens, to people or to programs."""

    def __init__(self, output: Format) -> None:
        self._output = output

    def __call__(self, event: str, text: str, **fields: object) -> None:
        """``text`` for people, ``fields`` for programs."""
        if self._output is Format.JSON:
            json_line({"event": event, **fields})
        else:
            typer.echo(f"{datetime.now().astimezone():%H:%M:%S} {text}")


class Supervisor:
    """Keeps one program running until it ends well, is given up, or this process is asked to end."""

    def __init__(self, program: Program, restarts: int, tell: Teller) -> None:
        self._program = program
        self._restarts = restarts
        self._tell = tell
        self._quick_ends = 0
        self._began = 0.0

    async def run(self) -> int:
        """Run; return the exit code."""
        loop = asyncio.get_running_loop()
        self._over: asyncio.Future[int] = loop.create_future()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        self._started()
        self._kept = Kept(self._program, self._ended, Backoff(sleep=self._wait))
        try:
            return await self._over
        finally:
            await self._kept.close()

    def _started(self) -> None:
        self._began = time.monotonic()
        log = str(self._program.log)
        self._tell("started", f"started {shlex.join(self._program.argv)}; what it says is in {log}", log=log)

    def _stop(self) -> None:
        if not self._over.done():
            self._tell("stopped", "stopping the bot")
            self._over.set_result(EXIT_OK)

    def _ended(self, how: str) -> bool:
        """The bot has ended; say whether to start it again."""
        lived, code = time.monotonic() - self._began, self._kept.code
        self._quick_ends = 0 if lived > STEADY_S else self._quick_ends + 1
        said = tail(self._program.log)
        text = f"the bot {how} after {lived:.1f} s" + (f", and said last:\n{said}" if code and said else "")
        self._tell("ended", text, how=how, code=code, seconds=round(lived, 1))
        if code == 0:
            self._finish(EXIT_OK)
        elif self._quick_ends > self._restarts:
            times = "once" if self._quick_ends == 1 else f"{self._quick_ends} times"
            self._tell("gave-up", f"it was started {times} in vain: given up", starts=self._quick_ends)
            self._finish(EXIT_FAILED)
        return not self._over.done()

    def _finish(self, code: int) -> None:
        if not self._over.done():
            self._over.set_result(code)

    async def _wait(self, seconds: float) -> None:
        self._tell("waiting", f"starting it again in {seconds:.1f} s", again_in=round(seconds, 1))
        await asyncio.sleep(seconds)
        self._started()
