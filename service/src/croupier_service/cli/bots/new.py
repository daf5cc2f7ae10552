"""``croupier bot new``: a project to begin a bot with, in one of several languages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from croupier.running import kebab
from croupier_service.cli.connecting import Format, FormatOption, json_line, run

from .command import NAME

TEMPLATES = Path(__file__).with_name("templates")
SUFFIX = ".tmpl"
CHECKOUT = Path(__file__).parents[5]
"""Croupier's own folder, where this runs from a clone of it."""


@dataclass(frozen=True, slots=True)
class Language:
    """What there is to know of a language, beside the files in ``templates``.

    ``@NAME@`` is the bot's name, ``@CLASS@`` the same as a class, ``@SDK@`` the SDK's folder.

    Attributes:
        source: the file with the bot.
        build, test: commands, one after the other.
        run: what starts the bot, once it is built.
    """

    source: str
    build: tuple[str, ...]
    test: tuple[str, ...]
    run: str


LANGUAGES = {
    "python": Language(
        "bot.py",
        ("python3 -m venv .venv", ".venv/bin/pip install @SDK@ --editable .[test]"),
        (".venv/bin/pytest",),
        ".venv/bin/python bot.py",
    ),
    "typescript": Language(
        "src/bot.ts",
        ("npm --prefix @SDK@ ci", "npm --prefix @SDK@ run build", "npm install", "npm run build"),
        ("npm test",),
        "node dist/src/main.js",
    ),
    "go": Language("main.go", ("go mod tidy", "go build -o bin/@NAME@ ."), ("go test ./...",), "bin/@NAME@"),
    "rust": Language(
        "src/main.rs",
        ("cargo build --release",),
        ("cargo test --release",),
        "target/release/@NAME@",
    ),
    "java": Language(
        "src/main/java/@CLASS@.java",
        ("mvn --quiet --file @SDK@/pom.xml install -DskipTests", "mvn --quiet package"),
        ("mvn --quiet test",),
        "java -cp target/@NAME@-0.1.0.jar:target/libraries/* @CLASS@",
    ),
    "cpp": Language(
        "main.cpp",
        ("cmake -B build", "cmake --build build"),
        ("ctest --test-dir build --output-on-failure",),
        "build/@NAME@",
    ),
}

TAKEN = frozenset(
    [
        "all",
        "array",
        "clean",
        "croupier",
        "false",
        "help",
        "main",
        "math",
        "none",
        "object",
        "ok",
        "override",
        "set",
        "string",
        "test",
        "true",
    ]
)
"""Names that a language, a build tool or the SDK has for something of its own."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")


def new(argv: Sequence[str]) -> int:
    """Begin a bot: write a project that builds and plays, in Python or another language."""
    return run(app, "bot new", argv)


@app.command()
def _new(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where to; its name is the bot's name.", show_default=False)
    ],
    *,
    language: Annotated[str, typer.Option(metavar="LANG", help=f"One of {', '.join(LANGUAGES)}.")] = "python",
    name: Annotated[str | None, typer.Option(help="The bot's name. [default: that of DIR]", show_default=False)] = None,
    sdk: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The SDK's folder, clients/LANG. [default: that of the checkout from which this runs, if it does]",
            exists=True,
            file_okay=False,
            show_default=False,
        ),
    ] = None,
    output: FormatOption = Format.TEXT,
) -> None:
    """Begin a bot: write a project that builds and plays, in Python or another language.

    It holds a bot that takes any legal action, a test, a manifest, a README and a Containerfile. Nothing that is there
    already is touched.

    The SDKs are in no registry yet: the project takes its own from a clone of Croupier.

    For example: croupier bot new ann --language go

    With `--format json`: `files`, and `build`, `test` (lists of commands) and `run` (one, as a list of words).

    Exit codes: 0 done, 2 wrong usage.
    """
    if language not in LANGUAGES:
        raise typer.BadParameter(f"is {', '.join(LANGUAGES)}, not {language!r}", param_hint="--language")
    kind = LANGUAGES[language]
    who = name or re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")
    if not NAME.fullmatch(who) or not re.fullmatch(r"[a-z][a-z0-9-]*", who):
        raise typer.BadParameter(
            f"is letters a-z, digits and hyphens, a letter first, not {who!r}", param_hint="--name"
        )
    if who in TAKEN:
        raise typer.BadParameter(
            f"{who!r} is taken by a language, a build tool or the SDK; such as {who}-bot will do", param_hint="--name"
        )
    if (called := kebab(class_of(who))) != who:
        raise typer.BadParameter(
            f"{who!r} becomes the class {class_of(who)}, which would play as {called!r}: take that name",
            param_hint="--name",
        )
    sdk = sdk or CHECKOUT / "clients" / language
    if not sdk.is_dir():
        raise typer.BadParameter(
            f"is needed: the SDKs are in no registry yet; name the folder clients/{language} of a clone of Croupier",
            param_hint="--sdk",
        )
    try:
        if folder.exists() and any(folder.iterdir()):
            raise typer.BadParameter(f"{folder} is not empty", param_hint="DIR")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise typer.BadParameter(f"{folder} cannot be a folder: {error.strerror}", param_hint="DIR") from None
    made = Project(who, kind, sdk.resolve())
    files = list(made.write(folder, language))
    if output is Format.JSON:
        json_line({"files": files, "build": made.build, "test": made.test, "run": shlex.split(made.run)})
        return
    typer.echo(f"{folder}: {', '.join(files)}\n\nNow:\n")
    for line in (
        f"cd {shlex.quote(str(folder))}",
        *made.build,
        *made.test,
        f"croupier bot practice --name {who} -- {made.run}",
    ):
        typer.echo(f"  {line}")


def class_of(name: str) -> str:
    """A bot's name as that of a class.

    >>> class_of("deep-thought")
    'DeepThought'
    """
    return "".join(word.capitalize() for word in name.split("-"))


class Project:
    """A project to be written.

    Attributes:
        build, test: commands, to be run in its folder.
        run: what starts the bot.
    """

    def __init__(self, name: str, language: Language, sdk: Path) -> None:
        """``sdk``: its folder."""
        self._known = {"NAME": name, "CLASS": class_of(name), "SDK": shlex.quote(str(sdk))}
        self.build = [self._fill(command) for command in language.build]
        self.test = [self._fill(command) for command in language.test]
        self.run = self._fill(language.run)
        self._known |= {
            "SDK": str(sdk),
            "BUILD": "\n".join(self.build),
            "TEST": "\n".join(self.test),
            "RUN": self.run,
            "SOURCE": self._fill(language.source),
        }

    def write(self, folder: Path, language: str) -> Iterator[str]:
        """Write it; yield the names of its files."""
        for root in (TEMPLATES / "common", TEMPLATES / language):
            for template in sorted(root.rglob(f"*{SUFFIX}")):
                name = self._fill(str(template.relative_to(root)).removesuffix(SUFFIX).replace("dot-", "."))
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self._fill(template.read_text("utf-8")), "utf-8")
                yield name

    def _fill(self, text: str) -> str:
        return re.sub(r"@([A-Z]+)@", lambda found: self._known[found[1]], text)
