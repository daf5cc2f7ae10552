"""`pause` and `cancel`: said to whoever runs a tournament, by way of its ledger."""

import asyncio
import time
from pathlib import Path

from croupier_tournament.commands.guard import complain, guarded, stdout
from croupier_tournament.main import EXIT_FAILED, EXIT_OK
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.hosting import end
from croupier_tournament.run.ledger import PAUSED
from croupier_tournament.run.owner import alive


@guarded
def wish(folder: Path, wanted: str) -> int:
    """Leave a wish for whoever runs it; where nobody does, it is granted at once."""
    return asyncio.run(_wish(Folder(folder), wanted))


async def _wish(place: Folder, wanted: str) -> int:
    ledger, tournament = await place.open()
    entry = tournament.entry
    async with ledger:
        if entry.over:
            complain(f"the tournament is {entry.state} already")
            return EXIT_FAILED
        if alive(entry, time.time()):
            await ledger.wish(entry.id, wanted)
            stdout().print(f"{entry.owner} has been told; it will look within a few seconds", markup=False)
        elif wanted == PAUSED:
            complain("nobody runs the tournament, so there is nothing to pause")
            return EXIT_FAILED
        else:
            await end(tournament, ledger, place)
            stdout().print(f"cancelled; what was final is in {place.path}", markup=False)
    return EXIT_OK
