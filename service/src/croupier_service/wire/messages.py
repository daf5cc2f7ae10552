"""The contract's messages that every decision needs, encoded by hand; and the envelopes of games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from croupier.v1 import game_pb2, play_pb2
from croupier_games.kernel import Result

from .codec import Codec
from .encode import Once, message, nested, uint

_IN_FRAME = message(1)  # PlayResponse.messages
_DECISION = (1, 4)  # PlayResponse.messages, ServerMessage.decision
_SESSION_START, _SESSION_END = message(2), message(6)  # ServerMessage
_START_SEAT, _START_SEQ, _START_RESUMED = uint(4), uint(9), uint(10)
_END_VIEW, _END_SEAT = message(5), uint(7)
_SESSION_ID, _ACTION, _VIEW = message(1), message(5), 6
_SEQ, _DECISION_ID, _ATTEMPT = uint(2), uint(3), uint(4)
_THINK_TIME, _BANK, _STANDING, _LAST_CHARGED, _SEAT = uint(7, explicit=True), uint(8), uint(9), uint(10), uint(11)
_REMEMBERED_ACTIONS = 4096


def in_frame(said: play_pb2.ServerMessage) -> bytes:
    """Any message of the server as a field of a frame."""
    return _IN_FRAME(said.SerializeToString())


class GameWire:
    """One game's codec together with the envelopes around it."""

    def __init__(self, codec: Codec[Any, Any, Any]) -> None:
        self.codec = codec
        self._arm = message(codec.arm_number)
        self.actions: Once[Any] = Once(
            lambda action: _ACTION(self._arm(codec.action_bytes(action))), _REMEMBERED_ACTIONS
        )
        """Encodes an action as a field of a ``Decision``."""
        self.view_head = nested(_VIEW, codec.arm_number)
        """What stands before an encoded view, by its length, in a ``Decision``."""

    def action(self, action: Any) -> game_pb2.GameAction:
        """An action in its envelope."""
        return game_pb2.GameAction.FromString(self._arm(self.codec.action_bytes(action)))

    def view(self, view: Any) -> game_pb2.GameView:
        """A view in its envelope."""
        return game_pb2.GameView.FromString(self.view_bytes(view))

    def view_bytes(self, view: Any) -> bytes:
        """A view in its envelope, encoded."""
        return self._arm(self.codec.view_bytes(view))

    def session_start(self, common: bytes, seat: int, seq: int, *, resumed: bool) -> bytes:
        """A ``SessionStart`` as a field of a frame; ``common`` is all else, encoded, the same for all seats."""
        own = _START_SEAT(seat) + _START_SEQ(seq) + _START_RESUMED(resumed)
        return _IN_FRAME(_SESSION_START(common + own))

    def session_end(self, common: bytes, seat: int, view: Any) -> bytes:
        """A ``SessionEnd`` as a field of a frame; ``common`` is all else, the same for all seats; view None: none."""
        shown = b"" if view is None else _END_VIEW(self._arm(self.codec.view_bytes(view)))
        return _IN_FRAME(_SESSION_END(common + shown + _END_SEAT(seat)))

    def decisions(self, session_id: str, seat: int) -> Decisions:
        """What encodes the decisions that this seat is asked."""
        return Decisions(self, _SESSION_ID(session_id.encode()) + _SEAT(seat))


class Decisions:
    """Encodes the ``Decision`` messages of one seat, each as a field of a frame."""

    __slots__ = ("_head", "_wire")

    def __init__(self, wire: GameWire, head: bytes) -> None:
        """``head``: the fields that all of them have in common."""
        self._wire = wire
        self._head = head

    def encode(
        self,
        seq: int,
        decision_id: int,
        attempt: int,
        legal: Sequence[Any],
        view: Any,
        think_time_ms: int | None,
        bank_ms: int,
        last_charged_ms: int,
    ) -> bytes:
        """A ``Decision``. ``think_time_ms`` None: a standing one."""
        wire = self._wire
        shown = wire.codec.view_bytes(view)
        fields = (
            self._head,
            _SEQ(seq),
            _DECISION_ID(decision_id),
            _ATTEMPT(attempt),
            *wire.actions.encode_all(legal),
            wire.view_head(len(shown)),
            shown,
            _STANDING(1) if think_time_ms is None else _THINK_TIME(think_time_ms),
            _BANK(bank_ms),
            _LAST_CHARGED(last_charged_ms),
        )
        return b"".join((_decision_head(sum(map(len, fields))), *fields))


_decision_head = nested(*_DECISION)


def result_to_wire(result: Result) -> game_pb2.Result:
    """A result as the contract has it."""
    return game_pb2.Result(
        points=result.points,
        placings=result.placings,
        decided_by=result.decided_by,
        forfeited=result.forfeited,
        tie_breaks=[game_pb2.TieBreak(name=tie.name, values=tie.values) for tie in result.tie_breaks],
        fewest_wins=result.fewest_wins,
        note=result.note,
    )
