"""The command `croupier`."""

from importlib.metadata import EntryPoint, version

import pytest

from croupier import cli


def serve(arguments):
    """Host games for bots.

    More about it.
    """
    print("serving", *arguments)
    return 7


def interrupted(arguments):
    raise KeyboardInterrupt


def quiet(arguments):
    """Say nothing."""


@pytest.fixture(autouse=True)
def commands(monkeypatch):
    """Stand for what distributions have registered."""
    loaders = {"serve": serve, "interrupted": interrupted, "quiet": quiet}

    class Command(EntryPoint):
        def load(self):
            return loaders[self.name] if self.name in loaders else __import__("not_installed_at_all")

    names = [*loaders, "broken"]
    commands = [Command(name, f"package.{name}:main", "croupier.commands") for name in names]
    monkeypatch.setattr(cli, "entry_points", lambda group: commands if group == "croupier.commands" else [])


def test_a_command_gets_its_arguments_and_gives_the_exit_code(capsys):
    assert cli.main(["serve", "--port", "7700"]) == 7
    assert capsys.readouterr().out == "serving --port 7700\n"


def test_a_command_that_returns_nothing_has_succeeded():
    assert cli.main(["quiet"]) == 0


@pytest.mark.parametrize("argv", [["--help"], ["-h"], ["help"], []])
def test_help_lists_what_is_installed_and_says_how_to_get_more(argv, capsys):
    assert cli.main(argv) == 0
    out = capsys.readouterr().out
    assert "  serve        Host games for bots.\n" in out
    assert "`pip install ./service`, in a clone of Croupier, brings the server" in out


def test_a_command_that_cannot_be_loaded_does_not_hide_the_others(capsys):
    assert cli.main(["--help"]) == 0
    out = capsys.readouterr().out
    assert "  broken       cannot be loaded from package.broken:main: ModuleNotFoundError: No module named" in out
    assert "  serve        Host games for bots.\n" in out


def test_a_command_that_cannot_be_loaded_says_why(capsys):
    assert cli.main(["broken"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("croupier broken: cannot be loaded from package.broken:main: ModuleNotFoundError")
    assert captured.out == ""


def test_an_unknown_command_is_answered_with_the_nearest_one(capsys):
    assert cli.main(["sevre"]) == 2
    assert capsys.readouterr().err == "croupier: there is no command 'sevre'; did you mean `croupier serve`?\n"


def test_an_unknown_command_that_is_near_to_none_is_answered_with_the_list(capsys):
    assert cli.main(["xyzzy"]) == 2
    assert capsys.readouterr().err == "croupier: there is no command 'xyzzy'; `croupier --help` lists the commands.\n"


def test_version(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"croupier {version('croupier')}\n"


def test_ctrl_c_gives_130():
    assert cli.main(["interrupted"]) == 130


def test_without_any_command_the_help_still_helps(monkeypatch, capsys):
    monkeypatch.setattr(cli, "entry_points", lambda group: [])
    assert cli.main(["--help"]) == 0
    assert "(no commands are installed yet)" in capsys.readouterr().out


# Groups: commands with a dot in their name.


def create(arguments):
    """Make a bot."""
    print("creating", *arguments)
    return 5


def rotate(arguments):
    """Make a new token."""


@pytest.fixture
def group(monkeypatch):
    """A group to which two distributions have added."""

    class Command(EntryPoint):
        def load(self):
            return {"serve": serve, "bot.create": create, "bot.rotate": rotate}.get(self.name) or __import__("nothing_")

    points = [
        Command(name, "package:main", "croupier.commands") for name in ("serve", "bot.create", "bot.rotate", "bot.bad")
    ]
    monkeypatch.setattr(cli, "entry_points", lambda group: points)


def test_a_command_of_a_group_is_run(group, capsys):
    assert cli.main(["bot", "create", "ann", "--role", "bot"]) == 5
    assert capsys.readouterr().out == "creating ann --role bot\n"


@pytest.mark.parametrize("argv", [["bot"], ["bot", "--help"], ["bot", "-h"]])
def test_a_group_lists_its_commands(argv, group, capsys):
    assert cli.main(argv) == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: croupier bot COMMAND ...\n")
    assert "  create  Make a bot.\n" in out
    assert "  rotate  Make a new token.\n" in out
    assert "serve" not in out


def test_a_group_is_listed_once_with_what_is_in_it(group, capsys):
    assert cli.main([]) == 0
    assert "  bot    bad, create, rotate ...\n  serve  Host games for bots.\n" in capsys.readouterr().out


def test_an_unknown_command_of_a_group_is_answered_with_the_nearest_one(group, capsys):
    assert cli.main(["bot", "craete"]) == 2
    assert capsys.readouterr().err == (
        "croupier bot: there is no command 'craete'; did you mean `croupier bot create`?\n"
    )
    assert cli.main(["bto"]) == 2
    assert "did you mean `croupier bot`?" in capsys.readouterr().err


def test_a_command_of_a_group_that_cannot_be_loaded_says_why(group, capsys):
    assert cli.main(["bot", "bad"]) == 1
    assert capsys.readouterr().err.startswith("croupier bot bad: cannot be loaded from package:main: ModuleNotFound")
