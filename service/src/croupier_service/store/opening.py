"""Opens the store that a user names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from croupier_games.kernel import Game
from croupier_service.identity.registry import IdentityStore
from croupier_service.sessions.journal import Store

from .address import MEMORY, StoreAddress
from .memory import MemoryIdentities, MemoryStore


async def open_store(address: StoreAddress, games: Mapping[str, Game[Any, Any, Any]]) -> Store:
    """The store there, made and brought up to date where it has to be. Raises StoreError."""
    if str(address) == MEMORY:
        return MemoryStore()
    from .database import open_database  # noqa: PLC0415 - SQLAlchemy takes time to load, and memory does without
    from .sql import SqlStore  # noqa: PLC0415

    return await SqlStore.open(await open_database(address), games)


def identities_in(store: Store) -> IdentityStore:
    """Where those who have a token are kept: in the same place as the sessions."""
    if isinstance(store, MemoryStore):
        return MemoryIdentities()
    from .identities import SqlIdentities  # noqa: PLC0415
    from .sql import SqlStore  # noqa: PLC0415

    assert isinstance(store, SqlStore), "the only other store that there is"
    return SqlIdentities(store.database)
