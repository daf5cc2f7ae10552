"""``croupier web``: the page of one game server, as a process of its own."""

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from croupier_tournament.web.address import Site
    from croupier_tournament.web.app import Shown

EXIT_OK, EXIT_FAILED = 0, 1
NICE = 5
"""How much the page gives way to the server that has started it."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def web(argv: Sequence[str]) -> int:
    """Serve a web page on which the sessions of a server are watched and, if wanted, played."""
    try:
        app(list(argv), prog_name="croupier web")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else EXIT_FAILED
    return EXIT_OK


@app.command()
def _web(
    *,
    target: Annotated[
        str, typer.Option(envvar="CROUPIER_TARGET", metavar="HOST:PORT", help="The game server.")
    ] = "localhost:7700",
    listen: Annotated[
        str, typer.Option(metavar="PORT|HOST:PORT", help="Address to serve the page on. Port 0 takes a free one.")
    ] = "127.0.0.1:7780",
    seats: Annotated[
        bool,
        typer.Option("--seats", help="Let visitors take seats and begin games, with the rights of their own tokens."),
    ] = False,
    tls: Annotated[bool, typer.Option("--tls", help="Speak TLS to it, trusting the usual authorities.")] = False,
    tls_ca: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", exists=True, dir_okay=False, help="Speak TLS to it, trusting those in this PEM file."
        ),
    ] = None,
    tls_cert: Annotated[
        Path | None,
        typer.Option(metavar="PEM", exists=True, dir_okay=False, help="Certificate of the page; turns HTTPS on."),
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="PEM", exists=True, dir_okay=False, help="Its private key.")
    ] = None,
    tls_client_ca: Annotated[
        Path | None,
        typer.Option(
            metavar="PEM",
            exists=True,
            dir_okay=False,
            help="Let in only browsers whose certificate is signed by one of these.",
        ),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="A reverse proxy, or its network, whose X-Forwarded-For counts; may be given several times.",
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="A name by which browsers call the page there; likewise."),
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow an address that other machines can reach, without HTTPS.")
    ] = False,
    leash: Annotated[bool, typer.Option("--leash", hidden=True)] = False,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How to say on stdout where the page is.")
    ] = "text",
) -> None:
    """Serve a web page on which the sessions of a server are watched, live and afterwards.

    The page is a client of the server like any other, and has no rights of its own: where the server asks for tokens,
    visitors log in with theirs, and may do what it lets them do. With CROUPIER_WEB_TOKEN, a spectator's token, those
    can watch who have none. It is read-only unless --seats is given.

    Says on stdout where the page is, and stops on SIGTERM or Ctrl-C. Needs the server only when somebody looks.

    Exit codes: 0 stopped, 1 could not start, 2 wrong usage.
    """
    from croupier_tournament.web.address import AddressError, PageError, Tls, site_of
    from croupier_tournament.web.app import Shown
    from croupier_tournament.web.visitors import public_token

    if (tls_cert is None) != (tls_key is None):
        missing = "--tls-key" if tls_key is None else "--tls-cert"
        raise typer.BadParameter("HTTPS takes both --tls-cert and --tls-key", param_hint=missing)
    if tls_client_ca is not None and tls_cert is None:
        raise typer.BadParameter("takes --tls-cert and --tls-key", param_hint="--tls-client-ca")
    ca = str(tls_client_ca) if tls_client_ca else None
    certificate = Tls(str(tls_cert), str(tls_key), ca) if tls_cert and tls_key else None
    try:
        site = site_of(listen, insecure=insecure, tls=certificate, proxies=proxy or [], names=name or [])
    except AddressError as error:
        raise typer.BadParameter(str(error), param_hint="--listen") from error
    except PageError as error:
        raise typer.BadParameter(str(error), param_hint="--proxy") from error
    try:
        public = public_token()
    except PageError as error:
        raise typer.BadParameter(str(error), param_hint="environment") from error
    shown = Shown(
        target=target,
        tls=str(tls_ca) if tls_ca else tls,
        seats=seats,
        public_token=public,
    )
    try:
        asyncio.run(_serve(shown, site, output, leash=leash))
    except OSError as error:
        typer.echo(f"croupier web: {error}", err=True)
        raise typer.Exit(EXIT_FAILED) from None


async def _serve(shown: "Shown", site: "Site", output: str, *, leash: bool) -> None:
    from croupier_tournament.commands.showing import say_url
    from croupier_tournament.web.serving import serving

    stopped = asyncio.Event()
    if leash:  # started by a server: it comes first, and the page ends with it
        os.nice(NICE)
        asyncio.get_running_loop().add_reader(0, stopped.set)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with serving(shown, site) as url:
        say_url(url, output)
        await stopped.wait()
