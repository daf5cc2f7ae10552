"""A world to look at, shared by all tests; nothing here is collected unless `make test-ops` asks for it."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for world.py

if "CROUPIER_OPS" not in os.environ:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def world(tmp_path_factory) -> Iterator["object"]:
    """Server, tournament service, Prometheus and Alertmanager; a tournament is being played and has been scraped."""
    from world import World

    with World(tmp_path_factory.mktemp("world")) as it:
        yield it
