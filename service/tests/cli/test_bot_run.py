"""``croupier bot run``: what the bot is given, when it is started again, and how that ends.

Here too: wrong usage of ``croupier bot practice``, whose games are in tests/e2e.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from croupier_service.cli.bots.command import named
from croupier_service.cli.bots.practice import practice
from croupier_service.cli.bots.run import run_

PATIENCE = 60


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Nothing of this shell's is for the bot."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith("CROUPIER_"):
            monkeypatch.delenv(name)


def bot(text):
    """The command of a bot that does this."""
    Path("my_bot.py").write_text(text)
    return ["--", sys.executable, "my_bot.py"]


SHOW = "import os; print(*sorted(f'{k}={v}' for k, v in os.environ.items() if k.startswith('CROUPIER_')), sep='\\n')"


def test_a_bot_is_told_in_its_environment_where_to_play(capsys):
    Path("ca.pem").write_text("")
    options = ["--target", "cards:7", "--token", "secret", "--tls-ca", "ca.pem", "--tls"]
    assert run_([*options, *bot(SHOW)]) == 0
    said = Path("my_bot.log").read_text().splitlines()
    assert said == [
        "CROUPIER_NAME=my_bot",
        "CROUPIER_TARGET=cards:7",
        "CROUPIER_TLS=1",
        f"CROUPIER_TLS_CA={Path.cwd() / 'ca.pem'}",
        "CROUPIER_TOKEN=secret",
    ]
    assert "secret" not in capsys.readouterr().out


def test_the_log_can_be_elsewhere_and_keeps_what_is_there():
    Path("here.log").write_text("before\n")
    assert run_(["--log", "here.log", "--name", "ann", *bot(SHOW)]) == 0
    assert Path("here.log").read_text().splitlines()[:2] == ["before", "CROUPIER_NAME=ann"]


def test_a_bot_that_fails_is_started_again_until_it_does_not(capsys):
    text = "import pathlib, sys\np = pathlib.Path('runs'); n = len(p.read_text()) if p.exists() else 0\n"
    text += "p.write_text('x' * (n + 1)); print('run', n); sys.exit(3 if n < 2 else 0)"
    assert run_(["--format", "json", *bot(text)]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["event"] for one in told] == ["started", "ended", "waiting"] * 2 + ["started", "ended"]
    assert [one["code"] for one in told if one["event"] == "ended"] == [3, 3, 0]
    assert all(0 <= one["again_in"] <= 0.4 for one in told if one["event"] == "waiting")
    assert Path("my_bot.log").read_text() == "run 0\nrun 1\nrun 2\n"


def test_a_bot_that_keeps_failing_is_given_up_and_what_it_said_is_shown(capsys):
    assert run_(["--restarts", "1", *bot("raise SystemExit('my_bot: UNAUTHENTICATED: no such token')")]) == 1
    said = capsys.readouterr().out
    assert said.count("started") == 3  # twice, and once more in the last line
    assert "ended with exit code 1 after" in said
    assert "  my_bot: UNAUTHENTICATED: no such token" in said
    assert "it was started 2 times in vain: given up" in said


def test_what_is_told_of_the_command_can_be_run_again(capsys):
    Path("my bot.py").write_text("raise SystemExit(1)")
    assert run_(["--restarts", "0", "--", sys.executable, "my bot.py"]) == 1
    said = capsys.readouterr().out
    assert f"started {sys.executable} 'my bot.py'; what it says is in my-bot.log" in said
    assert "it was started once in vain: given up" in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_who_is_asked_to_end_ends_the_bot(number):
    text = "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(print('bye')))\n"
    text += "print('ready', flush=True)\ntime.sleep(600)"
    program = "import sys; from croupier_service.cli.bots.run import run_; sys.exit(run_(sys.argv[1:]))"
    with subprocess.Popen(
        [sys.executable, "-P", "-c", program, "--format", "json", *bot(text)], stdout=subprocess.PIPE, text=True
    ) as running:
        assert json.loads(running.stdout.readline())["event"] == "started"
        while not Path("my_bot.log").exists() or "ready" not in Path("my_bot.log").read_text():
            assert running.poll() is None
        running.send_signal(number)
        out, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0
    assert json.loads(out)["event"] == "stopped"
    assert Path("my_bot.log").read_text() == "ready\nbye\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--name", "Ann", "--", "true"], "is 1 to 64 characters a-z 0-9 - _ . , not 'Ann'"),
        (["--name", "ann"], "is missing: croupier bot run -- python mybot.py"),
        (["--", "no-such-program"], "there is no program 'no-such-program' to be run"),
        (["--tls-ca", "no.pem", "--", "true"], "file 'no.pem' does not exist."),
        (["--log", ".", "--", "true"], "--log: . cannot be written: Is a directory"),
        (["--log", "taken/x.log", "--", "true"], "--log: taken/x.log cannot be written: "),
    ],
)
def test_wrong_usage_is_explained(arguments, said, capsys):
    Path("taken").write_text("")
    assert run_(arguments) == 2
    assert said in " ".join(capsys.readouterr().err.replace("File", "file").replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--game", "chess", "--", "true"], "no game is called 'chess'; there are: "),
        (["--game", "trick-stakes", "--seats", "9", "--", "true"], "is played with 3 to 4 seats, not 9"),
        (["--seats", "99", "--", "true"], "no game is played with 99 seats"),
        (["--against", "me", "--", "true"], "is greedy, random, mixed, not 'me'"),
        (["--games", "3"], "is missing: croupier bot practice -- python mybot.py"),
        (["--log", ".", "--", "true"], "--log: . cannot be written: Is a directory"),
        (["--records", ".", "--", "true"], "--records: . cannot be written: Is a directory"),
        (["--records", "taken/x.jsonl", "--", "true"], "--records: taken/x.jsonl cannot be written: "),
    ],
)
def test_wrong_usage_of_practice_is_explained(arguments, said, capsys):
    Path("taken").write_text("")
    assert practice(arguments) == 2
    assert said in " ".join(capsys.readouterr().err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["python", "bots/My Bot.py"], "my-bot"),
        (["java", "-jar", "target/ann-1.2.jar"], "ann-1.2"),
        (["bin/greedy", "--fast"], "greedy"),
        (["python", "-m", "croupier.examples.random_bot", "-v"], "random_bot"),
        (["./-"], "bot"),
    ],
)
def test_a_name_is_made_from_the_command(command, name):
    assert named(None, command) == name
