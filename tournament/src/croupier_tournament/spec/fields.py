"""Takes values out of a table of a TOML file, one field after the other, and notes whatever is wrong with them."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from croupier_tournament.spec.problems import Problem

MOST_REPEATED = 100
"""Characters of a value that is wrong."""


class Fields:
    """One table. Each field is asked for once; `close` notes those that nobody has asked for.

    Where a field is missing or wrong its problem is noted and the default returned, so that all problems of a file are
    found at once.

    Args:
        table: the values.
        prefix: what stands before the fields' names in problems: "" or "clock.".
        problems: where they are noted.
    """

    def __init__(self, table: Mapping[str, Any], prefix: str, problems: list[Problem]) -> None:
        self._table = table
        self._prefix = prefix
        self._problems = problems
        self._known: list[str] = []

    def wrong(self, name: str, message: str) -> None:
        """Note a problem of a field."""
        self._problems.append(Problem(f"{self._prefix}{name}", message))

    def has(self, name: str) -> bool:
        """Whether a field is given."""
        self._known.append(name)
        return name in self._table

    def text(self, name: str, default: str | None = None, *, most: int = 1000) -> str:
        """A text of 1 to so many characters that can be shown; required where there is no default."""

        def good(value: Any) -> str | None:  # noqa: ANN401 -- anything can stand in a file
            if not (isinstance(value, str) and 1 <= len(value) <= most):
                return f"is a text of 1 to {most} characters"
            shown = all(char.isprintable() or unicodedata.category(char) == "Zs" for char in value)
            return None if shown else "is on one line, without control characters"

        value = self._take(name, good, default)
        return value if isinstance(value, str) else ""

    def choice(self, name: str, choices: Sequence[str], default: str | None, *, optional: bool = False) -> str | None:
        """One of some texts; required where there is no default, unless it is optional."""

        def good(value: Any) -> str | None:  # noqa: ANN401
            return None if value in choices else f"is one of {', '.join(choices)}{_instead(value, choices)}"

        value = self._take(name, good, default, optional=optional)
        return value if isinstance(value, str) else default

    def whole(
        self, name: str, low: int, high: int, default: int | None = None, *, optional: bool = False
    ) -> int | None:
        """A whole number within bounds; required where there is no default, unless it is optional."""

        def good(value: Any) -> str | None:  # noqa: ANN401
            right = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
            return None if right else f"is a whole number, {low:,} to {high:,}"

        value = self._take(name, good, default, optional=optional)
        return value if isinstance(value, int) else default

    def number(self, name: str, low: float, high: float, default: float | None = None) -> float | None:
        """A number within bounds."""

        def good(value: Any) -> str | None:  # noqa: ANN401
            right = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
            return None if right else f"is a number, {low:,g} to {high:,g}"

        value = self._take(name, good, default, optional=True)
        return default if value is None else float(value)

    def texts(self, name: str) -> tuple[str, ...] | None:
        """A list of texts, none of them empty; None where it is missing."""

        def good(value: Any) -> str | None:  # noqa: ANN401
            right = isinstance(value, list) and all(isinstance(text, str) and text for text in value)
            return None if right else 'is a list of texts, such as ["one", "two"]'

        value = self._take(name, good, None, optional=True)
        return None if value is None else tuple(value)

    def table(self, name: str) -> "Fields":
        """A table within this one; empty where it is missing."""

        def good(value: Any) -> str | None:  # noqa: ANN401
            return None if isinstance(value, dict) else f"is a table: [{self._prefix}{name}]"

        return Fields(self._take(name, good, None, optional=True) or {}, f"{self._prefix}{name}.", self._problems)

    def tables(self, name: str) -> list["Fields"]:
        """A list of tables within this one; empty where it is missing."""

        def good(value: Any) -> str | None:  # noqa: ANN401
            right = isinstance(value, list) and all(isinstance(table, dict) for table in value)
            return None if right else f"is a list of tables: [[{name}]]"

        tables = self._take(name, good, None, optional=True) or []
        return [
            Fields(table, f"{self._prefix}{name}[{number}].", self._problems) for number, table in enumerate(tables)
        ]

    def take(self, name: str, good: Callable[[Any], str | None]) -> Any:  # noqa: ANN401
        """Any value that is good; None where it is missing or not."""
        return self._take(name, good, None, optional=True)

    def rest(self) -> dict[str, Any]:
        """All values, for a table whose fields somebody else knows."""
        self._known += self._table
        return dict(self._table)

    def close(self) -> None:
        """Note the fields that nobody has asked for."""
        for name in self._table:
            if name not in self._known:
                known = ", ".join(dict.fromkeys(self._known))
                self.wrong(name, f"there is no such field{_instead(name, self._known)}; there are: {known}")

    def _take(
        self,
        name: str,
        good: Callable[[Any], str | None],
        default: Any,  # noqa: ANN401
        *,
        optional: bool = False,
    ) -> Any:  # noqa: ANN401
        self._known.append(name)
        if name not in self._table:
            if default is None and not optional:
                self.wrong(name, "is missing")
            return default
        value = self._table[name]
        complaint = good(value)
        if complaint is None:
            return value
        self.wrong(name, f"{complaint}, not {shortened(value)}")
        return default


def shortened(value: object) -> str:
    """Return a value as a problem repeats it: not all of it where it is long."""
    text = repr(value)
    return text if len(text) <= MOST_REPEATED else f"{text[:MOST_REPEATED]}..."


def _instead(value: object, choices: Sequence[str]) -> str:
    close = get_close_matches(str(value), choices, n=1)
    return f" (did you mean {close[0]}?)" if close else ""
