"""The web page beside a server: a process of its own, which asks the server over gRPC as everybody does.

It comes with another distribution, whose command ``croupier web`` it is. It runs at a lower priority than the server,
so that many who watch do not slow down those who play, and whatever becomes of it, play goes on.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import entry_points

import structlog

COMMAND = ("-P", "-c", "import sys; from croupier.cli import main; sys.exit(main())", "web")
LOOPBACK = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 -- looked for, not listened to
START_S = 60.0
STOP_S = 5.0


class PageError(OSError):
    """There is no page. The message says why, and what would help."""


def check_installed() -> None:
    """Raise PageError where the distribution is missing that has the page."""
    if not entry_points(group="croupier.commands", name="web"):
        raise PageError("--web: the page comes with another distribution: pip install croupier-tournament")


@asynccontextmanager
async def page(target: str, flags: Sequence[str]) -> AsyncIterator[str]:
    """Run the page for as long as the context lasts; gives its URL.

    Args:
        target: where the server listens.
        flags: of ``croupier web``: where to listen, and what visitors may do.

    Raises:
        PageError: it does not start.
    """
    check_installed()
    process = await asyncio.to_thread(_start, target, flags)
    watching = asyncio.create_task(_watch(process))
    try:
        yield await _url(process)
    finally:
        watching.cancel()
        await asyncio.to_thread(_stop, process)


def reachable(target: str) -> str:
    """An address to connect to, where a server listens on all of them.

    >>> reachable("0.0.0.0:7700"), reachable("[::]:7700"), reachable("10.0.0.1:7700")
    ('127.0.0.1:7700', '[::1]:7700', '10.0.0.1:7700')
    """
    host, _, port = target.rpartition(":")
    return f"{LOOPBACK.get(host, host)}:{port}"


def _start(target: str, flags: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start it; not in the event loop's own way, which forks, and gRPC does not like that."""
    return subprocess.Popen(
        [sys.executable, *COMMAND, "--target", reachable(target), "--leash", "--format", "json", *flags],
        stdin=subprocess.PIPE,  # the page ends when this does, however the server has ended
        stdout=subprocess.PIPE,
    )


async def _url(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    late = asyncio.get_running_loop().call_later(START_S, process.kill)
    said = await asyncio.to_thread(process.stdout.readline)
    late.cancel()
    if not said:
        raise PageError("--web: the page has not started; stderr says why")
    return str(json.loads(said)["web"])


async def _watch(process: subprocess.Popen[bytes]) -> None:
    code = await asyncio.to_thread(process.wait)
    structlog.get_logger("croupier.server").error("the page has ended; games go on without it", exit_code=code)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
