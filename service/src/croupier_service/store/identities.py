"""Keeps identities in memory, for as long as the process lives."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from croupier_service.identity.registry import Identity


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
