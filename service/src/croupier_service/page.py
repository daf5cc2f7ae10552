"""The web page beside a server: a process of its own, which asks the server over gRPC as everybody does.

It comes with another distribution, whose command ``croupier web`` it is. It runs at a lower priority than the server,
so that many who watch do not slow down those who play, and whatever becomes of it, play goes on.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from importlib.metadata import entry_points
from pathlib import Path

import structlog
import typer

from .addresses import host_of, is_loopback
from .rpc.tls import TlsFiles

COMMAND = ("-P", "-c", "import sys; from croupier.cli import main; sys.exit(main())", "web")
START_S = 60.0
STOP_S = 5.0


class PageError(OSError):
    """There is no page. The message says why, and what would help."""


def check_installed() -> None:
    """Raise PageError where the distribution is missing that has the page."""
    if not entry_points(group="croupier.commands", name="web"):
        raise PageError("--web: the page comes with another distribution: pip install croupier-tournament")


@asynccontextmanager
async def page(way_in: Path, flags: Sequence[str]) -> AsyncIterator[str]:
    """Run the page for as long as the context lasts; gives its URL.

    Args:
        way_in: the UNIX socket on which the server listens.
        flags: of ``croupier web``: where to listen, and what visitors may do.

    Raises:
        PageError: it does not start.
    """
    check_installed()
    process = await asyncio.to_thread(_start, way_in, flags)
    watching = asyncio.create_task(_watch(process))
    try:
        yield await _url(process)
    finally:
        watching.cancel()
        await asyncio.to_thread(_stop, process)


@contextmanager
def door() -> Iterator[Path]:
    """A place for a UNIX socket that nobody else can open, for as long as the context lasts.

    Through it the page reaches its server whatever certificate that shows, and whosever it wants to see.
    """
    with tempfile.TemporaryDirectory(prefix="croupier-") as folder:
        yield Path(folder) / "door"


def flags_of_page(
    listen: str, *, seats: bool, insecure: bool, tls: TlsFiles | None, proxies: Sequence[str], names: Sequence[str]
) -> list[str]:
    """What ``croupier web`` is told; nothing where there is to be no page.

    Args:
        listen: where the page is to be; ``off``: nowhere.
        seats: whether visitors may take seats.
        insecure: whether other machines may reach it without TLS.
        tls: what the server shows, and asks to be shown: the page does the same.
        proxies: whose X-Forwarded-For is believed.
        names: by which browsers call it there.

    Raises:
        typer.BadParameter: it would be open to the world, or an option makes no sense.
    """
    if listen == "off":
        for option, given in (("--web-seats", seats), ("--web-proxy", proxies), ("--web-name", names)):
            if given:
                raise typer.BadParameter("is for the page, which --web turns on", param_hint=option)
        return []
    host = host_of("--web", listen) if ":" in listen else "127.0.0.1"
    if not is_loopback(host) and not insecure and tls is None:
        raise typer.BadParameter(
            f"{host} can be reached from other machines, and the page would be served without TLS; give the server "
            "--tls-cert and --tls-key, put it behind a proxy that speaks TLS, or say --insecure",
            param_hint="--web",
        )
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            raise typer.BadParameter(
                f"is the address of a reverse proxy, or its network, such as 10.0.0.0/8, not {proxy!r}",
                param_hint="--web-proxy",
            ) from None
    flags = ["--listen", listen, *(["--seats"] if seats else []), *(["--insecure"] if insecure else [])]
    if tls is not None:
        flags += ["--tls-cert", str(tls.cert), "--tls-key", str(tls.key)]
        flags += ["--tls-client-ca", str(tls.client_ca)] if tls.client_ca else []
    flags += [word for proxy in proxies for word in ("--proxy", proxy)]
    return flags + [word for name in names for word in ("--name", name)]


def _start(way_in: Path, flags: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start it; not in the event loop's own way, which forks, and gRPC does not like that."""
    return subprocess.Popen(
        [sys.executable, *COMMAND, "--target", f"unix:{way_in}", "--leash", "--format", "json", *flags],
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
