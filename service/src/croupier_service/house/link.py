"""How a house bot sits at a table: a link that answers by itself, one turn of the event loop later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import structlog

from croupier_games.kernel import Dice
from croupier_service.sessions.seats import ActReport, Decision, SeatAt
from croupier_service.sessions.session import Session
from croupier_service.sessions.timing import Time

log = structlog.get_logger("croupier.house")

Policy = Callable[[Any, Sequence[Any], Dice], Any]
"""From a view, the legal actions (never empty) and dice of its own to one of the actions.

Where the decision is a standing one also to None: wait. It must be quick: it runs in the server's event loop.
"""

PACE_MS = 500
"""At least so long, and at most three times as long, lies between two answers to standing decisions.

Where everybody may act at any time, a house bot that did so at once would play thousands of moves a second.
"""


class HouseLink:
    """One seat's house bot.

    Its dice follow from the session's seed and the number of the question, so a session of house bots is the same every
    time, however often the server is stopped on the way.
    """

    wants_events = False

    def __init__(self, policy: Policy, time: Time) -> None:
        self._policy = policy
        self._time = time
        self._pace: Dice | None = None
        self._rested = 0.0
        """When it has rested from its latest answer to a standing decision."""
        self._standing: Decision | None = None
        """The latest standing decision, while it rests."""

    def start(self, session: Session, seat: SeatAt, *, resumed: bool) -> None:
        self._pace = session.table.seed.dice(f"house/{seat.number}/pace")
        self._rest()

    def ask(self, session: Session, decision: Decision) -> None:
        if not decision.standing:
            self._time.call_soon(lambda: self._answer(session, decision))
            return
        resting = self._standing is not None
        self._standing = decision
        if not resting:
            self._time.call_at(max(self._rested, self._time.now()), lambda: self._answer_standing(session))

    def _answer_standing(self, session: Session) -> None:
        decision, self._standing = self._standing, None
        if decision is not None and decision.open:
            self._rest()
            self._answer(session, decision)

    def _rest(self) -> None:
        assert self._pace is not None
        self._rested = self._time.now() + PACE_MS + self._pace.below(2 * PACE_MS)

    def _answer(self, session: Session, decision: Decision) -> None:
        if not decision.open:
            return
        seat = decision.seat
        dice = session.table.seed.dice(f"house/{seat.number}/{seat.asked}")
        try:
            view = session.table.state.view(seat.number)
        except Exception as error:  # noqa: BLE001 - a game's own code may raise anything
            session.game_failed(error)
            return
        try:
            action = self._policy(view, decision.legal, dice)
        except Exception:
            log.exception("a house bot has failed", bot=decision.seat.bot, session=session.id)
            action = decision.legal[0]
        if action is not None or not decision.standing:
            session.act(decision.seat.bot, decision.id, self._time.now(), action=action)

    def report(self, report: ActReport) -> None:
        """Nothing to learn from it."""

    def events(self, session: Session, seat: SeatAt, first_seq: int) -> None:
        """Not asked for."""

    def end(self, session: Session, seat: SeatAt) -> None:
        """Nothing to clean up."""
