"""Pages of long lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from croupier_service.sessions.errors import BadRequest

T = TypeVar("T")

DEFAULT_SIZE, MAX_SIZE = 100, 1000


def page(items: Sequence[T], size: int, token: str, key: Callable[[T], str]) -> tuple[Sequence[T], str]:
    """The items after the one whose key is ``token``, and the next page's token.

    A token names an item rather than a place, so nothing moves when items are added in front. Raises BadRequest.
    """
    size = page_size(size)
    first = 0
    if token:
        first = next((number for number, item in enumerate(items, start=1) if key(item) == token), 0)
        if not first:
            raise bad_token()
    found = items[first : first + size + 1]
    return found[:size], key(found[size - 1]) if len(found) > size else ""


def page_size(asked: int) -> int:
    """How many items a page has; 0 asks for the default. Raises BadRequest."""
    if asked > MAX_SIZE:
        raise BadRequest("OUT_OF_RANGE", f"is 0 to {MAX_SIZE:,}, not {asked:,}", "page_size")
    return asked or DEFAULT_SIZE


def bad_token() -> BadRequest:
    """There is no page of that token."""
    return BadRequest("BAD_TOKEN", "is not the token of a previous page", "page_token")
