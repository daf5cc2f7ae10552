"""Writes the dashboards that Grafana reads. With --check, says which are not as they would be written.

    python deploy/grafana/generate.py [--check]

The dashboards are made by the modules beside this one; the JSON in dashboards/ is not to be edited.
"""

import sys
from pathlib import Path

import bot
from grafana_foundation_sdk.cog.encoder import JSONEncoder

import service
import tournament

HERE = Path(__file__).parent
OUT = HERE / "dashboards"
BOARDS = {"service": service, "tournament": tournament, "bot": bot}


def texts() -> dict[Path, str]:
    """The files and what is to be in them."""
    encoder = JSONEncoder(sort_keys=True, indent=2)
    return {OUT / f"{name}.json": encoder.encode(board.made().build()) + "\n" for name, board in BOARDS.items()}


def main() -> None:
    """Write or check."""
    wanted = texts()
    found = {path: path.read_text("utf-8") for path in OUT.glob("*.json")}
    if sys.argv[1:] == ["--check"]:
        stale = sorted(path.name for path in wanted.keys() | found.keys() if wanted.get(path) != found.get(path))
        if stale:
            sys.exit(f"deploy/grafana/dashboards: {', '.join(stale)} is not what the code says: run `make dashboards`")
        return
    OUT.mkdir(exist_ok=True)
    for path in found.keys() - wanted.keys():
        path.unlink()
    for path, text in wanted.items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
