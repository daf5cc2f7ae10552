"""Lets the tests here import their helpers, and the kernel's toy game, by name."""

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "kernel")]


@pytest.fixture
def hall():
    """A host whose time, bots and store are in the test's hand."""
    from hall import Hall

    return Hall()
