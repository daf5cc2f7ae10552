"""`serve`."""

import asyncio
import json
import signal
import sys
from contextlib import AsyncExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

import structlog

from croupier_tournament.commands.guard import complain, guarded
from croupier_tournament.commands.showing import page_address, shown_page
from croupier_tournament.main import EXIT_OK, EXIT_USAGE
from croupier_tournament.rpc.server import TournamentServer
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.metrics import MetricsServer
from croupier_tournament.run.opening import open_ledger
from croupier_tournament.web.address import Address, is_loopback
from croupier_tournament.web.gallery import OfService


@guarded
def serve(
    listen: str,
    metrics: str,
    folder: Path,
    ledger: str | None,
    run: dict[str, Any],
    *,
    web: str,
    allow_commands: bool,
    insecure: bool,
    output: str,
) -> int:
    """Serve TournamentService until told to stop."""
    for option, address in (("--listen", listen), ("--metrics", metrics)):
        if address != "off" and (problem := wrong_address(address, insecure=insecure)):
            complain(f"{option}: {problem}")
            return EXIT_USAGE
    page = page_address("--web", web, insecure=insecure)
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    folder.mkdir(parents=True, exist_ok=True)
    url = ledger or Folder(folder).own_ledger()
    asyncio.run(_serve(listen, metrics, page, folder, url, run, allow_commands=allow_commands, output=output))
    return EXIT_OK


async def _serve(
    listen: str,
    metrics: str,
    page: Address | None,
    folder: Path,
    url: str,
    run: dict[str, Any],
    *,
    allow_commands: bool,
    output: str,
) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with (
        await open_ledger(url, new=True) as ledger,
        TournamentServer(listen, ledger, url, folder, run, allow_commands=allow_commands) as server,
        AsyncExitStack() as stack,
    ):
        where = shown = ""
        if metrics != "off":
            where = stack.enter_context(MetricsServer(metrics, server.hall.hosted.values)).address
        if page is not None:
            shown = await stack.enter_async_context(shown_page(OfService(server.hall, ledger), page))
        _say_where(server.address, where, shown, output)
        await stopped.wait()


def _say_where(address: str, metrics: str, web: str, output: str) -> None:
    if output == "json":
        said = json.dumps({"listening": address, "metrics": metrics or None, "web": web or None})
    else:
        said = f"croupier-tournament {version('croupier-tournament')} is listening on {address}"
        said += f", metrics on http://{metrics}/metrics" if metrics else ""
        said += f", the page at {web}" if web else ""
    sys.stdout.write(said + "\n")
    sys.stdout.flush()


def wrong_address(address: str, *, insecure: bool) -> str:
    """Say what is wrong with an address to listen on; empty where nothing is."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65_535:
        return f"is host:port, such as 127.0.0.1:7701, not {address!r}"
    if not insecure and not is_loopback(host.strip("[]")):
        return (
            f"{host} can be reached from other machines, and this service has neither TLS nor tokens; "
            "say --insecure if you mean it"
        )
    return ""
