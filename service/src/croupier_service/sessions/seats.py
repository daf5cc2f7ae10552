"""One seat of a session: who plays it, its clock, its faults, the decision it is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Protocol

from .settings import ClockSettings, FaultKind

if TYPE_CHECKING:
    from .session import Session


class Outcome(IntEnum):
    """What became of an act. Numbered as in the contract."""

    ILLEGAL = 1
    LATE = 2
    STALE = 3
    DUPLICATE = 4
    MALFORMED = 5
    UNKNOWN_SESSION = 6
    UNKNOWN_DECISION = 7
    VACATED = 8


class Decision:
    """One choice asked of one seat, and what became of it."""

    __slots__ = (
        *("session", "id", "seat", "legal", "standing", "attempt", "frame"),
        *("started", "lag_before", "open"),
    )

    def __init__(
        self,
        session: Session,
        number: int,
        seat: SeatAt,
        legal: Sequence[Any],
        standing: bool,  # noqa: FBT001
    ) -> None:
        self.session = session
        self.id = number
        self.seat = seat
        self.legal = legal
        self.standing = standing
        self.attempt = 1
        self.frame = 0
        """The number of the frame in which it was last asked, on the stream of the day; 0: none yet."""
        self.started: float | None = None
        """When the frame with it had been written; None: not yet, and no clock runs."""
        self.lag_before = 0.0
        """The server's lateness in total when its clock started."""
        self.open = True
        """Whether an answer would be taken."""


@dataclass(frozen=True, slots=True)
class ActReport:
    """Something about an act, or its absence, that the bot should know."""

    session_id: str
    seat: int
    decision_id: int
    outcome: Outcome
    message: str
    rule: str = ""
    attempts_left: int = 0
    fault: FaultKind | None = None
    faults: int = 0
    max_faults: int = 0


class Link(Protocol):
    """How a session speaks to the bot of a seat. Streams and house bots implement it; it never blocks or calls back."""

    wants_events: bool

    def start(self, session: Session, seat: SeatAt, *, resumed: bool) -> None:
        """The bot sits down, or sits there again."""

    def ask(self, session: Session, decision: Decision) -> None:
        """The bot is asked. Once the question is on its way the link calls ``session.asked``."""

    def report(self, report: ActReport) -> None:
        """The bot should know this."""

    def events(self, session: Session, seat: SeatAt, first_seq: int) -> None:
        """Events from this one on have happened."""

    def end(self, session: Session, seat: SeatAt) -> None:
        """The session is over."""


class SeatAt:
    """A seat and its bot."""

    __slots__ = (
        "asked",
        "bank_ms",
        "bot",
        "charged_ms",
        "faults",
        "gone_since",
        "last_charged_ms",
        "link",
        "number",
        "open",
        "rewind_to",
        "unheard",
        "wire",
    )

    def __init__(self, number: int, bot: str, clock: ClockSettings, now: float) -> None:
        self.number = number
        self.bot = bot
        self.link: Link | None = None
        self.gone_since: float = now
        """Since when there has been no link."""
        self.open: Decision | None = None
        self.asked = 0
        self.bank_ms = float(clock.bank_ms)
        self.charged_ms = 0.0
        self.last_charged_ms = 0.0
        self.faults: Counter[FaultKind] = Counter()
        self.unheard = 0
        """The decision that had not reached the bot when it left last; 0: there was none."""
        self.rewind_to: int | None = None
        """The last event that was kept when the server restarted, until the bot has been told; later ones are void."""
        self.wire: Any = None
        """What it takes to write a question to this seat; a link may leave it here."""

    def charge(self, ms: float, clock: ClockSettings) -> None:
        """Take the time of one decision off this seat's clock; past think time it comes out of the bank."""
        self.last_charged_ms = ms
        self.charged_ms += ms
        if ms > clock.think_time_ms:
            self.bank_ms = max(0.0, self.bank_ms - (ms - clock.think_time_ms))
        if clock.increment_ms:
            self.bank_ms = min(self.bank_ms + clock.increment_ms, 86_400_000.0)
