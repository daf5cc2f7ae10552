"""Lets the tests here import their helpers, those of the sessions' tests and the kernel's toy game, by name."""

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "sessions"), str(FOLDER.parent / "kernel")]


@pytest.fixture
def hall():
    """A host whose time, bots and store are in the test's hand."""
    from hall import Hall

    return Hall()


@pytest.fixture
async def server():
    """A real server on a free port, and stubs for it."""
    from serving import Serving

    async with Serving() as serving:
        yield serving


@pytest.fixture
def cinema():
    """A hall in which sessions can be watched."""
    from cinema import Cinema

    return Cinema()
