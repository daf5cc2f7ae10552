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

It must be quick: it runs in the server's event loop.
"""


class HouseLink:
    """One seat's house bot.

    Its dice follow from the session's seed, so a session of house bots is the same every time.
    """

    wants_events = False

    def __init__(self, policy: Policy, time: Time) -> None:
        self._policy = policy
        self._time = time
        self._dice: Dice | None = None

    def start(self, session: Session, seat: SeatAt, *, resumed: bool) -> None:
        self._dice = session.table.seed.dice(f"house/{seat.number}")

    def ask(self, session: Session, decision: Decision) -> None:
        self._time.call_soon(lambda: self._answer(session, decision))

    def _answer(self, session: Session, decision: Decision) -> None:
        if decision.outcome is not None or self._dice is None:
            return
        view = session.table.state.view(decision.seat.number)
        try:
            action = self._policy(view, decision.legal, self._dice)
        except Exception:
            log.exception("a house bot has failed", bot=decision.seat.bot, session=session.id)
            action = decision.legal[0]
        session.act(decision.seat.bot, decision.id, self._time.now(), action=action)

    def report(self, report: ActReport) -> None:
        """Nothing to learn from it."""

    def events(self, session: Session, seat: SeatAt, first_seq: int) -> None:
        """Not asked for."""

    def end(self, session: Session, seat: SeatAt) -> None:
        """Nothing to clean up."""
