"""``croupier demo``."""

import hashlib
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

EXIT_OK, EXIT_FAILED, EXIT_USAGE = 0, 1, 2
TITLE = "Demonstration"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def demo(argv: Sequence[str]) -> int:
    """Play a small tournament on this machine: a server, five bots of three kinds, and a proof of every result."""
    try:
        typer.main.get_command(app).main(list(argv), prog_name="croupier demo")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else EXIT_FAILED
    return EXIT_OK


@app.command()  # the docstring is wrapped for a terminal: typer keeps its line ends
def _demo(
    *,
    blocks: Annotated[
        int, typer.Option(min=1, max=100_000, help="Blocks to play: one table, one deal, a game from every seat.")
    ] = 50,
    seats: Annotated[int, typer.Option(min=2, max=5, help="Seats at each table.")] = 4,
    game: Annotated[str, typer.Option(help="What to play.")] = "trick-and-trade",
    concurrency: Annotated[int, typer.Option(min=1, max=1000, help="Games at once.")] = 64,
    seed: Annotated[str, typer.Option(help="Any text: plan and deals follow from it.")] = "croupier",
    folder: Annotated[
        Path, typer.Option("--dir", metavar="DIR", help="Its folder; a demonstration that is there is replaced.")
    ] = Path("croupier-demo"),
) -> None:
    """Play a small tournament on this machine: a server, five bots of three kinds, and a proof of every result.

    The server is a process, and so are four of the bots: two greedy ones and two
    random ones from the SDK's examples. The fifth is a greedy one that lives in
    the server. Every deal is played from every seat. At the end the published
    files are verified: every game is replayed by the rules alone.

    It is an ordinary tournament, and its folder an ordinary one: everything that
    `croupier tournament` can do with a folder it can do with this one. The same
    seed gives the same standings, byte for byte.

    Exit codes: 0 all was played and proven, 1 something went wrong, 2 wrong
    usage, 4 a result is not proven, 130 stopped by Ctrl-C, 143 stopped by SIGTERM.
    """
    raise typer.Exit(_play(folder, table(game, seats, blocks, seed, concurrency), seed))


def table(game: str, seats: int, blocks: int, seed: str, concurrency: int) -> dict[str, Any]:
    """Return the spec of a demonstration."""
    from croupier.examples.greedy import Greedy

    greedy = ["-m", "croupier.examples.greedy" if game in Greedy.games else "croupier.examples.first"]
    random = ["-m", "croupier.examples.random_bot", "--seed"]
    return {
        "title": TITLE,
        "game": game,
        "seats": seats,
        "format": "balanced",
        "blocks": blocks,
        "seed": seed,
        "entrants": [
            {"name": "alice", "command": [sys.executable, "-P", *greedy]},
            {"name": "bob", "command": [sys.executable, "-P", *greedy]},
            {"name": "carol", "command": [sys.executable, "-P", *random, f"{seed}/carol"]},
            {"name": "dave", "command": [sys.executable, "-P", *random, f"{seed}/dave"]},
            {"name": "eve", "house": "greedy"},
        ],
        "run": {"concurrency": concurrency},
    }


def _play(path: Path, spec: dict[str, Any], seed: str) -> int:
    from croupier_tournament.commands.checking import verify
    from croupier_tournament.commands.guard import guarded
    from croupier_tournament.commands.playing import play
    from croupier_tournament.run.folder import Folder, FolderError
    from croupier_tournament.run.ledger import Ledger
    from croupier_tournament.run.tournament import Tournament

    place = Folder(path)

    async def begin() -> tuple[Ledger, Tournament]:
        if place.taken:
            if place.table().get("title") != TITLE:
                raise FolderError(f"{path} has another tournament: choose another folder with --dir")
            shutil.rmtree(path)
        secret = hashlib.sha256(
            f"croupier demo/{seed}".encode()
        ).digest()  # no secret at all, so that it can be repeated
        return await place.create(spec, text=None, programs=Path(), secret=secret)

    code = guarded(lambda: play(place, begin, metrics="127.0.0.1:0", output="text"))()
    if code:
        return code
    return verify(path, jobs=1, output="text")
