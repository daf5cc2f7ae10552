"""``make chaos``: a storm of some minutes; see the README here."""

import argparse
import asyncio
import logging
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from chaos.storm import Weather, rage


def main() -> int:
    """Let it rage, and say what has come of it; 0: everything held."""
    parser = argparse.ArgumentParser(
        description="Play games while the server is killed and connections are torn; then prove that nothing was lost."
    )
    parser.add_argument("--seed", type=int, default=1, help="whatever follows, follows from it (default: %(default)s)")
    parser.add_argument("--kills", type=int, default=20, help="how often the server is killed (default: %(default)s)")
    parser.add_argument("--games", type=int, default=240, help="games at least (default: %(default)s)")
    parser.add_argument("--at-once", type=int, default=32, help="games at the same time (default: %(default)s)")
    parser.add_argument("--patience", type=float, default=240, help="seconds for the storm (default: %(default)s)")
    options = parser.parse_args()
    logging.getLogger("croupier").setLevel(logging.ERROR)  # that connections are lost is no news here
    weather = Weather(options.seed, options.kills, options.games, options.at_once, options.patience)

    def tell(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="croupier-chaos-") as folder:
        found = asyncio.run(rage(weather, Path(folder), tell))
    for wrong in found.wrong:
        print(f"WRONG  {wrong}")
    held = "everything held" if not found.wrong else f"{len(found.wrong)} things did not hold"
    print(
        f"seed {weather.seed}: {len(found.sessions)} games, {found.kills} kills, {found.tears} torn connections, "
        f"{found.seconds:.0f} s: {held}"
    )
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
