"""Records as JSON, for programs: one object for each, usually one line.

What a record holds is here what it is in its text; ``docs/reference/record.schema.json`` describes it. An object may
have more members, such as what a server says of the session: reading ignores them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .dice import Seed
from .game import Game, OptionError, option_texts
from .record import Record, RecordError, commitment_from_hex
from .table import Chosen, Input, Substituted, Ticked, Vacated

FORMAT = "croupier-record/1"

_WHOLE = re.compile(r"0|-?[1-9][0-9]*")
_WORDS = {"true": True, "false": False, "none": None}


def to_json(record: Record, game: Game[Any, Any, Any]) -> dict[str, Any]:
    """The record as an object that ``json.dumps`` takes. Options at their defaults are left out, as in its text."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "game": record.game,
        "rules": record.rules_version,
        "seats": record.seats,
        "options": {name: _from_text(text) for name, text in option_texts(record.options).items()},
        "seed": record.seed.hex(),
    }
    if record.commitment:
        data["commitment"] = record.commitment.hex()
    data["inputs"] = [_input_to_json(item, game) for item in record.inputs]
    if record.points:
        data["result"] = {"points": list(record.points), "placings": list(record.placings)}
    return data


def from_json(data: object, find_game: Callable[[str], Game[Any, Any, Any]]) -> Record:
    """Read what ``to_json`` gives. Raises RecordError naming the member.

    ``find_game`` gives the game of a name, or raises KeyError.
    """
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise RecordError(f"a record is an object whose format is {FORMAT!r}")
    try:
        game = find_game(_text(data, "game"))
    except KeyError as error:
        raise RecordError(f"game: {error}") from error
    result = _member(data, "result", Mapping, {})
    try:
        options = game.options({name: _to_text(value) for name, value in _member(data, "options", Mapping, {}).items()})
    except OptionError as error:
        raise RecordError(f"options.{error.field}: {error}") from error
    return Record(
        game=game.name,
        rules_version=_number(data, "rules"),
        seats=_number(data, "seats"),
        options=options,
        seed=Seed(_hex(data, "seed")),
        inputs=tuple(_inputs_from_json(_member(data, "inputs", list), game)),
        points=_numbers(result, "result", "points"),
        placings=_numbers(result, "result", "placings"),
        commitment=_hex(data, "commitment") if "commitment" in data else b"",
    )


def _input_to_json(item: Input, game: Game[Any, Any, Any]) -> dict[str, Any]:
    match item:
        case Chosen(seat, action):
            return {"seat": seat, "action": game.notation(action)}
        case Substituted(seat):
            return {"seat": seat, "substituted": True}
        case Vacated(seat):
            return {"seat": seat, "vacated": True}
        case Ticked(now_ms):
            return {"now_ms": now_ms}


def _inputs_from_json(inputs: Sequence[object], game: Game[Any, Any, Any]) -> list[Input]:
    items = []
    for number, data in enumerate(inputs, start=1):
        try:
            items.append(_input_from_json(data, game))
        except ValueError as error:
            raise RecordError(f"input {number}: {error}", number=number) from error
    return items


def _input_from_json(data: object, game: Game[Any, Any, Any]) -> Input:
    if isinstance(data, Mapping) and isinstance(data.get("seat", data.get("now_ms")), bool):
        data = None  # Python takes true for 1, JSON does not
    match data:
        case {"seat": int(seat), "action": str(text), **more} if not more:
            return Chosen(seat, game.parse(text))
        case {"seat": int(seat), "substituted": True, **more} if not more:
            return Substituted(seat)
        case {"seat": int(seat), "vacated": True, **more} if not more:
            return Vacated(seat)
        case {"now_ms": int(now_ms), **more} if not more:
            return Ticked(now_ms)
    raise ValueError(
        'is one of {"seat": 0, "action": "..."}, {"seat": 0, "substituted": true}, {"seat": 0, "vacated": true} and '
        '{"now_ms": 0}'
    )


def _from_text(text: str) -> str | int | bool | None:
    """An option's text as JSON has it. What would be another text again stays as it is."""
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if _WHOLE.fullmatch(text) else text


def _to_text(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


_REQUIRED = object()


def _member(data: Mapping[str, Any], name: str, kind: type, default: Any = _REQUIRED) -> Any:
    value = data.get(name, default)
    if value is _REQUIRED:
        raise RecordError(f"{name} is missing")
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        kinds = {Mapping: "an object", list: "a list", str: "a text", int: "a whole number"}
        raise RecordError(f"{name} is {kinds[kind]}, not {value!r}")
    return value


def _text(data: Mapping[str, Any], name: str) -> str:
    return str(_member(data, name, str))


def _number(data: Mapping[str, Any], name: str) -> int:
    return int(_member(data, name, int))


def _hex(data: Mapping[str, Any], name: str) -> bytes:
    try:
        return commitment_from_hex(_text(data, name))
    except RecordError:
        raise
    except ValueError:
        raise RecordError(f"{name} has 64 hexadecimal digits") from None


def _numbers(data: Mapping[str, Any], of: str, name: str) -> tuple[int, ...]:
    values = _member(data, name, list, [])
    if not all(type(value) is int for value in values):
        raise RecordError(f"{of}.{name} are whole numbers, not {values!r}")
    return tuple(values)
