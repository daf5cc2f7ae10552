"""What all commands that talk to a server have in common: where it is, how errors are told, exit codes."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar

import grpc
import typer
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from croupier import admin
from croupier.errors import CroupierError, RequestError
from croupier.terminal import harmless
from croupier.tls import TLS, Certificates, chosen

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_UNREACHABLE, EXIT_INTERRUPTED = 0, 1, 2, 3, 130

T = TypeVar("T")

Target = Annotated[str, typer.Option(metavar="HOST:PORT", envvar="CROUPIER_TARGET", help="The server.")]
Token = Annotated[
    str | None,
    typer.Option(envvar="CROUPIER_TOKEN", help="Your token, where the server wants one.", show_default=False),
]
Tls = Annotated[
    bool,
    typer.Option(
        "--tls", help="Speak TLS, trusting the usual authorities. [default: what CROUPIER_TLS and its kin say]"
    ),
]
TlsCa = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Speak TLS, trusting the authorities in this PEM file.", exists=True, dir_okay=False
    ),
]

DEFAULT_TARGET = "localhost:7700"


class Format(StrEnum):
    """How to say it."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="Text for people, or JSON for programs.")]


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the server is and who is asking."""

    command: str
    target: str
    token: str | None
    tls: bool
    tls_ca: Path | None

    def call(self, work: Callable[[admin.Server], Awaitable[T]], options: Mapping[str, str] | None = None) -> T:
        """Do some work with the server.

        Where that fails, say why and exit. ``options`` are the command's options by the fields of the request that they
        fill, for naming what is wrong: ``{"bots": "--bots"}``.
        """

        async def connected() -> T:
            async with admin.connect(self.target, self.token, tls=self._tls()) as server:
                return await work(server)

        try:
            return asyncio.run(connected())
        except RequestError as error:
            self.fail(error, options)
        except CroupierError as error:  # a certificate that cannot be used
            say(self.command, str(error))
            raise typer.Exit(EXIT_FAILED) from None
        except KeyboardInterrupt:
            raise typer.Exit(EXIT_INTERRUPTED) from None

    def _tls(self) -> TLS:
        """As the options say, or else the environment; which also has the certificate of one's own, if any."""
        if self.tls_ca is None:
            return self.tls or None
        usual = chosen(None)
        return replace(usual if isinstance(usual, Certificates) else Certificates(), ca=self.tls_ca)

    def fail(self, error: RequestError, options: Mapping[str, str] | None = None) -> NoReturn:
        """Say what a call has failed for, and exit."""
        say(self.command, *explained(error, self.target, options or {}))
        unreachable = error.code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
        raise typer.Exit(EXIT_UNREACHABLE if unreachable else EXIT_FAILED) from None


def explained(error: RequestError, target: str, options: Mapping[str, str]) -> list[str]:
    """What was wrong, a line for each bad field."""
    if error.violations:
        return [f"{_named(field, options)}: {what}" for field, what in error.violations]
    match error.code:
        case grpc.StatusCode.UNAVAILABLE | grpc.StatusCode.DEADLINE_EXCEEDED:
            return [f"{target}: {error.message} (is a server running there? --target or CROUPIER_TARGET say where)"]
        case grpc.StatusCode.UNIMPLEMENTED:
            return [f"{target}: {error.message} (is this a Croupier server, and not an older one?)"]
        case grpc.StatusCode.UNAUTHENTICATED:
            return [f"{error.message} (give your token: --token, or CROUPIER_TOKEN)"]
    return [error.message]


def _named(field: str, options: Mapping[str, str]) -> str:
    """A field by the option that fills it: ``bots[2]`` is ``--bots, number 3``."""
    match = re.fullmatch(r"(\w+(?:\.\w+)*)(?:\[(.*)\])?", field)
    if match is None:
        return field
    path, key = match.groups()
    head, _, rest = path.partition(".")
    option = options.get(path) or options.get(head)
    if option is None:
        return field
    if key is not None:
        return f"{option}, number {int(key) + 1}" if key.isdecimal() else f"{option} {key}"
    return option if path in options or not rest else f"{option} {rest}"


class _Harmless(Console):
    """Makes all text harmless that is printed."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(harmless(segment.text), segment.style)


def say(command: str, *lines: str) -> None:
    """Tell people on stderr."""
    for line in lines:
        typer.echo(harmless(f"croupier {command}: {line}"), err=True)


def stdout() -> Console:
    """Where results go. Text that goes into a file or a pipe is not cut off at the width of any terminal."""
    return _Harmless(highlight=False, width=None if sys.stdout.isatty() else 200)


def json_line(data: object) -> None:
    """One object on a line of its own."""
    typer.echo(harmless(json.dumps(data, ensure_ascii=False)))


def as_json(message: Message) -> object:
    """A message as the contract's JSON has it, with the contract's names of fields."""
    return MessageToDict(message, preserving_proto_field_name=True)


def run(app: typer.Typer, name: str, argv: Sequence[str]) -> int:
    """Run a command of ``croupier`` and return its exit code."""
    try:
        app(list(argv), prog_name=f"croupier {name}")  # says by itself what is wrong with its arguments
    except SystemExit as done:
        return int(done.code or EXIT_OK)
    return EXIT_OK
