"""Calls to be made once something has happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")


class Calls(Generic[K]):
    """By a key that says what has to happen; each call is made once, and can be withdrawn before.

    >>> calls, heard = Calls[str](), []
    >>> withdraw = calls.add("dinner", lambda: heard.append("never"))
    >>> _ = calls.add("dinner", lambda: heard.append("coming"))
    >>> withdraw()
    >>> calls.make("dinner"), calls.make("dinner"), heard
    (None, None, ['coming'])
    """

    def __init__(self) -> None:
        self._calls: dict[K, dict[object, Callable[[], None]]] = {}

    def add(self, key: K, call: Callable[[], None]) -> Callable[[], None]:
        """Make this call once it has happened. Returns what withdraws it; it does nothing when the call was made."""
        token = object()
        self._calls.setdefault(key, {})[token] = call

        def withdraw() -> None:
            calls = self._calls.get(key)
            if calls is not None and calls.pop(token, None) is not None and not calls:
                del self._calls[key]

        return withdraw

    def make(self, key: K) -> None:
        """It has happened."""
        for call in self._calls.pop(key, {}).values():
            call()
