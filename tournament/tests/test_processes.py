"""Processes are watched, and none of them is left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from croupier_tournament.run.processes import LEASH, ProcessDied, Processes

SLEEP = "import time; time.sleep(600)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True)\n" + SLEEP


def python(program):
    return sys.executable, "-I", "-S", "-c", program


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_process_says_lines():
    async with Processes() as processes:
        process = await processes.start("it", *python(f"print('one'); print('two', flush=True)\n{SLEEP}"))
        assert [await process.line(30), await process.line(30)] == ["one\n", "two\n"]


async def test_leaving_stops_what_is_running():
    async with Processes() as processes:
        pids = []
        for name in ("one", "other"):
            process = await processes.start(name, *python(f"import os; print(os.getpid(), flush=True)\n{SLEEP}"))
            pids.append(int(await process.line(30)))
        assert all(map(alive, pids))
    assert not any(map(alive, pids))


async def test_leaving_by_an_error_stops_them_too():
    pids = []

    async def fail():
        async with Processes() as processes:
            process = await processes.start("it", *python(f"import os; print(os.getpid(), flush=True)\n{SLEEP}"))
            pids.append(int(await process.line(30)))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert not alive(pids[0])


async def test_one_that_does_not_want_to_end_is_ended():
    async with Processes() as processes:
        process = await processes.start("stubborn", *python(STUBBORN))
        await process.line(30)
        await processes.stop([process], signal.SIGTERM, patience=0.1)
        assert process.ended.result() == -signal.SIGKILL


async def test_one_that_dies_tells_how_and_what_it_said():
    async with Processes() as processes:
        await processes.start("healthy", *python(SLEEP))
        await processes.start("sick", *python("import sys; print('ouch', file=sys.stderr); sys.exit(3)"))
        assert str(await processes.first_death()) == "sick ended with exit code 3; the end of its stderr:\n  ouch"


async def test_only_the_end_of_a_long_complaint_is_told():
    async with Processes() as processes:
        await processes.start("sick", *python("import sys; [print(n, file=sys.stderr) for n in range(100_000)]"))
        lines = str(await processes.first_death()).splitlines()
    assert lines[0] == "sick ended with exit code 0; the end of its stderr:"
    assert lines[1:] == [f"  {number}" for number in range(99_988, 100_000)]


async def test_one_that_is_killed_is_told_by_the_signal():
    async with Processes() as processes:
        process = await processes.start("it", *python(f"import os; print(os.getpid(), flush=True)\n{SLEEP}"))
        os.kill(int(await process.line(30)), signal.SIGKILL)
        assert str(await processes.first_death()) == "it was ended by SIGKILL; it said nothing on stderr"


async def test_waiting_for_a_line_of_one_that_dies():
    async with Processes() as processes:
        process = await processes.start("sick", *python("import sys; print('ouch', file=sys.stderr); sys.exit(3)"))
        with pytest.raises(ProcessDied, match="sick ended with exit code 3; the end of its stderr:\n  ouch"):
            await process.line(30)


async def test_waiting_for_a_line_of_one_that_says_nothing():
    async with Processes() as processes:
        process = await processes.start("silent", *python(SLEEP))
        with pytest.raises(ProcessDied, match="silent said nothing for 0 s; it said nothing on stderr"):
            await process.line(0.2)


async def test_ctrl_c_on_the_terminal_reaches_only_the_parent():
    async with Processes() as processes:
        process = await processes.start("it", *python(f"import os; print(os.getsid(0), flush=True)\n{SLEEP}"))
        assert int(await process.line(30)) != os.getsid(0)


async def test_a_process_begins_with_ctrl_c_as_usual_even_in_the_background():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell's `&` does
    try:
        async with Processes() as processes:
            process = await processes.start("it", *python(f"print(flush=True)\n{SLEEP}"))
            await process.line(30)
            await processes.stop([process], signal.SIGINT, patience=30)
            assert process.ended.result() == -signal.SIGINT
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the kernel does not help")
def test_when_the_parent_is_killed_the_process_ends():
    command = [sys.executable, str(LEASH), "PARENT", *python(f"import os; print(os.getpid(), flush=True)\n{SLEEP}")]
    code = f"import os, subprocess\ncommand = {command!r}\ncommand[2] = str(os.getpid())\nsubprocess.run(command)"
    parent = subprocess.Popen(python(code), stdout=subprocess.PIPE, text=True)
    pid = int(parent.stdout.readline())
    assert alive(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while alive(pid) and time.monotonic() < deadline and "zombie" not in Path(f"/proc/{pid}/status").read_text():
        time.sleep(0.01)
    assert not alive(pid) or "zombie" in Path(f"/proc/{pid}/status").read_text()


def test_a_program_whose_parent_has_gone_already_does_not_start():
    done = subprocess.run([sys.executable, LEASH, "0", *python("print('here')")], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
