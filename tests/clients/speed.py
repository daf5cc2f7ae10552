"""How many decisions a second each SDK's random bot answers, beside the Python one: `make bench-clients`.

A server that does nothing but ask has all bots on a stream each, and asks one after the other, in turns, so that what
else the machine does hits all alike. A frame asks in all of its sessions; the next one follows when all is answered, as
a real server does it. Turns count after a warm-up, the same for all: bots play for hours, and virtual machines compile
what is used much. Printed are the middle of the turns, by the clock and by the processor time of the bot's process, and
what asking took: as long as that is little, it is the bots that are measured.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Self

import uvloop

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from asker import Ended, Stream
from languages import ROOT, Language, TableError, languages
from processes import cpu_s

from croupier.v1 import play_pb2
from croupier_games.kernel import find_game
from croupier_service.conformance.sitting import Sitting

BASE = "python"
FIRST_ID = 1 << 21  # from here on to 2^28 the number of a decision takes four bytes
ARRIVAL_S = 60.0
DECISIONS_BEFORE = 10  # those asked are in the middle of a game


def main() -> int:
    """Measure; return the exit code: 1 where a bot does not play, else 0, however fast they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", nargs="*", help="a section of clients/languages.toml (default: each of them)")
    parser.add_argument("--sessions", type=int, default=64, help="of each bot (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=7, help="of each bot (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a turn (default: %(default)s)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    parser.add_argument(
        "--warm-up", type=float, default=20.0, help="seconds before, of each bot (default: %(default)s)"
    )
    options = parser.parse_args()
    try:
        chosen = languages([BASE, *options.language] if options.language else [])
    except TableError as error:
        parser.error(str(error))
    try:
        rows = uvloop.run(measure(chosen, options))
    except BotMissingError as error:
        print(error, file=sys.stderr)
        return 1
    except Ended:
        print("a bot has ended while it was asked", file=sys.stderr)
        return 1
    print(json.dumps(rows, indent=2) if options.format == "json" else as_text(rows, options.sessions))
    return 0


class BotMissingError(Exception):
    """A bot does not connect, or has ended. The message has what it said."""


class Asked:
    """A bot's stream, and what asks it."""

    def __init__(self, stream: Stream, sessions: int) -> None:
        self._stream = stream
        self._sessions = sessions
        self._asked = FIRST_ID
        sittings = [Sitting(find_game("trick-and-trade"), f"{number:016x}") for number in range(sessions)]
        self._starts = play_pb2.PlayResponse(messages=[sitting.start() for sitting in sittings])
        questions = []
        for sitting in sittings:
            for _ in range(DECISIONS_BEFORE):
                question = sitting.ask()
                sitting.answer = question.decision.actions[0]
                sitting.take()
            questions.append(sitting.ask(decision_id=FIRST_ID))
        self._frame = play_pb2.PlayResponse(messages=questions).SerializeToString()

    async def begin(self) -> None:
        """Greet the bot, and sit it down. Raises Ended."""
        hello = play_pb2.PlayRequest.FromString(await self._stream.read()).messages[0].hello
        welcome = play_pb2.Welcome(protocol=1, bot=hello.bot, max_frame_bytes=1 << 18)
        for frame in (play_pb2.PlayResponse(messages=[play_pb2.ServerMessage(welcome=welcome)]), self._starts):
            self._stream.write(frame.SerializeToString())
            await self._stream.read()

    async def turn(self, seconds: float) -> float:
        """Ask for so long; return decisions a second.

        Raises Ended, and ValueError where the bot answers what was not asked.
        """
        began, answered = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            self._asked += 1
            self._stream.write(self._frame.replace(varint(FIRST_ID), varint(self._asked)))
            acts = 0
            while acts < self._sessions:
                messages = play_pb2.PlayRequest.FromString(await self._stream.read()).messages
                if messages[-1].HasField("act"):  # else an Ack, alone
                    acts += len(messages)
                    if messages[-1].act.decision_id != self._asked:
                        raise ValueError(f"decision {messages[-1].act.decision_id} answered, not {self._asked}")
            answered += acts
        return answered / (time.perf_counter() - began)


def varint(number: int) -> bytes:
    """Four bytes: the field `decision_id` with this number."""
    return bytes([3 << 3, *((number >> shift & 127) | 128 for shift in (0, 7, 14)), number >> 21])


@dataclass(slots=True)
class Turns:
    """What came of a bot's turns.

    Attributes:
        rates: decisions a second, of each turn.
        bot, asking: how much of a processor its process took, and the asking one.
    """

    rates: list[float] = field(default_factory=list)
    bot: list[float] = field(default_factory=list)
    asking: list[float] = field(default_factory=list)

    async def take(self, asked: Asked, pid: int, seconds: float) -> None:
        """Take one more. Raises Ended."""
        used, own, began = cpu_s(pid), time.process_time(), time.perf_counter()
        self.rates.append(await asked.turn(seconds))
        took = time.perf_counter() - began
        self.bot.append(max(cpu_s(pid) - used, 0.01) / took)
        self.asking.append((time.process_time() - own) / took)

    @property
    def per_second(self) -> float:
        """Decisions."""
        return median(self.rates)

    @property
    def per_cpu_second(self) -> float:
        """Decisions for each second of the bot's processor time."""
        return median(rate / busy for rate, busy in zip(self.rates, self.bot, strict=True))


async def measure(chosen: Sequence[Language], options: argparse.Namespace) -> list[dict[str, Any]]:
    """A row for each language. Raises BotMissingError."""
    streams = asyncio.Queue[Stream]()
    server = await asyncio.get_running_loop().create_server(lambda: Stream(streams.put_nowait), "127.0.0.1", 0)
    target = "127.0.0.1:{1}".format(*server.sockets[0].getsockname())
    with ExitStack() as stack:
        stack.callback(server.close)
        bots, asked = {}, {}
        for language in chosen:
            progress(f"starting: {language.name}")
            bots[language.name] = bot = stack.enter_context(Bot(language, target))
            asked[language.name] = await bot.arrival(streams, options.sessions)
        turns = {name: Turns() for name in asked}
        for name, one in asked.items():
            progress(f"warming up: {name}")
            await one.turn(options.warm_up)
        for number in range(options.turns):
            for name, one in asked.items():
                progress(f"turn {number + 1} of {options.turns}: {name}")
                await turns[name].take(one, bots[name].pid, options.seconds)
        progress("")
    return [row(language, turns[language.name], turns[BASE]) for language in chosen]


def row(language: Language, turns: Turns, base: Turns) -> dict[str, Any]:
    """What is told of a language."""
    return {
        "language": language.name,
        "decisions_per_second": round(turns.per_second),
        "ratio": round(turns.per_second / base.per_second, 2),
        "target_ratio": language.speed,
        "met": turns.per_second >= language.speed * base.per_second,
        "decisions_per_cpu_second": round(turns.per_cpu_second),
        "cpu_ratio": round(turns.per_cpu_second / base.per_cpu_second, 2),
        "bot_busy": round(median(turns.bot), 2),
        "asking_busy": round(median(turns.asking), 2),
    }


class Bot:
    """A language's random bot, as a process."""

    def __init__(self, language: Language, target: str) -> None:
        self._language = language
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed on the way out
        given = {name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")}
        given |= {"CROUPIER_TARGET": target, "CROUPIER_NAME": language.name}
        self._process = subprocess.Popen(language.random, cwd=ROOT, env=given, stdout=self._said, stderr=self._said)
        self.pid = self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._said.close()

    async def arrival(self, streams: asyncio.Queue[Stream], sessions: int) -> Asked:
        """Wait until it has sat down. Raises BotMissingError."""
        coming = asyncio.ensure_future(streams.get())
        deadline = time.monotonic() + ARRIVAL_S
        while not coming.done() and self._process.poll() is None and time.monotonic() < deadline:
            await asyncio.wait([coming], timeout=0.1)
        if not coming.done():
            coming.cancel()
            raise self._missing()
        asked = Asked(coming.result(), sessions)
        try:
            async with asyncio.timeout(ARRIVAL_S):
                await asked.begin()
        except (Ended, TimeoutError):
            raise self._missing() from None
        return asked

    def _missing(self) -> BotMissingError:
        self._said.seek(0)
        return BotMissingError(f"{self._language.name}: does not play\n{self._said.read()}")


def as_text(rows: Sequence[dict[str, Any]], sessions: int) -> str:
    """A table."""
    heads = (
        "random bot",
        "decisions/s",
        "ratio",
        "target",
        "met",
        "per CPU second",
        "ratio",
        "bot busy",
        "asking busy",
    )
    lines = [heads] + [
        (
            row["language"],
            f"{row['decisions_per_second']:,}",
            f"{row['ratio']:.2f}",
            f"{row['target_ratio']:.1f}",
            "yes" if row["met"] else "NO",
            f"{row['decisions_per_cpu_second']:,}",
            f"{row['cpu_ratio']:.2f}",
            f"{row['bot_busy']:.0%}",
            f"{row['asking_busy']:.0%}",
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    table = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines]
    where = f"{sessions} sessions on one stream, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}"
    return "\n".join([f"Decisions answered by each SDK's random bot, beside Python's: {where}", *table])


def progress(text: str) -> None:
    """Say on a terminal what is going on."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
