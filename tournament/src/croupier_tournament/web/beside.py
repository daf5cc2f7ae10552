"""The page of a tournament that is run here: a process of its own, at a lower priority: watching costs play little.

It is `croupier tournament watch` on the tournament's folder, and it is told what would be dear to find out there: how
far the tournament is, and its standings. It is told in JSON lines on its stdin, which is its leash, too: when that
ends, it shows how the tournament has ended, and goes.
"""

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from croupier import Backoff
from croupier.processes import croupier_command, open_log
from croupier_tournament.run.events import Audience, Event, Progress
from croupier_tournament.web.address import Site
from croupier_tournament.web.gallery import Told, standings_part
from croupier_tournament.web.serving import STOP_S, listen_on, url_of
from croupier_tournament.web.visitors import public_token

NICE = 5
"""How much the page gives way to play."""
MOST_UNREAD = 1024 * 1024
"""Bytes that wait for a page that is busy; it is told no more until it has read them."""
READY_S = 30.0
"""How long play waits for the page to be there."""
BACKOFF = Backoff(base=1.0, cap=30.0)


class Telling:
    """An audience that hands on what it hears, and tells a page what that shows. To be made by `page_beside`.

    Attributes:
        url: where the page is.
    """

    def __init__(self, url: str, audience: Audience) -> None:
        self.url = url
        self._audience = audience
        self._pipe: asyncio.StreamWriter | None = None
        self._told: dict[str, Any] = {}
        """The latest of each kind, for a page that is started again."""

    def event(self, event: Event) -> None:
        self._audience.event(event)
        if event.report is not None:
            self._tell("standings", standings_part(event.report))

    def progress(self, progress: Progress) -> None:
        self._audience.progress(progress)
        self._tell("progress", asdict(progress))

    def listened_to_by(self, pipe: asyncio.StreamWriter | None) -> None:
        """Tell a page that has just been started, through this pipe; None: there is none to be told."""
        self._pipe = pipe
        for kind, told in self._told.items():
            self._tell(kind, told)

    def _tell(self, kind: str, told: dict[str, Any]) -> None:
        """Nobody waits for the page: what it does not read in time, something later stands for."""
        self._told[kind] = told
        if self._pipe is not None and self._pipe.transport.get_write_buffer_size() < MOST_UNREAD:
            self._pipe.write(json.dumps({kind: told}).encode() + b"\n")


@asynccontextmanager
async def page_beside(folder: Path, log: Path, site: Site, audience: Audience) -> AsyncIterator[Telling]:
    """Serve the page of the tournament in a folder for as long as the context lasts.

    Args:
        folder: the tournament's.
        log: where the page's stderr goes.
        site: where and how it is served; port 0 takes a free one.
        audience: who is told of the tournament, too.

    Raises:
        OSError: nothing can be served there.
        PageError: see `public_token`.
    """
    public_token()  # what is wrong with it is said here, and not in a log
    with listen_on(site.address) as listening:
        telling = Telling(url_of(site, listening), audience)
        argv = [*croupier_command(), "tournament", "watch", str(folder), *_flags(site, listening)]
        ready = asyncio.Event()
        keeping = asyncio.create_task(_keep(argv, log, listening, telling, ready))
        try:
            with suppress(TimeoutError):  # browsers may come at once, and wait for it
                async with asyncio.timeout(READY_S):
                    await ready.wait()
            yield telling
        finally:
            keeping.cancel()
            await asyncio.wait([keeping])


async def _keep(
    argv: Sequence[str], log: Path, listening: socket.socket, telling: Telling, ready: asyncio.Event
) -> None:
    """Run the page, and start it again when it ends; play goes on meanwhile."""
    failures = 0
    while True:
        how = await _run(argv, log, listening, telling, ready)
        failures += 1
        message = f"the page {how}, and is started again; see {log}"
        telling.event(Event("web", message, {"web": telling.url}))
        await BACKOFF.sleep(BACKOFF.delay(failures))


async def _run(argv: Sequence[str], log: Path, listening: socket.socket, telling: Telling, ready: asyncio.Event) -> str:
    """Run the page once. Returns how that has ended."""
    try:
        process = await _start(argv, log, listening)
    except OSError as error:
        ready.set()  # nobody is to wait for it
        return f"cannot be started ({error})"
    assert process.stdin is not None
    assert process.stdout is not None
    telling.listened_to_by(process.stdin)
    try:
        await process.stdout.readline()  # it says where it is, or has ended
        ready.set()
        code = await process.wait()
    except asyncio.CancelledError:
        await _say_goodbye(process)
        raise
    telling.listened_to_by(None)
    return f"has ended with exit code {code}"


async def _start(argv: Sequence[str], log: Path, listening: socket.socket) -> asyncio.subprocess.Process:
    with open_log(log) as stderr:
        return await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            pass_fds=[listening.fileno()],
            start_new_session=True,  # Ctrl-C on the terminal is for the runner
        )


def _flags(site: Site, listening: socket.socket) -> list[str]:
    """What the page is told of where it is."""
    flags = ["--leash", str(listening.fileno()), "--web", str(site.address), "--insecure"]  # it was allowed here
    flags += [word for proxy in site.proxies for word in ("--web-proxy", proxy)]
    return flags + [word for name in site.names for word in ("--web-name", name)]


async def _say_goodbye(process: asyncio.subprocess.Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(2 * STOP_S + 4):
            await process.wait()
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()


async def on_leash(told: Told, over: Callable[[], None]) -> None:
    """Be the page: give way to play, listen to stdin, and say when it has ended."""
    os.nice(NICE)
    reader = asyncio.StreamReader(limit=16 * MOST_UNREAD)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb"))
    while True:
        try:
            line = await reader.readline()
        except ValueError:  # standings of very many: the page fits its own
            continue
        if not line:
            break
        told.hear(line)
    over()
