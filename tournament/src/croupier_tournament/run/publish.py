"""Writes what everybody may have of a tournament: the files from which anybody can check it.

Only games that count are in them, in the order of the plan, and nothing that a clock has said: an interrupted
tournament ends with the same bytes as one that was not. What clocks have said is in `timing.jsonl`.
"""

import gzip
import io
import json
import os
import tarfile
import zlib
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from croupier_tournament.run.ledger import CANCELLED, FINISHED, Entry, Game, Ledger
from croupier_tournament.run.tournament import Tournament

FORMAT = "croupier-tournament 1"
PRIVATE = ("run",)
"""Parts of a spec that are nobody else's business: where the ledger is, and how to get in."""
_json = json.JSONEncoder(separators=(",", ":")).encode


async def publish(tournament: Tournament, entry: Entry, ledger: Ledger, folder: Path) -> None:
    """Write `tournament.json`, `games.jsonl`, `timing.jsonl` and `records.tar.gz`; what was there is replaced.

    Args:
        tournament: which.
        entry: as the ledger has it now.
        ledger: where its games are.
        folder: where the files go.
    """
    announce(tournament, entry, folder)
    with Replacing(folder / "games.jsonl") as games, Replacing(folder / "timing.jsonl") as timing:
        async for game in ledger.games(tournament.id, before_block=entry.counted):
            games.write(line(game_line(tournament, game)))
            timing.write(line(timing_line(game)))
    with Replacing(folder / "records.tar.gz") as file:
        await _write_records(ledger, tournament.id, entry.counted, file)


def announce(tournament: Tournament, entry: Entry, folder: Path) -> None:
    """Write `tournament.json`: before the first game, and whenever the tournament's state changes."""
    folder.mkdir(parents=True, exist_ok=True)
    with Replacing(folder / "tournament.json") as file:
        file.write((json.dumps(document(tournament, entry), indent=2) + "\n").encode())


def document(tournament: Tournament, entry: Entry) -> dict[str, Any]:
    """Return what `tournament.json` holds."""
    over = entry.state in (FINISHED, CANCELLED)
    return {
        "format": FORMAT,
        "tournament": entry.id,
        "title": tournament.spec.title,
        "state": entry.state,
        "reason": entry.reason,
        "game": tournament.spec.game,
        "rules_version": entry.rules_version,
        "plan": {
            "version": tournament.plan.version,
            "hash": tournament.plan.hash,
            "blocks": len(tournament.plan.blocks),
            "games": len(tournament.plan),
            "counted_blocks": entry.counted,
        },
        "commitment": tournament.commitment.hex(),
        "secret": entry.secret.hex() if over else None,
        "created": _time(entry.created),
        "ended": _time(entry.ended),
        "spec": {name: value for name, value in tournament.entry.spec.items() if name not in PRIVATE},
    }


def game_line(tournament: Tournament, game: Game) -> dict[str, Any]:
    """Return what `games.jsonl` says of a game. Its block is final, so the seed of its deal may be shown."""
    deal = tournament.plan.blocks[game.block].deal
    return {
        "game": str(game.key),
        "block": game.block,
        "deal": deal,
        "replay": game.replay,
        "seed": tournament.deal_seed(deal).hex(),
        "entrants": tournament.seating(game.key),
        "bots": game.bots,
        "points": game.points,
        "placings": game.placings,
        "forfeited": game.forfeited,
        "faults": [dict(sorted(faults.items())) for faults in game.faults],
        "decisions": game.decisions,
    }


def timing_line(game: Game) -> dict[str, Any]:
    """Return what `timing.jsonl` says of a game: what may be different in another run."""
    return {
        "game": str(game.key),
        "attempt": game.attempt,
        "server": game.server,
        "session": game.session,
        "began": _time(game.leased),
        "ended": _time(game.ended),
        "charged_ms": game.charged,
    }


def line(document: Mapping[str, Any]) -> bytes:
    """Return a line of a JSONL file."""
    return _json(document).encode() + b"\n"


class Replacing(io.BufferedIOBase):
    """A file that takes the place of another one when it is closed well; nobody sees half of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new = path.with_name(f"{path.name}.new")
        self._file = self._new.open("wb")
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._file.close()
        if kind is None:
            os.replace(self._new, self._path)  # noqa: PTH105 -- the same on both sides
        else:
            self._new.unlink(missing_ok=True)

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # noqa: ANN401 -- any buffer
        return self._file.write(data)


async def _write_records(ledger: Ledger, tournament: str, counted: int | None, file: io.BufferedIOBase) -> None:
    """Write an archive with one text for each game; the same bytes for the same records."""
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.USTAR_FORMAT) as archive,
    ):
        async for key, packed_text in _records(ledger, tournament, counted):
            text = zlib.decompress(packed_text)
            info = tarfile.TarInfo(f"records/{key}.txt")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
            forget(archive)


def forget(archive: tarfile.TarFile) -> None:
    """Let an archive forget the files that have gone through it: it would remember every one of a million."""
    archive.__dict__["members"] = []  # there is no public way


async def _records(ledger: Ledger, tournament: str, counted: int | None) -> AsyncIterator[tuple[str, bytes]]:
    async for key, text in ledger.records(tournament, before_block=counted):
        yield str(key), text


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
