"""The examples in docstrings are true."""

import doctest
import importlib

import pytest

MODULES = ["backoff", "envelope", "errors", "examples.timing", "running", "seats", "trades", "trick_and_trade"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    failures, examples = doctest.testmod(importlib.import_module(f"croupier.{name}"))
    assert failures == 0
    assert examples > 0
