"""What these commands have in common: the bot's command, and what is in its environment."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from croupier.processes import open_log

Command = Annotated[
    list[str] | None,
    typer.Argument(metavar="-- COMMAND...", help="What starts the bot, with its arguments.", show_default=False),
]
SUFFIX = re.compile(r"\.(exe|jar|m?js|py|sh|ts)$")
NAME = re.compile(r"[a-z0-9._-]{1,64}")


def checked(command: Sequence[str] | None, example: str) -> list[str]:
    """The command, which has to be there. Raises BadParameter."""
    if not command:
        raise typer.BadParameter(f"is missing: {example}", param_hint="COMMAND")
    if shutil.which(command[0]) is None:
        raise typer.BadParameter(f"there is no program {command[0]!r} to be run", param_hint="COMMAND")
    return list(command)


def named(name: str | None, command: Sequence[str]) -> str:
    """The bot's name: as given, or made from the command's last word that looks like a file or a name."""
    if name is not None:
        if not NAME.fullmatch(name):
            raise typer.BadParameter(f"is 1 to 64 characters a-z 0-9 - _ . , not {name!r}", param_hint="--name")
        return name
    for before, word in reversed(list(zip(["", *command], command, strict=False))):
        if not word.startswith("-"):
            last = word.rpartition(".")[2] if before == "-m" else SUFFIX.sub("", Path(word).name)
            made = re.sub(r"[^a-z0-9._-]+", "-", last.lower()).strip("-._")[:64]
            if made:
                return made
    return "bot"


def writable(path: Path, option: str) -> Path:
    """A file that can be added to, made with its folder where it is not there. Raises BadParameter."""
    try:
        open_log(path).close()
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be written: {error.strerror}", param_hint=option) from None
    return path


def environment(given: Mapping[str, str | None]) -> dict[str, str]:
    """The environment of this process with these variables; those that are None are taken out."""
    kept = {name: value for name, value in os.environ.items() if name not in given}
    return kept | {name: value for name, value in given.items() if value is not None}
