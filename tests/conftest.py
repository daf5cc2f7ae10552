"""Lets everything below import what the tests share: ``processes``, ``bots``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
