"""One session as its spectators see it, and each of its viewers.

A feed plays the session again on a table of its own. So nothing can be shown that is not a spectator's to see, the
session itself does no work for viewers, and one mechanism serves what runs, what runs behind by a delay, and what is
over. A viewer that comes late plays the past again for itself, up to where the others are; from there on all viewers
share one replay and the bytes made of it. Nobody is waited for, and memory is bounded: a viewer that has fallen too far
behind is dropped, and told from where to watch again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import structlog

from croupier_games.kernel import Result

from .errors import HostError
from .events import SessionEvent, SessionState
from .history import Mark, Past, Replay
from .session import Session
from .timing import Cancellable, Time

if TYPE_CHECKING:
    from .viewer import Viewer

log = structlog.get_logger("croupier.watching")

INTERVAL_MS = 40.0
"""New steps are made into bytes at most so often, with all that have come meanwhile."""
BEHIND_BYTES = 512 * 1024
"""What a feed keeps for viewers that have not read it yet, for all of them together."""
_OVERHEAD = 100
"""What a step takes besides its bytes."""
FRAME_BYTES = 64 * 1024
"""A frame takes no further step once it has so many bytes."""
STEPS_AT_ONCE = 32
"""Steps that are played before others get their turn."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a session ended."""

    state: SessionState
    result: Result | None
    seq: int
    committed: bool
    """Whether a commitment to its seed was published, so that the seed is to be shown now."""


class Encoder(Protocol):
    """Makes bytes of what viewers are shown; given by whoever knows the wire. Bytes one after another make a frame."""

    def start(self, game: str, view: Any) -> bytes:
        """The public view where a viewer starts."""

    def step(self, game: str, events: Sequence[tuple[int, SessionEvent]], view: Any, charged_ms: int | None) -> bytes:
        """Numbered events (perhaps none) and the public view after them; None: it has not changed.

        ``charged_ms``: what the seat that decided was charged, in the first of them; None: none has decided.
        """

    def end(self, session_id: str, ending: Ending, seed: bytes) -> bytes:
        """The end; ``seed`` is empty where it is not to be shown."""


class Feed:
    """One session's. Sessions tell it by ``note`` that something has happened (see ``services.Follower``)."""

    def __init__(
        self, past: Past, delay_ms: int, time: Time, encoder: Encoder, seed: Callable[[Past, Ending], bytes]
    ) -> None:
        """``seed`` gives what is to be shown of the seed at the end, when that is shown."""
        self.session_id = past.session_id
        self.past: Past | None = past
        """None once the session is over, while nobody watches: the store has it."""
        self.session: Session | None = None
        """The live session, until it is over."""
        self.delay_ms = delay_ms
        self.time = time
        self.encoder = encoder
        self.viewers: set[Viewer] = set()
        self.complete = False
        """Whether the shared replay has come to the end, and the end may be shown."""
        self._seed = seed
        self._ending: Ending | None = None
        self._ended_at = 0.0
        self._notes: deque[tuple[float, Mark]] = deque()
        """When the session had come how far, where there is a delay; what has been released is forgotten."""
        self._released: Mark | None = None
        # The shared replay: made into bytes up to step ``_first + len(_steps)``; earlier ones than ``_first`` are gone.
        self._replay: Replay | None = None
        self._view: Any = None
        self._first = 0
        self._steps: list[tuple[int, bytes]] = []
        """For each step the number of events after it, and its bytes."""
        self._bytes = 0
        self._call: Cancellable | None = None
        self._played_at = -INTERVAL_MS

    # -- what happens ----------------------------------------------------------------------------------------------

    def note(self) -> None:
        if self.delay_ms and self.past is not None:
            self._notes.append((self.time.now(), self.past.mark()))
        if self.viewers:
            self._schedule()

    def end(self, ending: Ending, ago_ms: float = 0.0) -> None:
        """The session is over, and has been for so long."""
        self._ending = ending
        self._ended_at = self.time.now() - ago_ms
        self.session = None
        if self.viewers:
            self._schedule()

    @property
    def over(self) -> bool:
        """Whether the session is over, though viewers may not know it yet."""
        return self._ending is not None

    @property
    def end_due(self) -> float | None:
        """When viewers may know that the session is over; None: it is not."""
        return None if self._ending is None else self._ended_at + self.delay_ms

    @property
    def end_released(self) -> bool:
        """Whether viewers may know that the session is over."""
        return self.end_due is not None and self.end_due <= self.time.now()

    def stop(self, error: HostError) -> None:
        """Every viewer is told this, and no more."""
        for viewer in list(self.viewers):
            viewer.stop(error)

    # -- what viewers ask ------------------------------------------------------------------------------------------

    def released(self) -> Mark | None:
        """How far viewers may see now; None: not even the deal."""
        past = self.past
        assert past is not None
        if self.end_released:
            return past.mark()
        if not self.delay_ms:
            self._released = past.mark()
        now = self.time.now()
        while self._notes and self._notes[0][0] + self.delay_ms <= now:
            self._released = self._notes.popleft()[1]
        mark = self._released
        if mark is not None and self.session is not None and not self.session.running:
            # The last input has ended the game; nobody is told of a result before it has been kept.
            mark = Mark(min(mark.inputs, len(past.inputs) - 1), mark.asides)
        return mark

    def has_shown(self, mark: Mark | None, *, to_the_end: bool) -> bool:
        """Whether what is shared is as far as this; where nothing is shared, there is nothing to wait for."""
        if self._replay is None or mark is None:
            return True
        return self.complete if to_the_end else self._replay.has_reached(mark)

    def can_join(self, replay: Replay) -> bool:
        """Whether a viewer that has played so far by itself can go on with what is shared."""
        return self._replay is not None and self._first <= replay.steps <= self._replay.steps

    def is_at_front(self, replay: Replay) -> bool:
        """Whether a viewer that plays by itself is as far as what is shared: it is not to be overtaken."""
        return self._replay is not None and replay.steps >= self._replay.steps

    def adopt(self, replay: Replay, view: Any) -> None:
        """A viewer has come as far as there is to see, and nobody else has: what it plays on is shared."""
        self._replay, self._view = replay, view
        self._first = replay.steps
        self._schedule()

    def steps_from(self, step: int) -> Sequence[tuple[int, bytes]]:
        """Shared steps, from this number on."""
        return self._steps[step - self._first :]

    def ending_bytes(self) -> bytes:
        """The end, once ``complete``."""
        assert self._ending is not None
        assert self.past is not None
        return self.encoder.end(self.session_id, self._ending, self._seed(self.past, self._ending))

    def waits(self) -> None:
        """A viewer waits for more."""
        if self.delay_ms or self._ending is not None:
            self._schedule()

    def leave(self, viewer: Viewer) -> None:
        """A viewer has gone."""
        self.viewers.discard(viewer)
        if not self.viewers:
            self._replay = self._view = None
            self._steps.clear()
            self._bytes = 0
            self.complete = False
            if self._call is not None:
                self._call.cancel()
                self._call = None

    # -- inside ----------------------------------------------------------------------------------------------------

    def _schedule(self) -> None:
        if self._call is not None:
            return
        due = self._played_at + INTERVAL_MS
        if self.delay_ms:
            released = [self._notes[0][0] + self.delay_ms] if self._notes else []
            if self.end_due is not None:
                released.append(self.end_due)
            if not released:
                return  # the next note calls again
            due = max(due, min(released))
        self._call = self.time.call_at(due, self._play_on)

    def _play_on(self) -> None:
        self._call = None
        self._played_at = self.time.now()
        try:
            more = self._play()
        except Exception:  # a bug in one game must not reach other sessions
            log.exception("a session cannot be shown", session=self.session_id)
            self.stop(HostError("CANNOT_SHOW", "the session cannot be shown; the server's log says more"))
            return
        for viewer in list(self.viewers):
            viewer.wake()
        if more:
            self._call = self.time.call_soon(self._play_on)
        elif self._notes or (self._ending is not None and not self.complete):
            self._schedule()

    def _play(self) -> bool:
        """Take some steps and make them into bytes. Returns whether there may be more."""
        replay, mark = self._replay, self.released()
        if replay is None or mark is None or self.past is None:
            return False
        for _ in range(STEPS_AT_ONCE):
            events = replay.advance(mark)
            if events is None:
                self.complete = self.end_released
                self._forget()
                return False
            view = replay.public_view()
            changed = None if view == self._view else view
            self._view = view
            shown = b""
            if events or changed is not None:
                shown = self.encoder.step(self.past.game.name, events, changed, replay.charged_ms)
            self._steps.append((replay.seq, shown))
            self._bytes += len(shown) + _OVERHEAD
        self._forget()
        return True

    def _forget(self) -> None:
        """Drop the oldest steps where there are too many, and the viewers that have not read them."""
        gone = 0
        while self._bytes > BEHIND_BYTES:
            self._bytes -= len(self._steps[gone][1]) + _OVERHEAD
            gone += 1
        del self._steps[:gone]
        self._first += gone
        for viewer in list(self.viewers):
            viewer.fell_behind(self._first)
