"""Several things at once, but not all of them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def side_by_side(items: Iterable[T], most: int, work: Callable[[T], Awaitable[None]]) -> None:
    """Work on all items, in their order, on so many at once at most.

    Raises:
        Exception: whatever the work raises first; the rest is given up.
    """
    waiting = iter(items)

    async def work_on() -> None:
        for item in waiting:
            await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(most):
                group.create_task(work_on())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
