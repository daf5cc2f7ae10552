"""Managing identities from the command line: in a store, or at a server over BotService."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from croupier.v1 import bot_pb2 as pb

from .registry import Identities, Identity
from .roles import Role

if TYPE_CHECKING:
    from croupier.v1.bot_pb2_grpc import BotServiceAsyncStub

PAGE = 1000


@dataclass(frozen=True, slots=True)
class Shown:
    """An identity as an operator is shown it. Times in seconds since 1970."""

    name: str
    role: Role
    created_at: float
    expires_at: float | None
    last_seen_at: float | None
    online: bool | None
    """None: not known, because no server was asked."""


class Manager(Protocol):
    """What can be done. Errors are those of ``Identities``, or of the server."""

    async def create(self, name: str, role: Role, expires_in_s: int) -> tuple[Shown, str]:
        """A new identity and its token."""

    async def rotate(self, name: str, expires_in_s: int | None) -> tuple[Shown, str]:
        """An identity with a new token, and the token."""

    async def delete(self, name: str) -> None:
        """Forget an identity."""

    def all(self) -> AsyncIterator[Shown]:
        """All of them, by name."""


class InStore:
    """A ``Manager`` of what is kept in a store, whether or not a server is at work in it."""

    def __init__(self, identities: Identities) -> None:
        self._identities = identities

    async def create(self, name: str, role: Role, expires_in_s: int) -> tuple[Shown, str]:
        identity, token = await self._identities.create(name, role, expires_in_s=expires_in_s)
        return _shown(identity), token

    async def rotate(self, name: str, expires_in_s: int | None) -> tuple[Shown, str]:
        identity, token = await self._identities.rotate(name, expires_in_s=expires_in_s)
        return _shown(identity), token

    async def delete(self, name: str) -> None:
        await self._identities.delete(name)

    async def all(self) -> AsyncIterator[Shown]:
        after = ""
        while found := await self._identities.page(after, PAGE):
            for identity in found:
                yield _shown(identity)
            after = found[-1].name


class AtServer:
    """A ``Manager`` that asks a server."""

    def __init__(self, bots: BotServiceAsyncStub) -> None:
        self._bots = bots

    async def create(self, name: str, role: Role, expires_in_s: int) -> tuple[Shown, str]:
        request = pb.CreateBotRequest(name=name, role=pb.Role.ValueType(role.value), expires_in_s=expires_in_s)
        answer = await self._bots.CreateBot(request)
        return _heard(answer.bot), answer.token

    async def rotate(self, name: str, expires_in_s: int | None) -> tuple[Shown, str]:
        answer = await self._bots.RotateToken(pb.RotateTokenRequest(name=name, expires_in_s=expires_in_s))
        return _heard(answer.bot), answer.token

    async def delete(self, name: str) -> None:
        await self._bots.DeleteBot(pb.DeleteBotRequest(name=name))

    async def all(self) -> AsyncIterator[Shown]:
        page_token = ""
        while True:
            answer = await self._bots.ListBots(pb.ListBotsRequest(page_size=PAGE, page_token=page_token))
            for bot in answer.bots:
                yield _heard(bot)
            page_token = answer.next_page_token
            if not page_token:
                return


@asynccontextmanager
async def in_store(where: str) -> AsyncIterator[Manager]:
    """Manage what is kept in a store. Raises StoreError."""
    from croupier_service.store.address import StoreAddress  # noqa: PLC0415 - databases are loaded where they are used
    from croupier_service.store.database import open_database  # noqa: PLC0415
    from croupier_service.store.identities import SqlIdentities  # noqa: PLC0415

    database = await open_database(StoreAddress.parse(where), beside=True)
    try:
        yield InStore(Identities(SqlIdentities(database)))
    finally:
        await database.close()


def _shown(identity: Identity) -> Shown:
    return Shown(
        identity.name, identity.role, identity.created_at, identity.expires_at, identity.last_seen_at, online=None
    )


def _heard(bot: pb.Bot) -> Shown:
    return Shown(
        bot.name,
        Role(bot.role),
        bot.create_time.ToNanoseconds() / 1e9,
        bot.expire_time.ToNanoseconds() / 1e9 if bot.HasField("expire_time") else None,
        bot.last_seen_time.ToNanoseconds() / 1e9 if bot.HasField("last_seen_time") else None,
        bot.online,
    )
