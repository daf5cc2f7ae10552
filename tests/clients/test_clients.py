"""What the tools for the SDKs say where something is wrong; that they do their work is seen by `make test-clients`."""

import json
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import run as tool  # noqa: E402 - found on the path above
import together  # noqa: E402
from languages import ROOT, TABLE, Language, TableError, languages  # noqa: E402

SECTION = '[klingon]\ntools = ["no-such-tool", "sh"]\nrandom = ["random"]\ngreedy = ["greedy", "-g"]\n'


@pytest.fixture
def table(tmp_path):
    def write(text):
        path = tmp_path / "languages.toml"
        path.write_text(text)
        return path

    return write


def run(*arguments):
    done = subprocess.run(
        [sys.executable, str(HERE / "run.py"), *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_every_language_of_the_table_has_its_folder_and_every_folder_its_section():
    folders = {path.parent.name for path in (ROOT / "clients").glob("*/Makefile")}
    assert {language.name for language in languages()} == folders


def test_every_makefile_has_the_targets_that_the_page_promises():
    page = (ROOT / "clients/README.md").read_text("utf-8")
    promised = [
        target
        for target in ("build", "test", "lint", "format", "proto", "proto-check", "clean")
        if f"`{target}`" in page
    ]
    assert len(promised) == 7
    for language in languages():
        makefile = (ROOT / "clients" / language.name / "Makefile").read_text("utf-8")
        assert [target for target in promised if f"\n{target}:" not in makefile] == [], language.name


def test_a_section_is_read(table):
    [language] = languages(table=table(SECTION))
    assert language == Language("klingon", "klingon", ("no-such-tool", "sh"), ("random",), ("greedy", "-g"), 1.0)
    assert language.missing == ["no-such-tool"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SECTION.replace('["random"]', '"random"'), r"\[klingon\]: random is a list of texts, not 'random'"),
        (SECTION.replace('["random"]', "[]"), r"\[klingon\]: random is a list of texts, not \[\]"),
        (SECTION + "sped = 3", r"\[klingon\]: there is no sped"),
        (SECTION + "speed = 0", r"\[klingon\]: speed is a number above 0, not 0"),
    ],
)
def test_a_section_that_is_wrong_is_named(text, said, table):
    with pytest.raises(TableError, match=said):
        languages(table=table(text))


def test_a_language_that_is_not_there_is_wrong_usage():
    code, _, err = run("klingon")
    assert code == 2
    assert (
        f"'klingon' is no language of clients/languages.toml; there are: {', '.join(tomllib.loads(TABLE.read_text()))}"
        in err
    )


def test_a_step_that_fails_is_told_and_ends_its_language(capsys):
    failures = []
    commands = {"build": ["true"], "test": ["sh", "-c", "echo oh no; exit 3"], "later": ["true"]}
    assert not tool.done("klingon", commands, None, failures)
    assert failures == ["klingon: test: exit code 3"]
    said = capsys.readouterr().out
    assert "klingon: build" in said
    assert "oh no" in said
    assert "later" not in said


def test_missing_tools_are_named_and_fail_unless_they_may_be_missing(table, capsys):
    [language] = languages(table=table(SECTION))
    failures = []
    assert not tool.has_its_tools(language, failures, skip=False)
    assert failures == [
        "klingon: not on this machine: no-such-tool (install it, or leave the language out with --skip-missing)"
    ]
    assert not tool.has_its_tools(language, failures, skip=True)
    assert len(failures) == 1
    assert capsys.readouterr().out.endswith("klingon: not on this machine: no-such-tool, left out\n")


def test_a_command_can_be_run_in_any_folder(tmp_path):
    [python] = languages(["python"])
    told = subprocess.check_output(python.anywhere(["pwd"]), cwd=tmp_path, text=True)
    assert told.strip() == str(ROOT)


def test_the_tournament_has_every_language_and_fills_up_with_bots_of_the_house(table):
    spec = tomllib.loads(together.described("trades", languages(table=table(SECTION)), 10))
    assert [entrant["name"] for entrant in spec["entrants"]] == ["klingon", "house-1", "house-2", "house-3"]
    assert spec["entrants"][0]["command"][-1] == "random"
    assert (spec["game"], spec["seats"], spec["blocks"]) == ("trades", 4, 3)


def test_faults_are_counted_by_who_and_what(tmp_path):
    lines = [
        {"entrants": ["go", "rust"], "faults": [{"late": 2}, {}]},
        {"entrants": ["rust", "go"], "faults": [{"illegal": 1}, {"late": 1}]},
    ]
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert together.counted(path) == (2, Counter({("go", "late"): 3, ("rust", "illegal"): 1}))
