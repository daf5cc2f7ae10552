"""Identities over a store, with time in the test's hand."""

import pytest

from croupier_service.identity.registry import Identities
from croupier_service.store.memory import MemoryIdentities


class Clock:
    """Seconds; ``advance`` moves them."""

    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now

    def advance(self, seconds):
        self.now += seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store():
    return MemoryIdentities()


@pytest.fixture
def identities(store, clock):
    return Identities(store, wall_clock=clock, clock=clock)
