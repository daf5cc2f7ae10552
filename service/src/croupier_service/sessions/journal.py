"""Keeping what happened.

Inputs and ends go to the store in batches, off the hot path; nobody is told of an end before it is safe.

``Store`` is what the host asks of a store; the implementations live in ``croupier_service.store`` and are handed in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import structlog

from croupier_games.kernel import Input, Record

from .events import SessionState
from .session import Session
from .summary import Archived, Summary, summarise

log = structlog.get_logger("croupier.journal")


class InputKept(NamedTuple):
    """One input of a session; a session's inputs come in order."""

    session_id: str
    item: Input
    charged_ms: int


Entry = InputKept | Archived
"""An input came; a session is over."""


class Store(Protocol):
    """Keeps sessions that are over; and of running ones, all that is needed to go on with them."""

    async def commit(self, batch: Sequence[Entry]) -> None:
        """Keep these, all or none, in order. When it returns they are safe."""

    async def load(self, session_id: str) -> Archived | None:
        """A session that is over; None when there is none of that id."""

    async def ended(self) -> Sequence[Summary]:
        """Summaries of all sessions that are over, in the order in which they ended."""

    async def close(self) -> None:
        """Let go of everything."""


class StoreJournal:
    """Collects what sessions put in while one batch is being committed into the next; one commit at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._batch: list[Entry] = []
        self._then: list[Callable[[], None]] = []
        self._wake = asyncio.Event()
        self._committing = asyncio.Lock()

    def put(self, session: Session, item: Input, charged_ms: int) -> None:
        self._batch.append(InputKept(session.id, item, charged_ms))
        self._wake.set()

    def finish(self, session: Session, state: SessionState, then: Callable[[], None]) -> None:
        archived = Archived(summarise(session, state), Record.of(session.table), tuple(session.charges))
        self._batch.append(archived)
        self._then.append(then)
        self._wake.set()

    async def run(self) -> None:
        """Commit for ever. Raises what the store raises: a host that cannot keep results must not go on."""
        while True:
            await self._wake.wait()
            await self.flush()

    async def flush(self) -> None:
        """Commit what there is, and tell whoever waits for it. When it returns, all that was put in before is safe."""
        async with self._committing:
            self._wake.clear()
            batch, self._batch = self._batch, []
            then, self._then = self._then, []
            if batch:
                try:
                    await self._store.commit(batch)
                except BaseException:  # nothing that comes later may be kept without it
                    self._batch, self._then = [*batch, *self._batch], [*then, *self._then]
                    self._wake.set()
                    raise
            for call in then:
                call()
