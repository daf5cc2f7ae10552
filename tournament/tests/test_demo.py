"""``croupier demo`` as a program: small runs, and what can end one early."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from croupier_tournament.demo import demo

PATIENCE = 120  # seconds, for a busy machine
COMMAND = [sys.executable, "-c", "import sys; from croupier.cli import main; sys.exit(main())", "demo"]

pytestmark = pytest.mark.timeout(2 * PATIENCE)
needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")


class Demo:
    """A demo as a process, whose own processes can be told by a mark in their environment."""

    def __init__(self, folder, *arguments):
        self.folder = folder
        self.mark = f"CROUPIER_DEMO_TEST={uuid.uuid4()}"
        name, _, value = self.mark.partition("=")
        self.process = subprocess.Popen(
            [*COMMAND, "--dir", str(folder), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, name: value, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
        )

    def until(self, sign):
        """Wait until it says something like this on stderr."""
        for line in self.process.stderr:
            if re.search(sign, line):
                return
        raise AssertionError(f"it never said {sign!r}")

    def end(self):
        """Wait for its end; return exit code, stdout and stderr."""
        stdout, stderr = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, stdout, stderr

    def processes(self):
        """Return the command lines of all its processes that are alive, itself included, by their ids."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                command = (folder / "cmdline").read_bytes().decode().split("\0")
                if self.mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = command
        return found

    def left(self):
        """Return what is still alive after a moment."""
        deadline = time.monotonic() + 10
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.02)
        return self.processes()


@pytest.fixture
def start(tmp_path):
    started = []

    def start(*arguments):
        started.append(Demo(tmp_path / f"demo-{len(started)}", *arguments))
        return started[-1]

    yield start
    for it in started:
        it.process.kill()
        it.process.communicate()


@needs_proc
def test_a_small_run_ends_with_standings_a_report_and_proofs_and_the_same_seed_gives_the_same(start):
    it, other = start("--blocks", "5"), start("--blocks", "5", "--concurrency", "1")
    code, stdout, stderr = it.end()
    assert code == 0, stderr
    assert {"alice", "bob", "carol", "dave", "eve"} <= set(stdout.split())
    assert f"report: {it.folder / 'report.html'}" in stdout
    assert "verified: commitment, plan, 20 games with their seeds and records, standings" in stdout
    assert "Demonstration: trick-and-trade, 4 seats, 20 games on 5 deals" in stderr
    assert re.search(r"metrics on http://127\.0\.0\.1:\d+/metrics", stderr)
    assert "fork" not in stderr  # gRPC has nothing to do with the processes that are started
    assert it.left() == {}

    code, _, stderr = other.end()
    assert code == 0, stderr
    for name in ("standings.json", "games.jsonl", "records.tar.gz"):
        assert (it.folder / name).read_bytes() == (other.folder / name).read_bytes(), name
    assert json.loads((it.folder / "tournament.json").read_text())["state"] == "finished"


@needs_proc
def test_ctrl_c_stops_everything_and_says_how_to_go_on(start):
    it = start("--blocks", "4000")
    it.until("^[1-9].* of 16,000 games")
    it.process.send_signal(signal.SIGINT)
    it.until("pausing: games that run are played to their end")
    it.process.send_signal(signal.SIGINT)
    code, _, stderr = it.end()
    assert (code, it.left()) == (130, {})
    assert f"to go on: croupier tournament resume {it.folder}" in stderr


@needs_proc
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the kernel does not help")
def test_nothing_is_left_of_a_demo_that_is_killed(start):
    it = start("--blocks", "4000")
    it.until("^[1-9].* of 16,000 games")
    assert len(it.processes()) == 6
    it.process.kill()
    it.process.wait()
    assert it.left() == {}


# ---------------------------------------------------------------------------------------------------------- wrong usage


def test_a_folder_with_another_tournament_is_left_alone(tmp_path, capsys):
    (tmp_path / "runner.json").write_text("{}")
    (tmp_path / "spec.json").write_text('{"title": "The real thing"}')
    assert demo(["--dir", str(tmp_path)]) == 1
    assert f"{tmp_path} has another tournament: choose another folder with --dir" in capsys.readouterr().err
    assert (tmp_path / "spec.json").exists()


def test_an_unknown_game_is_told_with_those_that_there_are(tmp_path, capsys):
    assert demo(["--game", "poker", "--dir", str(tmp_path / "demo")]) == 2
    assert "game: no game is called 'poker'; there are: " in capsys.readouterr().err
    assert not (tmp_path / "demo").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seats", "6"], "--seats"),
        (["--blocks", "0"], "--blocks"),
        (["--blocks", "many"], "--blocks"),
        (["--concurrency", "0"], "--concurrency"),
        (["--colour"], "No such option"),
        (["now"], "unexpected extra argument"),
    ],
)
def test_wrong_usage_starts_nothing(capsys, arguments, words):
    assert demo(arguments) == 2
    assert words in capsys.readouterr().err


def test_help_tells_the_exit_codes_and_what_can_be_reproduced(capsys):
    assert demo(["--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for words in ("Exit codes: 0", "130 stopped by Ctrl-C", "The same seed", "--blocks", "--seats", "--dir"):
        assert words in said
