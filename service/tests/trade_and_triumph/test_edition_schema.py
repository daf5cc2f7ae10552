"""The published schema of editions (``docs/reference/edition.schema.json``) says what the game reads."""

import copy
import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from croupier_games.trade_and_triumph import EditionError, load
from croupier_games.trade_and_triumph.edition import Edition, packaged, packaged_names
from croupier_games.trade_and_triumph.reading import CONDITIONS, PARTS

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs/reference/edition.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
TINY = (Path(__file__).parent / "tiny.toml").read_text("utf-8")
DATA = tomllib.loads(TINY)

JUNK = (
    None,
    True,
    False,
    0,
    -1,
    51,
    1_000,
    1.5,
    "",
    " ",
    "forest",
    "no such word",
    "two\nlines",
    [],
    [0],
    {},
    {"x": 1},
)


def places(data, path=()):
    """Every place of the data, by its path."""
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


PLACES = [path for path in places(DATA) if path]


def changed(path, how, junk):
    """The tiny edition with something changed at one place."""
    data = copy.deepcopy(DATA)
    part = data
    for key in path[:-1]:
        part = part[key]
    if how == "replaced":
        part[path[-1]] = junk
    elif how == "left out":
        del part[path[-1]]
    elif isinstance(part, dict):
        part["no-such-field"] = junk
    return data


def is_refused(data):
    """Whether the game refuses it."""
    try:
        Edition(data)
    except EditionError:
        return True
    return False


@pytest.mark.parametrize("text", [TINY, *(packaged(name).source for name in packaged_names())])
def test_what_the_game_plays_fits_the_schema(text):
    load(text)
    assert list(VALIDATOR.iter_errors(tomllib.loads(text))) == []


def test_the_schema_is_one_and_knows_the_whole_vocabulary():
    VALIDATOR.check_schema(SCHEMA)
    for name, known in (("effect", PARTS), ("condition", CONDITIONS)):
        assert [next(iter(kind["properties"])) for kind in SCHEMA["$defs"][name]["oneOf"]] == list(known)


@given(st.sampled_from(PLACES), st.sampled_from(("replaced", "left out", "added to")), st.sampled_from(JUNK))
def test_what_the_schema_refuses_the_game_refuses(path, how, junk):
    data = changed(path, how, junk)
    if not VALIDATOR.is_valid(data):
        assert is_refused(data)


def test_a_wrong_word_that_the_game_refuses_the_schema_refuses():
    wrong = [data for path in PLACES if is_refused(data := changed(path, "replaced", "no such word"))]
    assert len(wrong) > 100
    assert [data for data in wrong if VALIDATOR.is_valid(data)] == []
