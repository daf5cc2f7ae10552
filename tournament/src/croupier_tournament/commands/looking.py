"""`status`: a look from outside at a tournament that may be running."""

import asyncio
import time
from pathlib import Path
from typing import Any

from croupier_tournament.commands.guard import guarded, say_json, stdout
from croupier_tournament.main import EXIT_OK
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.ledger import FINAL, LEASED, REPORTED
from croupier_tournament.run.owner import alive
from croupier_tournament.run.places import times


@guarded
def status(folder: Path, *, output: str) -> int:
    """Say how far it is."""
    document = asyncio.run(_status(Folder(folder)))
    if output == "json":
        say_json(document)
    else:
        _print(document)
    return EXIT_OK


async def _status(place: Folder) -> dict[str, Any]:
    ledger, tournament = await place.open()
    async with ledger:
        counts = await ledger.counts(tournament.id)
        voids = await ledger.voids(tournament.id)
        marks = await ledger.marks(tournament.id)
    entry = tournament.entry
    runs = alive(entry, time.time())
    return {
        "tournament": entry.id,
        "title": entry.title,
        "state": entry.state if runs or entry.state != "running" else "interrupted",
        "reason": entry.reason,
        "run_by": entry.owner if runs else None,
        "plan_hash": entry.plan_hash,
        "commitment": tournament.commitment.hex(),
        "games": {
            "planned": len(tournament.plan),
            "final": counts.get(FINAL, 0),
            "begun": counts.get(LEASED, 0) + counts.get(REPORTED, 0),
            "voided": sum(void.games for void in voids),
        },
        "latest_voids": [
            {"block": void.block, "attempt": void.attempt, "games": void.games, "reason": void.reason}
            for void in voids[-5:]
        ],
        "entrants": {
            name: {"crashes": mark.crashes, "disqualified": mark.disqualified} for name, mark in sorted(marks.items())
        },
    }


def _print(document: dict[str, Any]) -> None:
    games = document["games"]
    out = stdout()
    state = document["state"] + (f": {document['reason']}" if document["reason"] else "")
    lines = [
        document["title"],
        f"  state       {state}" + (f" (by {document['run_by']})" if document["run_by"] else ""),
        f"  games       {games['final']:,} of {games['planned']:,} are final, {games['begun']:,} others have begun",
        f"  voided      {games['voided']:,}",
        f"  plan        {document['plan_hash']}",
        f"  commitment  {document['commitment']}",
    ]
    lines += [f"  void        block {void['block']}: {void['reason']}" for void in document["latest_voids"]]
    for name, mark in document["entrants"].items():
        what = f"disqualified: {mark['disqualified']}" if mark["disqualified"] else f"crashed {times(mark['crashes'])}"
        lines.append(f"  {name:11} {what}")
    out.print("\n".join(lines), markup=False)
