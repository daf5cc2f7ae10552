"""What the processes that run commands are like."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

THREADS = "OPENBLAS_NUM_THREADS"
LOOK = f"""
import json, os
import croupier_tournament.commands.playing
import numpy, scipy.linalg
square = numpy.eye(600) @ numpy.eye(600)
scipy.linalg.cho_factor(square)
print(json.dumps([len(os.listdir("/proc/self/task")), os.environ.get({THREADS!r})]))
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads in /proc")
@pytest.mark.parametrize("given", [None, "1", "2"])
def test_linear_algebra_takes_one_thread_unless_somebody_says_otherwise_and_entrants_do_not_inherit_that(given):
    env = {name: value for name, value in os.environ.items() if name != THREADS}
    env |= {} if given is None else {THREADS: given}
    done = subprocess.run([sys.executable, "-c", LOOK], env=env, capture_output=True, text=True, check=True)
    threads, left = json.loads(done.stdout)
    assert left == given
    assert (threads > 1) == (given == "2")
