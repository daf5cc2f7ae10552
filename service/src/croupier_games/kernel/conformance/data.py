"""Plain data: what views, actions and results are made of, and how two of them are told apart."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


def difference(a: Any, b: Any, path: str = "") -> str | None:
    """Where two values differ, and how; None when they are alike to the last byte. Both are plain data."""
    if a is b:
        return None
    if type(a) is not type(b):
        return f"{path or 'value'} is {a!r} in one, {b!r} in the other"
    if is_dataclass(a):
        parts = ((f"{path}.{f.name}" if path else f.name, getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    elif isinstance(a, tuple):
        if len(a) != len(b):
            return f"{path or 'value'} has {len(a)} parts in one, {len(b)} in the other"
        parts = ((f"{path}[{i}]", x, y) for i, (x, y) in enumerate(zip(a, b, strict=True)))
    else:
        return None if a == b else f"{path or 'value'} is {a!r} in one, {b!r} in the other"
    return next((found for p, x, y in parts if (found := difference(x, y, p))), None)


def strange(value: Any, path: str) -> str | None:
    """What keeps a value from being plain data; None when nothing does.

    Plain data is frozen dataclasses, tuples, enums, int, str, bytes, bool and None. Sets and dicts are out: equal ones
    can differ in order. Floats are out: they can round differently elsewhere.
    """
    if is_dataclass(value) and not isinstance(value, type):
        if not is_frozen(type(value)):
            return f"{path} is a {type(value).__name__}, which is a dataclass but not frozen"
        parts = [(f"{path}.{f.name}", getattr(value, f.name)) for f in fields(value)]
        blind = [f.name for f in fields(value) if not f.compare]
        if blind or type(value).__eq__ is object.__eq__:
            return f"{path} is a {type(value).__name__}, whose comparison ignores {', '.join(blind) or 'its fields'}"
        return next((found for p, part in parts if (found := strange(part, p))), None)
    if isinstance(value, tuple):
        return next((found for i, part in enumerate(value) if (found := strange(part, f"{path}[{i}]"))), None)
    if value is None or isinstance(value, int | str | bytes | Enum):
        return None
    return f"{path} is a {type(value).__name__}; use frozen dataclasses, tuples, enums, int, str, bytes, bool, None"


def is_frozen(kind: Any) -> bool:
    """Whether it is a frozen dataclass."""
    parameters = getattr(kind, "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)


def spell(value: Any) -> Any:
    """A value as nested lists of texts that are the same in every process."""
    if is_dataclass(value) and not isinstance(value, type):
        return [type(value).__name__, *(spell(getattr(value, f.name)) for f in fields(value))]
    if isinstance(value, tuple | list):
        return [spell(part) for part in value]
    return repr(value)
