"""A spec in the words of the contract."""

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from croupier.v1 import game_pb2
from croupier_tournament.spec import Clock, Faults, Problem, SpecError

POLICIES = {
    None: game_pb2.FAULT_POLICY_UNSPECIFIED,
    "substitute": game_pb2.FAULT_POLICY_SUBSTITUTE,
    "forfeit": game_pb2.FAULT_POLICY_FORFEIT,
}


def options_message(game: str, options: Mapping[str, str]) -> game_pb2.GameOptions | None:
    """Return a game's options for the wire; None: its defaults.

    Each game's message has a field for each of its options, of the same name; what is one of several words for people
    is an enumeration there.

    Raises:
        SpecError: the contract has no message for this game's options, as for third parties' games.
    """
    if not options:
        return None
    arm = game.replace("-", "_")
    message = game_pb2.GameOptions()
    if arm not in message.DESCRIPTOR.fields_by_name:
        raise SpecError(
            [
                Problem(
                    "options", f"options of {game} cannot be sent: the contract has no message for them; leave them out"
                )
            ]
        )
    arm_message = getattr(message, arm)
    arm_message.SetInParent()
    for name, text in options.items():
        setattr(arm_message, name, _value(arm_message.DESCRIPTOR.fields_by_name[name], text))
    return message


def _value(field: FieldDescriptor, text: str) -> Any:  # noqa: ANN401 -- whatever the field holds
    if field.enum_type is not None:
        ending = "_" + text.upper().replace("-", "_")
        return next(value.number for value in field.enum_type.values if value.name.endswith(ending))
    if field.type == FieldDescriptor.TYPE_BOOL:
        return text == "true"
    if field.type == FieldDescriptor.TYPE_STRING:
        return text
    return int(text)


def options_table(game: str, message: game_pb2.GameOptions) -> dict[str, Any]:
    """Return a game's options as a spec has them: the inverse of `options_message`.

    Raises:
        SpecError: they are another game's.
    """
    arm = message.WhichOneof("options")
    if arm is None:
        return {}
    if arm != game.replace("-", "_"):
        raise SpecError([Problem("options", f"holds {arm}, but the game is {game}")])
    table: dict[str, Any] = {}
    for field, value in getattr(message, arm).ListFields():
        if field.enum_type is None:
            table[field.name] = value
            continue
        prefix = field.enum_type.values[0].name.removesuffix("UNSPECIFIED")
        table[field.name] = field.enum_type.values_by_number[value].name.removeprefix(prefix).lower().replace("_", "-")
    return table


def clock_message(clock: Clock) -> game_pb2.ClockSettings:
    """Return the clock for the wire."""

    def milliseconds(seconds: float | None) -> int | None:
        return None if seconds is None else round(seconds * 1000)

    return game_pb2.ClockSettings(
        think_time_ms=milliseconds(clock.think_time_s),
        bank_ms=milliseconds(clock.bank_s),
        increment_ms=milliseconds(clock.increment_s),
    )


def fault_message(faults: Faults) -> game_pb2.FaultSettings:
    """Return the treatment of faults for the wire."""
    return game_pb2.FaultSettings(
        policy=POLICIES[faults.policy], max_faults=faults.max_faults, attempts=faults.attempts
    )


def kind_name(kind: game_pb2.FaultKind.ValueType) -> str:
    """Return a fault's kind in small letters.

    >>> kind_name(game_pb2.FaultKind.FAULT_KIND_LATE)
    'late'
    """
    return game_pb2.FaultKind.Name(kind).removeprefix("FAULT_KIND_").lower()
