"""What many viewers are shown alike: made and encoded once, sent to each of them as server-sent events.

Nobody is waited for. A `Board` holds the latest of each of its parts, and a viewer that is slow gets the latest when it
is ready for it; a `Tape` holds everything in order, and each viewer reads on from where it is.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

PING_S = 15.0
"""After so many seconds without news viewers are sent a comment, so that nobody on the way takes them for gone."""
PING = b": nothing new\n\n"


def frame(event: str, data: object) -> bytes:
    r"""Return a server-sent event.

    >>> frame("progress", {"final": 3})
    b'event: progress\ndata: {"final":3}\n\n'
    """
    return f"event: {event}\ndata: {compact(data)}\n\n".encode()


def compact(data: object) -> str:
    """Return JSON without blanks."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


class Change:
    """Wakes all who wait for the next change, each time that there is one, and when there has been none for long."""

    def __init__(self) -> None:
        self._next = asyncio.Event()
        self._calm: asyncio.TimerHandle | None = None
        """One for all who wait."""
        self._changed = False
        """Whether those who were woken last were woken by a change."""

    def now(self) -> None:
        """Something has changed."""
        self._wake(changed=True)

    async def wait(self) -> bool:
        """Return at the next change, or after `PING_S` without any; returns whether there was one."""
        if self._calm is None:
            self._calm = asyncio.get_running_loop().call_later(PING_S, lambda: self._wake(changed=False))
        await self._next.wait()
        return self._changed

    def _wake(self, *, changed: bool) -> None:
        if self._calm is not None:
            self._calm.cancel()
            self._calm = None
        self._changed = changed
        self._next.set()
        self._next = asyncio.Event()


class Board:
    """The latest of some parts, by name.

    Attributes:
        viewers: how many there are now.
    """

    def __init__(self) -> None:
        self.viewers = 0
        self.closed = False
        self._parts: dict[str, tuple[int, bytes]] = {}
        self._values: dict[str, object] = {}
        self._news = False
        self._change = Change()

    def put(self, name: str, value: object) -> bool:
        """Show this part from the next `tell` on; returns whether it is news."""
        if name in self._values and self._values[name] == value:
            return False
        self._values[name] = value
        self._parts[name] = (self._parts.get(name, (0, b""))[0] + 1, frame(name, value))
        self._news = True
        return True

    def tell(self) -> None:
        """Send what is news to all who watch, in one piece: what costs is the number of pieces."""
        if self._news:
            self._news = False
            self._change.now()

    def close(self) -> None:
        """Nothing more will come: viewers are sent what there is, and go."""
        self.closed = True
        self._change.now()

    async def follow(self) -> AsyncGenerator[bytes, None]:
        """Yield each part as it is, and again whenever it has changed."""
        seen: dict[str, int] = {}
        self.viewers += 1
        try:
            while True:
                news = []
                for name, (version, encoded) in self._parts.items():
                    if seen.get(name) != version:
                        seen[name] = version
                        news.append(encoded)
                if news:
                    yield b"".join(news)
                elif self.closed:
                    return
                elif not await self._change.wait():
                    yield PING
        finally:
            self.viewers -= 1


class Tape:
    """Everything in order.

    Attributes:
        viewers: how many there are now.
        done: whether nothing more will come.
    """

    def __init__(self, kept: Callable[[], object] | None = None) -> None:
        """`kept`: makes the snapshot that a viewer begins with; None: it is sent all that there is."""
        self.viewers = 0
        self.done = False
        self._kept = kept
        self._items: list[bytes] = []
        self._dropped = 0
        self._change = Change()

    def add(self, event: str, data: object) -> None:
        """Say something more."""
        self._items.append(frame(event, data))
        if self._kept is not None and len(self._items) > MOST_KEPT:
            gone = len(self._items) - MOST_KEPT
            del self._items[:gone]
            self._dropped += gone
        self._change.now()

    def end(self) -> None:
        """Nothing more will come."""
        self.done = True
        self._change.now()

    async def follow(self) -> AsyncGenerator[bytes, None]:
        """Yield what there is, then what comes, to the end. Who is too far behind is sent the snapshot again."""
        at = 0
        self.viewers += 1
        try:
            if self._kept is not None:
                at = self._dropped + len(self._items)
                yield frame("begin", self._kept())
            while True:
                if at < self._dropped:
                    assert self._kept is not None  # nothing is dropped without
                    at = self._dropped + len(self._items)
                    yield frame("begin", self._kept())
                    continue
                news = self._items[at - self._dropped :]
                at += len(news)
                if news:
                    yield b"".join(news)
                elif self.done:
                    return
                elif not await self._change.wait():
                    yield PING
        finally:
            self.viewers -= 1


MOST_KEPT = 500
"""Messages that a tape with a snapshot keeps for those who are behind."""


def encoded(document: Any) -> bytes:  # noqa: ANN401 -- whatever is JSON
    """Return the body of an answer."""
    return compact(document).encode()
