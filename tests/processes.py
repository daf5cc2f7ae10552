"""Processes that tests and benchmarks start: they are listened to, measured, and always stopped."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Self

PATIENCE = 30.0
"""Seconds until what should have happened long ago is given up, on however busy a machine."""
_TICKS = os.sysconf("SC_CLK_TCK")


def command() -> list[str]:
    """The command ``croupier`` of the environment that runs this."""
    script = Path(sys.executable).with_name("croupier")
    return [str(script)] if script.exists() else [sys.executable, "-m", "croupier.cli"]


class Process:
    """A process that says in one JSON line on stdout when it is ready, and keeps what it says on stderr."""

    def __init__(self, *argv: str, stdin: int = subprocess.DEVNULL) -> None:
        self.argv = argv
        self._stderr = tempfile.NamedTemporaryFile("w+")  # noqa: SIM115 - closed by close()
        self._process = subprocess.Popen(argv, stdin=stdin, stdout=subprocess.PIPE, stderr=self._stderr, text=True)
        self.pid = self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def say(self, message: dict[str, Any]) -> None:
        """Put one JSON line into its stdin."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def hear(self, patience: float = PATIENCE) -> dict[str, Any]:
        """Its next line of JSON on stdout. Raises ProcessError when it ends instead, or takes too long."""
        assert self._process.stdout is not None
        watch = threading.Timer(patience, self._process.kill)
        watch.start()
        try:
            line = self._process.stdout.readline()
        finally:
            watch.cancel()
        if not line:
            raise ProcessError(self, f"said nothing within {patience:.0f} s, or has ended")
        heard: dict[str, Any] = json.loads(line)
        return heard

    def signal(self, number: int) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def wait(self, patience: float = PATIENCE) -> int:
        """Its exit code. Raises ProcessError when it does not end in time."""
        try:
            return self._process.wait(patience)
        except subprocess.TimeoutExpired:
            raise ProcessError(self, f"has not ended within {patience:.0f} s") from None

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def stdout(self) -> str:
        """The rest of what it said on stdout; to be asked once it has ended."""
        assert self._process.stdout is not None
        return self._process.stdout.read()

    def stderr(self) -> str:
        """All that it has said on stderr so far."""
        return Path(self._stderr.name).read_text("utf-8")

    def close(self) -> None:
        """End it at once, if it is still there."""
        if self.running:
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            if stream is not None:
                stream.close()


def cpu_s(pid: int) -> float:
    """Processor time that a process has used so far, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def rss_kib(pid: int) -> int:
    """Memory that a process holds now, in KiB."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))


class ProcessError(Exception):
    """A process did not do what it should. Holds what it said on stderr."""

    def __init__(self, process: Process, message: str) -> None:
        super().__init__(f"{' '.join(process.argv)}: {message}\n{process.stderr()[-4000:]}")


class Server(Process):
    """``croupier serve`` on free ports of this machine, with these flags; it keeps nothing unless told where.

    ``target`` is where bots find it, ``metrics`` where Prometheus would.
    """

    patience = PATIENCE

    def __init__(self, *flags: str) -> None:
        if "--store" not in flags:
            flags = (*flags, "--store", "memory:")
        super().__init__(
            *command(), "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--format", "json", *flags
        )
        try:
            where = self.hear(self.patience)
        except BaseException:
            self.close()
            raise
        self.said = where
        """What it has said when it was ready."""
        self.target: str = where["listening"]
        self.metrics: str = where["metrics"]
