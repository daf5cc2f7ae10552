"""``croupier bot practice``: a bot against the bots of the house, on a server of its own."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from croupier_games.kernel import OptionError, Seed, UnknownGame, find_game, games
from croupier_service.cli.connecting import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, Format, FormatOption, run, say

from .command import Command, checked, named, writable
from .playing import PracticeError, Table, deals, seats_of
from .tally import Again, Tally

AGAINST = {"greedy": ("greedy",), "random": ("random",), "mixed": ("greedy", "random")}

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")


def practice(argv: Sequence[str]) -> int:
    """Play a bot against the bots of the house, and tell how it did."""
    return run(app, "bot practice", argv)


@app.command(no_args_is_help=True)
def _practice(
    command: Command = None,
    *,
    game: Annotated[
        list[str] | None,
        typer.Option(metavar="GAME", help="What to play; may be repeated. [default: all that the bot plays]"),
    ] = None,
    games_each: Annotated[int, typer.Option("--games", min=1, max=100_000, metavar="N", help="Of each game.")] = 20,
    against: Annotated[
        str, typer.Option(metavar="BOT", help="Whom: greedy, random, or both in turns: mixed.")
    ] = "greedy",
    seats: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Seats at the table. [default: 4, where the game has that]")
    ] = None,
    seed: Annotated[str, typer.Option(metavar="TEXT", help="Any text: all deals follow from it.")] = "practice",
    deal: Annotated[
        list[int] | None, typer.Option(min=1, metavar="N", help="Only this deal, again; may be repeated.")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="Games at once.")] = 16,
    think_time: Annotated[float, typer.Option(min=0.01, max=86_400, metavar="SECONDS", help="For each decision.")] = 10,
    name: Annotated[
        str | None, typer.Option(help="The bot's name. [default: made from COMMAND]", show_default=False)
    ] = None,
    records: Annotated[
        Path, typer.Option(metavar="FILE", help="Where the records of all games go, anew each time.")
    ] = Path("practice.jsonl"),
    log: Annotated[Path, typer.Option(metavar="FILE", help="Where the bot's output goes, likewise.")] = Path(
        "practice.log"
    ),
    output: FormatOption = Format.TEXT,
) -> None:
    """Play a bot against the bots of the house, and tell how it did.

    Starts a server of its own on this machine, and COMMAND with CROUPIER_TARGET and CROUPIER_NAME in its environment,
    and seats it in one game after the other, each time one seat further. Tells points, placings, how long it thinks,
    and faults; and how to look at any game, or to play its deal again.

    For example: croupier bot practice --game trick-and-trade --games 100 -- python mybot.py

    With `--format json` each game is a line: `game`, `deal`, `seat`, `bots`, `points`, `placings`, `faults`,
    `thinking_ms` (of each decision of the bot) and `record`, its number in the file of records.

    Exit codes: 0 all was played without a fault of the bot, 1 it had faults or did not play, 2 wrong usage,
    130 interrupted.
    """
    argv = checked(command, "croupier bot practice -- python mybot.py")
    who = named(name, argv)
    if against not in AGAINST:
        raise typer.BadParameter(f"is {', '.join(AGAINST)}, not {against!r}", param_hint="--against")
    numbers = list(dict.fromkeys(deal)) if deal else range(1, games_each + 1)
    planned = []
    for one in dict.fromkeys(game or games()):
        try:
            at_the_table = seats_of(one, seats)
            find_game(one).deal(at_the_table, find_game(one).options(), Seed.of("practice"))
        except UnknownGame as error:
            raise typer.BadParameter(str(error), param_hint="--game") from None
        except OptionError as error:
            if not game:
                continue  # it is not among those that so many can play
            raise typer.BadParameter(str(error), param_hint="--seats") from None
        planned += deals(one, numbers, who, at_the_table, AGAINST[against], seed)
    if not planned:
        raise typer.BadParameter(f"no game is played with {seats} seats", param_hint="--seats")
    writable(records, "--records")
    writable(log, "--log").write_bytes(b"")
    tally = Tally(len(planned), records, output, again=Again(seed, against, seats, tuple(argv)))
    left_out: dict[str, str] = {}

    async def work(folder: Path) -> None:
        async with Table(argv, who, log.resolve(), folder, think_time) as table:
            with tally:
                async for played in table.play(planned, concurrency, left_out):
                    tally.add(played)

    try:
        with tempfile.TemporaryDirectory(prefix="croupier-practice-") as folder:
            asyncio.run(work(Path(folder)))
    except KeyboardInterrupt:
        tally.tell()
        say("bot practice", "interrupted")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    except PracticeError as error:
        tally.tell()
        say("bot practice", str(error))
        raise typer.Exit(EXIT_FAILED) from None
    tally.tell()
    missed = [why for one, why in left_out.items() if one in (game or ()) or not tally.played]
    say("bot practice", *missed)
    raise typer.Exit(EXIT_FAILED if tally.faults or missed else EXIT_OK)
