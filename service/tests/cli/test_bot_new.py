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
    assert capsys.readouterr().out.splitlines()[-1] == "  croupier bot practice --name ann -- .venv/bin/python bot.py"
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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["bot", "choice", "decision", "session", "settings"])
def test_a_bot_may_be_called_like_something_of_the_sdk(name, language, tmp_path):
    assert new([str(tmp_path / name), "--language", language, "--sdk", str(tmp_path)]) == 0
    text = "".join(path.read_text() for path in (tmp_path / name).rglob("*") if path.is_file())
    # What the SDK has is named with its package: no import brings in a second thing of this name.
    imported = (
        r"^(?:import croupier\.|import .*\b{0}\b.* from \"croupier|from croupier.* import .*\b{0}$|use croupier::)"
    )
    assert not re.search(imported.format(name.capitalize()), text, re.MULTILINE)


def test_a_bot_called_like_something_of_the_sdk_passes_its_own_test(tmp_path):
    assert new([str(tmp_path / "decision")]) == 0
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], cwd=tmp_path / "decision", capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_readme_plays_under_the_name_of_the_project(tmp_path):
    assert new([str(tmp_path / "ann")]) == 0
    text = (tmp_path / "ann/README.md").read_text()
    for command in ("run", "practice"):
        assert f"croupier bot {command} --name ann -- .venv/bin/python bot.py " in text


def test_the_sdk_is_that_of_the_checkout_and_has_to_be_named_outside_of_one(tmp_path, monkeypatch, capsys):
    assert new([str(tmp_path / "ann"), "--language", "typescript", "--format", "json"]) == 0
    sdk = ROOT / "clients/typescript"
    assert json.loads(capsys.readouterr().out)["build"][:2] == [
        f"npm --prefix {sdk} ci",
        f"npm --prefix {sdk} run build",
    ]
    monkeypatch.setattr("croupier_service.cli.bots.new.CHECKOUT", tmp_path)
    assert new([str(tmp_path / "bob"), "--language", "python"]) == 2
    said = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert "--sdk: is needed: the SDKs are in no registry yet; name the folder clients/python of a clone" in said
    assert not (tmp_path / "bob").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["here", "--language", "klingon"], "not 'klingon'"),
        (["here", "--name", "deep-7"], "'deep-7' becomes the class Deep7, which would play as 'deep7': take that name"),
        (["here", "--name", "croupier"], "'croupier' is taken by a language, a build tool or the SDK"),
        (["main"], "'main' is taken by a language, a build tool or the SDK; such as main-bot will do"),
        (["test", "--language", "cpp"], "'test' is taken by"),
        (["full/notes"], "full/notes cannot be a folder: Not a directory"),
        (["full/notes/x"], "full/notes/x cannot be a folder: Not a directory"),
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
