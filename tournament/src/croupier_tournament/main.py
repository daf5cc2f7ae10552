"""``croupier tournament``."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_PAUSED, EXIT_FALSE = 0, 1, 2, 3, 4

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="""Plan, run, rate and verify tournaments of bots.

    A tournament is described by one file: `croupier tournament init` writes one to begin with. `plan` shows
    what it would be, `run` plays it. However it is interrupted, `resume` goes on where it stopped.

    Exit codes of all commands: 0 done, 1 something went wrong, 2 wrong usage or a spec that cannot be played,
    3 the tournament was paused or cancelled before its end, 4 a verification found something wrong,
    130 stopped by Ctrl-C, 143 stopped by SIGTERM; what was played is kept.
    """,
)

SpecFile = Annotated[Path, typer.Argument(metavar="SPEC", help="The file that describes it, such as tournament.toml.")]
Dir = Annotated[Path, typer.Argument(metavar="DIR", help="The tournament's folder.")]
Output = Annotated[Literal["text", "json"], typer.Option("--format", help="How to say it on stdout.")]
Stream = Annotated[
    Literal["text", "jsonl"],
    typer.Option("--format", help="text: progress and standings on stderr; jsonl: every event as a line on stdout."),
]
Web = Annotated[
    str,
    typer.Option(
        metavar="PORT|HOST:PORT",
        help="Address to serve the web page on; 'off' serves none.",
    ),
]
Proxies = Annotated[
    list[str] | None,
    typer.Option(
        "--web-proxy",
        metavar="ADDRESS",
        help="A reverse proxy of the page, or its network, whose X-Forwarded-For counts; may be given several times.",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--web-name", metavar="HOST", help="A name by which browsers call the page there; likewise."),
]
Insecure = Annotated[bool, typer.Option("--insecure", help="Allow a page that other machines can reach, without TLS.")]
Metrics = Annotated[
    str, typer.Option(metavar="HOST:PORT", help="Address to serve Prometheus metrics on; 'off' serves none.")
]


def tournament(argv: Sequence[str]) -> int:
    """Plan, run, rate and verify tournaments of bots."""
    try:
        typer.main.get_command(app).main(list(argv), prog_name="croupier tournament")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else EXIT_FAILED
    return EXIT_OK


@app.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")] = Path("tournament.toml"),
    *,
    game: Annotated[str, typer.Option(help="What will be played.")] = "trick-and-trade",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
) -> None:
    """Write a commented spec that can be run as it is."""
    from croupier_tournament.commands import planning

    raise typer.Exit(planning.init(file, game, force=force))


@app.command()
def plan(
    spec: SpecFile,
    *,
    probe: Annotated[
        bool, typer.Option("--probe/--no-probe", help="Play for a few seconds to estimate how long it will take.")
    ] = True,
    output: Output = "text",
) -> None:
    """Show what would be played: tables, games, balance at every tenth of the way, hash, and the time it takes."""
    from croupier_tournament.commands import planning

    raise typer.Exit(planning.plan(spec, probe=probe, output=output))


@app.command()
def run(
    spec: SpecFile,
    *,
    folder: Annotated[
        Path | None,
        typer.Option("--dir", metavar="DIR", help="The tournament's folder; not given: named like the spec."),
    ] = None,
    metrics: Metrics = "off",
    web: Web = "off",
    proxies: Proxies = None,
    names: Names = None,
    insecure: Insecure = False,
    output: Stream = "text",
) -> None:
    """Play a tournament: servers and entrants' processes are started, watched and stopped with it.

    Ctrl-C lets running games end and stops then; once more stops at once. Either way it can be resumed.
    """
    from croupier_tournament.commands import playing
    from croupier_tournament.commands.showing import Wanted

    page = Wanted(web, insecure, proxies or [], names or [])
    raise typer.Exit(playing.run(spec, folder, metrics=metrics, page=page, output=output))


@app.command()
def resume(
    folder: Dir,
    *,
    metrics: Metrics = "off",
    web: Web = "off",
    proxies: Proxies = None,
    names: Names = None,
    insecure: Insecure = False,
    output: Stream = "text",
) -> None:
    """Go on with a tournament that was paused, stopped or killed."""
    from croupier_tournament.commands import playing
    from croupier_tournament.commands.showing import Wanted

    page = Wanted(web, insecure, proxies or [], names or [])
    raise typer.Exit(playing.resume(folder, metrics=metrics, page=page, output=output))


@app.command()
def watch(
    folder: Dir,
    *,
    web: Annotated[
        str, typer.Option(metavar="PORT|HOST:PORT", help="Address to serve the web page on. Port 0 takes a free one.")
    ] = "127.0.0.1:7702",
    proxies: Proxies = None,
    names: Names = None,
    insecure: Insecure = False,
    leash: Annotated[int | None, typer.Option("--leash", hidden=True)] = None,
    output: Output = "text",
) -> None:
    """Show a tournament's page, whoever runs it and whether it is over: live standings, every game step by step.

    Reads the folder and its ledger, and writes nothing. Says on stdout where the page is; Ctrl-C ends it.
    """
    from croupier_tournament.commands import showing

    page = showing.Wanted(web, insecure, proxies or [], names or [])
    raise typer.Exit(showing.watch(folder, page, leash=leash, output=output))


@app.command()
def pause(folder: Dir) -> None:
    """Let whoever runs it begin no more games, and stop when the running ones are over."""
    from croupier_tournament.commands import wishing

    raise typer.Exit(wishing.wish(folder, "paused"))


@app.command()
def cancel(folder: Dir) -> None:
    """End a tournament for good; what is final stays, and counts."""
    from croupier_tournament.commands import wishing

    raise typer.Exit(wishing.wish(folder, "cancelled"))


@app.command()
def status(folder: Dir, *, output: Output = "text") -> None:
    """Say how far a tournament is, who runs it, and what has gone wrong."""
    from croupier_tournament.commands import looking

    raise typer.Exit(looking.status(folder, output=output))


@app.command()
def standings(
    folder: Dir,
    *,
    output: Annotated[
        Literal["text", "json", "csv"], typer.Option("--format", help="How to show them on stdout.")
    ] = "text",
) -> None:
    """Show the standings as they are, of all blocks that are final."""
    from croupier_tournament.commands import writing

    raise typer.Exit(writing.standings(folder, output=output))


@app.command()
def report(folder: Dir) -> None:
    """Write all files of a tournament anew, as it stands: standings, games, records, report.html."""
    from croupier_tournament.commands import writing

    raise typer.Exit(writing.report(folder))


@app.command()
def verify(
    folder: Dir,
    *,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes to use; not given: one for each processor.")
    ] = None,
    output: Output = "text",
) -> None:
    """Check what a tournament has published: commitment, plan, seeds, every record by the rules, and the standings."""
    from croupier_tournament.commands import checking

    raise typer.Exit(checking.verify(folder, jobs=jobs, output=output))


@app.command()
def serve(
    *,
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Address to serve gRPC on. Port 0 takes a free one.")
    ] = "127.0.0.1:7701",
    metrics: Metrics = "127.0.0.1:9465",
    folder: Annotated[
        Path, typer.Option("--dir", metavar="DIR", help="Where each tournament gets a folder of its own.")
    ] = Path("tournaments"),
    ledger: Annotated[
        str | None,
        typer.Option(metavar="URL", help="PostgreSQL or SQLite database for all of them; not given: a file in DIR."),
    ] = None,
    servers: Annotated[
        list[str] | None,
        typer.Option(
            "--server",
            metavar="HOST:PORT",
            help="A game server to play on; may be given several times. Not given: each tournament starts one.",
        ),
    ] = None,
    tls: Annotated[
        str | None,
        typer.Option(metavar="PEM|system", help="Speak TLS to the game servers, trusting these authorities."),
    ] = None,
    allow_commands: Annotated[
        bool,
        typer.Option(
            "--allow-commands", help="Let tournaments start processes on this machine: whatever is asked for."
        ),
    ] = False,
    web: Web = "off",
    proxies: Proxies = None,
    names: Names = None,
    auth: Annotated[
        bool,
        typer.Option("--auth", help="Ask everybody for a token: one that the game servers know, of the right role."),
    ] = False,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="PEM", help="Certificate to show, and intermediate ones; turns TLS on.")
    ] = None,
    tls_key: Annotated[
        Path | None,
        typer.Option(metavar="PEM", help="Its private key. Files that change are read again by themselves."),
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Allow addresses other machines can reach, without TLS or tokens.")
    ] = False,
    log_level: Annotated[str, typer.Option(metavar="LEVEL", help="One of debug, info, warning, error.")] = "info",
    log_format: Annotated[
        Literal["auto", "text", "json"], typer.Option(help="Log lines on stderr; auto: text on a terminal, else json.")
    ] = "auto",
    output: Output = "text",
) -> None:
    """Serve TournamentService over gRPC: make, run, watch and rate tournaments from afar.

    On this machine alone anybody may do everything. For others to reach it, give it --auth, --tls-cert and --tls-key.
    With --auth, organisers and operators of the game servers make and steer tournaments, and whoever has a token may
    look at them; the service's own token, for the servers, is in CROUPIER_TOKEN.

    Says on stdout where it listens, logs to stderr, and stops on SIGTERM or Ctrl-C: games that run are found
    again, or repeated, by the next start, which goes on with every tournament that was running.
    """
    from croupier_tournament.commands.serving import Serving, serve
    from croupier_tournament.commands.showing import Wanted

    options = Serving(
        listen=listen,
        metrics=metrics,
        page=Wanted(web, insecure, proxies or [], names or []),
        folder=folder,
        ledger=ledger,
        servers=servers or [],
        tls=True if tls == "system" else tls or False,
        auth=auth,
        cert=tls_cert,
        key=tls_key,
        allow_commands=allow_commands,
        insecure=insecure,
        log_level=log_level,
        log_format=log_format,
        output=output,
    )
    raise typer.Exit(serve(options))


if __name__ == "__main__":
    sys.exit(tournament(sys.argv[1:]))
