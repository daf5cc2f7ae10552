"""Loads NumPy and SciPy for commands, with one thread each.

Matrices are as wide as there are entrants, and multiplied in no time. The threads that OpenBLAS would do it with wait
for the next one by turning in circles, on processors that servers and bots have a use for.
"""

import importlib
import os

THREADS = "OPENBLAS_NUM_THREADS"
"""Read when the libraries are loaded, and then never again: what is started later inherits nothing of it."""

_given = os.environ.get(THREADS)
os.environ.setdefault(THREADS, "1")
try:
    for _library in ("numpy", "scipy.linalg"):  # each brings an OpenBLAS of its own
        importlib.import_module(_library)
finally:
    if _given is None:
        del os.environ[THREADS]
