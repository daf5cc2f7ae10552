"""Lets the tests here import their helpers, and those of the ratings, by name."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "rating")]
