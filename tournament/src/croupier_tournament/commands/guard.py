"""What all commands have in common."""

import io
import json
import sys
import tomllib
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from croupier import CroupierError
from croupier.terminal import harmless
from croupier_tournament.main import EXIT_FAILED, EXIT_USAGE
from croupier_tournament.run.folder import FolderError
from croupier_tournament.run.ledger import LedgerError
from croupier_tournament.run.places import NobodyThere
from croupier_tournament.run.play import Unplayable
from croupier_tournament.run.servers import ServerAway, ServerUnfit
from croupier_tournament.run.verifying import Unreadable
from croupier_tournament.spec import Spec, SpecError, read_spec
from croupier_tournament.web.address import PageError

P = ParamSpec("P")

TROUBLES = (
    *(CroupierError, FolderError, LedgerError, NobodyThere, ServerAway, ServerUnfit, Unplayable, Unreadable),
    OSError,
)
"""What ends a command with a message rather than a traceback."""


def guarded(command: Callable[P, int]) -> Callable[P, int]:
    """Let a command say on stderr what went wrong, and return the exit code for it."""

    @wraps(command)
    def call(*args: P.args, **kwargs: P.kwargs) -> int:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a terminal that knows no ± shall show the rest
        try:
            return command(*args, **kwargs)
        except SpecError as error:
            for problem in error.problems:
                complain(str(problem))
            return EXIT_USAGE
        except PageError as error:
            complain(str(error))
            return EXIT_USAGE
        except TROUBLES as error:
            complain(str(error))
            return EXIT_FAILED

    return call


class _Harmless(Console):
    """Makes all text harmless that is printed."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(harmless(segment.text), segment.style)


def complain(message: str) -> None:
    """Say what is wrong."""
    print(harmless(f"croupier tournament: {message}"), file=sys.stderr)  # noqa: T201


def wrong_address(option: str, text: str) -> str:
    """Say what is wrong with an address on which something is to be served; empty where nothing is."""
    _, colon, port = text.rpartition(":")
    right = colon and port.isdecimal() and int(port) <= 65_535
    return "" if right else f"{option}: is host:port, such as 127.0.0.1:7701, not {text!r}"


def stdout(*, wrap: bool = False) -> Console:
    """Where results go. Lines are left as they are, unless they are to be wrapped."""
    return _Harmless(highlight=False, soft_wrap=not wrap)


def stderr() -> Console:
    """Where progress and news go."""
    return _Harmless(stderr=True, highlight=False)


def say_json(document: Any) -> None:  # noqa: ANN401 -- whatever is JSON
    """Say something to programs."""
    sys.stdout.write(json.dumps(document, indent=2) + "\n")


def read_file(path: Path) -> tuple[Spec, dict[str, Any], str]:
    """Read a spec; returns it, its table and its text.

    Raises:
        SpecError: it cannot be played.
        FolderError: there is no such file, or it cannot be read.
    """
    try:
        text = path.read_text("utf-8-sig")  # editors of Windows begin with a mark
    except FileNotFoundError:
        raise FolderError(f"there is no file {path}; `croupier tournament init {path}` writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FolderError(f"{path} cannot be read: {error}") from error
    spec = read_spec(text)
    return spec, tomllib.loads(text), text
