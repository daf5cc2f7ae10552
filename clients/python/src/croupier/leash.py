"""Runs a program that cannot outlive its parent: `python leash.py PARENT_PID LIMITS PROGRAM ARGUMENT ...`.

Not to be imported: the parent starts it by its path, and it becomes the program. On Linux the kernel then ends the
program when the parent is gone, however that went; elsewhere only the parent itself can see to it.

LIMITS are those of the `resource` module: "CPU=60,AS=1073741824"; "-" where there are none.
"""

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    parent, limits, *program = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # what a shell starts in the background begins with it ignored
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):
        sys.exit(1)  # it has gone in the meantime
    for limit in limits.split(",") if limits != "-" else ():
        name, _, value = limit.partition("=")
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        most = int(value) if hard == resource.RLIM_INFINITY else min(int(value), hard)
        resource.setrlimit(kind, (most, most))
    try:
        os.execvp(program[0], program)  # noqa: S606 -- no shell is wanted
    except OSError as error:
        sys.exit(f"{program[0]}: {error.strerror}")
