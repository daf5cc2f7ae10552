"""The table of languages, ``clients/languages.toml``, as the tools here read it."""

import shutil
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "clients/languages.toml"


class TableError(Exception):
    """The table, or what was asked of it, is wrong. The message says what would be right."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language that has an SDK.

    Attributes:
        name: that of its folder in ``clients``.
        title: for people.
        tools: programs that its build needs.
        random, greedy: what starts its bots, in the root of the project.
        speed: decisions a second of the random bot, at least, by those of Python's.
    """

    name: str
    title: str
    tools: tuple[str, ...]
    random: tuple[str, ...]
    greedy: tuple[str, ...]
    speed: float

    @property
    def missing(self) -> list[str]:
        """Which of its tools are not on this machine."""
        return [tool for tool in self.tools if shutil.which(tool) is None]

    def anywhere(self, command: Sequence[str]) -> list[str]:
        """The command in a form that can be run in any folder."""
        return ["sh", "-c", 'cd "$0" && exec "$@"', str(ROOT), *command]


def languages(names: Sequence[str] = (), table: Path = TABLE) -> list[Language]:
    """Those named, or all, in the order of the table. Raises TableError."""
    sections = tomllib.loads(table.read_text("utf-8"))
    for name in names:
        if name not in sections:
            raise TableError(f"{name!r} is no language of clients/languages.toml; there are: {', '.join(sections)}")
    return [read(name, section) for name, section in sections.items() if not names or name in names]


def read(name: str, section: dict[str, object]) -> Language:
    """A section of the table. Raises TableError."""
    lists = {}
    for field in ("tools", "random", "greedy"):
        value = section.get(field)
        if not isinstance(value, list) or not value or not all(isinstance(word, str) and word for word in value):
            raise TableError(f"clients/languages.toml, [{name}]: {field} is a list of texts, not {value!r}")
        lists[field] = tuple(value)
    unknown = section.keys() - {"title", "tools", "random", "greedy", "speed"}
    if unknown:
        raise TableError(f"clients/languages.toml, [{name}]: there is no {', '.join(sorted(unknown))}")
    speed = section.get("speed", 1.0)
    if not isinstance(speed, int | float) or speed <= 0:
        raise TableError(f"clients/languages.toml, [{name}]: speed is a number above 0, not {speed!r}")
    return Language(name, str(section.get("title", name)), speed=float(speed), **lists)
