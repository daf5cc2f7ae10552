"""Lets the tests here import the helpers of the sessions' tests, and the kernel's toy game, by name."""

import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS / "sessions"), str(TESTS / "kernel")]


@pytest.fixture
def hall():
    """A host whose time, bots and store are in the test's hand."""
    from hall import Hall

    return Hall()
