"""Runs a program that cannot outlive its parent: `python leash.py PARENT_PID PROGRAM ARGUMENT ...`.

Not to be imported: the parent starts it by its path, and it becomes the program. On Linux the kernel then ends the
program when the parent is gone, however that went; elsewhere only the parent itself can see to it.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    parent, *program = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # what a shell starts in the background begins with it ignored
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):
        sys.exit(1)  # it has gone in the meantime
    os.execv(program[0], program)  # noqa: S606 -- no shell is wanted
