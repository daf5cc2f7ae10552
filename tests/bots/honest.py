"""An honest bot: answers every decision at once with a legal action, and every ping.

All others are made from it, and play beside it.

    async with Honest(target, "ann") as ann:
        end = await ann.over(session_id)
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Self

import grpc
from processes import PATIENCE

from croupier.v1 import play_pb2

PLAY = "/croupier.v1.PlayService/Play"


class Honest:
    """See the module. What it has heard is kept, to be looked at by tests.

    ``starts`` and ``ends`` are by session, ``decisions`` and ``results`` in order, ``status`` is how the stream ended.
    """

    def __init__(self, target: str, name: str) -> None:
        self.name = name
        self.welcome: play_pb2.Welcome | None = None
        self.starts: dict[str, play_pb2.SessionStart] = {}
        self.ends: dict[str, play_pb2.SessionEnd] = {}
        self.decisions: list[play_pb2.Decision] = []
        self.results: list[play_pb2.ActResult] = []
        self.drains: list[play_pb2.Drain] = []
        self.status: tuple[grpc.StatusCode, str] | None = None
        self._channel = grpc.aio.insecure_channel(target, (("grpc.use_local_subchannel_pool", 1),))
        self._call: Any = None
        self._playing: asyncio.Task[None] | None = None
        self._news = asyncio.Condition()
        self._writing = asyncio.Lock()

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # -- what tests ask for ----------------------------------------------------------------------------------------

    async def connect(self) -> None:
        """Open a stream, say Hello, wait for Welcome, begin to play."""
        self._call = self._channel.stream_stream(PLAY)()
        await self.say(self.hello())
        self._playing = asyncio.ensure_future(self._play())
        await self.until(lambda: self.welcome is not None, "Welcome")

    async def close(self) -> None:
        """Drop the connection."""
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.wait([self._playing])
        if self._call is not None:
            self._call.cancel()
        await self._channel.close()

    async def over(self, *session_ids: str) -> list[play_pb2.SessionEnd]:
        """Wait until these sessions are over; how they ended."""
        await self.until(lambda: all(name in self.ends for name in session_ids), f"the end of {session_ids}")
        return [self.ends[name] for name in session_ids]

    async def hung_up(self) -> tuple[grpc.StatusCode, str]:
        """Wait until the server has ended the stream; how it did."""
        await self.until(lambda: self.status is not None, "the end of the stream")
        assert self.status is not None
        return self.status

    async def until(self, true: Callable[[], bool], what: str) -> None:
        """Wait until something is true. What this bot hears is the only thing that can make it so."""
        try:
            async with asyncio.timeout(PATIENCE), self._news:
                await self._news.wait_for(lambda: true() or self.status is not None)
        except TimeoutError:
            raise AssertionError(f"{self.name} has waited {PATIENCE:.0f} s for {what}") from None
        assert true(), f"{self.name} waits for {what}, but its stream has ended: {self.status}"

    async def say(self, *messages: play_pb2.ClientMessage) -> None:
        """Send a frame."""
        await self.send(play_pb2.PlayRequest(messages=messages).SerializeToString())

    async def send(self, frame: bytes) -> None:
        """Send bytes, whatever they are."""
        async with self._writing:  # gRPC bears one write at a time
            await self._call.write(frame)

    # -- what other bots do differently ----------------------------------------------------------------------------

    def hello(self) -> play_pb2.ClientMessage:
        """How it introduces itself."""
        hello = play_pb2.Hello(protocol=1, bot=self.name, sdk="croupier-tests", language="python")
        return play_pb2.ClientMessage(hello=hello)

    async def decide(self, decision: play_pb2.Decision) -> Iterable[play_pb2.ClientMessage]:
        """What it answers to a decision."""
        return [self.act(decision, index=self.whim(decision))]

    async def told(self, result: play_pb2.ActResult) -> Iterable[play_pb2.ClientMessage]:
        """What it answers when it is told something about an act."""
        return []

    # -- what they are made of -------------------------------------------------------------------------------------

    def whim(self, decision: play_pb2.Decision) -> int:
        """The index of some legal action: the same in the same place, but all over the range."""
        return (decision.decision_id * 7919 + decision.seat * 104729) % len(decision.actions)

    def act(self, decision: play_pb2.Decision, **choice: Any) -> play_pb2.ClientMessage:
        """An answer to a decision: ``index=`` or ``action=``."""
        act = play_pb2.Act(session_id=decision.session_id, decision_id=decision.decision_id, **choice)
        return play_pb2.ClientMessage(act=act)

    async def _play(self) -> None:
        try:
            while (frame := await self._call.read()) is not grpc.aio.EOF:
                answers = []
                for message in play_pb2.PlayResponse.FromString(frame).messages:
                    answers += await self._hear(message)
                if answers:  # no Ack otherwise: a write that meets the end of the stream would hide how it ended
                    await self.say(*answers)
                async with self._news:
                    self._news.notify_all()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass  # the status says it
        except asyncio.CancelledError:
            if not self._call.cancelled():
                raise  # it is this task that was cancelled, not the call
        self.status = (await self._call.code(), await self._call.details())
        async with self._news:
            self._news.notify_all()

    async def _hear(self, message: play_pb2.ServerMessage) -> Iterable[play_pb2.ClientMessage]:
        kind = message.WhichOneof("message")
        said: Any = getattr(message, kind)
        match kind:
            case "welcome":
                self.welcome = said
            case "session_start":
                self.starts[said.session_id] = said
            case "decision":
                self.decisions.append(said)
                return await self.decide(said)
            case "act_result":
                self.results.append(said)
                return await self.told(said)
            case "session_end":
                self.ends[said.session_id] = said
            case "ping":
                return [play_pb2.ClientMessage(pong=play_pb2.Pong(nonce=said.nonce))]
            case "drain":
                self.drains.append(said)
        return []
