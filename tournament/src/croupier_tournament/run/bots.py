"""The SDK's example bots as processes."""

import json
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from croupier.examples.greedy import Greedy
from croupier_tournament.run.processes import Process, ProcessDied, Processes

NAMES = ("alice", "bob", "carol", "dave", "eve")


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that is to play, and which of the examples it is."""

    name: str
    kind: str

    def program(self, target: str, secret: str) -> list[str]:
        """Return the command that plays it on a server. The random ones' choices follow from the secret."""
        module = {"random": "random_bot"}.get(self.kind, self.kind)
        command = [sys.executable, "-P", "-m", f"croupier.examples.{module}", "--stats"]
        command += ["--target", target, "--name", self.name]
        return [*command, "--seed", f"{secret}/{self.name}"] if self.kind == "random" else command


@dataclass(frozen=True, slots=True)
class AnswerTimes:
    """How long a bot took from reading a decision to having chosen, in milliseconds."""

    p50: float
    p99: float


def entrants(game: str) -> list[Entrant]:
    """Return five bots of two kinds that play a game: three with a plan where there are such, and two random ones.

    >>> [entrant.kind for entrant in entrants("trick-and-trade")]
    ['greedy', 'greedy', 'greedy', 'random', 'random']
    """
    kind = "greedy" if game in Greedy.games else "first"
    return [Entrant(name, kind if place < 3 else "random") for place, name in enumerate(NAMES)]


async def dismiss(processes: Processes, bots: Sequence[Process]) -> dict[str, AnswerTimes]:
    """Stop bots, and return what those that ended well say of their times."""
    await processes.stop(bots, signal.SIGINT)
    times = {}
    for bot in bots:
        with suppress(ProcessDied, ValueError, KeyError):
            said = json.loads(await bot.line(patience=1.0))
            if said["decisions"]:
                times[bot.name] = AnswerTimes(said["p50_ms"], said["p99_ms"])
    return times
