"""``croupier demo``."""

import asyncio
import io
import signal
import sys
from collections.abc import Coroutine, Sequence
from typing import Annotated, Any, Literal, TypeVar

import typer

from croupier_tournament.run.settings import Settings

EXIT_OK, EXIT_FAILED, EXIT_USAGE = 0, 1, 2
DEFAULT = Settings()

T = TypeVar("T")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def demo(argv: Sequence[str]) -> int:
    """Play a small tournament on this machine: a server, five bots, and a table at the end."""
    try:
        typer.main.get_command(app).main(list(argv), prog_name="croupier demo")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else EXIT_FAILED
    return EXIT_OK


@app.command()  # the docstring is wrapped for a terminal: typer keeps its line ends
def _demo(
    *,
    games: Annotated[
        int, typer.Option(min=1, help="Games to play, at least: whole rounds are played.")
    ] = DEFAULT.games,
    seats: Annotated[int, typer.Option(min=3, max=5, help="Seats at each table.")] = DEFAULT.seats,
    game: Annotated[str, typer.Option(help="What to play, by its name on the server.")] = DEFAULT.game,
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="Games at once.")] = DEFAULT.concurrency,
    seed: Annotated[str, typer.Option(help="Any text: all deals follow from it.")] = DEFAULT.secret,
    output: Annotated[
        Literal["text", "json"], typer.Option("--format", help="How to show the table on stdout.")
    ] = "text",
) -> None:
    """Play a small tournament on this machine: a server, five bots, and a table at the end.

    The server is a process, and so is each bot; they speak gRPC. Every table that
    five bots can fill plays equally many deals, each deal once from every seat.
    At the end all results are proven: the records of the games are fetched and
    replayed by the rules. Progress is shown on stderr, the table on stdout.

    The same seed, game, seats and number of games give the same table, but for
    what the clock says: deals follow from the seed, greedy bots roll no dice, and
    those of random bots follow from the seed and from what the bot sees.

    Exit codes: 0 all was played and proven, 1 a process ended too early or a
    result is not proven, 2 wrong usage, 130 stopped by Ctrl-C, 143 stopped by
    SIGTERM. When stopped, it shows what has been played so far.
    """
    raise typer.Exit(_play(Settings(game, seats, games, concurrency, seed), output))


def _play(settings: Settings, output: str) -> int:
    from rich.console import Console

    from croupier import CroupierError
    from croupier_tournament.report.document import document
    from croupier_tournament.report.progress import Bar, Lines
    from croupier_tournament.report.text import show
    from croupier_tournament.run.games import GameLost
    from croupier_tournament.run.local import BadChoice, run
    from croupier_tournament.run.processes import ProcessDied

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no ± shall show the rest
    stderr = Console(stderr=True, highlight=False)
    stopped: list[int] = []
    try:
        with (Bar if stderr.is_terminal else Lines)(stderr) as audience:
            tournament = asyncio.run(_until_signal(run(settings, audience), stopped))
    except BadChoice as error:
        raise typer.BadParameter(str(error), param_hint=error.option) from error
    except (ProcessDied, GameLost, CroupierError, OSError) as error:
        print(f"croupier demo: {error}", file=sys.stderr)
        return EXIT_FAILED
    except asyncio.CancelledError:
        print("croupier demo: stopped", file=sys.stderr)
        return 128 + stopped[0]
    if output == "json":
        print(document(tournament))
    else:
        show(tournament, Console(highlight=False))
    if stopped:
        return 128 + stopped[0]
    return EXIT_FAILED if tournament.unproven else EXIT_OK


async def _until_signal(work: Coroutine[Any, Any, T], stopped: list[int]) -> T:
    """Do something that SIGINT and SIGTERM cancel; what has come is added to a list. A second one cancels once more."""
    loop = asyncio.get_running_loop()
    task = loop.create_task(work)

    def stop(number: int) -> None:
        stopped.append(number)
        task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, stop, number)
    return await task
