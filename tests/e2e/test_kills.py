"""Whatever is killed, and however often, a tournament ends with the bytes of one that nobody has disturbed.

The short version kills each kind of process once. `CROUPIER_KILLS=30 make test ARGS="tests/e2e/test_kills.py -s"` kills
something thirty times, at other moments each time; CROUPIER_KILLS_SEED repeats a run.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import uuid
from pathlib import Path

import pytest
from processes import command
from tournaments import planned

from croupier_tournament.run.verifying import verify_folder

KILLS = int(os.environ.get("CROUPIER_KILLS", "3"))
BLOCKS = 12 + 4 * KILLS
PATIENCE = 120.0 + 30 * KILLS
FILES = ("standings.json", "games.jsonl", "records.tar.gz")

pytestmark = [
    pytest.mark.timeout(3 * PATIENCE),
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc"),
]


def spec():
    bot = [sys.executable, "-P", "-m"]
    return {
        "title": "Kills",
        "game": "trick-and-trade",
        "seats": 3,
        "blocks": BLOCKS,
        "entrants": [
            {"name": "greedy", "command": [*bot, "croupier.examples.greedy"]},
            {"name": "ann", "command": [*bot, "croupier.examples.random_bot", "--seed", "ann"]},
            {"name": "bob", "command": [*bot, "croupier.examples.random_bot", "--seed", "bob"]},
            {"name": "house", "house": "greedy"},
        ],
        "clock": {"think_time_s": 600},
        "limits": {"restarts": 1000},
        "run": {"concurrency": 6},
    }


def tournament(path):
    return planned(path, spec(), bytes(range(32)))


class Run:
    """A runner as a process; all that it starts can be told by a mark in the environment."""

    def __init__(self, folder):
        self.mark = f"CROUPIER_KILLS_MARK={uuid.uuid4()}"
        name, _, value = self.mark.partition("=")
        self.process = subprocess.Popen(
            [*command(), "tournament", "resume", str(folder), "--format", "jsonl"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, name: value},
        )
        self._watch = threading.Timer(PATIENCE, self.process.kill)
        self._watch.start()

    def blocks(self, count):
        """Wait until so many more blocks are final; False where it ends before."""
        for line in self.process.stdout:
            count -= json.loads(line)["event"] == "block"
            if count <= 0:
                return True
        return False

    def end(self):
        _, stderr = self.process.communicate()
        self._watch.cancel()
        return self.process.returncode, stderr

    def find(self, *words):
        """A process of it whose command line holds all these words; None where there is none now."""
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                marked = self.mark.encode() in (folder / "environ").read_bytes().split(b"\0")
                if marked and set(words) <= set((folder / "cmdline").read_bytes().decode().split("\0")):
                    return int(folder.name)
            except OSError:
                continue
        return None


TARGETS = {
    "runner": ("resume",),
    "server": ("serve",),
    "greedy": ("croupier.examples.greedy",),
    "ann": ("croupier.examples.random_bot", "ann"),
    "bob": ("croupier.examples.random_bot", "bob"),
}


def test_killed_at_random_and_resumed_it_ends_with_the_same_bytes(tmp_path):
    calm = Run(tournament(tmp_path / "calm"))
    shaken_folder = tournament(tmp_path / "shaken")
    code, stderr = calm.end()
    assert code == 0, stderr

    seed = os.environ.get("CROUPIER_KILLS_SEED", uuid.uuid4().hex)
    dice = random.Random(seed)
    print(f"CROUPIER_KILLS_SEED={seed}")
    kills = ["runner", "server", "greedy", *dice.choices(list(TARGETS), k=KILLS)]
    kills = dice.sample(kills[:KILLS], KILLS)
    killed = []
    run = Run(shaken_folder)
    while kills and run.blocks(dice.randint(1, 4)):
        pid = run.find(*TARGETS[kills[-1]])
        if pid is None:
            continue
        os.kill(pid, signal.SIGKILL)
        killed.append(kills.pop())
        if killed[-1] == "runner":
            code, _ = run.end()
            assert code == -signal.SIGKILL
            run = Run(shaken_folder)
    code, stderr = run.end()
    assert code == 0, stderr
    assert len(killed) == KILLS, f"it was over before these could be killed: {kills}"

    print(f"killed: {', '.join(killed)}")
    for name in FILES:
        assert (shaken_folder / name).read_bytes() == (tmp_path / "calm" / name).read_bytes(), name
    assert verify_folder(shaken_folder, jobs=1).problems == []
