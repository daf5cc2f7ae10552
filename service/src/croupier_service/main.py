"""``croupier serve``."""

from __future__ import annotations

import asyncio
import gc
import json
import signal
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

import structlog
import typer
from typer.models import OptionInfo

from croupier_games.kernel import games

from . import logs
from .addresses import check_listen, check_metrics
from .identity.limits import Limits
from .page import door, flags_of_page, page
from .rpc.play import PlaySettings
from .rpc.server import TRANSPORT_LIMIT_BYTES
from .rpc.tls import BadCertificate, TlsFiles
from .server import Server, ServerSettings
from .sessions.host import HostSettings
from .sessions.journal import Store
from .sessions.settings import ClockSettings, FaultPolicy, FaultSettings, SettingError
from .store.address import MEMORY, StoreAddress, StoreError
from .store.opening import open_store
from .store.options import DEFAULT_STORE, STORE_OPTION, parse_store

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_LEFT = 0, 1, 2, 3
LEFT_NAMED = 20
"""Sessions left unfinished that the log names."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")


def serve(argv: Sequence[str]) -> int:
    """Host game sessions for bots over gRPC."""
    try:
        app(list(argv), prog_name="croupier serve")  # says by itself what is wrong with its arguments
    except SystemExit as done:
        return int(done.code or EXIT_OK)
    return EXIT_OK


def _seconds(help_text: str, *, least: float = 0.0) -> OptionInfo:
    """An option that takes a time of at most a day."""

    def check(value: float) -> float:
        if not least <= value <= 86_400:
            raise typer.BadParameter(f"is {least:g} to 86400 seconds, not {value:g}")
        return value

    option: OptionInfo = typer.Option(help=help_text, metavar="SECONDS", callback=check)
    return option


@app.command()
def _serve(
    *,
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Address to serve gRPC on. Port 0 takes a free one.")
    ] = "127.0.0.1:7700",
    metrics: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Address to serve Prometheus metrics on; 'off' serves none.")
    ] = "127.0.0.1:9464",
    web: Annotated[
        str,
        typer.Option(
            metavar="PORT|HOST:PORT",
            help="Address to serve the web page on, on which sessions are watched; 'off' serves none.",
        ),
    ] = "off",
    web_seats: Annotated[
        bool, typer.Option("--web-seats", help="Let visitors of the page take seats and begin games, too.")
    ] = False,
    web_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="A reverse proxy of the page, or its network: its X-Forwarded-For counts; may be given several times.",
        ),
    ] = None,
    web_name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="A name by which browsers call the page there; likewise."),
    ] = None,
    store: Annotated[str, STORE_OPTION] = DEFAULT_STORE,
    auth: Annotated[
        bool, typer.Option("--auth", help="Ask everybody for a token; `croupier bot create` makes them.")
    ] = False,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="PEM", help="Certificate to show, and intermediate ones; turns TLS on.")
    ] = None,
    tls_key: Annotated[
        Path | None,
        typer.Option(metavar="PEM", help="Its private key. Files that change are read again by themselves."),
    ] = None,
    tls_client_ca: Annotated[
        Path | None, typer.Option(metavar="PEM", help="Let in only those whose certificate is signed by one of these.")
    ] = None,
    insecure: Annotated[
        int,
        typer.Option(
            "--insecure",
            count=True,
            show_default=False,
            help="Once: metrics, and the page without TLS, on an address that other machines can reach. Twice: gRPC "
            "too, without TLS or tokens.",
        ),
    ] = 0,
    think_time: Annotated[float, _seconds("Time for each decision, where a session does not set its own.")] = 10.0,
    bank: Annotated[float, _seconds("Extra time per seat for a whole session, likewise.")] = 60.0,
    max_faults: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="Faults after which a seat is vacated, likewise.")
    ] = 10,
    forfeit: Annotated[
        bool,
        typer.Option("--forfeit", help="Vacate a seat at its first missed decision, likewise."),
    ] = False,
    grace: Annotated[float, _seconds("How long a bot may be gone before that counts against it.")] = 10.0,
    restart_grace: Annotated[
        float, _seconds("The same after the server itself was gone: bots try again every ten seconds at the rarest.")
    ] = 30.0,
    max_sessions: Annotated[int, typer.Option(min=1, metavar="N", help="Sessions that may run at once.")] = 20_000,
    max_sessions_each: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Of them, one bot may sit in, or one organiser have; 0: any number."),
    ] = 0,
    max_streams: Annotated[
        int, typer.Option(min=1, metavar="N", help="Streams that one token may have open at once.")
    ] = Limits().streams,
    max_acts: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Acts a second of one bot; who acts faster is read from more slowly."),
    ] = Limits().acts_per_second,
    max_frame: Annotated[
        int, typer.Option(min=4096, max=TRANSPORT_LIMIT_BYTES, metavar="BYTES", help="Largest frame a bot may send.")
    ] = Limits().frame_bytes,
    ping_interval: Annotated[float, _seconds("Silence after which a bot is pinged.", least=0.01)] = 5.0,
    stall_timeout: Annotated[
        float, _seconds("Silence after which a bot is disconnected, longer than the ping interval.", least=0.01)
    ] = 15.0,
    drain_grace: Annotated[
        float, _seconds("Time running sessions get to finish when the server is told to stop.")
    ] = 10.0,
    log_level: Annotated[str, typer.Option(metavar="LEVEL", help=f"One of {', '.join(logs.LEVELS)}.")] = "info",
    log_format: Annotated[
        Literal["auto", "text", "json"], typer.Option(help="Log lines on stderr; auto: text on a terminal, else json.")
    ] = "auto",
    log_sample: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="SHARE",
            help="Part of all sessions whose starts, ends and faults are logged; vacated seats and errors always are.",
        ),
    ] = 1.0,
    traces: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="SHARE",
            help="Part of all frames to follow through the server, for OpenTelemetry (OTEL_EXPORTER_OTLP_ENDPOINT).",
        ),
    ] = 0.0,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How to say on stdout where the server listens.")
    ] = "text",
) -> None:
    """Host game sessions for bots over gRPC.

    Bots connect by themselves; sessions are created over SessionService. Says on stdout where it listens, logs to
    stderr, and stops on SIGTERM or Ctrl-C: running sessions get the drain grace to finish, a second signal stops at
    once.

    Sessions are kept in the store, from their start on. Whatever happens to the server: started again with the same
    store, it goes on with those that were running, once their bots are back.

    On this machine alone anybody may do everything. For others to reach it, give it --auth, --tls-cert and --tls-key.

    Exit codes: 0 stopped with nothing left running, 1 could not start or keep results, 2 wrong usage, 3 stopped with
    sessions left unfinished: the next start goes on with them.
    """
    if log_level not in logs.LEVELS:
        raise typer.BadParameter(f"is one of {', '.join(logs.LEVELS)}", param_hint="--log-level")
    where = parse_store(store)
    if auth and str(where) == MEMORY:
        raise typer.BadParameter(
            "needs a store that lasts, in which tokens are kept: --store croupier.db", param_hint="--auth"
        )
    if traces:
        _check_traces()
    tls = _tls_files(tls_cert, tls_key, tls_client_ca)
    check_listen(listen, auth=auth, tls=tls is not None, insecure=insecure)
    check_metrics(metrics, insecure=insecure)
    page_flags = flags_of_page(
        web, seats=web_seats, insecure=insecure > 0, tls=tls, proxies=web_proxy or [], names=web_name or []
    )
    try:
        clock = ClockSettings(int(think_time * 1000), int(bank * 1000))
        faults = FaultSettings(FaultPolicy.FORFEIT if forfeit else FaultPolicy.SUBSTITUTE, max_faults)
    except SettingError as error:
        raise typer.BadParameter(str(error), param_hint="--think-time") from error
    if stall_timeout <= ping_interval:
        raise typer.BadParameter(
            f"is longer than --ping-interval, {ping_interval:g} s, or idle bots would be cut off unasked",
            param_hint="--stall-timeout",
        )
    settings = ServerSettings(
        listen=listen,
        metrics_listen=None if metrics == "off" else metrics,
        host=HostSettings(
            grace_ms=grace * 1000,
            restart_grace_ms=restart_grace * 1000,
            max_sessions=max_sessions,
            max_sessions_each=max_sessions_each,
            clock=clock,
            faults=faults,
        ),
        play=PlaySettings(ping_interval_ms=ping_interval * 1000, stall_timeout_ms=stall_timeout * 1000),
        limits=Limits(streams=max_streams, frame_bytes=max_frame, acts_per_second=max_acts),
        ask_for_tokens=auth,
        tls=tls,
        log_share=log_sample,
        disk=where.file.absolute().parent if where.file is not None else None,
    )
    logs.configure(log_level, json=None if log_format == "auto" else log_format == "json")
    try:
        with door() if page_flags else nullcontext() as way_in:
            code = _run(_main(replace(settings, door=way_in), where, drain_grace, output, traces, page_flags))
    except (OSError, StoreError) as error:
        print(f"croupier serve: {error}", file=sys.stderr)
        code = EXIT_FAILED
    raise typer.Exit(code)


async def _main(
    settings: ServerSettings,
    where: StoreAddress,
    drain_grace: float,
    output: str,
    traces: float,
    page_flags: Sequence[str],
) -> int:
    store = await open_store(where, games())
    try:
        with _traces(store, traces):
            return await _serving(settings, store, where, drain_grace, output, page_flags)
    finally:
        await store.close()


async def _serving(
    settings: ServerSettings,
    store: Store,
    where: StoreAddress,
    drain_grace: float,
    output: str,
    page_flags: Sequence[str],
) -> int:
    log = structlog.get_logger("croupier.server")
    signals: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, signals.put_nowait, signal.Signals(number).name)
    async with Server(settings, store) as server, AsyncExitStack() as stack:
        url = await stack.enter_async_context(page(settings.door, page_flags)) if settings.door else ""
        _calm_the_collector()
        _say_where(server, where, url, output)
        stop = asyncio.ensure_future(signals.get())
        journal = server.journal_task
        await asyncio.wait([stop, *([journal] if journal else [])], return_when=asyncio.FIRST_COMPLETED)
        if not stop.done():
            why = str(journal.exception()) if journal and not journal.cancelled() else ""
            log.error("the store has failed; stopping, so that nothing accepted is lost", store=str(where), why=why)
            return EXIT_FAILED
        log.info("draining", signal=stop.result(), running=len(server.host.sessions), grace_s=drain_grace)
        running = len(server.host.sessions)
        drain = asyncio.ensure_future(server.drain(drain_grace, "the server is stopping"))
        again = asyncio.ensure_future(signals.get())
        await asyncio.wait([drain, again, *([journal] if journal else [])], return_when=asyncio.FIRST_COMPLETED)
        again.cancel()
        drain.cancel()
        left = list(server.host.sessions)
        log.info("stopped", sessions_finished=running - len(left), sessions_left=len(left), left=left[:LEFT_NAMED])
        if journal is not None and journal.done():
            log.error("the store has failed: results of late may be lost")
            return EXIT_FAILED
        return EXIT_LEFT if left else EXIT_OK


def _calm_the_collector() -> None:
    """Collect cycles rarely: next to nothing here is one, and looking for them took a quarter of the processor time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def _say_where(server: Server, where: StoreAddress, url: str, output: str) -> None:
    if output == "json":
        line = {"listening": server.address, "metrics": server.metrics_address or None, "store": str(where)}
        line |= {"web": url} if url else {}
        print(json.dumps(line), flush=True)
        return
    said = f"croupier {version('croupier-service')} is listening on {server.address}"
    if server.metrics_address:
        said += f", metrics on http://{server.metrics_address}/metrics"
    if url:
        said += f", the page at {url}"
    print(f"{said}; sessions are kept in {'memory only' if str(where) == MEMORY else where}", flush=True)


def _check_traces() -> None:
    """See that what traces need is installed."""
    try:
        from . import traces  # noqa: F401 - only whether it can be
    except ImportError as error:
        raise typer.BadParameter(
            f"needs: pip install 'croupier-service[traces]' ({error})", param_hint="--traces"
        ) from None


def _traces(store: Store, share: float) -> AbstractContextManager[None]:
    """Follow a share of the frames meanwhile."""
    if not share:
        return nullcontext()
    from .traces import traced

    return traced(store, share)


def _tls_files(cert: Path | None, key: Path | None, client_ca: Path | None) -> TlsFiles | None:
    """The files of TLS, looked at; None: no TLS."""
    options = {"cert": "--tls-cert", "key": "--tls-key", "client_ca": "--tls-client-ca"}
    if cert is None or key is None:
        given = next(
            (options[name] for name, path in (("cert", cert), ("key", key), ("client_ca", client_ca)) if path), ""
        )
        if given:
            raise typer.BadParameter("TLS takes both --tls-cert and --tls-key", param_hint=given)
        return None
    files = TlsFiles(cert, key, client_ca)
    try:
        files.check()
    except BadCertificate as error:
        raise typer.BadParameter(str(error), param_hint=options[error.field]) from error
    return files


def _run(main: object) -> int:
    """Run on uvloop where it is installed: worth about a tenth of the throughput."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(main)  # type: ignore[arg-type]
    return int(uvloop.run(main))  # type: ignore[arg-type]
