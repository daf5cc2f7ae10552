"""The pages of the documentation about these commands say what there is."""

import json
import re
from pathlib import Path

import pytest
from json_schema import violations
from typer.main import get_command

from croupier_service.cli.record import app as record_app
from croupier_service.cli.session import app as session_app
from croupier_service.store.main import store_app

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "reference/commands.md").read_text("utf-8")
APPS = {
    "session": get_command(session_app),
    "record": get_command(record_app),
    "store": get_command(store_app),
}


def section(group, command):
    """What the page says of a command."""
    of_group = PAGE.partition(f"## croupier {group}\n")[2].partition("\n## ")[0]
    return re.split(r"\n### ", of_group.partition(f"### {command} ")[2] or of_group.partition(f"### {command}\n")[2])[0]


@pytest.mark.parametrize(
    ("group", "command"), [(group, command) for group, app in APPS.items() for command in app.commands]
)
def test_every_option_is_in_the_reference_and_no_other(group, command):
    shared = PAGE.partition("## Connecting")[2].partition("\n## ")[0]
    shared += PAGE.partition(f"## croupier {group}\n")[2].partition("\n### ")[0]
    said = set(re.findall(r"--[a-z][a-z-]+", section(group, command) + shared)) - {"--help"}
    options = {
        name
        for parameter in APPS[group].commands[command].params
        for name in (*parameter.opts, *parameter.secondary_opts)
        if name.startswith("--")
    } - {"--help"}
    assert options <= said | {"--format"}
    assert set(re.findall(r"--[a-z][a-z-]+", section(group, command))) <= options


def test_the_record_of_the_reference_follows_the_schema():
    (text,) = re.findall(r"```json\n(.*?)```", (DOCS / "reference/records.md").read_text("utf-8"), re.DOTALL)
    assert violations(json.loads(text)) == []
