"""What waits to be written to one stream, and when the next frame may go: the heart of throughput.

gRPC costs per frame, not per byte. Everything that waits goes into one frame; then the next frame waits until the bot
has given a sign that it has read the last one, or has been silent for twice as long as it usually is. What was measured
is in ``docs/explanation/throughput.md``.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeVar

from .timing import Cancellable, Time


class Framed(Protocol):
    """A question that goes out in a frame."""

    frame: int
    """The number of the frame that it was last in; 0: none yet."""


T = TypeVar("T", bound=Framed)

QUESTION_BYTES = 256
"""What a question that waits is counted as."""

WINDOW_MS = 2.0
"""How long the next frame waits for a sign of the bot, at least."""
MAX_WINDOW_MS = 50.0
"""And at most, however long the bot usually takes."""
MAX_FRAME_BYTES = 128 * 1024
MAX_WAITING_BYTES = 8 * 1024 * 1024
_REMEMBERED_FRAMES = 64


class Outbox(Generic[T]):
    """Messages and questions on their way to one stream, in the order in which they were put in.

    A message is encoded already. A question is encoded by ``encode`` when its frame is made, all questions of a frame
    in one go, and shows what is true then; where it returns nothing the question has become moot.
    """

    def __init__(self, time: Time, encode: Callable[[T], bytes]) -> None:
        self.waiting_bytes = 0
        """What waits takes about so much."""
        self.writing_since: float | None = None
        """Since when a write has not returned; None: none is under way."""
        self._time = time
        self._encode = encode
        self._waiting: list[bytes | T] = []
        self._window_open = True
        self._finishing = False
        self._frames = 0
        """Frames written so far, which is also the number of the latest."""
        self._unread: deque[tuple[int, float]] = deque(maxlen=_REMEMBERED_FRAMES)
        """Frames of which the bot has given no sign yet: number and when it was written."""
        self._answer_ms = 0.0
        """How long the bot usually takes to give a sign: a moving average."""
        self._timer: Cancellable | None = None
        self._wake: asyncio.Future[None] | None = None

    @property
    def waiting(self) -> int:
        """Messages and questions that wait."""
        return len(self._waiting)

    def put(self, message: bytes) -> None:
        """Add a message, length-prefixed as a field of a frame."""
        self._waiting.append(message)
        self.waiting_bytes += len(message)
        if self._window_open and self._wake is not None:
            self._nudge()

    def ask(self, question: T) -> None:
        """Add a question; it is noted once it has been written."""
        self._waiting.append(question)
        self.waiting_bytes += QUESTION_BYTES
        if self._window_open and self._wake is not None:
            self._nudge()

    def heard(self, frame: int = 0) -> None:
        """The bot has said something that shows it has read all frames up to this one; 0: at least one more.

        Once it has read them all, the next one may go.
        """
        unread = self._unread
        if not unread:
            return
        frame = frame or unread[0][0]
        while unread and unread[0][0] <= frame:
            took = self._time.now() - unread.popleft()[1]
            self._answer_ms += (took - self._answer_ms) / 4
        if not unread and not self._window_open:
            self._open_window()

    def finish(self) -> None:
        """Nothing more will come: ``run`` writes what waits, without waiting for the bot any more, and returns."""
        self._finishing = True
        self._open_window()
        self._nudge()

    async def run(self, write: Callable[[bytes], Awaitable[object]], written: Callable[[list[T]], None]) -> None:
        """Write frames until ``finish``; the one writer of its stream.

        ``written`` gets the items of each frame, perhaps none, once it has gone. Raises what ``write`` raises.
        """
        try:
            while True:
                while not (self._waiting and self._window_open):
                    if self._finishing:
                        return
                    self._wake = asyncio.get_running_loop().create_future()
                    await self._wake
                    self._wake = None
                frame, items = self._take()
                if not frame:
                    continue
                self.writing_since = self._time.now()
                self._window_open = self._finishing  # before the write: the answer may be here before the write returns
                self._unread.append((self._frames, self.writing_since))
                await write(frame)
                self.writing_since = None
                written(items)
                if not self._window_open:
                    self._timer = self._time.call_at(self._time.now() + self._window_ms(), self._open_window)
        finally:
            self._cancel_timer()

    def _take(self) -> tuple[bytes, list[T]]:
        """The next frame, and the questions in it."""
        waiting, encode = self._waiting, self._encode
        messages: list[bytes] = []
        questions: list[T] = []
        size = 0
        for taken, item in enumerate(waiting):
            if isinstance(item, bytes):
                message = item
            else:
                message = encode(item)
                if not message:
                    continue
            size += len(message)
            if size > MAX_FRAME_BYTES and messages:
                self._waiting = waiting[taken:]
                break
            messages.append(message)
            if message is not item:
                questions.append(item)  # type: ignore[arg-type]
        else:
            self._waiting = []
        self.waiting_bytes = sum(len(left) if isinstance(left, bytes) else QUESTION_BYTES for left in self._waiting)
        if messages:
            self._frames += 1
        for question in questions:
            question.frame = self._frames
        return b"".join(messages), questions

    def _window_ms(self) -> float:
        """Were answers to take longer than the window, each decision would get a frame of its own, and longer yet."""
        return min(max(WINDOW_MS, 2 * self._answer_ms), MAX_WINDOW_MS)

    def _open_window(self) -> None:
        self._cancel_timer()
        self._window_open = True
        if self._waiting and self._wake is not None:
            self._nudge()

    def _nudge(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
