"""Views, actions and results as JSON, in the contract's names, whether they come over the wire or from the rules.

A view of the rules carries the names of the contract's message, so both give the very same JSON: what a page shows of
a running game and of its record is drawn by the same code.

>>> from croupier_games.trick_and_trade import Play
>>> action_json(Play(7))
{'play': 7}
"""

import re
from dataclasses import fields, is_dataclass
from typing import Any

from google.protobuf.message import Message

from croupier import unwrap
from croupier.v1 import game_pb2
from croupier_games.kernel import Result

CAUSES = {
    game_pb2.CAUSE_CHOSEN: "chosen",
    game_pb2.CAUSE_FORCED: "forced",
    game_pb2.CAUSE_SUBSTITUTED: "substituted",
    game_pb2.CAUSE_VACATED: "vacated",
}
IRREGULAR = {"pass": "pass_turn"}
"""Actions that the contract calls otherwise than the rules."""


def view_json(view: object) -> dict[str, Any]:
    """A view of the rules: frozen dataclasses of numbers, texts, tuples."""
    plain = _plain(view)
    assert isinstance(plain, dict)
    return plain


def action_json(action: object) -> dict[str, Any]:
    """An action of the rules, under its name in the contract: True, a number, or its fields by name."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(action).__name__).lower()
    name = IRREGULAR.get(name, name)
    values = {field.name: getattr(action, field.name) for field in fields(action)}  # type: ignore[arg-type]
    if not values:
        return {name: True}
    first = next(iter(values.values()))
    if len(values) == 1 and not isinstance(first, tuple):
        return {name: _plain(first)}
    return {name: {key: _plain(value) for key, value in values.items()}}


def _plain(value: object) -> Any:  # noqa: ANN401 -- whatever is JSON
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} is nothing that a view holds")


def message_view_json(view: game_pb2.GameView) -> dict[str, Any]:
    """A view as it came over the wire."""
    return message_json(unwrap(view))


def message_action_json(action: game_pb2.GameAction) -> dict[str, Any]:
    """An action as it came over the wire; {"other": type} where this program does not know the game."""
    own = unwrap(action)
    kind = own.WhichOneof("action") if "action" in own.DESCRIPTOR.oneofs_by_name else None
    if kind is None:
        return {"other": own.DESCRIPTOR.full_name}
    value = getattr(own, kind)
    return {kind: message_json(value) if isinstance(value, Message) else value}


def message_json(message: Message) -> dict[str, Any]:
    """A message, every field named: lists may be empty, what is absent is None, enums are numbers."""
    shown: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.is_repeated:
            shown[field.name] = [message_json(item) for item in value] if field.message_type else list(value)
        elif field.has_presence and not message.HasField(field.name):
            shown[field.name] = None
        elif field.type == field.TYPE_BYTES:
            shown[field.name] = value.hex()
        else:
            shown[field.name] = message_json(value) if field.message_type else value
    return shown


def result_json(result: Result | game_pb2.Result) -> dict[str, Any]:
    """A result, from the rules or from the wire: both have the same names."""
    return {
        "points": list(result.points),
        "placings": list(result.placings),
        "decided_by": list(result.decided_by),
        "forfeited": list(result.forfeited),
        "tie_breaks": [{"name": tie.name, "values": list(tie.values)} for tie in result.tie_breaks],
        "fewest_wins": result.fewest_wins,
        "note": result.note,
    }


def changes(before: dict[str, Any] | None, after: dict[str, Any]) -> dict[str, Any]:
    """What of a table is not as it was.

    >>> changes({"round": 1, "pile": 3}, {"round": 2, "pile": 3})
    {'round': 2}
    """
    if before is None:
        return after
    return {name: value for name, value in after.items() if name not in before or before[name] != value}
