"""A game at which the bot under check sits: real deals and legal actions, and what the server says of them."""

from __future__ import annotations

from typing import Any

from croupier.v1 import game_pb2, play_pb2
from croupier_games.kernel import Game, Seed, Table
from croupier_service.wire.messages import GameWire, result_to_wire
from croupier_service.wire.registry import codecs

from .failures import Failed

THINK_TIME_MS, BANK_MS = 60_000, 600_000
MOVES_LIMIT = 50_000


class Sitting:
    """One seat of one session, from the server's side. The other seats are played at random.

    Messages come as ``ServerMessage``, so that a check can change them before they are said.
    """

    def __init__(
        self,
        game: Game[Any, Any, Any],
        session_id: str,
        *,
        seat: int = 0,
        options: Any = None,
        table: Table | None = None,
    ) -> None:
        """Deal. ``options`` None: the defaults; ``table``: sit at this one, which is not played on."""
        self.game = game
        self.session_id = session_id
        self.seat = seat
        self.decision_id = 0
        """Of the latest question; 0: nothing was asked yet."""
        self.answer: game_pb2.GameAction | None = None
        """What the bot has answered to it; None: nothing yet."""
        self.over = False
        """Whether the bot was told that it is over."""
        self._table = table or Table(
            game, _seats(game), game.options() if options is None else options, Seed.of(session_id)
        )
        self._dice = Seed.of(session_id).dice("others")
        self._wire = _wire(game)
        self._actions: list[game_pb2.GameAction] = []
        self._attempt = 1
        self._told = 0

    # What the server says.

    def start(self, **fields: Any) -> play_pb2.ServerMessage:
        """``SessionStart``. ``fields`` go before what is true."""
        true = {
            "session_id": self.session_id,
            "game": self.game.name,
            "rules_version": self.game.rules_version,
            "seat": self.seat,
            "seats": self._table.seats,
            "options": self._wire.codec.options_to_wire(self._table.options),
            "clock": game_pb2.ClockSettings(think_time_ms=THINK_TIME_MS, bank_ms=BANK_MS, increment_ms=0),
            "faults": game_pb2.FaultSettings(policy=game_pb2.FAULT_POLICY_SUBSTITUTE, max_faults=100, attempts=3),
            "seq": self.seq,
        }
        return play_pb2.ServerMessage(session_start=play_pb2.SessionStart(**{**true, **fields}))

    def ask(self, *, decision_id: int = 0) -> play_pb2.ServerMessage:
        """Ask the next decision, a new one; under the number given, or the next one. The game must not be over."""
        self._play_others()
        self.decision_id = decision_id or self.decision_id + 1
        self.answer = None
        self._attempt = 1
        return self.ask_again()

    def ask_again(self) -> play_pb2.ServerMessage:
        """The open question as it was asked."""
        standing = self._table.state.may_wait(self.seat)
        frame = self._wire.decisions(self.session_id, self.seat).encode(
            self.seq,
            self.decision_id,
            self._attempt,
            self._table.state.legal_actions(self.seat),
            self._table.state.view(self.seat),
            None if standing else THINK_TIME_MS,
            BANK_MS,
            0,
        )
        [message] = play_pb2.PlayResponse.FromString(frame).messages
        self._actions = list(message.decision.actions)
        return message

    def refuse(self) -> list[play_pb2.ServerMessage]:
        """Call the answer illegal, which it is not, and ask again."""
        self.answer = None
        self._attempt += 1
        refused = self.result("ILLEGAL", rule="check.refused", message="the check refuses this answer", attempts_left=2)
        return [refused, self.ask_again()]

    def result(self, outcome: str | int, **fields: Any) -> play_pb2.ServerMessage:
        """``ActResult`` for the latest question."""
        true = {
            "session_id": self.session_id,
            "seat": self.seat,
            "decision_id": self.decision_id,
            "outcome": play_pb2.ActOutcome.Value(f"ACT_OUTCOME_{outcome}") if isinstance(outcome, str) else outcome,
        }
        return play_pb2.ServerMessage(act_result=play_pb2.ActResult(**{**true, **fields}))

    def events(self) -> play_pb2.ServerMessage:
        """``Events`` since those told last: that seats have moved, and not how."""
        moves = self._table.moves[self._told :]
        events = [
            game_pb2.Event(seq=self._told + at, moved=game_pb2.Moved(seat=move.seat, cause=game_pb2.CAUSE_CHOSEN))
            for at, move in enumerate(moves, 1)
        ]
        self._told += len(moves)
        return play_pb2.ServerMessage(events=play_pb2.Events(session_id=self.session_id, seat=self.seat, events=events))

    def end(self) -> play_pb2.ServerMessage:
        """``SessionEnd``: finished if the game is over, else aborted."""
        self.over = True
        end = play_pb2.SessionEnd(
            session_id=self.session_id, seat=self.seat, seq=self.seq, reason=play_pb2.END_REASON_ABORTED
        )
        result = self._table.result()
        if result is not None:
            end.reason = play_pb2.END_REASON_FINISHED
            end.result.CopyFrom(result_to_wire(result))
            end.view.CopyFrom(self._wire.view(self._table.state.view(self.seat)))
        return play_pb2.ServerMessage(session_end=end)

    # What the bot says.

    def hear(self, act: play_pb2.Act) -> None:
        """Take an answer. Raises Failed where it makes no sense."""
        where = f"session {self.session_id}, decision {self.decision_id}"
        if self.answer is not None:
            raise Failed(f"{where} was answered twice, though it was asked once")
        match act.WhichOneof("choice"):
            case "index":
                if act.index >= len(self._actions):
                    raise Failed(f"{where}: index {act.index} of {len(self._actions)} actions, which count from 0")
                self.answer = self._actions[act.index]
            case "action":
                act.action.DiscardUnknownFields()  # what it was offered is handed back as it came, news and all
                if act.action not in self._actions:
                    raise Failed(f"{where}: the action is none of those that were offered: {_line(act.action)}")
                self.answer = act.action
            case _:
                raise Failed(f"{where}: an act without a choice; it has an index or an action")

    def reopen(self, decision: play_pb2.Decision) -> None:
        """Wait for an answer to an earlier decision, under the number that it has now."""
        self.decision_id = decision.decision_id
        self._actions = list(decision.actions)
        self.answer = None

    def take(self) -> None:
        """Do what the bot has answered."""
        assert self.answer is not None
        action = self._wire.codec.action_from_wire(self.answer)
        self._table.choose(self.seat, action)
        self._play_others()

    # How things stand.

    @property
    def seq(self) -> int:
        """Events so far."""
        return len(self._table.moves)

    @property
    def told(self) -> int:
        """The last event that was told."""
        return self._told

    @property
    def asked(self) -> bool:
        """Whether an answer is awaited."""
        return self.decision_id > 0 and self.answer is None and not self.over

    @property
    def finished(self) -> bool:
        """Whether the game is over by its rules."""
        return self._table.state.result() is not None

    def _play_others(self) -> None:
        """Play on until the bot's seat has to decide, or the game is over."""
        table, dice = self._table, self._dice
        for _ in range(MOVES_LIMIT):
            to_act = table.state.to_act()
            if table.state.result() is not None or (self.seat in to_act):
                return
            if to_act:
                seat = dice.choice(to_act)
                table.choose(seat, dice.choice(table.state.legal_actions(seat)))
            else:
                deadline = table.state.deadline()
                assert deadline is not None, "nobody is to act, and nothing is waited for"
                table.tick(deadline)
        raise AssertionError(f"{self.game.name} does not end")


def _seats(game: Game[Any, Any, Any]) -> int:
    """Four where the game allows it."""
    return 4 if 4 in game.seat_range else game.seat_range[0]


_WIRES: dict[str, GameWire] = {}


def _wire(game: Game[Any, Any, Any]) -> GameWire:
    if game.name not in _WIRES:
        _WIRES[game.name] = GameWire(codecs()[game.name])
    return _WIRES[game.name]


def _line(message: object) -> str:
    return " ".join(str(message).split())
