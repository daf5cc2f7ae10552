"""Steps as lines of text: what ``steps`` and ``log`` hold.

A step is ``<milliseconds charged> <what>``; what it is, is written as in a record (``2 play NEV-7``, ``tick 1500``), or
``fault <seat> <kind> <decision>``, or ``restart``. In the log the session's number and the step's come before it, so
that a row which was written twice does no harm.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from croupier_games.kernel import Chosen, Game, input_line, parse_input
from croupier_service.sessions.settings import FaultKind
from croupier_service.sessions.steps import Failed, Restarted, Step, Steps

REMEMBERED = 10_000
"""Notations of actions kept at hand, for each game."""


class Notation:
    """Writes and reads one game's steps.

    To write an action down takes several microseconds; most are taken again and again, by other sessions.
    """

    def __init__(self, game: Game[Any, Any, Any]) -> None:
        self.game = game
        self._known: dict[Any, str] = {}

    def write(self, step: Step, charged_ms: int) -> str:
        """A line, without its end."""
        if type(step) is Chosen:
            text = self._known.get(step.action)
            if text is None:
                if len(self._known) >= REMEMBERED:
                    self._known.clear()
                text = self._known[step.action] = self.game.notation(step.action)
            return f"{charged_ms} {step.seat} {text}"
        match step:
            case Failed(seat, kind, decision):
                return f"{charged_ms} fault {seat} {kind.name} {decision}"
            case Restarted():
                return f"{charged_ms} restart"
            case _:
                return f"{charged_ms} {input_line(self.game, step).removeprefix('input ')}"

    def read(self, lines: Iterable[str]) -> Steps:
        """All steps of a session. Raises ValueError with the number of the one that cannot be read, and no card."""
        return Steps.of(self._read(number, line) for number, line in enumerate(lines, start=1))

    def _read(self, number: int, line: str) -> tuple[Step, int]:
        charged, _, what = line.partition(" ")
        word, *rest = what.split(" ")
        try:
            if word == "restart":
                return Restarted(), int(charged)
            if word == "fault":
                seat, kind, decision = rest
                return Failed(int(seat), FaultKind[kind], int(decision)), int(charged)
            return parse_input(self.game, what), int(charged)
        except (ValueError, KeyError) as error:
            raise ValueError(f"step {number} cannot be read") from error


class Gap(Exception):
    """Steps are missing; the message says which."""


Found = defaultdict[int, dict[int, str]]
"""Steps by session, and by their number in it."""


def find_in_log(found: Found, rows: Iterable[str], sessions: set[int]) -> None:
    """Add what rows of the log have of these sessions."""
    for row in rows:
        for line in row.splitlines():
            session, number, step = line.split(" ", 2)
            if int(session) in sessions:
                found[int(session)][int(number)] = step


def find_in_pieces(found: Found, pieces: Iterable[tuple[int, int, str]]) -> None:
    """Add what rows of ``steps`` have: session, number of the first step, lines."""
    for session, first, lines in pieces:
        found[session].update(enumerate(lines.splitlines(), start=first))


def in_order(found: Mapping[int, str]) -> list[str]:
    """A session's steps, by their numbers, as lines. Raises Gap."""
    for expected, number in enumerate(sorted(found)):
        if number != expected:
            raise Gap(f"steps {expected} to {number - 1} are missing")
    return [found[number] for number in range(len(found))]
