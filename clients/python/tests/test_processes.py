"""Processes are kept running within their limits, and none of them is left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from croupier import Backoff
from croupier.processes import LEASH, Kept, Program, start, tail

PATIENCE = 30
SLEEP = "import time; time.sleep(600)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True)\n" + SLEEP
AT_ONCE = Backoff(base=0.0)


def python(program):
    return sys.executable, "-I", "-S", "-c", program


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "zombie" not in Path(f"/proc/{pid}/status").read_text() if Path("/proc").exists() else True


@pytest.fixture
def program(tmp_path):
    return lambda text, **others: Program(python(text), log=tmp_path / "logs" / "it.log", **others)


async def until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


async def said(path, sign):
    await until(lambda: path.exists() and sign in path.read_text())


async def test_what_it_says_goes_into_its_log_behind_what_is_there(program, tmp_path):
    for word in ("one", "two"):
        process = await start(program(f"import sys; print('{word}'); print('oh', file=sys.stderr)"))
        assert await process.end() == "ended with exit code 0"
    assert sorted((tmp_path / "logs" / "it.log").read_text().split()) == ["oh", "oh", "one", "two"]
    assert tail(tmp_path / "logs" / "it.log").count("\n") == 3


async def test_stdout_can_go_elsewhere(program, tmp_path):
    text = "import sys; print('one'); print('oh', file=sys.stderr)"
    await (await start(program(text, stdout=tmp_path / "out"))).end()
    assert ((tmp_path / "out").read_text(), (tmp_path / "logs" / "it.log").read_text()) == ("one\n", "oh\n")


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("import sys; sys.exit(3)", "ended with exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
    ],
)
async def test_how_it_ended_is_told(program, text, how):
    assert await (await start(program(text))).end() == how


async def test_a_program_that_is_not_there_is_told_in_its_log(tmp_path):
    process = await start(Program(["no-such-bot"], log=tmp_path / "it.log"))
    assert await process.end() == "ended with exit code 1"
    assert tail(tmp_path / "it.log") == "  no-such-bot: No such file or directory"


async def test_one_that_lives_too_long_is_ended(program):
    process = await start(program(SLEEP, time_s=0.1))
    assert await process.end() == "lived for its 0.1 s"
    assert not alive(process.pid)


async def test_memory_is_limited(program, tmp_path):
    process = await start(program("bytearray(2**30)", limits={"AS": 512 * 2**20}))
    assert await process.end() == "ended with exit code 1"
    assert "MemoryError" in tail(tmp_path / "logs" / "it.log")


async def test_processor_time_is_limited(program):
    process = await start(program("while True: pass", limits={"CPU": 1}))
    assert await process.end() in ("was ended by SIGXCPU", "was ended by SIGKILL")


async def test_files_are_limited_in_number_and_size(program, tmp_path):
    text = "import os; print([os.open('/dev/null', 0) for _ in range(99)])"
    process = await start(program(text, limits={"NOFILE": 20}))
    assert await process.end() == "ended with exit code 1"
    assert "Too many open files" in tail(tmp_path / "logs" / "it.log")
    text = f"open({str(tmp_path / 'big')!r}, 'wb').write(bytes(10_000))"
    process = await start(program(text, limits={"FSIZE": 1000}))
    await process.end()
    assert (tmp_path / "big").stat().st_size == 1000


async def test_what_it_has_started_ends_with_it(program, tmp_path):
    child = f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {SLEEP!r}]); print(p.pid, flush=True)"
    process = await start(program(child))
    assert await process.end() == "ended with exit code 0"
    pid = int((tmp_path / "logs" / "it.log").read_text())
    await until(lambda: not alive(pid))


async def test_ctrl_c_on_the_terminal_reaches_only_the_parent(program, tmp_path):
    await (await start(program("import os; print(os.getsid(0))"))).end()
    assert int((tmp_path / "logs" / "it.log").read_text()) != os.getsid(0)


async def test_one_that_does_not_want_to_end_is_ended(program, tmp_path):
    process = await start(program(STUBBORN))
    await said(tmp_path / "logs" / "it.log", "ready")
    await process.stop(patience_s=0.1)
    assert not alive(process.pid)


async def test_one_that_is_kept_starts_again_until_it_is_given_up(program):
    ends = []

    def crashed(how):
        ends.append(how)
        return len(ends) < 3

    kept = Kept(program("import sys; sys.exit(5)"), crashed, AT_ONCE)
    await until(lambda: len(ends) == 3)
    await until(lambda: kept.process is None)
    await kept.close()
    assert ends == ["ended with exit code 5"] * 3


async def test_one_that_cannot_be_started_is_told_of_and_tried_again(program, tmp_path):
    ends, codes, folder = [], [], tmp_path / "later"

    def crashed(how):
        ends.append(how)
        codes.append(kept.code)
        folder.mkdir(exist_ok=True)
        return len(ends) < 2

    kept = Kept(program("import sys; sys.exit(5)", folder=folder), crashed, AT_ONCE)
    await until(lambda: len(ends) == 2)
    await kept.close()
    assert ends[0].startswith("cannot be started: [Errno 2]")
    assert (ends[1], codes) == ("ended with exit code 5", [1, 5])


async def test_one_that_crashes_again_and_again_waits_longer_and_longer(program):
    pauses, ends = [], []

    async def pause(seconds):
        pauses.append(seconds)

    kept = Kept(
        program("pass"), lambda how: ends.append(how) or len(ends) < 5, Backoff(random=lambda: 1.0, sleep=pause)
    )
    await until(lambda: len(ends) == 5)
    await kept.close()
    assert pauses == [0.2, 0.4, 0.8, 1.6]


async def test_closing_stops_what_is_kept_without_calling_it_a_crash(program, tmp_path):
    ends = []
    kept = Kept(program(f"print('ready', flush=True)\n{SLEEP}"), lambda how: ends.append(how) or True)
    await said(tmp_path / "logs" / "it.log", "ready")
    pid = kept.process.pid
    await kept.close()
    assert (ends, alive(pid)) == ([], False)


async def test_another_program_can_follow(program, tmp_path):
    kept = Kept(program("print('first', flush=True)\n" + SLEEP), lambda _: True, AT_ONCE)
    await said(tmp_path / "logs" / "it.log", "first")
    kept.follow(program("print('second', flush=True)\n" + SLEEP), lambda _: True)
    kept.process.kill()
    await said(tmp_path / "logs" / "it.log", "second")
    await kept.close()


async def test_a_process_begins_with_ctrl_c_as_usual_even_in_the_background(program, tmp_path):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell's `&` does
    try:
        process = await start(program(f"print('ready', flush=True)\n{SLEEP}"))
        await said(tmp_path / "logs" / "it.log", "ready")
        os.kill(process.pid, signal.SIGINT)
        assert await process.end() in ("was ended by SIGINT", "ended with exit code 130")
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the kernel does not help")
def test_when_the_parent_is_killed_the_process_ends():
    command = [
        sys.executable,
        str(LEASH),
        "PARENT",
        "-",
        *python(f"import os; print(os.getpid(), flush=True)\n{SLEEP}"),
    ]
    code = f"import os, subprocess\ncommand = {command!r}\ncommand[2] = str(os.getpid())\nsubprocess.run(command)"
    parent = subprocess.Popen(python(code), stdout=subprocess.PIPE, text=True)
    pid = int(parent.stdout.readline())
    assert alive(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + PATIENCE
    while alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_program_whose_parent_has_gone_already_does_not_start():
    done = subprocess.run([sys.executable, LEASH, "0", "-", *python("print('here')")], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
