"""Keeps sessions in memory, for as long as the process lives."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from croupier_service.sessions.journal import Entry, Opened, Query, StepTaken, Unfinished
from croupier_service.sessions.steps import Steps
from croupier_service.sessions.summary import Archived, Summary


class MemoryStore:
    """See the module. Nothing is ever forgotten: for tests, trials and short lives."""

    def __init__(self) -> None:
        self._opened: dict[str, Opened] = {}
        self._archived: dict[str, Archived] = {}
        self._taken: dict[str, list[StepTaken]] = {}
        self._set_aside: dict[str, float] = {}
        self._requests: dict[str, tuple[bytes, str]] = {}
        self._bots: set[str] = set()

    async def commit(self, batch: Sequence[Entry]) -> None:
        for entry in batch:
            match entry:
                case StepTaken(session_id, number):
                    taken = self._taken.get(session_id, ())
                    if number == len(taken):
                        self._taken[session_id].append(entry)
                case Opened(session_id):
                    if session_id in self._opened:
                        continue
                    self._opened[session_id] = entry
                    self._taken[session_id] = []
                    self._bots.update(entry.bots)
                    if entry.request_id:
                        self._requests[entry.request_id] = entry.fingerprint, session_id
                case _:
                    self._archived[entry.summary.session_id] = entry
                    self._taken.pop(entry.summary.session_id, None)

    async def load(self, session_id: str) -> Archived | None:
        return self._archived.get(session_id)

    async def summary(self, session_id: str) -> Summary | None:
        return self._summary(session_id) if session_id in self._opened else None

    async def page(self, query: Query, before: str, limit: int) -> Sequence[Summary] | None:
        if before and before not in self._opened:
            return None
        found: list[Summary] = []
        reached = not before
        for session_id in reversed(self._opened):
            if reached:
                summary = self._summary(session_id)
                if _matches(query, summary):
                    found.append(summary)
                    if len(found) == limit:
                        break
            reached = reached or session_id == before
        return found

    async def request(self, request_id: str) -> tuple[bytes, str] | None:
        return self._requests.get(request_id)

    async def has_played(self, bot: str) -> bool:
        return bot in self._bots

    async def unfinished(self) -> AsyncIterator[Unfinished]:
        for session_id, taken in list(self._taken.items()):
            yield Unfinished(session_id, self._opened[session_id], Steps.of(entry[2:] for entry in taken))

    async def set_aside(self, session_id: str, why: str, ended_at: float) -> None:
        self._set_aside[session_id] = ended_at
        self._taken.pop(session_id, None)

    async def close(self) -> None:
        pass

    def _summary(self, session_id: str) -> Summary:
        archived = self._archived.get(session_id)
        if archived is not None:
            return archived.summary
        return self._opened[session_id].summary(self._set_aside.get(session_id))


def _matches(query: Query, summary: Summary) -> bool:
    return (
        (query.state is None or summary.state is query.state)
        and (not query.game or summary.game == query.game)
        and (not query.bot or any(seat.bot == query.bot for seat in summary.seats))
    )
