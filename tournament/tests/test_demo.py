"""``croupier demo`` as a program: small runs, and everything that can end one early."""

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

    def __init__(self, *arguments):
        self.mark = f"CROUPIER_DEMO_TEST={uuid.uuid4()}"
        name, _, value = self.mark.partition("=")
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, name: value, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80"},
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

    def find(self, *words):
        """Return the id of the one of its processes whose command line holds these words."""
        (pid,) = (pid for pid, command in self.processes().items() if set(words) <= set(command))
        return pid

    def left(self):
        """Return what is still alive after a moment."""
        deadline = time.monotonic() + 10
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.02)
        return self.processes()


@pytest.fixture
def start():
    started = []

    def start(*arguments):
        started.append(Demo(*arguments))
        return started[-1]

    yield start
    for it in started:
        it.process.kill()
        it.process.communicate()


@needs_proc
def test_a_small_run_ends_with_a_table_and_proofs_and_the_same_seed_gives_the_same(start, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    it, other = start("--games", "12"), start("--games", "20", "--format", "json", "--concurrency", "1")
    code, stdout, stderr = it.end()
    assert code == 0
    lines = [line.strip() for line in stdout.splitlines()]
    assert lines[1].split() == ["bot", "kind", "games", "points", "wins", "place", "p50", "ms", "p99", "ms", "faults"]
    table = [line.split() for line in lines[3:8]]
    for _, kind, games, _, wins, place, p50, p99, faults in table:
        assert (kind in {"greedy", "random"}, games, faults) == (True, "16", "0")
        assert 0 <= float(wins) <= 16
        assert 1 <= float(place) <= 4
        assert 0 < float(p50) <= float(p99)
    assert any(re.fullmatch(r"1,4\d\d decisions in [\d.]+ s: [\d,]+ a second\.", line) for line in lines)
    assert "20 of 20 results proven: fetched as records, replayed by the rules." in lines
    assert "(12 asked for; only whole rounds are fair)" in stderr
    assert re.search(r"metrics  http://127\.0\.0\.1:\d+/metrics", stderr)

    code, stdout, _ = other.end()
    told = json.loads(stdout)
    assert (code, told["verified"]) == (0, 20)
    rows = [(row["bot"], row["mean_points"], row["wins"], row["average_placing"]) for row in told["standings"]]
    assert [row[:1] + row[3:6] for row in table] == [
        [bot, f"{points:.1f}", f"{wins:.1f}", f"{place:.2f}"] for bot, points, wins, place in rows
    ]
    assert sum(wins for _, _, wins, _ in rows) == pytest.approx(20)

    assert (it.left(), other.left(), list(tmp_path.iterdir())) == ({}, {}, [])


@needs_proc
def test_ctrl_c_stops_everything_and_shows_what_has_been_played(start):
    it = start("--games", "50000")
    it.until("^games: ")
    it.process.send_signal(signal.SIGINT)
    code, stdout, _ = it.end()
    assert (code, it.left()) == (130, {})
    assert re.search(r"Stopped after [1-9]\d* of 50000 games\.", stdout)
    assert re.search(r"alice +greedy", stdout)


@needs_proc
def test_a_signal_before_the_first_game(start):
    it = start()
    while len(it.processes()) < 2:
        time.sleep(0.01)
    it.process.send_signal(signal.SIGTERM)
    code, stdout, stderr = it.end()
    assert (code, stdout, it.left()) == (143, "", {})
    assert stderr.endswith("croupier demo: stopped\n")


@needs_proc
@pytest.mark.parametrize(
    ("words", "name"), [(("--name", "bob"), "bob"), (("serve",), "the server")], ids=["a bot", "the server"]
)
def test_a_process_that_dies_is_told_and_ends_the_demo(start, words, name):
    it = start("--games", "50000")
    it.until("^games: ")
    os.kill(it.find(*words), signal.SIGKILL)
    code, stdout, stderr = it.end()
    assert (code, stdout, it.left()) == (1, "", {})
    assert f"croupier demo: {name} was ended by SIGKILL" in stderr


@needs_proc
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the kernel does not help")
def test_nothing_is_left_of_a_demo_that_is_killed(start):
    it = start("--games", "50000")
    it.until("^games: ")
    assert len(it.processes()) == 7
    it.process.kill()
    it.process.wait()
    assert it.left() == {}


# ---------------------------------------------------------------------------------------------------------- wrong usage


def test_an_unknown_game_is_told_with_those_that_there_are(capsys):
    assert demo(["--game", "poker"]) == 2
    said = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert "--game: no game is called 'poker'; there are: " in said
    assert "trick-and-trade" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seats", "6"], "--seats"),
        (["--seats", "2"], "--seats"),
        (["--games", "0"], "--games"),
        (["--games", "many"], "--games"),
        (["--concurrency", "0"], "--concurrency"),
        (["--format", "xml"], "--format"),
        (["--colour"], "No such option"),
        (["now"], "unexpected extra argument"),
    ],
)
def test_wrong_usage_starts_nothing(capsys, arguments, words):
    assert demo(arguments) == 2
    assert words in capsys.readouterr().err


def test_help_tells_the_exit_codes_and_what_can_be_reproduced(capsys):
    assert demo(["--help"]) == 0
    said = capsys.readouterr().out
    for words in ("Exit codes: 0", "130 stopped by Ctrl-C", "The same seed", "--games", "--seats", "--format"):
        assert words in said
