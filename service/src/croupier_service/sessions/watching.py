"""Spectators: all that is being watched, and everybody who watches."""

from __future__ import annotations

import time as wall
from collections.abc import Awaitable, Callable

from .errors import Conflict, NotFound, Unavailable
from .events import SessionState
from .feed import Encoder, Ending, Feed
from .history import Past
from .host import Host
from .seats import SeatAt
from .session import Session
from .settings import FaultKind
from .summary import Archived
from .timing import Cancellable
from .viewer import Viewer, ViewerTooSlow

REMEMBERED = 1_000
"""Sessions that are over, but may not be shown to their end yet, of which it is remembered when things happened.

Those that ended longer ago are shown as well, but only once all of them may be seen.
"""


class Watching:
    """An ``Observer`` of sessions, so that it knows when what happened in those that are shown with a delay.

    A session that is shown without one does not know of spectators until somebody watches.
    """

    def __init__(self, host: Host, encoder: Encoder, *, wall_clock: Callable[[], float] = wall.time) -> None:
        self.viewers = 0
        """Those who watch now."""
        self.dropped = 0
        """Those who were dropped because they read too slowly."""
        self._host = host
        self._encoder = encoder
        self._wall_clock = wall_clock
        self._feeds: dict[str, Feed] = {}
        self._over: dict[str, Cancellable] = {}
        """Of those that nobody watches now, though they may not be shown to their end yet, what will forget them."""
        self._closed_because = ""

    async def watch(
        self, session_id: str, from_seq: int, write: Callable[[bytes], Awaitable[object]], *, follow: bool = True
    ) -> None:
        """Show a session up to its end, the events after ``from_seq``: frames are written as they come.

        Not to ``follow`` it is to be shown what there is to see now.

        Raises NotFound; Conflict where its rules are not installed any more; PastTheEnd; ViewerTooSlow; Unavailable
        when the server stops; and what ``write`` raises.
        """
        if self._closed_because:
            raise Unavailable("STOPPING", self._closed_because)
        feed = await self._feed(session_id)
        self._keep(session_id)
        viewer = Viewer(feed, from_seq)
        self.viewers += 1
        try:
            await viewer.show(write, follow=follow)
        except ViewerTooSlow:
            self.dropped += 1
            raise
        finally:
            self.viewers -= 1
            feed.leave(viewer)
            self._tidy(feed)

    def close(self, reason: str) -> None:
        """The server is stopping: every viewer is told so, and to come back."""
        self._closed_because = reason
        for feed in list(self._feeds.values()):
            feed.stop(Unavailable("STOPPING", reason))

    def resume(self) -> None:
        """The host goes on with sessions of an earlier run: what happened in them happened just now."""
        for session in self._host.sessions.values():
            self.session_started(session)

    # -- told by sessions (Observer) -------------------------------------------------------------------------------

    def session_started(self, session: Session) -> None:
        if session.spectator_delay_ms:
            self._open(session)

    def session_ended(self, session: Session) -> None:
        session.feed = None
        feed = self._feeds.get(session.id)
        if feed is not None:
            feed.end(Ending(session.state, session.result, session.seq, committed=not session.seed_given))
            self._tidy(feed)

    def faulted(self, session: Session, seat: SeatAt, kind: FaultKind, message: str) -> None:
        pass

    def vacated(self, session: Session, seat: SeatAt) -> None:
        pass

    # -- inside ----------------------------------------------------------------------------------------------------

    async def _feed(self, session_id: str) -> Feed:
        feed = self._feeds.get(session_id)
        session = self._host.sessions.get(session_id)
        if feed is None and session is not None:
            return self._open(session)
        if feed is not None and feed.past is not None:
            return feed
        archived = await self._host.find_archived(session_id)
        if archived is None:
            raise NotFound("UNKNOWN_SESSION", f"there is no session {session_id!r}", "session_id")
        past = self._past(archived)
        feed = self._feeds.get(session_id)  # somebody else may have been quicker
        if feed is None:
            feed = self._feeds[session_id] = self._reopen(archived, past)
        feed.past = feed.past or past
        return feed

    def _open(self, session: Session) -> Feed:
        """Of a session that runs."""
        feed = Feed(
            Past.of_session(session), session.spectator_delay_ms, self._host.time, self._encoder, self._seed_to_show
        )
        feed.session = session
        self._feeds[session.id] = session.feed = feed
        feed.note()
        return feed

    def _reopen(self, archived: Archived, past: Past) -> Feed:
        """Of a session that is over. When exactly things happened is not known any more: all at its end, then."""
        summary = archived.summary
        feed = Feed(past, summary.spectator_delay_ms, self._host.time, self._encoder, self._seed_to_show)
        ago_ms = 0.0 if summary.ended_at is None else max(0.0, (self._wall_clock() - summary.ended_at) * 1000)
        committed = bool(summary.seed_commitment)
        feed.end(Ending(summary.state, summary.result, summary.seq, committed=committed), ago_ms)
        return feed

    def _past(self, archived: Archived) -> Past:
        record = archived.record
        game = self._host.games.get(record.game)
        if game is None or game.rules_version != record.rules_version:
            raise Conflict(
                "OTHER_RULES",
                f"{record.game} with rules {record.rules_version} is not installed any more",
                "session_id",
            )
        return Past.of_archived(archived, game)

    def _seed_to_show(self, past: Past, ending: Ending) -> bytes:
        """The seed, where it was committed to and does not give away cards that are still being played elsewhere."""
        if not ending.committed or ending.state is not SessionState.FINISHED or self._host.deal_in_play(past.seed):
            return b""
        return past.seed.raw

    def _tidy(self, feed: Feed) -> None:
        """Forget a feed that nobody watches, unless it has to remember when things happened."""
        if feed.viewers or self._feeds.get(feed.session_id) is not feed:
            return
        if feed.end_released or (not feed.over and not feed.delay_ms):
            self._forget(feed)
        elif feed.end_due is not None:
            feed.past = None  # the store has it
            self._keep(feed.session_id)
            self._over[feed.session_id] = self._host.time.call_at(feed.end_due, lambda: self._tidy(feed))
            if len(self._over) > REMEMBERED:
                self._forget(self._feeds[next(iter(self._over))])

    def _forget(self, feed: Feed) -> None:
        del self._feeds[feed.session_id]
        self._keep(feed.session_id)
        if feed.session is not None:
            feed.session.feed = None

    def _keep(self, session_id: str) -> None:
        """What was to forget it will not."""
        forget = self._over.pop(session_id, None)
        if forget is not None:
            forget.cancel()
