"""Everything that can be told without playing a game: `make check`.

One line per step, in the order in which a failure is cheapest to mend; the first failure stops, with what was found.
"""

import ast
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
MEMBERS = ("clients/python", "service", "tournament")


def main() -> None:
    """Run the steps, or only those whose name holds a word given on the command line."""
    words = sys.argv[1:]
    for name, step in STEPS.items():
        if words and not any(word in name for word in words):
            continue
        start = time.monotonic()
        print(f"  {name:<30}", end="", flush=True)
        findings = step()
        if findings:
            print("failed")
            sys.exit(f"\n{findings}\n\n`make check` stopped at: {name}")
        print(f"ok {time.monotonic() - start:6.1f} s")


def run(*command: str, folder: str = ".") -> Callable[[], str]:
    """Return a step that runs a program of the environment. Its exit code decides; what it prints is the finding."""

    def step() -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            command, cwd=ROOT / folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        return (done.stdout + done.stderr).strip() or f"exit code {done.returncode}" if done.returncode else ""

    return step


def rules_need_only_python() -> str:
    """The rules import the standard library and themselves, whatever happens to be installed."""
    allowed = sys.stdlib_module_names | {"croupier_games"}
    sources = sorted((ROOT / "service/src/croupier_games").rglob("*.py"))
    return "\n".join(
        f"{path.relative_to(ROOT)}:{line}: imports {name}, which is neither the standard library's nor a game's"
        for path in sources
        for line, name in imports(path)
        if name.split(".")[0] not in allowed
    )


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and module of every absolute import."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield node.lineno, module


def lock_covers_the_manifests() -> str:
    """Each requirement that a pyproject.toml states is locked, at a version it allows, and no lock holds an address."""
    text = (ROOT / "requirements.lock").read_text("utf-8")
    others = [ROOT / name for name in ("proto/generator.lock", "deploy/images/runtime.lock")]
    if any("://" in lock for lock in (text, *(other.read_text("utf-8") for other in others))):
        return "a lock holds an address; packages are pinned by name, version and hash alone: run `make lock`"
    locked = dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", text, flags=re.MULTILINE))
    findings = []
    for manifest, requirement in requirements():
        name = canonicalize_name(requirement.name)
        if name not in locked:
            findings.append(f"{manifest} requires {requirement}, which is not locked: run `make lock`")
        elif locked[name] not in requirement.specifier:
            findings.append(f"{manifest} requires {requirement}, but {locked[name]} is locked: run `make lock`")
    return "\n".join(findings)


def requirements() -> Iterator[tuple[str, Requirement]]:
    """Yield what the manifests require, but for the members themselves."""
    names = ["pyproject.toml", *(f"{member}/pyproject.toml" for member in MEMBERS)]
    manifests = {name: tomllib.loads((ROOT / name).read_text("utf-8")) for name in names}
    ours = {manifest["project"]["name"] for manifest in manifests.values()}
    for name, manifest in manifests.items():
        project = manifest["project"]
        stated = [
            *manifest.get("build-system", {}).get("requires", []),
            *project.get("dependencies", []),
            *chain.from_iterable(project.get("optional-dependencies", {}).values()),
            *chain.from_iterable(manifest.get("dependency-groups", {}).values()),
        ]
        yield from ((name, requirement) for requirement in map(Requirement, stated) if requirement.name not in ours)


STEPS: dict[str, Callable[[], str]] = {
    "format": run("ruff", "format", "--check", "."),
    "lint": run("ruff", "check", "--quiet", "--output-format=concise", "."),
    "lock": lock_covers_the_manifests,
    "rules need only Python": rules_need_only_python,
    "layers": run("lint-imports", "--no-cache"),
    **{f"dependencies: {member}": run("deptry", "--no-ansi", "src", folder=member) for member in MEMBERS},
    "contract: format": run("buf", "format", "--diff", "--exit-code", folder="proto"),
    "contract: lint": run("buf", "lint", folder="proto"),
    "contract: compatible": run("buf", "breaking", "--against", "baseline.binpb", folder="proto"),
    "contract: generated code": run(f"{ROOT}/.venv-proto/bin/python", "proto/generate.py", "--check"),
    "dashboards": run(sys.executable, "deploy/grafana/generate.py", "--check"),
    "types": run("mypy"),
}

if __name__ == "__main__":
    main()
