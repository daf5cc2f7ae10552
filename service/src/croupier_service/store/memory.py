"""Keeps sessions in memory, for as long as the process lives."""

from __future__ import annotations

from collections.abc import Sequence

from croupier_service.sessions.journal import Entry
from croupier_service.sessions.summary import Archived, Summary


class MemoryStore:
    """See the module. Inputs of running sessions are not kept apart: they live in the session itself."""

    def __init__(self) -> None:
        self._archived: dict[str, Archived] = {}

    async def commit(self, batch: Sequence[Entry]) -> None:
        self._archived.update((entry.summary.session_id, entry) for entry in batch if isinstance(entry, Archived))

    async def load(self, session_id: str) -> Archived | None:
        return self._archived.get(session_id)

    async def ended(self) -> Sequence[Summary]:
        return [archived.summary for archived in self._archived.values()]

    async def close(self) -> None:
        pass
