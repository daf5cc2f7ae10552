"""What holds for every test of every part."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def logs_as_they_were(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """How a test sets up the logs of the process holds for that test, and no logger keeps it."""
    configure = structlog.configure
    monkeypatch.setattr(structlog, "configure", lambda **how: configure(**{**how, "cache_logger_on_first_use": False}))
    yield
    structlog.reset_defaults()
