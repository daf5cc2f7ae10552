"""Processes that are started together, watched, and stopped together, whatever happens."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

LEASH = Path(__file__).with_name("leash.py")
TAIL_BYTES = 4000
TAIL_LINES = 12


class ProcessDied(Exception):
    """A process has ended that should have gone on. The message tells how, and the end of what it said on stderr."""


class Process:
    """A running process. It has a group and a session of its own, so that Ctrl-C on the terminal does not reach it.

    Attributes:
        name: what people call it.
        ended: done when it has ended, with its exit code (negative: the signal that ended it).
    """

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self.name = name
        self._process = process
        self._tail = b""
        self.ended: asyncio.Task[int] = asyncio.create_task(self._watch())

    async def line(self, patience: float) -> str:
        """Return the next line that it says on stdout.

        Raises:
            ProcessDied: it has ended instead, or said nothing for so many seconds.
        """
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(patience):
                line = await self._process.stdout.readline()
                if not line:
                    await self.ended
                    raise self.died()
        except TimeoutError:
            raise ProcessDied(f"{self.name} said nothing for {patience:.0f} s{self._said()}") from None
        return line.decode("utf-8", "replace")

    def died(self) -> ProcessDied:
        """Return the error that says how it has ended."""
        code = self.ended.result()
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return ProcessDied(f"{self.name} {how}{self._said()}")

    async def stop(self, number: signal.Signals, patience: float) -> None:
        """Ask it to end, and make it end if it has not done so after so many seconds."""
        if not self.ended.done():
            with suppress(ProcessLookupError):
                self._process.send_signal(number)
            await asyncio.wait([self.ended], timeout=patience)
        self.kill()
        await asyncio.wait([self.ended])

    def kill(self) -> None:
        """End it at once, if it has not ended yet, with everything that it has started."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def _watch(self) -> int:
        assert self._process.stderr is not None
        while said := await self._process.stderr.read(TAIL_BYTES):
            self._tail = (self._tail + said)[-TAIL_BYTES:]
        return await self._process.wait()

    def _said(self) -> str:
        lines = self._tail.decode("utf-8", "replace").strip().splitlines()
        if not lines:
            return "; it said nothing on stderr"
        return "; the end of its stderr:\n" + "\n".join(f"  {line}" for line in lines[-TAIL_LINES:])


class Processes:
    """An async context manager: what was started in it has ended when it is left."""

    def __init__(self) -> None:
        self._all: list[Process] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.stop(reversed(self._all), signal.SIGTERM)
        finally:
            self.kill()

    async def start(self, name: str, *program: str) -> Process:
        """Start a program, given by its path and arguments."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(LEASH), str(os.getpid()), *program),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        self._all.append(Process(name, process))
        return self._all[-1]

    async def stop(self, some: Iterable[Process], number: signal.Signals, patience: float = 5.0) -> None:
        """Stop some of them, all at the same time."""
        await asyncio.gather(*(process.stop(number, patience) for process in some))

    async def first_death(self) -> ProcessDied:
        """Wait until one of them ends, and return the error that says how."""
        await asyncio.wait([process.ended for process in self._all], return_when=asyncio.FIRST_COMPLETED)
        return next(process for process in self._all if process.ended.done()).died()

    def kill(self) -> None:
        """End those that are left at once."""
        for process in self._all:
            process.kill()
