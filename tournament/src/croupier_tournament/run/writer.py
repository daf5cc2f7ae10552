"""Gathers what is to be written into the ledger, and writes it a few times a second."""

import asyncio
from contextlib import suppress

from croupier_tournament.plan import GameKey
from croupier_tournament.run.ledger import Game, Ledger, Recorded, Voided

PAUSE_S = 0.3
"""Between two commits. A short game changes several times in it, and is written once. Pages look into the ledger twice
a second, and are to show what is final within one."""


class Writer:
    """Of one tournament's rows. What was put later about a game replaces what was put before.

    Attributes:
        failed: done, with the exception, when the ledger could not be written; nothing is written any more then.
    """

    def __init__(self, ledger: Ledger, tournament: str) -> None:
        self._ledger = ledger
        self._tournament = tournament
        self._games: dict[GameKey, Game] = {}
        self._records: dict[GameKey, Recorded] = {}
        self._voids: list[Voided] = []
        self._something = asyncio.Event()
        self._writing = asyncio.Lock()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._write())

    def put(self, game: Game, record: Recorded | None = None) -> None:
        """Write a game soon, with its record."""
        self._games[game.key] = game
        if record is not None:
            self._records[game.key] = record
        self._something.set()

    def void(self, void: Voided) -> None:
        """Write soon that a block was voided."""
        self._voids.append(void)
        self._something.set()

    async def flush(self) -> None:
        """Return when all that was put is kept. Raises what the ledger raises. Who gives up waiting ends no commit."""
        await asyncio.shield(self._flush())

    async def close(self) -> None:
        """Write what is left, and stop. Raises what the ledger raises."""
        self._task.cancel()
        await asyncio.wait([self._task])
        await self.flush()

    async def _flush(self) -> None:
        async with self._writing:
            if self.failed.done():
                self.failed.result()
            games, records, voids = self._games, self._records, self._voids
            self._games, self._records, self._voids = {}, {}, []
            self._something.clear()
            if not (games or records or voids):
                return
            try:
                await self._ledger.write(self._tournament, list(games.values()), records, voids)
            except Exception as error:  # whatever a database can raise ends the tournament
                self.failed.set_exception(error)
                raise

    async def _write(self) -> None:
        while not self.failed.done():
            await self._something.wait()
            await asyncio.sleep(PAUSE_S)
            with suppress(Exception):  # `failed` has it
                await self.flush()
