"""Records in files: as text or as JSON lines, one or very many, from files, folders or stdin."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from croupier_games.kernel import Game, Record, RecordError, find_game
from croupier_games.kernel.record import FORMAT
from croupier_games.kernel.record_json import from_json

STDIN = Path("-")
SUFFIXES = (".txt", ".json", ".jsonl")
"""Files that are looked at in folders."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One record as it stands in a file."""

    source: str
    line: int
    """Where it begins, 1-based."""
    text: str
    is_json: bool

    @property
    def where(self) -> str:
        """For people: ``games.jsonl:12``."""
        return f"{self.source}:{self.line}"

    def read(self) -> tuple[Record, Game[Any, Any, Any], dict[str, Any]]:
        """The record, its game, and what the server said of the session, if that is there. Raises RecordError."""
        if not self.is_json:
            record = Record.from_text(self.text, find_game)
            return record, find_game(record.game), {}
        try:
            data = json.loads(self.text)
        except ValueError as error:
            raise RecordError(f"is no JSON: {error}") from error
        record = from_json(data, find_game)
        session = data.get("session")
        return record, find_game(record.game), session if isinstance(session, dict) else {}

    def where_is(self, error: RecordError) -> str:
        """Where in the file an error is: the line of the input, in a text."""
        if self.is_json:
            return self.where
        line = error.line
        if line is None and error.number is not None:
            lines = enumerate(self.text.splitlines(), start=1)
            line = [at for at, text in lines if text.strip().startswith("input ")][error.number - 1]
        return f"{self.source}:{self.line - 1 + (line or 1)}"


def entries(paths: Sequence[Path]) -> Iterator[Entry]:
    """All records of these files and folders, one after the other; ``-`` is stdin.

    Raises OSError, UnicodeDecodeError.
    """
    for path in paths:
        if path == STDIN:
            yield from _in_stream(sys.stdin, "stdin")
            continue
        files = sorted(one for one in path.rglob("*") if one.suffix in SUFFIXES) if path.is_dir() else [path]
        for file in files:
            with file.open(encoding="utf-8") as stream:
                yield from _in_stream(stream, str(file))


def _in_stream(stream: TextIO | Iterable[str], source: str) -> Iterator[Entry]:
    """JSON lines and texts, in any order; a text goes on to where the next record begins."""
    begun, lines = 1, list[str]()
    for number, line in enumerate(stream, start=1):
        start = line.lstrip()
        if start.startswith(("{", FORMAT)):
            if any(map(_says_something, lines)):
                yield Entry(source, begun, "".join(lines), is_json=False)
                begun, lines = number, []
            if start.startswith("{"):
                yield Entry(source, number, line, is_json=True)
                begun = number + 1
                lines = []
                continue
        lines.append(line)
    if any(map(_says_something, lines)):
        yield Entry(source, begun, "".join(lines), is_json=False)


def _says_something(line: str) -> bool:
    text = line.strip()
    return bool(text) and not text.startswith("#")
