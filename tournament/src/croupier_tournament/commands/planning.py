"""`init` and `plan`: before anything is played for good."""

import asyncio
import secrets
import shlex
import tempfile
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from croupier_games.kernel import UnknownGame, find_game
from croupier_tournament.commands.guard import complain, guarded, read_file, say_json, stderr, stdout
from croupier_tournament.main import EXIT_FAILED, EXIT_OK, EXIT_USAGE
from croupier_tournament.plan import Balance, Plan, Spread, tenths
from croupier_tournament.run.events import Event, Progress, duration
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.running import Running
from croupier_tournament.run.tournament import plan_of
from croupier_tournament.spec import Spec, template

PROBE_S = 5.0
"""How long games are played to estimate how long all of them will take."""
PYTHON = "python"
SHOWN_TABLES = 12


@guarded
def init(file: Path, game: str, *, force: bool) -> int:
    """Write a commented spec."""
    try:
        rules = find_game(game)
    except UnknownGame as error:
        complain(f"--game: {error}")
        return EXIT_USAGE
    if file.exists() and not force:
        complain(f"{file} is there already; --force replaces it")
        return EXIT_USAGE
    quoted = shlex.quote(str(file))
    try:
        file.write_text(template(rules, quoted, PYTHON, seed=secrets.token_hex(4)), "utf-8")
    except FileNotFoundError:
        complain(f"{file} cannot be written: there is no folder {file.parent}")
        return EXIT_FAILED
    except OSError as error:
        complain(f"{file} cannot be written: {error.strerror}")
        return EXIT_FAILED
    stdout().print(
        f"wrote {file}; next:\n"
        f"  croupier tournament plan {quoted}    what it would be\n"
        f"  croupier tournament run {quoted}     play it",
        markup=False,
    )
    return EXIT_OK


@guarded
def plan(file: Path, *, probe: bool, output: str) -> int:
    """Show what would be played."""
    spec, table, _ = read_file(file)
    with stderr().status("planning"):
        planned = plan_of(spec)
        balances = tenths(planned)
    rate = None
    if probe:
        with stderr().status(f"playing for {PROBE_S:.0f} s to see how fast it goes"):
            rate = asyncio.run(games_a_second(table, file.resolve().parent))
    if output == "json":
        say_json(_document(spec, planned, balances, rate))
    else:
        _print(spec, planned, balances, rate, probe=probe)
    return EXIT_OK


class _Listener:
    """Waits for the first games of a probe, and for their rate."""

    def __init__(self) -> None:
        self.rate = 0.0
        self.first = asyncio.Event()

    def event(self, event: Event) -> None:
        pass

    def progress(self, progress: Progress) -> None:
        self.rate = progress.rate or self.rate
        if progress.rate:
            self.first.set()


async def games_a_second(table: dict[str, Any], programs: Path) -> float | None:
    """Play a tournament for a few seconds, somewhere else and under another secret; return its rate, if there is one.

    Raises what `Running.run` raises.
    """
    run = {name: value for name, value in table.get("run", {}).items() if name != "ledger"}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Folder(Path(temporary) / "probe")
        ledger, tournament = await folder.create({**table, "run": run}, text=None, programs=programs)
        async with ledger:
            listener = _Listener()
            running = Running(tournament, ledger, listener, folder)
            playing = asyncio.create_task(running.run())
            first = asyncio.create_task(listener.first.wait())
            await asyncio.wait([playing, first], return_when=asyncio.FIRST_COMPLETED)
            first.cancel()
            await asyncio.wait([playing], timeout=PROBE_S)
            running.stop()
            await playing
    return listener.rate or None


def _print(spec: Spec, planned: Plan, balances: list[Balance], rate: float | None, *, probe: bool) -> None:
    out = stdout()
    blocks, seats = len(planned.blocks), spec.seats
    tables: dict[tuple[int, ...], int] = {}
    for row in planned.blocks:
        tables[row.table] = tables.get(row.table, 0) + 1
    text = Text()
    text.append(spec.title, style="bold")
    text.append(f": {spec.game}, {seats} seats, {spec.format}\n")
    text.append(f"  entrants  {', '.join(f'{entrant.name} ({entrant.kind_name})' for entrant in spec.entrants)}\n")
    text.append(
        f"  blocks    {blocks:,}: one table, one deal, {seats} games, so that everybody sits at each seat once\n"
    )
    text.append(f"  games     {len(planned):,} on {blocks:,} deals\n")
    text.append(f"  plan      {planned.hash}\n")
    if rate is not None:
        text.append(f"  time      about {duration(len(planned) / rate)}, at {rate:.3g} games/s as in a short probe\n")
    elif probe:
        text.append("  time      not known: no game came to its end in the probe\n")
    text.append(f"\n{len(tables):,} table{'s' * (len(tables) != 1)}")
    out.print(text)
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    shown.add_column("blocks", justify="right")
    shown.add_column("table")
    for entrants, count in list(tables.items())[:SHOWN_TABLES]:
        shown.add_row(f"{count:,}", ", ".join(planned.entrants[entrant] for entrant in entrants))
    if len(tables) > SHOWN_TABLES:
        shown.add_row("", f"and {len(tables) - SHOWN_TABLES:,} more")
    out.print(shown)
    out.print("Balance, as the fewest and the most")
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("of the way", "blocks", "blocks an entrant", "of a pair", "games at a seat", "beside a neighbour"):
        shown.add_column(name, justify="right")
    for at in balances:
        spreads = (at.played_spread, at.pair_spread, at.seat_spread, at.neighbour_spread)
        shown.add_row(f"{at.blocks / blocks:.0%}", f"{at.blocks:,}", *map(_range, spreads))
    out.print(shown)


def _range(spread: Spread) -> str:
    return f"{spread.fewest:,}" if spread.fewest == spread.most else f"{spread.fewest:,} to {spread.most:,}"


def _document(spec: Spec, planned: Plan, balances: list[Balance], rate: float | None) -> dict[str, Any]:
    def pair(spread: Spread) -> list[int]:
        return [spread.fewest, spread.most]

    return {
        "title": spec.title,
        "game": spec.game,
        "format": spec.format,
        "entrants": list(planned.entrants),
        "seats": spec.seats,
        "blocks": len(planned.blocks),
        "games": len(planned),
        "plan_version": planned.version,
        "plan_hash": planned.hash,
        "games_per_second": rate,
        "seconds": None if rate is None else len(planned) / rate,
        "balance": [
            {
                "blocks": at.blocks,
                "played": pair(at.played_spread),
                "pairs": pair(at.pair_spread),
                "seats": pair(at.seat_spread),
                "neighbours": pair(at.neighbour_spread),
            }
            for at in balances
        ],
    }
