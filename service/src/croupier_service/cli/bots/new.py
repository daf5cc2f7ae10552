"""``croupier bot new``: a project to begin a bot with, in one of several languages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from croupier_service.cli.connecting import Format, FormatOption, json_line, run

from .command import NAME

TEMPLATES = Path(__file__).with_name("templates")
SUFFIX = ".tmpl"


@dataclass(frozen=True, slots=True)
class Language:
    """What there is to know of a language, beside the files in ``templates``.

    ``@NAME@`` is the bot's name, ``@CLASS@`` the same as a class, ``@SDK@`` the SDK's folder.

    Attributes:
        source: the file with the bot.
        build, test: commands, one after the other.
        run: what starts the bot, once it is built.
        published: how a manifest names the SDK where the registry has it; empty: it is in none.
        local: how a manifest names the SDK in a folder.
        local_build: what the build is then, if that makes a difference.
    """

    source: str
    build: tuple[str, ...]
    test: tuple[str, ...]
    run: str
    published: str = ""
    local: str = "@SDK@"
    local_build: tuple[str, ...] = ()


VENV = "python3 -m venv .venv"
LANGUAGES = {
    "python": Language(
        "bot.py",
        (VENV, ".venv/bin/pip install --editable .[test]"),
        (".venv/bin/pytest",),
        ".venv/bin/python bot.py",
        published="croupier",
        local_build=(VENV, ".venv/bin/pip install @SDK@ --editable .[test]"),
    ),
    "typescript": Language(
        "src/bot.ts",
        ("npm install", "npm run build"),
        ("npm test",),
        "node dist/src/main.js",
        published="^0.1.0",
        local="file:@SDK@",
    ),
    "go": Language("main.go", ("go mod tidy", "go build -o bin/@NAME@ ."), ("go test ./...",), "bin/@NAME@"),
    "rust": Language(
        "src/main.rs",
        ("cargo build --release",),
        ("cargo test --release",),
        "target/release/@NAME@",
        published='"0.1"',
        local='{ path = "@SDK@" }',
    ),
    "java": Language(
        "src/main/java/@CLASS@.java",
        ("mvn --quiet package",),
        ("mvn --quiet test",),
        "java -cp target/@NAME@-0.1.0.jar:target/libraries/* @CLASS@",
        local_build=("mvn --quiet --file @SDK@/pom.xml install -DskipTests", "mvn --quiet package"),
    ),
    "cpp": Language(
        "main.cpp",
        ("cmake -B build", "cmake --build build"),
        ("ctest --test-dir build --output-on-failure",),
        "build/@NAME@",
        published="find_package(croupier REQUIRED)",
        local='add_subdirectory("@SDK@" croupier)',
    ),
}

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
            help="Take the SDK from this folder, such as clients/go, and not from the language's registry.",
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

    For example: croupier bot new ann --language go --sdk croupier/clients/go

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
    if sdk is None and not kind.published:
        raise typer.BadParameter(
            f"is needed for {language}: its SDK is in no registry; name the folder clients/{language} of Croupier",
            param_hint="--sdk",
        )
    if folder.exists() and any(folder.iterdir()):
        raise typer.BadParameter(f"{folder} is not empty", param_hint="DIR")
    made = Project(who, kind, None if sdk is None else sdk.resolve())
    files = list(made.write(folder, language))
    if output is Format.JSON:
        json_line({"files": files, "build": made.build, "test": made.test, "run": shlex.split(made.run)})
        return
    typer.echo(f"{folder}: {', '.join(files)}\n\nNow:\n")
    for line in (f"cd {shlex.quote(str(folder))}", *made.build, *made.test, f"croupier bot practice -- {made.run}"):
        typer.echo(f"  {line}")


class Project:
    """A project to be written.

    Attributes:
        build, test: commands, to be run in its folder.
        run: what starts the bot.
    """

    def __init__(self, name: str, language: Language, sdk: Path | None) -> None:
        """``sdk``: its folder; None: the registry has it."""
        self._language = language
        self._known = {
            "NAME": name,
            "CLASS": "".join(word.capitalize() for word in name.split("-")),
            "SDK": "" if sdk is None else str(sdk),
        }
        build = language.build if sdk is None else language.local_build or language.build
        self.build = [self._fill(command) for command in build]
        self.test = [self._fill(command) for command in language.test]
        self.run = self._fill(language.run)
        self._known |= {
            "SDK": language.published if sdk is None else self._fill(language.local),
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
