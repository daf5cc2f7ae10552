"""The command `croupier`: hands over to commands that installed distributions register.

A distribution registers a command as an entry point of the group "croupier.commands": a function that takes the
arguments as a list, returns the exit code, and says in the first line of its docstring what it does. A dot in its name
makes it one of a group, to which several distributions can add:

    [project.entry-points."croupier.commands"]
    serve = "croupier_service.main:serve"                   # croupier serve
    "bot.create" = "croupier_service.identity.main:create"  # croupier bot create
"""

import difflib
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points, version

USAGE = """usage: {program} COMMAND ...

{commands}

`{program} COMMAND --help` tells more about one of them{footer}
"""
FOOTER = """, `croupier --version` which version this is.
More commands come with more packages: `pip install ./service`, in a clone of Croupier, brings the server."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; 2 where there is no such command, 130 after Ctrl-C."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments[:1] in (["-V"], ["--version"]):
        print(f"croupier {version('croupier')}")
        return 0
    commands = {command.name: command for command in entry_points(group="croupier.commands")}
    try:
        return dispatch("croupier", commands, arguments)
    except KeyboardInterrupt:
        return 130


def dispatch(program: str, commands: Mapping[str, EntryPoint], argv: Sequence[str]) -> int:
    """Run the command, or the command of the group, that the first argument names."""
    name, *arguments = argv or ["--help"]
    groups = grouped(commands)
    if name in {"-h", "--help", "help"}:
        footer = FOOTER if program == "croupier" else "."
        print(USAGE.format(program=program, commands=listing(commands), footer=footer).rstrip())
        return 0
    if name in commands:
        return call(program, commands[name], arguments)
    if name in groups:
        return dispatch(f"{program} {name}", groups[name], arguments)
    close = difflib.get_close_matches(name, [*commands, *groups], n=1)
    hint = (
        f"did you mean `{program} {close[0].replace('.', ' ')}`?"
        if close
        else f"`{program} --help` lists the commands."
    )
    print(f"{program}: there is no command {name!r}; {hint}", file=sys.stderr)
    return 2


def grouped(commands: Mapping[str, EntryPoint]) -> dict[str, dict[str, EntryPoint]]:
    """Return the commands with a dot in their name, by what is before it and what is after it."""
    groups = dict[str, dict[str, EntryPoint]]()
    for name, command in commands.items():
        group, dot, rest = name.partition(".")
        if dot:
            groups.setdefault(group, {})[rest] = command
    return groups


def listing(commands: Mapping[str, EntryPoint]) -> str:
    """Return one line for each command, with its summary or what keeps it from loading, and one for each group."""
    found = {name: summary(command) for name, command in commands.items() if "." not in name}
    found |= {name: ", ".join(sorted(group)) + " ..." for name, group in grouped(commands).items() if name not in found}
    width = max(map(len, found), default=0)
    return (
        "\n".join(f"  {name:{width}}  {found[name]}" for name in sorted(found)) or "  (no commands are installed yet)"
    )


def summary(command: EntryPoint) -> str:
    """Return the first line of a command's docstring."""
    loaded = load(command)
    return loaded if isinstance(loaded, str) else (loaded.__doc__ or "").strip().partition("\n")[0]


def call(program: str, command: EntryPoint, arguments: list[str]) -> int:
    """Load and run a command."""
    loaded = load(command)
    if isinstance(loaded, str):
        print(f"{program} {command.name.rpartition('.')[2]}: {loaded}", file=sys.stderr)
        return 1
    return loaded(arguments) or 0


def load(command: EntryPoint) -> Callable[[list[str]], int | None] | str:
    """Return the function behind a command, or a sentence that says why it cannot be loaded."""
    try:
        loaded: Callable[[list[str]], int | None] = command.load()
    except Exception as error:  # noqa: BLE001 -- loading runs other people's code, and one bad package must not hide the rest
        package = f" of {command.dist.name}" if command.dist else ""
        return f"cannot be loaded from {command.value}{package}: {type(error).__name__}: {error}"
    return loaded
