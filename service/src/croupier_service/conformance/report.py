"""The checklist, for people and for programs."""

from __future__ import annotations

import sys
import textwrap
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

from rich.console import Console
from rich.status import Status
from rich.text import Text

from croupier_service.cli.connecting import Format, json_line, say, stdout

from .check import Check
from .running import Finding, Outcome

WIDTH = 110
STYLES = {Outcome.PASSED: "green", Outcome.FAILED: "bold red", Outcome.SKIPPED: "yellow"}


class Checklist:
    """Tells findings as they come: ``with Checklist(...) as checklist``. Progress is on stderr, on a terminal."""

    def __init__(self, checks: Sequence[Check], output: Format, *, strict: bool) -> None:
        self.failed = False
        """Whether the bot has failed."""
        self._width = max(len(check.name) for check in checks)
        self._output = output
        self._strict = strict
        self._console = stdout()
        self._status = Status("", console=Console(stderr=True)) if sys.stderr.isatty() else None
        self._running: list[str] = []
        self._counts: Counter[Outcome] = Counter()
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._status:
            self._status.stop()
        if kind is not None:
            return
        counts = ", ".join(f"{count} {outcome}" for outcome in Outcome if (count := self._counts[outcome]))
        line = f"{sum(self._counts.values())} checks: {counts}, in {time.monotonic() - self._began:.1f} s"
        if self._output is Format.TEXT:
            self._console.print(Text(line, style="bold"))
        else:
            say("bot check", line)

    def began(self, check: Check) -> None:
        """A check is being run."""
        self._running.append(check.name)
        self._say_what_runs()

    def tell(self, finding: Finding) -> None:
        """Tell what came of a check."""
        self.failed |= finding.fails(strict=self._strict)
        self._counts[finding.outcome] += 1
        if finding.check.name in self._running:
            self._running.remove(finding.check.name)
        self._say_what_runs()
        if self._output is Format.JSON:
            json_line(as_json(finding))
        else:
            for line in self._in_words(finding):
                self._console.print(line, soft_wrap=True)

    def _say_what_runs(self) -> None:
        if self._status:
            self._status.update(", ".join(self._running))

    def _in_words(self, finding: Finding) -> list[Text]:
        check = finding.check
        word = finding.outcome.value
        if finding.outcome is Outcome.FAILED and not finding.fails(strict=self._strict):
            word = "advice"
        head = Text.assemble(
            (f"{word:8}", "yellow" if word == "advice" else STYLES[finding.outcome]),
            (f"{check.name:{self._width}}  ", "bold"),
            check.what,
            (f"  {finding.seconds:.1f} s" if finding.outcome is not Outcome.SKIPPED else "", "dim"),
        )
        if finding.outcome is Outcome.PASSED:
            return [head]
        if finding.outcome is Outcome.SKIPPED:
            return [head, *_indented("", finding.reason)]
        return [
            head,
            *_indented("seen", finding.reason),
            *_indented("why", check.why),
            *_indented("do", check.remedy),
            *_verbatim("what was said last", finding.conversation),
            *_verbatim("what the bot wrote last", textwrap.dedent(finding.output).splitlines()),
        ]


def _indented(label: str, text: str) -> list[Text]:
    before = f"{label}: " if label else ""
    return [
        Text(f"        {line}")
        for paragraph in f"{before}{text}".splitlines()
        for line in textwrap.wrap(paragraph, WIDTH, subsequent_indent=" " * len(before))
    ]


def _verbatim(label: str, lines: Sequence[str]) -> list[Text]:
    return (
        [Text(f"        {label}:"), *(Text(f"          {line[:160]}", style="dim") for line in lines)] if lines else []
    )


def as_json(finding: Finding) -> dict[str, Any]:
    """A finding for programs."""
    check = finding.check
    told: dict[str, Any] = {
        "check": check.name,
        "outcome": finding.outcome.value,
        "reason": finding.reason,
        "seconds": round(finding.seconds, 3),
        "advice": check.advice,
    }
    if finding.outcome is Outcome.FAILED:
        told |= {
            "why": check.why,
            "remedy": check.remedy,
            "conversation": list(finding.conversation),
            "output": finding.output,
        }
    return told


def tell_all(checks: Sequence[Check], output: Format) -> None:
    """Tell what is checked."""
    console = stdout()
    for check in checks:
        if output is Format.JSON:
            json_line(
                {
                    "check": check.name,
                    "what": check.what,
                    "why": check.why,
                    "remedy": check.remedy,
                    "advice": check.advice,
                }
            )
            continue
        advice = " (advice)" if check.advice else ""
        console.print(Text.assemble((check.name, "bold"), f"{advice}: {check.what}"), soft_wrap=True)
        for line in [*_indented("why", check.why), *_indented("do", check.remedy)]:
            console.print(line, soft_wrap=True)
