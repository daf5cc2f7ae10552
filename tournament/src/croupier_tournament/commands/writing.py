"""`standings` and `report`: what follows from the ledger as it is."""

import asyncio
import sys
from pathlib import Path

from croupier_tournament.commands.guard import guarded, stdout
from croupier_tournament.main import EXIT_OK
from croupier_tournament.report import StandingsTable, standings_csv, standings_json
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.hosting import publish_all
from croupier_tournament.run.report_files import report_of
from croupier_tournament.run.standing import compute


@guarded
def standings(folder: Path, *, output: str) -> int:
    """Show the standings as they are."""
    return asyncio.run(_standings(Folder(folder), output))


async def _standings(place: Folder, output: str) -> int:
    ledger, tournament = await place.open()
    async with ledger:
        standing = await compute(tournament, ledger, tournament.entry.counted)
    report = report_of(tournament, standing)
    if output == "text":
        stdout(wrap=True).print(StandingsTable(report))
    else:
        made = standings_json(report) if output == "json" else standings_csv(report)
        sys.stdout.write(made.decode())
    return EXIT_OK


@guarded
def report(folder: Path) -> int:
    """Write all files anew."""
    return asyncio.run(_report(Folder(folder)))


async def _report(place: Folder) -> int:
    ledger, tournament = await place.open()
    async with ledger:
        await publish_all(tournament, ledger, place)
    stdout().print(f"wrote {place.path / 'report.html'} and what belongs to it", markup=False)
    return EXIT_OK
