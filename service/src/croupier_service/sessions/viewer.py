"""One viewer of a session: it catches up by itself, then it is shown what all are shown."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from .errors import HostError
from .events import SessionEvent
from .feed import FRAME_BYTES, STEPS_AT_ONCE, Feed
from .history import Replay

STALL_MS = 30_000.0
"""How long a frame may be on its way to a viewer."""


class PastTheEnd(HostError):
    """There are fewer events than asked for, and there will be no more."""


class ViewerTooSlow(HostError):
    """The viewer reads too slowly; the message says from where to watch again."""

    def __init__(self, what: str, seq: int) -> None:
        super().__init__("TOO_SLOW", f"the viewer {what}; watch again from {seq}")


class Viewer:
    """One viewer of a feed: to be made, then shown."""

    def __init__(self, feed: Feed, from_seq: int) -> None:
        assert feed.past is not None
        self.seq = from_seq
        """Events shown so far, with those that it did not want."""
        self.step = 0
        """Steps shown so far."""
        self._read = from_seq
        """Events in frames that have gone."""
        self._feed = feed
        self._replay: Replay | None = Replay(feed.past, None)
        """None once it follows what is shared."""
        self._view: Any = None
        self._started = False
        self._done = False
        self._error: HostError | None = None
        self._waiting: asyncio.Future[None] | None = None
        self._writing: asyncio.Task[Any] | None = None
        """Its task, while a frame is on its way."""
        feed.viewers.add(self)

    async def show(self, write: Callable[[bytes], Awaitable[object]], *, follow: bool) -> None:
        """Write frames up to the session's end; or, not to follow it, as far as it may be seen now.

        Raises ViewerTooSlow, PastTheEnd, Unavailable when the server stops; and what ``write`` raises.
        """
        feed = self._feed
        goal, to_the_end = feed.released(), feed.end_released
        while not self._done:
            if self._error is not None:
                raise self._error
            frame = self._take()
            if frame:
                await self._write(write, frame)
                if self._replay is not None:
                    await asyncio.sleep(0)  # a long past holds up nobody
            elif frame is None and (follow or not feed.has_shown(goal, to_the_end=to_the_end)):
                await self._wait()
            elif frame is None:
                return
            else:
                await asyncio.sleep(0)

    def stop(self, error: HostError) -> None:
        """Tell it this, and no more, even while it is being written to."""
        if self._error is None:
            self._error = error
            self.wake()
            if self._writing is not None:
                self._writing.cancel()

    def fell_behind(self, first: int) -> None:
        """Shared steps before this one are gone."""
        if self._replay is None and self.step < first:
            self.stop(ViewerTooSlow("reads too slowly", self._read))

    def wake(self) -> None:
        """There may be more to show."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    # -- inside ----------------------------------------------------------------------------------------------------

    async def _wait(self) -> None:
        self._feed.waits()
        self._waiting = asyncio.get_running_loop().create_future()
        await self._waiting
        self._waiting = None

    async def _write(self, write: Callable[[bytes], Awaitable[object]], frame: bytes) -> None:
        """Write a frame, unless the viewer is to be stopped meanwhile: then its task is cancelled, for the moment."""
        time = self._feed.time
        timer = time.call_at(time.now() + STALL_MS, self._stalled)
        task = self._writing = asyncio.current_task()
        assert task is not None
        try:
            await write(frame)
        except asyncio.CancelledError:
            if self._error is None or task.uncancel():
                raise  # it was somebody else who cancelled it
        finally:
            self._writing = None
            timer.cancel()
        if self._error is not None:
            raise self._error
        self._read = self.seq

    def _stalled(self) -> None:
        self.stop(ViewerTooSlow("has stopped reading", self._read))

    def _take(self) -> bytes | None:
        """What is to be shown next; empty: nothing yet, but it is at work; None: wait."""
        parts: list[bytes] = []
        idle = self._catch_up(parts) if self._replay is not None else False
        if self._replay is None:
            size = sum(map(len, parts))
            for seq, shown in self._feed.steps_from(self.step):
                if size >= FRAME_BYTES:
                    return b"".join(parts)
                parts.append(shown)
                size += len(shown)
                self.step, self.seq = self.step + 1, max(self.seq, seq)
            if self._feed.complete:
                parts.append(self._feed.ending_bytes())
                self._done = True
            idle = True
        return b"".join(parts) or (None if idle else b"")

    def _catch_up(self, parts: list[bytes]) -> bool:
        """Play some of the past. Returns whether there is nothing to do but to wait."""
        feed, replay = self._feed, self._replay
        assert replay is not None
        mark = feed.released()
        if mark is None:
            return True
        for _ in range(STEPS_AT_ONCE):
            if self._started and feed.can_join(replay):
                self.step, self._replay = replay.steps, None
                return True
            at_front = feed.is_at_front(replay)
            events = None if at_front else replay.advance(mark)
            if events is not None:
                self._show(parts, replay, events)
                if sum(map(len, parts)) >= FRAME_BYTES:
                    break
            elif not self._started and replay.seq < self.seq:
                if feed.complete if at_front else feed.end_released:
                    raise PastTheEnd(
                        "PAST_THE_END",
                        f"is {self.seq:,}, but the session is over and has {replay.seq:,} events",
                        "from_seq",
                    )
                return True
            else:
                self._start(parts)
                if not at_front:
                    feed.adopt(replay, self._view)
        return False

    def _show(self, parts: list[bytes], replay: Replay, events: list[tuple[int, SessionEvent]]) -> None:
        """What a step of the past has to show, if the viewer wants it."""
        view = replay.public_view()
        if self._view is None:
            self._view = view
        if not self._started and replay.seq <= self.seq:
            self._view = view
            return
        self._start(parts)
        wanted = [(seq, event) for seq, event in events if seq > self.seq]
        changed = None if view == self._view else view
        if wanted or changed is not None:
            charged = replay.charged_ms if wanted == events else None  # else the decision has been seen
            parts.append(self._feed.encoder.step(replay.game, wanted, changed, charged))
        self._view, self.seq = view, replay.seq

    def _start(self, parts: list[bytes]) -> None:
        if not self._started:
            assert self._replay is not None
            parts.append(self._feed.encoder.start(self._replay.game, self._view))
            self._started = True
