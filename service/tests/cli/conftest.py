"""Lets the tests here import their helpers and the published schema's by name."""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "kernel")]
