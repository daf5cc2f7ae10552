"""Pages of long lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from croupier_service.sessions.host import BadRequest

T = TypeVar("T")

DEFAULT_SIZE, MAX_SIZE = 100, 1000


def page(items: Sequence[T], size: int, token: str, key: Callable[[T], str]) -> tuple[Sequence[T], str]:
    """The items after the one whose key is ``token``, and the next page's token.

    A token names an item rather than a place, so items added in front meanwhile move nothing. Raises BadRequest.
    """
    if size > MAX_SIZE:
        raise BadRequest("OUT_OF_RANGE", f"is 0 to {MAX_SIZE:,}, not {size:,}", "page_size")
    first = 0
    if token:
        first = next((number for number, item in enumerate(items, start=1) if key(item) == token), 0)
        if not first:
            raise BadRequest("BAD_TOKEN", "is not the token of a previous page", "page_token")
    shown = items[first : first + (size or DEFAULT_SIZE)]
    more = first + len(shown) < len(items)
    return shown, key(shown[-1]) if more else ""
