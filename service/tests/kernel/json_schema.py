"""The published schema of records."""

import json
from pathlib import Path

from jsonschema import Draft202012Validator

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/reference/record.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def violations(value):
    """Where a value breaks the schema, and how."""
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(value)]
