"""What can be wrong with a spec, and where."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

HEADER = re.compile(r"^\s*(\[\[?)\s*([A-Za-z0-9_.-]+)\s*\]\]?\s*(#.*)?$")
KEY = re.compile(r"""^\s*["']?([A-Za-z0-9_-]+)["']?\s*=""")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with one field."""

    field: str
    """`seats`, `entrants[2].command`; empty where it is none in particular."""
    message: str
    """What would be right."""
    line: int | None = None
    """1-based; None where there is no file, or no such line."""

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.field}: {self.message}" if self.field else f"{where}{self.message}"


class SpecError(ValueError):
    """A spec that cannot be played. Holds every problem that was found, in the order of the file."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line or 0))
        super().__init__("\n".join(map(str, self.problems)))


def lines_of(text: str) -> dict[str, int]:
    r"""Return the line of each field of a TOML text that parses, by the field's name as in `Problem`.

    Tables are named, too. A field that is not on a line of its own (in an inline table) has none; whoever looks for it
    asks for what is around it, see `line_of`.

    >>> lines_of("seats = 4\n[[entrants]]\nname = 'a'\n")
    {'seats': 1, 'entrants': 2, 'entrants[0]': 2, 'entrants[0].name': 3}
    """
    found: dict[str, int] = {}
    counts: dict[str, int] = {}
    prefix, quote = "", ""
    for number, line in enumerate(text.splitlines(), start=1):
        if quote:  # inside a text of several lines
            if quote in line:
                quote = ""
            continue
        if header := HEADER.match(line):
            name = header[2]
            if header[1] == "[[":
                found.setdefault(name, number)
                counts[name] = counts.get(name, -1) + 1
                name = f"{name}[{counts[name]}]"
            else:
                first, dot, rest = name.partition(".")
                name = f"{first}[{counts[first]}]{dot}{rest}" if first in counts else name
            found.setdefault(name, number)
            prefix = f"{name}."
        elif key := KEY.match(line):
            found.setdefault(prefix + key[1], number)
            for sign in ('"""', "'''"):
                if line.count(sign) == 1:
                    quote = sign
    return found


def line_of(field: str, lines: dict[str, int]) -> int | None:
    """Return the line of a field, or else of what it should be in; None where there is neither.

    >>> line_of("entrants[1].limits.cpu_s", {"entrants[1]": 4})
    4
    """
    while field:
        if field in lines:
            return lines[field]
        field = max(field.rpartition(".")[0], field.rpartition("[")[0], key=len)
    return None
