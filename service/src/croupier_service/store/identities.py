"""Keeps identities in a database."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection, Row, delete, insert, or_, select, update

from croupier_service.identity.registry import Identity
from croupier_service.identity.roles import Role

from .database import Database
from .schema import identities as table


class SqlIdentities:
    """An ``IdentityStore`` in a database. Raises StoreError where that cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, identity: Identity) -> Identity | None:
        row = {
            "name": identity.name,
            "role": identity.role.value,
            "token_hash": identity.token_hash.hex(),
            "created_at": identity.created_at,
            "issued_at": identity.issued_at,
            "expires_at": identity.expires_at,
            "request_key": _request_key(identity.request_id),
        }

        def work(connection: Connection) -> Identity | None:
            taken = table.c.name == row["name"]
            if row["request_key"] is not None:
                taken = or_(table.c.request_key == row["request_key"], taken)
            there = connection.execute(select(table).where(taken).order_by(table.c.created_at)).first()
            if there is None:
                connection.execute(insert(table).values(row))
                return None
            if there.token_hash == row["token_hash"]:
                return None  # the connection broke after it had been kept
            same_request = there.request_key is not None and there.request_key == row["request_key"]
            return replace(_identity(there), request_id=identity.request_id if same_request else "")

        return await self._database.write(work)

    async def replace_token(self, identity: Identity) -> bool:
        change = (
            update(table)
            .where(table.c.name == identity.name)
            .values(token_hash=identity.token_hash.hex(), issued_at=identity.issued_at, expires_at=identity.expires_at)
        )
        return await self._database.write(lambda connection: connection.execute(change).rowcount > 0)

    async def remove(self, name: str) -> bool:
        change = delete(table).where(table.c.name == name)
        removed = False

        def work(connection: Connection) -> bool:
            nonlocal removed  # by this one, or before the connection broke
            removed = connection.execute(change).rowcount > 0 or removed
            return removed

        return await self._database.write(work)

    async def by_token(self, token_hash: bytes) -> Identity | None:
        query = select(table).where(table.c.token_hash == token_hash.hex())
        row = await self._database.read(lambda connection: connection.execute(query).first())
        return None if row is None else _identity(row)

    async def by_name(self, names: Collection[str]) -> Sequence[Identity]:
        wanted = list(names)
        batches = [wanted[start : start + _BATCH] for start in range(0, len(wanted), _BATCH)]

        def work(connection: Connection) -> list[Identity]:
            return [
                _identity(row)
                for batch in batches
                for row in connection.execute(select(table).where(table.c.name.in_(batch)))
            ]

        return await self._database.read(work) if wanted else []

    async def page(self, after: str, limit: int) -> Sequence[Identity]:
        query = select(table).where(table.c.name > after).order_by(table.c.name).limit(limit)
        return [_identity(row) for row in await self._database.read(lambda connection: connection.execute(query).all())]

    async def seen(self, times: Mapping[str, float]) -> None:
        def work(connection: Connection) -> None:
            for name, at in times.items():
                connection.execute(update(table).where(table.c.name == name).values(last_seen_at=at))

        await self._database.write(work)


_BATCH = 500


def _identity(row: Row[tuple[object, ...]]) -> Identity:
    return Identity(
        name=row.name,
        role=Role(row.role),
        token_hash=bytes.fromhex(row.token_hash),
        created_at=row.created_at,
        issued_at=row.issued_at,
        expires_at=row.expires_at,
        last_seen_at=row.last_seen_at,
    )


def _request_key(request_id: str) -> str | None:
    return hashlib.sha256(request_id.encode()).hexdigest() if request_id else None
