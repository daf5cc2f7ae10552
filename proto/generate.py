"""Generate the Python code of the contract into the Python SDK, or see that it is up to date.

Runs in `.venv-proto` (see the Makefile), whose generator is older than the runtime on purpose: `generator.in` says why.

    python proto/generate.py            write clients/python/src/croupier/{v1,games}
    python proto/generate.py --check    say what differs; exit with 1 if anything does
"""

import sys
import tempfile
from importlib import resources
from pathlib import Path

from grpc_tools import protoc

PROTO = Path(__file__).resolve().parent
SDK = PROTO.parent / "clients" / "python" / "src"
PACKAGES = ("croupier/v1", "croupier/games")  # nothing under these is written by hand


def generate() -> dict[str, str]:
    """Return what the generator makes of every proto file: path below the SDK's `src` -> text."""
    protos = sorted(str(path.relative_to(PROTO)) for path in PROTO.glob("croupier/**/*.proto"))
    if not protos:
        return {}
    with tempfile.TemporaryDirectory() as out:
        outputs = [f"--{kind}_out={out}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
        plugins = [
            f"--plugin={Path(sys.executable).parent / name}" for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")
        ]
        includes = [f"--proto_path={PROTO}", f"--proto_path={resources.files('grpc_tools') / '_proto'}"]
        if protoc.main(["protoc", *plugins, *includes, *outputs, "--mypy_opt=quiet", "--mypy_grpc_opt=quiet", *protos]):
            sys.exit("protoc refused the contract: see above")
        files = {str(path.relative_to(out)): path.read_text("utf-8") for path in Path(out).rglob("*.py*")}
    files = {name: text for name, text in files.items() if not is_empty_service(name, text)}
    for folder in {parent for name in files for parent in Path(name).parents if str(parent).startswith(PACKAGES)}:
        files[str(folder / "__init__.py")] = f'"""Generated from the contract: `{folder.as_posix()}`."""\n'
    return files


def is_empty_service(name: str, text: str) -> bool:
    """Tell whether this is the gRPC module of a proto file that declares no service."""
    return name.endswith(("_pb2_grpc.py", "_pb2_grpc.pyi")) and "_to_server" not in text


def committed() -> dict[str, str]:
    """Return what stands in the SDK now."""
    paths = (path for package in PACKAGES for path in (SDK / package).rglob("*.py*") if path.suffix in {".py", ".pyi"})
    return {str(path.relative_to(SDK)): path.read_text("utf-8") for path in paths}


def main() -> None:
    """Write the generated code where it differs from what stands there, or only name the differences."""
    old, new = committed(), generate()
    differing = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    if "--check" in sys.argv[1:]:
        if differing:
            sys.exit("\n".join([*differing, "differ from what proto/ generates: run `make proto`"]))
        return
    for name in differing:
        path = SDK / name
        if name in new:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(new[name], "utf-8")
        else:
            path.unlink()
    print(f"{len(new)} files generated, {len(differing)} of them changed")


if __name__ == "__main__":
    main()
