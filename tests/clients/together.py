"""A tournament of one bot for each language, in each of the games: nobody may have a fault.

    .venv/bin/python tests/clients/together.py                     # 300 games of each kind: minutes
    .venv/bin/python tests/clients/together.py go rust --games 20  # these languages, fewer games

The bots are processes that `croupier tournament` starts, as an organiser would do; it plays, and proves every result.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

import processes
from languages import ROOT, Language, TableError, languages

GAMES = ("trick-and-trade", "trick-stakes", "trades", "trade-and-triumph")
SEATS = 4


def main() -> int:
    """Play; return the exit code: 0 without a fault, 1 with some, or where something went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("language", nargs="*", help="a section of clients/languages.toml (default: each of them)")
    parser.add_argument("--games", type=int, default=300, help="of each kind, at least (default: %(default)s)")
    parser.add_argument("--kind", action="append", choices=GAMES, help="only this game; may be repeated")
    options = parser.parse_args()
    try:
        chosen = languages(options.language)
    except TableError as error:
        parser.error(str(error))
    with tempfile.TemporaryDirectory(prefix="croupier-clients-") as folder:
        told = [play(game, chosen, options.games, Path(folder)) for game in options.kind or GAMES]
    return 0 if all(told) else 1


def command(chosen: Sequence[Language], games: int) -> list[str]:
    """What runs this for some languages."""
    return [sys.executable, __file__, "--games", str(games), *(language.name for language in chosen)]


def play(game: str, chosen: Sequence[Language], games: int, folder: Path) -> bool:
    """Play so many games of one kind; say whether all went well."""
    spec = folder / f"{game}.toml"
    spec.write_text(described(game, chosen, games), "utf-8")
    for what in ("run", "verify"):
        target = str(spec) if what == "run" else str(folder / game)
        done = subprocess.run(
            [*processes.command(), "tournament", what, target], stdout=subprocess.DEVNULL, cwd=ROOT, check=False
        )
        if done.returncode:
            print(f"{game}: `croupier tournament {what}` ended with exit code {done.returncode}")
            print_logs(folder / game / "logs")
            return False
    played, faults = counted(folder / game / "games.jsonl")
    said = ", ".join(f"{who} {kind}: {count}" for (who, kind), count in sorted(faults.items())) or "no fault"
    print(f"{game}: {played} games of {', '.join(language.name for language in chosen)}; {said}", flush=True)
    if faults:
        print_logs(folder / game / "logs")
    return not faults


def described(game: str, chosen: Sequence[Language], games: int) -> str:
    """The spec. Where there are fewer languages than seats, bots of the house fill up."""
    entrants = [(language.name, f"command = {json.dumps(language.anywhere(language.random))}") for language in chosen]
    entrants += [(f"house-{number}", 'house = "random"') for number in range(len(chosen), SEATS)]
    return "\n".join(
        [
            f'title = "One bot for each language: {game}"',
            f'game = "{game}"',
            f"seats = {SEATS}",
            'format = "balanced"',
            f"blocks = {-(-games // SEATS)}",  # each deal is played from every seat
            "[limits]",
            "memory_mib = 0",  # virtual machines reserve more than they use
            "files = 4096",
            *(f'[[entrants]]\nname = "{name}"\n{kind}' for name, kind in entrants),
        ]
    )


def counted(path: Path) -> tuple[int, Counter[tuple[str, str]]]:
    """How many games there were, and the faults in them by entrant and kind."""
    faults: Counter[tuple[str, str]] = Counter()
    games = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for game in games:
        for entrant, counts in zip(game["entrants"], game["faults"], strict=True):
            for kind, count in counts.items():
                faults[entrant, kind] += count
    return len(games), faults


def print_logs(folder: Path) -> None:
    """Print the ends of what the bots have said."""
    for log in sorted(folder.rglob("*.log")):
        lines = log.read_text("utf-8", "replace").splitlines()[-12:]
        if lines:
            print(f"{log.name}:", *(f"  {line}" for line in lines), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
