"""Lets the tests here, and processes that they start, import their toy game by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
