"""`serve`."""

import asyncio
import json
import signal
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from croupier import eventloop
from croupier_tournament import logs
from croupier_tournament.commands import collector
from croupier_tournament.commands.guard import complain, guarded, wrong_address
from croupier_tournament.commands.showing import Wanted, shown_page
from croupier_tournament.main import EXIT_OK, EXIT_USAGE
from croupier_tournament.rpc.certificates import BadCertificate, Certificates
from croupier_tournament.rpc.door import Door
from croupier_tournament.rpc.hall import Hall
from croupier_tournament.rpc.server import TournamentServer
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.metrics import MetricsServer
from croupier_tournament.run.opening import open_ledger
from croupier_tournament.web.address import Site, Tls, is_loopback
from croupier_tournament.web.gallery import OfService


@dataclass(frozen=True)
class Serving:
    """What an operator has set; see the command's options."""

    listen: str
    metrics: str
    page: Wanted
    folder: Path
    ledger: str | None
    servers: list[str]
    tls: bool | str
    auth: bool
    cert: Path | None
    key: Path | None
    allow_commands: bool
    insecure: bool
    log_level: str
    log_format: str
    output: str


@guarded
def serve(options: Serving) -> int:
    """Serve TournamentService until told to stop."""
    if problem := _wrong(options):
        complain(problem)
        return EXIT_USAGE
    certificates = None
    if options.cert is not None and options.key is not None:
        try:
            certificates = Certificates(options.cert, options.key)
        except BadCertificate as error:
            complain(f"--tls-cert: {error}")
            return EXIT_USAGE
    site = options.page.site(Tls(str(options.cert), str(options.key)) if certificates else None)
    logs.configure(options.log_level, options.log_format)
    options.folder.mkdir(parents=True, exist_ok=True)
    eventloop.run(_serve(options, certificates, site))
    return EXIT_OK


async def _serve(options: Serving, certificates: Certificates | None, site: Site | None) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    url = options.ledger or Folder(options.folder).own_ledger()
    run = {"servers": options.servers, **({"tls": options.tls} if options.tls else {})}
    door = Door(options.servers, tls=options.tls) if options.auth else None
    async with await open_ledger(url, new=True) as ledger, AsyncExitStack() as stack:
        hall = Hall(ledger, url, options.folder, run, allow_commands=options.allow_commands)
        server = TournamentServer(options.listen, hall, door=door, certificates=certificates)
        await stack.enter_async_context(server)
        where = shown = ""
        if options.metrics != "off":
            metrics = MetricsServer(options.metrics, hall.hosted.values, options.folder)
            where = stack.enter_context(metrics).address
        if site is not None:
            shown = await stack.enter_async_context(shown_page(OfService(hall, ledger, door), site))
        collector.calm()
        _say_where(server.address, where, shown, options.output)
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


def _wrong(options: Serving) -> str:
    """Say what is wrong with the options, and what would be right; empty where nothing is."""
    if options.log_level not in logs.LEVELS:
        return f"--log-level: is one of {', '.join(logs.LEVELS)}"
    if (options.cert is None) != (options.key is None):
        return "--tls-cert: TLS takes both --tls-cert and --tls-key"
    if options.auth and not options.servers:
        return "--auth: tokens are those of the game servers: name one with --server"
    for option, address in (("--listen", options.listen), ("--metrics", options.metrics)):
        if address == "off" and option == "--metrics":
            continue
        if problem := wrong_address(option, address):
            return problem
        host = address.rpartition(":")[0]
        if options.insecure or is_loopback(host.strip("[]")):
            continue
        if option == "--metrics":
            return (
                f"--metrics: {host} can be reached from other machines, without tokens: say --insecure if you mean it"
            )
        given = (("tokens (--auth)", options.auth), ("TLS (--tls-cert, --tls-key)", options.cert is not None))
        missing = [what for what, there in given if not there]
        if missing:
            return (
                f"--listen: {host} can be reached from other machines, and this service would be without "
                f"{' and without '.join(missing)}; if you mean that, say --insecure"
            )
    return ""
