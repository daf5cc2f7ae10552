"""Golden games: records with comments, kept as text so that a change of the rules is a diff that people can review.

    python -m croupier_games.kernel.golden              compares; exit status 1 and a diff where a game goes otherwise
    python -m croupier_games.kernel.golden --rewrite    writes them anew
    python -m croupier_games.kernel.golden --new tests/golden/trick-and-trade/five-seats.txt --seats 5

A golden game lies in ``DIR/<name of the game>/*.txt``. Comment lines above its first line say what it is there to show;
they are kept. Every registered game must have golden games, and they must between them bring every one of its
``components()`` into play.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from typing import Any

from .dice import Seed
from .game import Game, OptionError, name_value
from .playout import random_playout
from .record import Record, RecordError, annotated, replay, verify
from .registry import UnknownGame, find_game, games
from .table import Table

DEFAULT = Path("tests/golden")


def golden_files(folders: Sequence[Path]) -> list[Path]:
    """The golden games of these folders, in alphabetical order."""
    return sorted(path for folder in folders for path in folder.glob("*/*.txt"))


def compare(path: Path) -> str:
    """How a golden game goes now, as a unified diff; empty when it goes as written. Raises RecordError."""
    text = path.read_text(encoding="utf-8")
    record, game = _read(path)
    again = _heading(text) + _of_today(record, game)
    if again == text:
        verify(record, game)  # the result is the rules' own then; this finds games that have none
    return "".join(
        unified_diff(text.splitlines(keepends=True), again.splitlines(keepends=True), str(path), "as it goes now")
    )


def rewrite(path: Path) -> bool:
    """Write a golden game anew from its inputs; whether that changed it.

    Raises RecordError when an input has become illegal: such a game can only be replaced by another one.
    """
    text = path.read_text(encoding="utf-8")
    again = _heading(text) + _of_today(*_read(path))
    if again == text:
        return False
    path.write_text(again, encoding="utf-8")
    return True


def missing_components(files: Sequence[Path]) -> dict[str, frozenset[str]]:
    """Which components of each game none of these golden games brings into play."""
    missing = {name: game.components() for name, game in games().items()}
    for path in files:
        record, game = _read(path)
        missing[game.name] = missing.get(game.name, game.components()) - replay(record, game).state.seen_components()
    return missing


def problems(folders: Sequence[Path]) -> list[str]:
    """What is wrong with the golden games in these folders, and which are missing; empty when all is well."""
    files = golden_files(folders)
    found = []
    for path in files:
        try:
            if difference := compare(path):
                found.append(difference.rstrip("\n"))
        except RecordError as error:
            found.append(f"{path}: {error}")
    if found:
        return found
    homes = {path.parent.name for path in files}
    found += [f"{name} has no golden game in {_list(folders)}" for name in games() if name not in homes]
    for name, parts in missing_components(files).items():
        if parts and name in homes:
            found.append(f"no golden game of {name} brings into play: {', '.join(sorted(parts))}")
    return found


def new_text(game: Game[Any, Any, Any], seats: int, options: Any, seed: Seed, comment: str) -> str:
    """A game played at random, as a golden game."""
    table = Table(game, seats, options, seed)
    for table in random_playout(game, seats, options, seed):  # noqa: B007 - to its end
        pass
    return f"# {comment}\n" + annotated(Record.of(table), game)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line. Returns 0 when all is well, 1 when it is not."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    folders = asked.folders or [DEFAULT]
    if asked.new is not None:
        return _write_new(parser, asked)
    for folder in folders:
        if not folder.is_dir():
            parser.error(f"there is no folder {folder}; run this from the root of the project, or name the folder")
    status = _rewrite_all(golden_files(folders)) if asked.rewrite else 0
    if found := problems(folders):
        _say("\n".join(found))
        return 1
    if status == 0:
        _say(f"{len(golden_files(folders))} golden games, all as written")
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m croupier_games.kernel.golden",
        description="Play the golden games again and compare; show what differs, and what no golden game shows.",
        epilog="Exit status: 0 all is well, 1 something differs or is missing, 2 there is no such folder or game.",
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help=f"where they are ({DEFAULT})")
    parser.add_argument("--rewrite", action="store_true", help="write them anew; git then shows what changed")
    new = parser.add_argument_group("a new golden game, played at random")
    new.add_argument("--new", type=Path, metavar="FILE", help="DIR/<name of the game>/<what it shows>.txt")
    new.add_argument("--seats", type=int, metavar="K", help="seats (the fewest)")
    new.add_argument("--seed", metavar="TEXT", help="any text (the name of the file)")
    new.add_argument(
        "--option",
        type=name_value,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option; may be repeated",
    )
    return parser


def _write_new(parser: argparse.ArgumentParser, asked: argparse.Namespace) -> int:
    path: Path = asked.new
    if path.exists():
        parser.error(f"{path} exists already")
    try:
        game = find_game(path.parent.name)
        options = game.options(dict(asked.option))
        seats = game.seat_range[0] if asked.seats is None else asked.seats
        text = new_text(game, seats, options, Seed.of(asked.seed or path.stem), path.stem.replace("-", " "))
    except UnknownGame as error:
        parser.error(f"{error} (the folder of a golden game is named after its game)")
    except OptionError as error:
        parser.error(f"{error.field}: {error}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    _say(f"wrote {path}; its first line is a comment for you to say what it shows")
    return 0


def _rewrite_all(files: Sequence[Path]) -> int:
    status = 0
    for path in files:
        try:
            if rewrite(path):
                _say(f"rewrote {path}")
        except RecordError as error:
            _say(f"{path} cannot be rewritten: {error}")
            status = 1
    return status


def _read(path: Path) -> tuple[Record, Game[Any, Any, Any]]:
    record = Record.from_text(path.read_text(encoding="utf-8"), find_game)
    if record.game != path.parent.name:
        raise RecordError(f"a game of {record.game} lies in the folder {path.parent.name}")
    return record, find_game(record.game)


def _of_today(record: Record, game: Game[Any, Any, Any]) -> str:
    """The same inputs under the rules and with the result of today."""
    record = replace(record, rules_version=game.rules_version)
    return annotated(Record.of(replay(record, game)), game)


def _heading(text: str) -> str:
    """The comments and empty lines above the record."""
    lines = text.splitlines(keepends=True)
    first = next((n for n, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    return "".join(lines[:first])


def _list(folders: Sequence[Path]) -> str:
    return ", ".join(map(str, folders))


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
