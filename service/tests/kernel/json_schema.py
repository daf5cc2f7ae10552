"""The published schema of records, and as much of JSON Schema as it uses; any other keyword is an error."""

import json
import re
from pathlib import Path

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/reference/record.schema.json").read_text("utf-8"))
SAYS_NOTHING = {"$schema", "$id", "$defs", "title", "description", "format", "properties", "items"}
TYPES = {
    "object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None),
}  # fmt: skip


def violations(value, schema=SCHEMA, at="record"):
    """Where a value breaks the schema, and how."""
    found = []
    for keyword, rule in schema.items():
        if keyword not in SAYS_NOTHING:
            found += [f"{at}: {what}" for what in CHECKS[keyword](value, rule, schema)]
    if isinstance(value, dict):
        for name, member in value.items():
            rule = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            if isinstance(rule, dict):
                found += violations(member, rule, f"{at}.{name}")
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            found += violations(item, schema["items"], f"{at}[{number}]")
    return found


def of_type(value, kinds, _schema):
    kinds = [kinds] if isinstance(kinds, str) else kinds
    is_bool = isinstance(value, bool)
    fits = any(isinstance(value, TYPES[kind]) and (not is_bool or kind == "boolean") for kind in kinds)
    return [] if fits else [f"is {' or '.join(kinds)}, not {value!r}"]


def constant(value, rule, _schema):
    return [] if value == rule and type(value) is type(rule) else [f"is {rule!r}, not {value!r}"]


def one_of_these(value, rule, _schema):
    return [] if value in rule else [f"is one of {rule}, not {value!r}"]


def like(value, rule, _schema):
    return [f"is like {rule}, not {value!r}"] if isinstance(value, str) and not re.search(rule, value) else []


def at_least(value, rule, _schema):
    return [f"is at least {rule}, not {value!r}"] if isinstance(value, int) and value < rule else []


def with_members(value, rule, _schema):
    return [f"lacks {name}" for name in rule if name not in value] if isinstance(value, dict) else []


def without_others(value, rule, schema):
    if rule is not False or not isinstance(value, dict):
        return []
    return [f"has no member {name}" for name in value.keys() - schema.get("properties", {}).keys()]


def like_one_only(value, alternatives, _schema):
    fitting = sum(not violations(value, alternative) for alternative in alternatives)
    return [] if fitting == 1 else [f"fits {fitting} of {len(alternatives)} alternatives: {value!r}"]


def referred(value, pointer, _schema):
    target = SCHEMA
    for step in pointer.removeprefix("#/").split("/"):
        target = target[step]
    return violations(value, target, pointer)


CHECKS = {
    "type": of_type,
    "const": constant,
    "enum": one_of_these,
    "pattern": like,
    "minimum": at_least,
    "required": with_members,
    "additionalProperties": without_others,
    "oneOf": like_one_only,
    "$ref": referred,
}
