"""Running checks on bots: ``findings = await check(command, "pings")``."""

import sys

import pytest

from croupier_service.conformance import checks  # noqa: F401 - they register themselves
from croupier_service.conformance.check import CHECKS
from croupier_service.conformance.running import run
from croupier_service.conformance.stage import Settings


@pytest.fixture
def check(tmp_path):
    """Check a bot: by all checks, or by those named; returns the findings by name."""

    async def checked(*command, only=(), jobs=1, **settings):
        chosen = [check for check in CHECKS if not only or check.name in only]
        assert len(chosen) >= len(only)
        settings = Settings(tuple(map(str, command)), **settings)
        findings = run(chosen, settings, tmp_path, jobs, began=lambda check: None)
        return {finding.check.name: finding async for finding in findings}

    return checked


@pytest.fixture
def python():
    """The start of a command that runs a file."""
    return sys.executable, "-P"
