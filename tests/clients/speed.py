"""How many decisions a second each SDK's random bot answers, beside the Python one: `make bench-clients`.

A server that does nothing but ask has all bots on a stream each, and asks one after the other, in turns, so that what
else the machine does hits all alike. A frame asks in all of its sessions; the next one follows when all is answered, as
a real server does it. Printed are the middle of the turns, by the clock and by the processor time of the bot's process.
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
from pathlib import Path
from statistics import median
from typing import Any, Self

import grpc
import uvloop

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from languages import ROOT, Language, TableError, languages
from processes import cpu_s

from croupier.v1 import play_pb2
from croupier_games.kernel import find_game
from croupier_service.conformance.sitting import Sitting

BASE = "python"
FIRST_ID = 1 << 21  # from here on to 2^28 the number of a decision takes four bytes
ARRIVAL_S = 60.0
WARM_UP = 2  # turns that do not count: virtual machines compile what is used much
DECISIONS_BEFORE = 10  # those asked are in the middle of a game


def main() -> int:
    """Measure; return the exit code: 1 where a bot does not play, else 0, however fast they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", nargs="*", help="a section of clients/languages.toml (default: each of them)")
    parser.add_argument("--sessions", type=int, default=64, help="of each bot (default: %(default)s)")
    parser.add_argument("--turns", type=int, default=9, help="of each bot (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a turn (default: %(default)s)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    options = parser.parse_args()
    try:
        chosen = languages([BASE, *options.language] if options.language else [])
    except TableError as error:
        parser.error(str(error))
    try:
        rows = uvloop.run(measure(chosen, options.sessions, options.turns, options.seconds))
    except BotMissingError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(rows, indent=2) if options.format == "json" else as_text(rows, options.sessions))
    return 0


class BotMissingError(Exception):
    """A bot does not connect, or has ended. The message has what it said."""


class Asked:
    """A bot's stream, and what asks it."""

    def __init__(self, read: Any, write: Any, sessions: int) -> None:
        self._read = read
        self._write = write
        self._sessions = sessions
        self._asked = 0
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
        self.decision_bytes = len(self._frame) // sessions

    async def begin(self) -> None:
        """Sit the bot down."""
        await self._write(self._starts.SerializeToString())
        await self._read()

    async def turn(self, seconds: float) -> float:
        """Ask for so long; return decisions a second."""
        began, answered = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            self._asked += 1
            await self._write(self._frame.replace(varint(FIRST_ID), varint(FIRST_ID + self._asked)))
            acts = 0
            while acts < self._sessions:
                messages = play_pb2.PlayRequest.FromString(await self._read()).messages
                acts += len(messages) if messages[-1].HasField("act") else 0  # else an Ack, alone
            answered += acts
        return answered / (time.perf_counter() - began)


def varint(number: int) -> bytes:
    """Four bytes: the field `decision_id` with this number."""
    return bytes([3 << 3, *((number >> shift & 127) | 128 for shift in (0, 7, 14)), number >> 21])


async def measure(chosen: Sequence[Language], sessions: int, turns: int, seconds: float) -> list[dict[str, Any]]:
    """A row for each language."""
    arrived: dict[str, asyncio.Future[Asked]] = {
        language.name: asyncio.get_running_loop().create_future() for language in chosen
    }
    over = asyncio.Event()

    async def play(_requests: object, context: Any) -> None:
        hello = play_pb2.PlayRequest.FromString(await context.read()).messages[0].hello
        welcome = play_pb2.Welcome(protocol=1, bot=hello.bot, max_frame_bytes=1 << 18)
        await context.write(
            play_pb2.PlayResponse(messages=[play_pb2.ServerMessage(welcome=welcome)]).SerializeToString()
        )
        await context.read()
        asked = Asked(context.read, context.write, sessions)
        await asked.begin()
        arrived[hello.bot].set_result(asked)
        await over.wait()

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handler: Any = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("croupier.v1.PlayService", {"Play": handler}),)
    )
    target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    with ExitStack() as stack:
        try:
            bots = {language.name: stack.enter_context(Bot(language, target)) for language in chosen}
            asked = {name: await bots[name].arrival(future) for name, future in arrived.items()}
            rates = {name: list[float]() for name in asked}
            cpu = {name: list[float]() for name in asked}
            for number in range(-WARM_UP, turns):
                for name, one in asked.items():
                    progress(f"turn {number + 1} of {turns}: {name}" if number >= 0 else f"warming up: {name}")
                    used, began = cpu_s(bots[name].pid), time.perf_counter()
                    rate = await one.turn(seconds)
                    spent, took = cpu_s(bots[name].pid) - used, time.perf_counter() - began
                    if number >= 0:
                        rates[name].append(rate)
                        cpu[name].append(rate * took / max(spent, 0.01))
            progress("")
        finally:
            over.set()
            await server.stop(0)
    base = median(rates[BASE]), median(cpu[BASE])
    return [
        {
            "language": language.name,
            "decisions_per_second": round(median(rates[language.name])),
            "ratio": round(median(rates[language.name]) / base[0], 2),
            "target_ratio": language.speed,
            "met": median(rates[language.name]) >= language.speed * base[0],
            "decisions_per_cpu_second": round(median(cpu[language.name])),
            "cpu_ratio": round(median(cpu[language.name]) / base[1], 2),
        }
        for language in chosen
    ]


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

    async def arrival(self, future: "asyncio.Future[Asked]") -> Asked:
        """Wait until it has sat down. Raises BotMissingError."""
        deadline = time.monotonic() + ARRIVAL_S
        while not future.done():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._said.seek(0)
                raise BotMissingError(f"{self._language.name}: does not play\n{self._said.read()}")
            await asyncio.wait([future], timeout=0.2)
        return future.result()


def as_text(rows: Sequence[dict[str, Any]], sessions: int) -> str:
    """A table."""
    heads = ("random bot", "decisions/s", "ratio", "target", "met", "per CPU second", "ratio")
    lines = [heads] + [
        (
            row["language"],
            f"{row['decisions_per_second']:,}",
            f"{row['ratio']:.2f}",
            f"{row['target_ratio']:.1f}",
            "yes" if row["met"] else "NO",
            f"{row['decisions_per_cpu_second']:,}",
            f"{row['cpu_ratio']:.2f}",
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
