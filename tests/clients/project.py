"""A project that `croupier bot new` writes is built and tested, and its bot checked: `python project.py LANGUAGE`."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from languages import ROOT
from processes import command

BUILT = {"rust": "target"}
"""Where an SDK's own build has left what its bots are built from as well: to build all of that anew takes minutes."""
CHECKS = ("connects", "hello", "a-game", "refused-token", "sigterm")


def main(language: str) -> int:
    """Do it; return the exit code of what fails, or 0."""
    with tempfile.TemporaryDirectory(prefix="croupier-new-") as parent:
        folder = Path(parent) / "my-bot"
        sdk = str(ROOT / "clients" / language)
        new = [*command(), "bot", "new", str(folder), "--language", language, "--sdk", sdk, "--format", "json"]
        made = json.loads(subprocess.check_output(new, text=True))
        if language in BUILT:
            (folder / BUILT[language]).symlink_to(ROOT / "clients" / language / BUILT[language])
        for step in [*made["build"], *made["test"]]:
            print(f"$ {step}", flush=True)
            code = subprocess.run(step, shell=True, cwd=folder, check=False).returncode
            if code:
                return code
        only = [word for check in CHECKS for word in ("--only", check)]
        check = [*command(), "bot", "check", *only, "--", *made["run"]]
        return subprocess.run(check, cwd=folder, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
