"""Finds what the tests share."""

import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from croupier_tournament.plan import GameKey
from croupier_tournament.run.audiences import Log
from croupier_tournament.run.folder import Folder
from croupier_tournament.run.hosting import Hosted
from croupier_tournament.run.ledger import LEASED, REPORTED

sys.path.insert(0, str(Path(__file__).parent))

from spring import FINAL_BLOCKS, SPEC, played


@pytest.fixture
async def hosted(tmp_path):
    """Four blocks are final, one game runs, one is over before the others of its deal."""
    place = Folder(tmp_path / "spring")
    ledger, tournament = await place.create(tomllib.loads(SPEC), text=SPEC, programs=tmp_path)
    rows, records = [], {}
    for block in range(FINAL_BLOCKS):
        for replay in range(3):
            key = GameKey(block, replay)
            row, records[key] = played(tournament, key)
            rows.append(row)
    reported, records[GameKey(4, 0)] = played(tournament, GameKey(4, 0))
    rows.append(replace(reported, state=REPORTED))
    rows.append(replace(played(tournament, GameKey(4, 1))[0], state=LEASED, points=(), placings=(), ended=None))
    await ledger.write(tournament.id, rows, records)
    async with ledger:
        yield Hosted(tournament, ledger, Log(tournament.id), place)
