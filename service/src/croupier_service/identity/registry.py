"""Identities: who has a token, and for what."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from croupier_service.sessions.errors import BadRequest, Conflict, NotFound, Unauthenticated
from croupier_service.sessions.host import BOT_NAME

from .roles import Caller, Role
from .tokens import TOKEN, new_token, token_hash

TRUST_S = 1.0
"""How long what the store has said of a token is believed. Another process that works on the same store is noticed
after this time; what is done through this one counts at once."""
MAX_LIFETIME_S = 3_155_760_000
"""A hundred years."""
_REMEMBERED_TOKENS = 10_000


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody who has a token. Times in seconds since 1970."""

    name: str
    role: Role
    token_hash: bytes
    """32 bytes: all that is kept of the token."""
    created_at: float
    issued_at: float
    """When its present token was made."""
    expires_at: float | None = None
    """When that token stops being good; None: never."""
    last_seen_at: float | None = None
    request_id: str = ""
    """The request that has created it; empty: none that is to be told again."""

    @property
    def caller(self) -> Caller:
        return Caller(self.name, self.role)


class IdentityStore(Protocol):
    """Keeps identities. Names are unique, and so are request ids that are not empty."""

    async def add(self, identity: Identity) -> Identity | None:
        """Keep a new one; or return the one that has its name or its request id already."""

    async def replace_token(self, identity: Identity) -> bool:
        """Keep another token, with its times, for the identity of this name. False: there is none."""

    async def remove(self, name: str) -> bool:
        """Forget one. False: there is none."""

    async def by_token(self, token_hash: bytes) -> Identity | None:
        """Whose token this is; None: nobody's."""

    async def by_name(self, names: Collection[str]) -> Sequence[Identity]:
        """Those of these names that there are, in no order."""

    async def page(self, after: str, limit: int) -> Sequence[Identity]:
        """By name, those after this one, so many at most."""

    async def seen(self, times: Mapping[str, float]) -> None:
        """When some were last here; names that there are not (any more) are ignored."""


class Identities:
    """The identities of one server (or command), over what they are kept in."""

    def __init__(
        self,
        store: IdentityStore,
        *,
        wall_clock: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._wall_clock = wall_clock
        self._clock = clock
        self._trusted: dict[bytes, tuple[Identity, float]] = {}
        """Tokens that the store has vouched for, by hash, and until when that is believed."""
        self._changes = 0
        self._seen: dict[str, float] = {}

    # -- for operators ---------------------------------------------------------------------------------------------

    async def create(
        self, name: str, role: Role, *, expires_in_s: int = 0, request_id: str = ""
    ) -> tuple[Identity, str]:
        """A new identity and its token, which is told this once. ``expires_in_s`` 0: never.

        Raises BadRequest naming the field; Conflict when the name, or the request id, is taken.
        """
        _check_name(name)
        now = self._wall_clock()
        token = new_token(role)
        identity = Identity(name, role, token_hash(token), now, now, _expiry(now, expires_in_s), None, request_id)
        there = await self._store.add(identity)
        if there is None:
            return identity, token
        if request_id and there.request_id == request_id:
            raise Conflict(
                "REQUEST_ID_REUSED",
                f"this request has created {there.name!r} already, and a token is shown once; for a new one, rotate it",
                "request_id",
            )
        raise Conflict("NAME_TAKEN", f"{name!r} is there already; for a new token, rotate it", "name")

    async def rotate(self, name: str, *, expires_in_s: int | None = None) -> tuple[Identity, str]:
        """A new token for an identity; the old one is good no more.

        ``expires_in_s`` 0: never; None: after as long as the old token was made for. Raises BadRequest or NotFound
        naming the field.
        """
        old = await self.find(name)
        now = self._wall_clock()
        if expires_in_s is None:
            expires_at = None if old.expires_at is None else now + (old.expires_at - old.issued_at)
        else:
            expires_at = _expiry(now, expires_in_s)
        token = new_token(old.role)
        new = replace(old, token_hash=token_hash(token), issued_at=now, expires_at=expires_at)
        if not await self._store.replace_token(new):
            raise _no_such(name)
        self._distrust(name)
        return new, token

    async def delete(self, name: str) -> None:
        """Forget an identity; its token is good no more. Raises BadRequest or NotFound naming the field."""
        _check_name(name)
        if not await self._store.remove(name):
            raise _no_such(name)
        self._distrust(name)

    async def find(self, name: str) -> Identity:
        """An identity by name. Raises BadRequest or NotFound naming the field."""
        _check_name(name)
        found = await self._store.by_name([name])
        if not found:
            raise _no_such(name)
        return found[0]

    async def page(self, after: str, limit: int) -> Sequence[Identity]:
        """Identities by name, those after this one, so many at most."""
        await self.flush()
        return await self._store.page(after, limit)

    # -- for every call --------------------------------------------------------------------------------------------

    async def authenticate(self, token: str) -> Identity:
        """Whose token this is. Raises Unauthenticated, without a word of the token."""
        if not TOKEN.fullmatch(token):
            raise Unauthenticated(
                "BAD_TOKEN",
                "what was given is no token: one begins with 'croupier_', a role and '_', and ends with 64 hexadecimal "
                "digits; was it cut short?",
            )
        digest = token_hash(token)
        identity = self._believed(digest) or await self._ask_store(digest)
        if identity is None:
            raise Unauthenticated(
                "UNKNOWN_TOKEN",
                "the token is not good here: it was rotated, or its bot deleted, or it belongs to another server",
            )
        why = self.expired(identity)
        if why:
            raise Unauthenticated("EXPIRED_TOKEN", why)
        self._seen[identity.name] = self._wall_clock()
        return identity

    def expired(self, identity: Identity) -> str:
        """Why an identity's token is too old; empty: it is not."""
        if identity.expires_at is None or self._wall_clock() < identity.expires_at:
            return ""
        when = datetime.fromtimestamp(identity.expires_at, UTC).strftime("%Y-%m-%d %H:%M UTC")
        return f"the token of {identity.name!r} expired at {when}; an operator can make a new one: rotate it"

    def seen(self, name: str) -> None:
        """Somebody is here, or was until now."""
        self._seen[name] = self._wall_clock()

    async def flush(self) -> None:
        """Keep when everybody was last seen."""
        seen, self._seen = self._seen, {}
        if seen:
            await self._store.seen(seen)

    async def revoked(self, live: Collection[Identity]) -> list[tuple[str, str, bytes]]:
        """Those whose token is good no more: name, why, and the hash of the token that is good now (if any)."""
        there = {identity.name: identity for identity in await self._store.by_name({one.name for one in live})}
        found = list[tuple[str, str, bytes]]()
        for identity in live:
            now = there.get(identity.name)
            if now is None:
                found.append((identity.name, f"{identity.name!r} was deleted", b""))
            elif now.token_hash != identity.token_hash:
                found.append((identity.name, f"the token of {identity.name!r} was rotated", now.token_hash))
            elif why := self.expired(now):
                found.append((identity.name, why, b""))
        return found

    # -- inside ----------------------------------------------------------------------------------------------------

    def _believed(self, digest: bytes) -> Identity | None:
        identity, until = self._trusted.get(digest, (None, 0.0))
        return identity if self._clock() < until else None

    async def _ask_store(self, digest: bytes) -> Identity | None:
        while True:
            changes = self._changes
            identity = await self._store.by_token(digest)
            if changes == self._changes:  # otherwise it may have been rotated while we were asking
                break
        if identity is None or not hmac.compare_digest(identity.token_hash, digest):
            self._trusted.pop(digest, None)
            return None
        if len(self._trusted) >= _REMEMBERED_TOKENS:
            self._trusted.clear()
        self._trusted[digest] = identity, self._clock() + TRUST_S
        return identity

    def _distrust(self, name: str) -> None:
        self._changes += 1
        self._trusted = {digest: held for digest, held in self._trusted.items() if held[0].name != name}


def _check_name(name: str) -> None:
    if not BOT_NAME.fullmatch(name):
        raise BadRequest("BAD_BOT_NAME", f"a name is 1 to 64 characters a-z 0-9 - _ . , not {name!r}", "name")


def _no_such(name: str) -> NotFound:
    return NotFound("UNKNOWN_BOT", f"there is no {name!r}", "name")


def _expiry(now: float, expires_in_s: int) -> float | None:
    if not 0 <= expires_in_s <= MAX_LIFETIME_S:
        raise BadRequest(
            "OUT_OF_RANGE", f"is 1 to {MAX_LIFETIME_S:,} seconds, or 0 for ever, not {expires_in_s:,}", "expires_in_s"
        )
    return now + expires_in_s if expires_in_s else None
