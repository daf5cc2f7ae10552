"""Lets the tests here import their helpers and those of the sessions' and gRPC's tests by name."""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), *(str(FOLDER.parent / name) for name in ("sessions", "rpc", "kernel"))]
