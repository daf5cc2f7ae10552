"""Calls that stay open, by the identity that has opened them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from croupier_service.sessions.errors import OverLimit

from .registry import Identity


class Open:
    """One open call."""

    __slots__ = ("identity", "revoked", "task")

    def __init__(self, identity: Identity, task: asyncio.Task[object]) -> None:
        self.identity = identity
        self.task = task
        self.revoked = ""
        """Why its token is good no more; empty: it is."""


class LiveCalls:
    """The calls that are open now. A call ends when its token does."""

    def __init__(self, limit: int, left: Callable[[str], None]) -> None:
        """``limit``: for each identity, at once. ``left`` is told the name of an identity whose call has ended."""
        self._limit = limit
        self._left = left
        self._open: dict[str, list[Open]] = {}

    @contextmanager
    def entered(self, identity: Identity) -> Iterator[Open]:
        """The running task is an open call of this identity. Raises OverLimit."""
        task = asyncio.current_task()
        assert task is not None
        calls = self._open.setdefault(identity.name, [])
        if len(calls) >= self._limit:
            raise OverLimit(
                "TOO_MANY_STREAMS",
                f"{identity.name} has {self._limit} streams open, which is the most it may have",
                1.0,
            )
        call = Open(identity, task)
        calls.append(call)
        try:
            yield call
        finally:
            calls.remove(call)
            if not calls:
                del self._open[identity.name]
            self._left(identity.name)

    def online(self, name: str) -> bool:
        """Whether this identity has a call open."""
        return name in self._open

    def identities(self) -> set[Identity]:
        """Those that have calls open, as they were when they opened them."""
        return {call.identity for calls in self._open.values() for call in calls}

    def revoke(self, name: str, why: str, *, keep: bytes = b"") -> None:
        """End all open calls of an identity, but for those that were opened with the token of this hash."""
        for call in self._open.get(name, ()):
            if call.identity.token_hash != keep and not call.revoked:
                call.revoked = why
                call.task.cancel()
