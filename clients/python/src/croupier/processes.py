"""Processes that are kept running: watched, limited, restarted when they end, and stopped whatever happens."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from croupier.backoff import Backoff

LEASH = Path(__file__).with_name("leash.py")
TAIL_BYTES = 4000
TAIL_LINES = 12
STEADY_S = 30.0
"""A process that has lived so long starts again at once when it ends; quicker ends wait longer and longer."""
PATIENCE_S = 5.0
"""How long a process that is asked to end may take."""


@dataclass(frozen=True, slots=True)
class Program:
    """What is run, and under which limits."""

    argv: Sequence[str]
    log: Path
    """Where its stdout and stderr go; what is there already stays."""
    stdout: Path | None = None
    """Where its stdout goes instead."""
    environment: Mapping[str, str] | None = None
    """None: that of this process."""
    folder: Path | None = None
    """In which it runs; None: where this process does."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """By the names of the `resource` module: `AS`, `CPU`, `NOFILE`, `FSIZE`."""
    time_s: float | None = None
    """How long it may live; None: for ever."""


class Process:
    """A running process. It has a group and a session of its own, so that Ctrl-C on the terminal does not reach it.

    Attributes:
        pid: its id, and that of its group.
    """

    def __init__(self, program: Program, process: asyncio.subprocess.Process) -> None:
        self.pid = process.pid
        self._program = program
        self._process = process

    @property
    def code(self) -> int | None:
        """Its exit code, below zero the number of the signal that ended it; None while it runs."""
        return self._process.returncode

    def signal(self, number: int) -> None:
        """Send it a signal; one that has ended is left in peace."""
        with suppress(ProcessLookupError):
            self._process.send_signal(number)

    async def end(self) -> str:
        """Wait until it has ended, and return how, for people. Ends it when it has lived too long."""
        try:
            async with asyncio.timeout(self._program.time_s):
                await self._process.wait()
        except TimeoutError:
            self.kill()
            await self._process.wait()
            return f"lived for its {self._program.time_s:g} s"
        self.kill()  # what it has started goes with it
        code = self._process.returncode or 0
        return f"was ended by {signal_name(-code)}" if code < 0 else f"ended with exit code {code}"

    async def stop(self, patience_s: float = PATIENCE_S) -> None:
        """Ask it to end, and make it end if it has not done so in time."""
        self.signal(signal.SIGTERM)
        with suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                await self._process.wait()
        self.kill()
        await self._process.wait()

    def kill(self) -> None:
        """End it at once, with everything that it has started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


async def start(program: Program) -> Process:
    """Start a program on a leash: it ends when this process does."""
    limits = ",".join(f"{name}={value}" for name, value in program.limits.items()) or "-"
    with open_log(program.log) as log, open_log(program.stdout or program.log) as stdout:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(LEASH), str(os.getpid()), limits, *program.argv),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=stdout,
            stderr=log,
            cwd=program.folder,
            env=program.environment,
            start_new_session=True,
        )
    return Process(program, process)


class Kept:
    """Keeps a program running, until it is closed or given up.

    Args:
        program: what to run.
        crashed: told how it has ended, or why it cannot be started, each time; says whether to start it again.
        backoff: how long to wait before that.

    Attributes:
        process: the one that is running; None: none is.
        code: the exit code of the latest to end; 1 where it could not be started.
    """

    def __init__(self, program: Program, crashed: Callable[[str], bool], backoff: Backoff | None = None) -> None:
        self.process: Process | None = None
        self.code = 0
        self._program = program
        self._crashed = crashed
        self._backoff = backoff or Backoff()
        self._task = asyncio.create_task(self._keep())

    def follow(self, program: Program, crashed: Callable[[str], bool]) -> None:
        """From its next end on, start this program instead, and tell somebody else."""
        self._program, self._crashed = program, crashed

    async def close(self, patience_s: float = PATIENCE_S) -> None:
        """Stop it for good."""
        self._task.cancel()
        await asyncio.wait([self._task])
        if self.process is not None:
            await self.process.stop(patience_s)

    async def _keep(self) -> None:
        clock = asyncio.get_running_loop().time
        quick_ends = 0
        while True:
            began = clock()
            how = await self._run()
            if not self._crashed(how):
                return
            quick_ends = 0 if clock() - began > STEADY_S else quick_ends + 1
            await self._backoff.sleep(self._backoff.delay(quick_ends))

    async def _run(self) -> str:
        """Run it once. Returns how it has ended."""
        try:
            self.process = await start(self._program)
        except OSError as error:
            self.code = 1
            return f"cannot be started: {error}"
        how = await self.process.end()
        self.code = self.process.code or 0
        self.process = None
        return how


def croupier_command() -> list[str]:
    """Return what runs the command `croupier` of this environment."""
    script = Path(sys.executable).with_name("croupier")
    main = "import sys; from croupier.cli import main; sys.exit(main())"
    return [str(script)] if script.exists() else [sys.executable, "-P", "-c", main]


def listening(said: Path) -> str:
    """Return where a `croupier serve --format json` listens that writes its stdout here; empty: it does not say."""
    try:
        text = said.read_text("utf-8")
        return str(json.loads(text)["listening"]) if text.endswith("\n") else ""
    except OSError:
        return ""


def open_log(path: Path) -> BinaryIO:
    """Open a log to be added to, with the folder that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("ab")


def tail(path: Path) -> str:
    """Return the last lines of a log, indented; empty where there are none."""
    try:
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - TAIL_BYTES))
            lines = log.read().decode("utf-8", "replace").strip().splitlines()
    except OSError:
        return ""
    return "\n".join(f"  {line}" for line in lines[-TAIL_LINES:])


def signal_name(number: int) -> str:
    """Return a signal's name.

    >>> signal_name(9), signal_name(99)
    ('SIGKILL', 'signal 99')
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
