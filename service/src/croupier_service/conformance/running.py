"""Running the checks: several at once, each on a bot of its own or on one that has passed the checks before."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from .check import Check
from .failures import DoesNotApply, Failed
from .stage import Settings, Stage

CHECK_S = 120.0
"""A check is given up after so long, or after eight times the patience, whatever the bot does."""


class Outcome(StrEnum):
    """How a check has ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a check.

    Attributes:
        check: which.
        outcome: how it has ended.
        reason: what was seen, where it has not passed.
        seconds: how long it took.
        conversation: what was said of late, where it has failed.
        output: the end of what the bot said on stdout and stderr, where it has failed.
    """

    check: Check
    outcome: Outcome
    reason: str = ""
    seconds: float = 0.0
    conversation: tuple[str, ...] = ()
    output: str = ""

    def fails(self, *, strict: bool) -> bool:
        """Whether the bot fails with it; ``strict``: advice counts."""
        return self.outcome is Outcome.FAILED and (strict or not self.check.advice)


class Lane:
    """Runs one check after the other, on the same bot as long as it passes."""

    def __init__(self, settings: Settings, folder: Path, number: int) -> None:
        """``folder``: of the bot's output."""
        self._settings = settings
        self._folder = folder
        self._number = number
        self._stage: Stage | None = None

    async def run(self, check: Check) -> Finding:
        """Run a check."""
        began = time.monotonic()
        limit_s = max(CHECK_S, 8 * self._settings.patience)
        if check.fresh or self._stage is None:
            await self.close()
        stage = self._stage or await self._open(check)
        outcome, reason = Outcome.PASSED, ""
        try:
            async with asyncio.timeout(limit_s):
                await check.play(stage)
                if not check.fresh:
                    await stage.settle()
        except DoesNotApply as why:
            outcome, reason = Outcome.SKIPPED, str(why)
        except Failed as why:
            outcome, reason = Outcome.FAILED, str(why)
        except TimeoutError:
            outcome, reason = (
                Outcome.FAILED,
                f"it was not done after {limit_s:.0f} s; a bot that thinks for long needs a larger --patience",
            )
        failed = outcome is Outcome.FAILED
        finding = Finding(
            check,
            outcome,
            reason,
            time.monotonic() - began,
            tuple(stage.transcript()) if failed else (),
            stage.output() if failed else "",
        )
        if check.fresh or outcome is not Outcome.PASSED:
            await self.close()
        return finding

    async def close(self) -> None:
        """End the bot."""
        if self._stage is not None:
            stage, self._stage = self._stage, None
            await stage.__aexit__()

    async def _open(self, check: Check) -> Stage:
        log = self._folder / f"{self._number}-{check.name}.log"
        stage = Stage(self._settings, log)
        self._stage = await stage.__aenter__()
        return stage


async def run(
    checks: Sequence[Check], settings: Settings, folder: Path, jobs: int, began: Callable[[Check], None]
) -> AsyncIterator[Finding]:
    """Run checks, ``jobs`` of them at once, and yield what came of each, in their order.

    The first one is run alone: where a bot does not even connect, the others are skipped.
    """
    lanes = [Lane(settings, folder, number) for number in range(1, jobs + 1)]
    try:
        first, *others = checks
        began(first)
        finding = await lanes[0].run(first)
        yield finding
        if finding.outcome is Outcome.FAILED and not finding.conversation:
            for check in others:
                yield Finding(check, Outcome.SKIPPED, "the bot has not connected")
            return
        async for finding in _beside_each_other(lanes, others, began):
            yield finding
    finally:
        await asyncio.gather(*(lane.close() for lane in lanes))


async def _beside_each_other(
    lanes: Sequence[Lane], checks: Sequence[Check], began: Callable[[Check], None]
) -> AsyncIterator[Finding]:
    findings = [asyncio.get_running_loop().create_future() for _ in checks]
    # The long ones first, so that none is left over at the end; those that need a bot of their own last.
    waiting = sorted(range(len(checks)), key=lambda at: (checks[at].fresh, not checks[at].slow, at))

    async def work(lane: Lane) -> None:
        while waiting:
            at = waiting.pop(0)
            began(checks[at])
            findings[at].set_result(await lane.run(checks[at]))

    working = [asyncio.create_task(work(lane)) for lane in lanes]
    try:
        for finding in findings:
            await asyncio.wait({finding, *working}, return_when=asyncio.FIRST_COMPLETED)
            for task in working:
                if task.done():
                    task.result()  # an error of our own
            yield await finding
    finally:
        for task in working:
            task.cancel()
        await asyncio.gather(*working, return_exceptions=True)
