"""``croupier bot new``: what it writes, and what it will not. That projects build is seen by `make test-clients`."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from croupier_service.cli.bots.new import LANGUAGES, TEMPLATES, new

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_project_has_a_bot_a_test_a_readme_and_a_containerfile(language, tmp_path, capsys):
    assert new([str(tmp_path / "my-bot"), "--language", language, "--sdk", str(tmp_path), "--format", "json"]) == 0
    made = json.loads(capsys.readouterr().out)
    files = {str(path.relative_to(tmp_path / "my-bot")) for path in (tmp_path / "my-bot").rglob("*") if path.is_file()}
    assert files == set(made["files"])
    assert {"README.md", "Containerfile", ".gitignore", LANGUAGES[language].source.replace("@CLASS@", "MyBot")} < files
    assert (
        any("test" in name.lower() for name in files) or language == "rust"
    )  # whose tests stand beside what they test
    text = "".join((tmp_path / "my-bot" / name).read_text() for name in files)
    assert re.findall(r"@[A-Z]+@", text) == []
    assert str(tmp_path) in text + " ".join(made["build"])
    assert "my-bot" in text
    assert made["run"]


def test_every_template_is_of_a_language_that_can_be_chosen():
    assert {path.name for path in TEMPLATES.iterdir()} == {"common", *LANGUAGES}


def test_a_new_bot_in_python_passes_its_own_test_at_once(tmp_path, capsys):
    assert new([str(tmp_path / "ann")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "  croupier bot practice -- .venv/bin/python bot.py"
    assert tomllib.loads((tmp_path / "ann/pyproject.toml").read_text())["project"]["dependencies"] == [
        "croupier>=0.1,<0.2"
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], cwd=tmp_path / "ann", capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_name_is_that_of_the_folder_unless_given(tmp_path):
    assert new([str(tmp_path / "My First Bot")]) == 0
    assert "class MyFirstBot(croupier.Bot)" in (tmp_path / "My First Bot/bot.py").read_text()
    assert new([str(tmp_path / "x"), "--name", "deep-thought"]) == 0
    assert "class DeepThought(croupier.Bot)" in (tmp_path / "x/bot.py").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["here", "--language", "klingon"], "not 'klingon'"),
        (
            ["here", "--language", "go"],
            "is needed for go: its SDK is in no registry; name the folder clients/go of Croupier",
        ),
        (["here", "--name", "7up"], "is letters a-z, digits and hyphens, a letter first, not '7up'"),
        (["full"], "full is not empty"),
        ([], "Missing argument 'DIR'"),
    ],
)
def test_wrong_usage_is_explained_and_writes_nothing(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    assert new(arguments) == 2
    assert said.lower() in " ".join(capsys.readouterr().err.replace("│", " ").split()).lower()
    assert {path.name for path in tmp_path.rglob("*")} == {"full", "notes"}
