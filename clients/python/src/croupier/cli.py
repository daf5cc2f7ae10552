"""The command `croupier`: hands over to commands that installed distributions register.

A distribution registers a command as an entry point of the group "croupier.commands": a function that takes the
arguments as a list, returns the exit code, and says in the first line of its docstring what it does.

    [project.entry-points."croupier.commands"]
    serve = "croupier_service.main:serve"
"""

import difflib
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint, entry_points, version

USAGE = """usage: croupier COMMAND ...

{commands}

`croupier COMMAND --help` tells more about one of them, `croupier --version` which version this is.
More commands come with more packages: `pip install croupier-service` brings the server."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; 2 where there is no such command, 130 after Ctrl-C."""
    name, *arguments = sys.argv[1:] if argv is None else argv or ["--help"]
    commands = {command.name: command for command in entry_points(group="croupier.commands")}
    try:
        if name in {"-h", "--help", "help"}:
            print(USAGE.format(commands=listing(commands)))
            return 0
        if name in {"-V", "--version"}:
            print(f"croupier {version('croupier')}")
            return 0
        if name in commands:
            return call(commands[name], arguments)
    except KeyboardInterrupt:
        return 130
    close = difflib.get_close_matches(name, commands, n=1)
    hint = f"did you mean `croupier {close[0]}`?" if close else "`croupier --help` lists the commands."
    print(f"croupier: there is no command {name!r}; {hint}", file=sys.stderr)
    return 2


def listing(commands: dict[str, EntryPoint]) -> str:
    """Return one line for each command, with its summary, or with what keeps it from loading."""
    width = max(map(len, commands), default=0)
    lines = (f"  {name:{width}}  {summary(command)}" for name, command in sorted(commands.items()))
    return "\n".join(lines) or "  (no commands are installed yet)"


def summary(command: EntryPoint) -> str:
    """Return the first line of a command's docstring."""
    loaded = load(command)
    return loaded if isinstance(loaded, str) else (loaded.__doc__ or "").strip().partition("\n")[0]


def call(command: EntryPoint, arguments: list[str]) -> int:
    """Load and run a command."""
    loaded = load(command)
    if isinstance(loaded, str):
        print(f"croupier {command.name}: {loaded}", file=sys.stderr)
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
