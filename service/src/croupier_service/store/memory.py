"""Keeps sessions and identities in memory, for as long as the process lives."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import replace

from croupier_service.identity.registry import Identity
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

    async def requests(self, request_ids: Collection[str]) -> Mapping[str, tuple[bytes, str]]:
        return {one: self._requests[one] for one in request_ids if one in self._requests}

    async def have_played(self, bots: Collection[str]) -> Collection[str]:
        return self._bots.intersection(bots)

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


class MemoryIdentities:
    """An ``IdentityStore``."""

    def __init__(self) -> None:
        self._by_name: dict[str, Identity] = {}

    async def add(self, identity: Identity) -> Identity | None:
        there = self._by_name.get(identity.name) or next(
            (one for one in self._by_name.values() if one.request_id and one.request_id == identity.request_id), None
        )
        if there is None:
            self._by_name[identity.name] = identity
        return there

    async def replace_token(self, identity: Identity) -> bool:
        old = self._by_name.get(identity.name)
        if old is None:
            return False
        self._by_name[identity.name] = replace(
            old, token_hash=identity.token_hash, issued_at=identity.issued_at, expires_at=identity.expires_at
        )
        return True

    async def remove(self, name: str) -> bool:
        return self._by_name.pop(name, None) is not None

    async def by_token(self, token_hash: bytes) -> Identity | None:
        return next((one for one in self._by_name.values() if one.token_hash == token_hash), None)

    async def by_name(self, names: Collection[str]) -> Sequence[Identity]:
        return [self._by_name[name] for name in names if name in self._by_name]

    async def page(self, after: str, limit: int) -> Sequence[Identity]:
        return [self._by_name[name] for name in sorted(self._by_name) if name > after][:limit]

    async def seen(self, times: Mapping[str, float]) -> None:
        for name, at in times.items():
            if name in self._by_name:
                self._by_name[name] = replace(self._by_name[name], last_seen_at=at)
