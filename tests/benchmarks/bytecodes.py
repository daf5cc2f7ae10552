"""Where a hosted decision goes: bytecodes and calls inside the server, by function. Counts: no machine's noise in them.

    python tests/benchmarks/bytecodes.py [--game trick-and-trade] [--sessions 16] [--decisions 4000] [--rows 40]

The server's host and its links run in this process, without gRPC; bots answer whole frames. What C code does (encoding,
hashing, allocating) is not seen: look at times for that.
"""

import argparse
import asyncio
import collections
import sys
from collections.abc import Callable
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from croupier.v1 import play_pb2
from croupier_games.kernel import Seed
from croupier_service import logs
from croupier_service.rpc.link import StreamLink
from croupier_service.server import Server, ServerSettings
from croupier_service.sessions.host import NewSession
from croupier_service.wire.messages import GameWire
from croupier_service.wire.registry import codecs

SEATS = 4


class Counter:
    """Counts the bytecodes that run inside ``with counter.counting():``."""

    def __init__(self) -> None:
        self.bytecodes: collections.Counter[CodeType] = collections.Counter()
        self.calls: collections.Counter[CodeType] = collections.Counter()

    @contextmanager
    def counting(self) -> Any:
        """Count meanwhile."""
        sys.settrace(self._trace)
        try:
            yield
        finally:
            sys.settrace(None)

    def _trace(self, frame: FrameType, event: str, _argument: Any) -> Callable[..., Any] | None:
        if event == "call":
            name = frame.f_code.co_filename
            if "/croupier" not in name and not name.startswith("<"):  # the latter is what dataclasses generate
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            self.calls[frame.f_code] += 1
        elif event == "opcode":
            self.bytecodes[frame.f_code] += 1
        return self._trace


async def count(game: str, sessions: int, least_decisions: int) -> tuple[Counter, int, int]:
    """Host so many sessions until so many decisions are made: what was counted, decisions, frames."""
    counter = Counter()
    host = Server(ServerSettings(metrics_listen=None)).host
    keeping = asyncio.create_task(host.journal.run())
    wires = {name: GameWire(codec) for name, codec in codecs().items()}
    names = [f"bot-{seat}" for seat in range(SEATS)]
    links = [StreamLink(host, wires, play_pb2.Hello(protocol=1, bot=name), 5000, 15000) for name in names]
    for name, link in zip(names, links, strict=True):
        link.bot = host.connect(name, link)
    created = decisions = frames = 0

    def create() -> None:
        nonlocal created
        turn = created % SEATS
        created += 1
        host.create(NewSession(game, names[turn:] + names[:turn], seed=Seed.of(f"benchmark {created}")))

    for _ in range(sessions):
        create()
    while decisions < least_decisions:
        for link in links:
            with counter.counting():
                frame = await _next_frame(link)
            if not frame:
                continue
            answer, answered, ended = _answer(frame, decisions)
            with counter.counting():
                link.frame(answer, len(answer))
                for _ in range(ended):
                    create()
            decisions += answered
            frames += 1
        await asyncio.sleep(0)
    keeping.cancel()
    host.close("counted")
    return counter, decisions, frames


async def _next_frame(link: StreamLink) -> bytes:
    """What the link has to say, as its stream would write it; nothing, if that is so."""
    frames: list[bytes] = []

    async def write(frame: bytes) -> None:
        frames.append(frame)

    writer = asyncio.ensure_future(link.outbox.run(write, lambda items: link.asked(items) if items else None))
    await asyncio.sleep(0)
    writer.cancel()
    await asyncio.wait([writer])
    return b"".join(frames)


def _answer(frame: bytes, whim: int) -> tuple[bytes, int, int]:
    """A bot's answer to a frame, how many decisions are in it, and how many sessions have ended."""
    answer = play_pb2.PlayRequest()
    answered = ended = 0
    for message in play_pb2.PlayResponse.FromString(frame).messages:
        if message.HasField("decision"):
            decision = message.decision
            act = answer.messages.add().act
            act.session_id, act.decision_id = decision.session_id, decision.decision_id
            act.index = (whim + answered) * 7919 % len(decision.actions)
            answered += 1
        elif message.HasField("session_end") and message.session_end.seat == 0:
            ended += 1
    if not answered:
        answer.messages.add().ack.SetInParent()
    return answer.SerializeToString(), answered, ended


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="trick-and-trade")
    parser.add_argument("--sessions", type=int, default=16)
    parser.add_argument("--decisions", type=int, default=4000)
    parser.add_argument("--rows", type=int, default=40)
    options = parser.parse_args()
    logs.configure("error", json=True)
    counter, decisions, frames = asyncio.run(count(options.game, options.sessions, options.decisions))
    bytecodes, calls = (sum(counted.values()) / decisions for counted in (counter.bytecodes, counter.calls))
    print(f"{bytecodes:.0f} bytecodes and {calls:.1f} calls a decision ({decisions / frames:.1f} decisions a frame)\n")
    print("  bytecodes   calls  function")
    for code, counted in counter.bytecodes.most_common(options.rows):
        where = f"{code.co_filename.rpartition('/src/')[2]}:{code.co_firstlineno}"
        print(f"  {counted / decisions:9.1f}  {counter.calls[code] / decisions:6.2f}  {code.co_qualname}  {where}")


if __name__ == "__main__":
    main()
