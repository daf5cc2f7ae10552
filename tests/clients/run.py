"""``make test-clients``: each SDK builds, passes its own tests and the conformance check; then all play together.

One line per step. A language ends with its first failure, the others go on; at the end the failures are told.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

import together
from languages import ROOT, Language, TableError, languages
from processes import command

STEPS = ("build", "lint", "proto-check", "test")
OLDER = ("a-game", "every-game", "unknown-fields", "resume", "endpoint")
"""Checks that are run once more by a server of the contract that was released."""
BASELINE = "proto/baseline.binpb"
SHORT = 8
"""Games of each kind that all bots play together."""


def main() -> int:
    """Test the languages that are named, or all; return the exit code."""
    parser = argparse.ArgumentParser(prog="make test-clients", description=__doc__.partition("\n")[0])
    parser.add_argument("language", nargs="*", help="a section of clients/languages.toml (default: each of them)")
    parser.add_argument("--skip-missing", action="store_true", help="leave out languages whose tools are not here")
    parser.add_argument("--only", metavar="STEP", action="append", help="only steps whose name holds this")
    parser.add_argument(
        "--games", type=int, default=SHORT, help="of each kind, all bots together (default: %(default)s)"
    )
    parser.add_argument("--proto", action="store_true", help="only generate the contract's code anew")
    options = parser.parse_args()
    try:
        chosen = languages(options.language)
    except TableError as error:
        parser.error(str(error))
    failures: list[str] = []
    ready = [one for one in chosen if has_its_tools(one, failures, skip=options.skip_missing or options.proto)]
    if options.proto:
        made_all = [done(one.name, {"proto": made(one, "proto")}, None, failures) for one in ready]
        return 0 if all(made_all) else 1
    wanted = [one for one in ready if done(one.name, steps(one), options.only, failures)]
    if wanted:
        done("all", {"tournament": together.command(wanted, options.games)}, options.only, failures)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def has_its_tools(language: Language, failures: list[str], *, skip: bool) -> bool:
    """Whether a language can be built here."""
    if not language.missing:
        return True
    said = f"{language.name}: not on this machine: {', '.join(language.missing)}"
    print(f"  {said}{', left out' if skip else ''}", flush=True)
    if not skip:
        failures.append(f"{said} (install it, or leave the language out with --skip-missing)")
    return False


def steps(language: Language) -> dict[str, list[str]]:
    """What is done with a language, by name."""
    check = [*command(), "bot", "check", "--strict"]
    older = [word for name in OLDER for word in ("--only", name)]
    return {
        **{step: made(language, step) for step in STEPS},
        "conformance: random": [*check, "--", *language.random],
        "conformance: greedy": [*check, "--", *language.greedy],
        "new project": [sys.executable, str(ROOT / "tests/clients/project.py"), language.name],
        "conformance: released contract": [*check, "--contract", BASELINE, *older, "--", *language.random],
    }


def made(language: Language, target: str) -> list[str]:
    """What makes a target of a language's Makefile."""
    return ["make", "--no-print-directory", "-C", f"clients/{language.name}", target]


def done(who: str, commands: dict[str, list[str]], words: Sequence[str] | None, failures: list[str]) -> bool:
    """Do one step after the other, as long as they succeed; say whether all did."""
    for name, argv in chosen_steps(commands, words):
        label = f"{who}: {name}"
        print(f"  {label:<41} ", end="", flush=True)
        began = time.monotonic()
        with tempfile.TemporaryFile("w+") as said:
            code = subprocess.run(
                argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=environment(), check=False
            ).returncode
            took = f"{time.monotonic() - began:6.1f} s"
            if code:
                print(f"FAILED {took}", flush=True)
                said.seek(0)
                print(said.read().rstrip(), flush=True)
                failures.append(f"{label}: exit code {code}")
                return False
        print(f"ok {took}", flush=True)
    return True


def chosen_steps(commands: dict[str, list[str]], words: Sequence[str] | None) -> Iterator[tuple[str, list[str]]]:
    """Those whose name holds one of the words; all of them without any."""
    for name, argv in commands.items():
        if not words or any(word in name for word in words):
            yield name, argv


def environment() -> dict[str, str]:
    """This one, without what would tell make or bots something."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("CROUPIER_") and name not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}
    }


if __name__ == "__main__":
    sys.exit(main())
