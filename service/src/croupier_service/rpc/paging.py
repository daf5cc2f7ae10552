"""Pages of long lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeVar

from croupier_service.sessions.host import BadRequest

T = TypeVar("T")

DEFAULT_SIZE, MAX_SIZE = 100, 1000


def page(
    items: Sequence[T], size: int, token: str, key: Callable[[T], str], wanted: Callable[[T], bool] = lambda _: True
) -> tuple[Sequence[T], str]:
    """The wanted items after the one whose key is ``token``, and the next page's token.

    A token names an item rather than a place, wanted or not any more, so nothing moves when items are added in front or
    change meanwhile. Raises BadRequest.
    """
    if size > MAX_SIZE:
        raise BadRequest("OUT_OF_RANGE", f"is 0 to {MAX_SIZE:,}, not {size:,}", "page_size")
    first = 0
    if token:
        first = next((number for number, item in enumerate(items, start=1) if key(item) == token), 0)
        if not first:
            raise BadRequest("BAD_TOKEN", "is not the token of a previous page", "page_token")
    size = size or DEFAULT_SIZE
    found = list(islice(filter(wanted, islice(items, first, None)), size + 1))
    return found[:size], key(found[size - 1]) if len(found) > size else ""
