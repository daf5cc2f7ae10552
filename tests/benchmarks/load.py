"""The bots of the benchmarks, in a process of their own: as light as can be, so that the server is what is measured.

Takes orders as JSON lines on stdin, ``{"run": "compare", ...}`` with the arguments of ``compare`` or ``idle`` below,
and answers each with a JSON line on stdout.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, Self

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"  # before gRPC is loaded: its handlers can kill what uvloop starts

import grpc
import uvloop

sys.path.insert(0, str(Path(__file__).parent.parent))

from processes import command, cpu_s, rss_kib

from benchmarks.echo import METHOD as ECHO
from croupier import admin
from croupier.organising import organise
from croupier.v1 import play_pb2, session_pb2

GAME = "trick-and-trade"
PLAY = "/croupier.v1.PlayService/Play"
CHANNEL = (("grpc.use_local_subchannel_pool", 1),)  # a connection for each bot, as bots in processes of their own have
DAY_MS = 86_400_000


class Gate:
    """What has to be open for anybody to say anything: so two loads can take turns, and neither sees the other."""

    def __init__(self) -> None:
        self._open = asyncio.Event()

    def open(self) -> None:
        self._open.set()

    def close(self) -> None:
        self._open.clear()

    async def passed(self) -> None:
        if not self._open.is_set():
            await self._open.wait()


class Bot:
    """A bot on a stream of its own. Answers whole frames at once, with legal actions picked by a cheap generator.

    Decisions numbered above ``limit`` are not answered.
    """

    def __init__(self, target: str, name: str, gate: Gate, limit: int) -> None:
        self.name = name
        self.limit = limit
        self.decisions = self.frames = self.bytes_in = self.bytes_out = 0
        self.unanswered = 0
        self.latencies: list[float] = []
        """Seconds from an act to the next decision of the same session, whoever is asked."""
        self._gate = gate
        self._channel = grpc.aio.insecure_channel(target, CHANNEL)
        self._call = self._channel.stream_stream(PLAY)()
        self._playing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        hello = play_pb2.Hello(protocol=1, bot=self.name, sdk="croupier-benchmark", language="python")
        frame = play_pb2.PlayRequest(messages=[play_pb2.ClientMessage(hello=hello)])
        await self._call.write(frame.SerializeToString())
        await self._call.read()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.wait([self._playing])
        self._call.cancel()
        await self._channel.close()

    def play(self, answered_at: dict[str, float]) -> None:
        """Begin. ``answered_at`` is shared by the bots: when each session was last answered."""
        self._playing = asyncio.ensure_future(self._play(answered_at))

    async def _play(self, answered_at: dict[str, float]) -> None:
        read, write, gate = self._call.read, self._call.write, self._gate
        parse, clock, latencies = play_pb2.PlayResponse.FromString, time.perf_counter, self.latencies
        whim = 1
        while (frame := await read()) is not grpc.aio.EOF:
            now = clock()
            answer = play_pb2.PlayRequest()
            add = answer.messages.add
            answered = []
            for message in parse(frame).messages:
                kind = message.WhichOneof("message")
                if kind == "decision":
                    decision = message.decision
                    number, session_id = decision.decision_id, decision.session_id
                    if number > self.limit:
                        self.unanswered += 1
                        continue
                    before = answered_at.get(session_id)
                    if before is not None:
                        latencies.append(now - before)
                    whim = whim * 1103515245 + 12345 & 0x7FFFFFFF
                    act = add().act
                    act.session_id = session_id
                    act.decision_id = number
                    act.index = (whim >> 8) % len(decision.actions)
                    answered.append(session_id)
                elif kind == "session_end":
                    answered_at.pop(message.session_end.session_id, None)
                elif kind == "ping":
                    add().pong.nonce = message.ping.nonce
            if not answer.messages:
                add().ack.SetInParent()
            said = answer.SerializeToString()
            self.decisions += len(answered)
            self.frames += 1
            self.bytes_in += len(frame)
            self.bytes_out += len(said)
            await gate.passed()
            now = clock()
            for session_id in answered:
                answered_at[session_id] = now
            await write(said)


class Organiser:
    """Keeps a number of sessions running: when one ends, the next is on its way, and nobody waits for it."""

    def __init__(self, target: str, think_time_ms: int) -> None:
        self.running = 0
        self.bots: list[str] = []
        self.seats = 4
        self._target = target
        self._clock = {"think_time_ms": think_time_ms}
        self._numbers = count()
        self._open = True
        self._quiet = asyncio.Event()
        self._created: set[asyncio.Future[str]] = set()
        """Those that are on their way."""
        self._connection = AsyncExitStack()

    async def __aenter__(self) -> Self:
        access = await self._connection.enter_async_context(admin.connect(self._target))
        self._stream = await self._connection.enter_async_context(organise(access))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._open = False
        await self._connection.aclose()

    def add(self, sessions: int = 1) -> None:
        """Begin to create so many."""
        self.running += sessions
        for _ in range(sessions):
            number = next(self._numbers)
            bots = [self.bots[(number + seat) % len(self.bots)] for seat in range(self.seats)]
            game = self._stream.create(session_pb2.CreateSessionRequest(game=GAME, bots=bots, clock=self._clock))
            self._created.add(game.created)
            game.created.add_done_callback(self._created.discard)
            game.over.add_done_callback(self._ended)

    def _ended(self, _over: object) -> None:
        """One is over: the next."""
        self.running -= 1
        if self._open:
            self.add()
        elif not self.running:
            self._quiet.set()

    async def added(self) -> None:
        """Wait until all that were begun exist."""
        for created in list(self._created):
            await created

    def begin(self) -> None:
        """Begin anew after `finish`."""
        self._open = True
        self._quiet.clear()

    async def finish(self) -> None:
        """Begin no more, and wait until all are over."""
        self._open = False
        if self.running:
            await self._quiet.wait()


@asynccontextmanager
async def table_of_bots(target: str, streams: int, gate: Gate, *, limit: int, think_time_ms: int) -> Any:
    """Bots at their streams, and an organiser who knows them."""
    async with AsyncExitStack() as stack:
        organiser = await stack.enter_async_context(Organiser(target, think_time_ms))
        bots = [Bot(target, f"bench-{number}", gate, limit) for number in range(streams)]
        for bot in bots:
            await stack.enter_async_context(bot)
        organiser.bots = [bot.name for bot in bots]
        answered_at: dict[str, float] = {}
        for bot in bots:
            bot.play(answered_at)
        yield bots, organiser


class Echoes:
    """Messages under way over bare streams: each that comes back sets the next one off."""

    def __init__(self, target: str, streams: int, outstanding: int, gate: Gate) -> None:
        self.trips = 0
        self.latencies: list[float] = []
        streams = min(streams, outstanding)
        self._shares = [outstanding // streams + (number < outstanding % streams) for number in range(streams)]
        self._gate = gate
        self._channels = [grpc.aio.insecure_channel(target, CHANNEL) for _ in range(streams)]
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self, act_bytes: int, decision_bytes: int) -> None:
        """Begin, with messages of these sizes to the server and back."""
        self._tasks = [
            asyncio.ensure_future(self._exchange(channel, share, bytes(act_bytes), decision_bytes))
            for channel, share in zip(self._channels, self._shares, strict=True)
        ]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        for channel in self._channels:
            await channel.close()

    async def _exchange(self, channel: grpc.aio.Channel, share: int, message: bytes, answer_bytes: int) -> None:
        call = channel.stream_stream(ECHO)()
        try:
            read, write, gate = call.read, call.write, self._gate
            clock, latencies = time.perf_counter, self.latencies
            await write(answer_bytes.to_bytes(4, "big"))
            sent = []
            for _ in range(share):
                sent.append(clock())
                await write(message)
            oldest = 0
            while await read() is not grpc.aio.EOF:
                self.trips += 1
                latencies.append(clock() - sent[oldest])
                await gate.passed()
                sent[oldest] = clock()
                oldest = (oldest + 1) % share
                await write(message)
        finally:
            call.cancel()


class Slices:
    """The turns of one of two loads, each measured by itself."""

    def __init__(
        self, gate: Gate, pid: int, latencies: Sequence[list[float]], counts: Callable[[], Sequence[int]]
    ) -> None:
        self.rates: list[float] = []
        """Units a second, turn by turn."""
        self.counted: list[int] = []
        """What was counted in all turns together; units come first."""
        self._gate = gate
        self._pid = pid
        self._sources = latencies
        self._counts = counts
        self._latencies: list[float] = []
        self._cpu = [0.0, 0.0]

    async def turn(self, seconds: float, *, measured: bool = True) -> None:
        """Let this load run for so long."""
        self._gate.open()
        await asyncio.sleep(RAMP_S)  # what had to wait at the gate is not counted
        for source in self._sources:
            source.clear()
        before, cpu, start = self._counts(), (cpu_s(self._pid), time.process_time()), time.perf_counter()
        await asyncio.sleep(seconds)
        elapsed, after = time.perf_counter() - start, self._counts()
        if measured:
            self._cpu[0] += cpu_s(self._pid) - cpu[0]
            self._cpu[1] += time.process_time() - cpu[1]
            gained = [then - now for then, now in zip(after, before, strict=True)]
            self.rates.append(gained[0] / elapsed)
            self.counted = [sum(pair) for pair in zip(self.counted or [0] * len(gained), gained, strict=True)]
            for source in self._sources:
                self._latencies += source
        self._gate.close()
        await asyncio.sleep(RAMP_S)  # what is under way comes in

    def figures(self) -> dict[str, float]:
        """Units a second, in the middle and at best; latency; processor time for each unit."""
        self._latencies.sort()
        units = max(1, self.counted[0])
        return {
            "per_second": round(median(self.rates), 1),
            "per_second_best": round(max(self.rates), 1),
            "latency_p50_ms": self._percentile(0.5),
            "latency_p99_ms": self._percentile(0.99),
            "server_cpu_us": round(self._cpu[0] / units * 1e6, 1),
            "load_cpu_us": round(self._cpu[1] / units * 1e6, 1),
        }

    def _percentile(self, share: float) -> float:
        return round(self._latencies[int(share * len(self._latencies))] * 1000, 3) if self._latencies else 0.0


RAMP_S = 0.05
WARMUP_S = 0.5


async def compare(
    *, target: str, pid: int, echo_target: str, echo_pid: int, sessions: int, streams: int, seconds: float, turns: int
) -> dict[str, Any]:
    """Hosted sessions and bare echoes in turn, ``seconds`` each: so many sessions, so many messages under way."""
    gate, echo_gate = Gate(), Gate()
    async with table_of_bots(target, streams, gate, limit=1 << 31, think_time_ms=DAY_MS) as (bots, organiser):

        def counts() -> Sequence[int]:
            sums = ([bot.decisions, bot.frames, bot.bytes_in, bot.bytes_out] for bot in bots)
            return [sum(column) for column in zip(*sums, strict=True)]

        hosted = Slices(gate, pid, [bot.latencies for bot in bots], counts)
        organiser.add(sessions)
        await hosted.turn(WARMUP_S, measured=False)
        decisions, _, bytes_in, bytes_out = counts()
        echoes = Echoes(echo_target, streams, sessions, echo_gate)
        echoed = Slices(echo_gate, echo_pid, [echoes.latencies], lambda: [echoes.trips])
        echoes.begin(round(bytes_out / decisions), round(bytes_in / decisions))
        await echoed.turn(WARMUP_S, measured=False)
        for _ in range(turns):
            await echoed.turn(seconds / turns)
            await hosted.turn(seconds / turns)
        await echoes.close()
        gate.open()
        await organiser.finish()
    decisions, frames, bytes_in, bytes_out = hosted.counted
    return {
        "sessions": sessions,
        "ratio": round(median(ours / bare for ours, bare in zip(hosted.rates, echoed.rates, strict=True)), 2),
        "hosted": hosted.figures(),
        "echo": echoed.figures(),
        "decisions_per_frame": round(decisions / max(1, frames), 1),
        "decision_bytes": round(bytes_in / max(1, decisions)),
        "act_bytes": round(bytes_out / max(1, decisions)),
    }


async def idle(*, target: str, pid: int, sessions: int, decisions: int, streams: int = 4) -> dict[str, Any]:
    """So many sessions that wait for their bots after so many decisions: what the server holds for each, in KiB."""
    gate = Gate()
    gate.open()
    async with table_of_bots(target, streams, gate, limit=decisions, think_time_ms=DAY_MS) as (bots, organiser):

        async def fill(more: int) -> int:
            organiser.add(more)
            await organiser.added()
            while sum(bot.unanswered for bot in bots) < organiser.running:  # noqa: ASYNC110 - telling would cost the bots
                await asyncio.sleep(0.05)
            return rss_kib(pid)

        before = await fill(max(100, sessions // 50))  # whatever the first sessions bring into memory once and for all
        after = await fill(sessions)
    return {"sessions": sessions, "decisions": decisions, "kib_each": round((after - before) / sessions, 1)}


async def tournament(*, target: str, sessions: int, seats: int, streams: int, seconds: float, turns: int) -> Any:
    """Decisions a second with the organiser of these benchmarks, and with the tournament runner, in turn."""
    gate = Gate()
    gate.open()
    bare, run = [], []
    async with table_of_bots(target, streams, gate, limit=1 << 31, think_time_ms=DAY_MS) as (bots, organiser):

        async def rate() -> float:
            await asyncio.sleep(WARMUP_S)
            before, start = sum(bot.decisions for bot in bots), time.perf_counter()
            await asyncio.sleep(seconds)
            return (sum(bot.decisions for bot in bots) - before) / (time.perf_counter() - start)

        for turn in range(turns):
            organiser.begin()
            organiser.add(sessions)
            bare.append(await rate())
            await organiser.finish()
            with tempfile.TemporaryDirectory() as folder:
                async with running(Path(folder), target, [bot.name for bot in bots], seats, sessions, f"bench {turn}"):
                    run.append(await rate())
                await asyncio.sleep(1)  # what is under way comes in
    return {
        "sessions": sessions,
        "bare_per_second": round(median(bare), 1),
        "run_per_second": round(median(run), 1),
        "ratio": round(median(ours / theirs for ours, theirs in zip(run, bare, strict=True)), 3),
    }


@asynccontextmanager
async def running(folder: Path, target: str, bots: Sequence[str], seats: int, sessions: int, seed: str) -> Any:
    """A tournament of these bots, run by a process of its own; it has begun to end games when this is entered."""
    entrants = "".join(f'[[entrants]]\nname = "{bot}"\nremote = true\n' for bot in bots)
    spec = folder / "bench.toml"
    spec.write_text(
        f'game = "{GAME}"\nseats = {seats}\nblocks = 2000\nseed = "{seed}"\n{entrants}'
        f'[run]\nservers = ["{target}"]\nconcurrency = {sessions}\n[clock]\nthink_time_s = 86400\n',
        "utf-8",
    )
    runner = await asyncio.create_subprocess_exec(
        *(*command(), "tournament", "run", str(spec), "--format", "jsonl"), stdout=asyncio.subprocess.PIPE
    )
    assert runner.stdout is not None
    try:
        while b'"event": "block"' not in (line := await runner.stdout.readline()):
            assert line, f"the runner has ended: {await runner.wait()}"
        reading = asyncio.ensure_future(_drain(runner.stdout))
        yield
        runner.kill()
        await reading
    finally:
        await runner.wait()


async def _drain(stream: asyncio.StreamReader) -> None:
    while await stream.read(1 << 16):
        pass


RUNS = {"compare": compare, "idle": idle, "tournament": tournament}


def orders() -> Iterator[dict[str, Any]]:
    """Each line of stdin."""
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        yield json.loads(line)


if __name__ == "__main__":
    for order in orders():
        run = RUNS[order.pop("run")]
        print(json.dumps(uvloop.run(run(**order))), flush=True)
