"""A stream of the bot under check, spoken as the server speaks."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

import grpc
from google.protobuf.message import DecodeError

from croupier.v1 import play_pb2

from .failures import Failed
from .server import Call, Status
from .sitting import Sitting

if TYPE_CHECKING:
    from .stage import Stage

GOING: Status = (grpc.StatusCode.UNAVAILABLE, "said by the check: going down")
"""A reason to come back."""
REMEMBERED = 14
"""Messages of a conversation that a failure shows."""


class Line:
    """A stream whose Hello has been read. Whatever the bot says that makes no sense raises Failed.

    Attributes:
        hello: the bot's first message.
        frames: how many frames of the bot's were read.
        largest: bytes of the largest of them.
    """

    def __init__(self, stage: Stage, call: Call) -> None:
        self.call = call
        self.hello = play_pb2.Hello()
        self.frames = 0
        self.largest = 0
        self.open = True
        self._stage = stage
        self._said: deque[str] = deque(maxlen=REMEMBERED)

    async def greet(self, welcome: play_pb2.Welcome) -> None:
        """Read Hello and answer it."""
        messages = await self.hear()
        kinds = [message.WhichOneof("message") for message in messages]
        if kinds != ["hello"]:
            raise Failed(f"the first frame of a stream holds Hello and nothing else; this one held {listed(kinds)}")
        self.hello = messages[0].hello
        await self.say(play_pb2.ServerMessage(welcome=welcome))

    async def say(self, *messages: play_pb2.ServerMessage) -> None:
        """Say this in one frame."""
        for message in messages:
            self._said.append(f"server: {in_words(message)}")
        await self.say_bytes(play_pb2.PlayResponse(messages=messages).SerializeToString())

    async def say_bytes(self, frame: bytes) -> None:
        """Say this, a serialised PlayResponse."""
        dialect = self._stage.settings.dialect
        if dialect is not None:
            frame = dialect.say(frame)
        try:
            async with asyncio.timeout(self._stage.patience):
                there = await self.call.say(frame)
        except TimeoutError:
            raise Failed("the bot does not read any more") from None
        if not there:
            await self._gone()

    async def hear(self) -> list[play_pb2.ClientMessage]:
        """Return the messages of the bot's next frame."""
        raw = await self._stage.first(self.call.frames.get(), "the bot says nothing")
        if raw is None:
            await self._gone()
        assert raw is not None
        self.frames += 1
        self.largest = max(self.largest, len(raw))
        try:
            dialect = self._stage.settings.dialect
            heard = raw if dialect is None else dialect.hear(raw)
            messages = list(play_pb2.PlayRequest.FromString(heard).messages)
        except DecodeError:
            raise Failed(f"the bot sent {len(raw)} bytes that are no PlayRequest") from None
        self._said.extend(f"bot:    {in_words(message)}" for message in messages[-REMEMBERED:])
        for message in messages:
            if message.WhichOneof("message") is None:
                raise Failed("the bot sent an empty message: neither Hello nor Act, Ack or Pong")
        return messages

    async def answers(self, *sittings: Sitting) -> int:
        """Wait until all that these were asked is answered; return how many of the bot's frames that took."""
        frames = 0
        while any(sitting.asked for sitting in sittings):
            try:
                messages = await self.hear()
            except Failed as failed:
                open_ones = [sitting for sitting in sittings if sitting.asked]
                waiting = ", ".join(f"{one.session_id} (decision {one.decision_id})" for one in open_ones[:3])
                more = f" and {len(open_ones) - 3} others" if len(open_ones) > 3 else ""
                raise Failed(f"{failed}; an answer is awaited in session {waiting}{more}") from None
            frames += self._sort(messages)
        return frames

    async def ask(self, *sittings: Sitting) -> int:
        """Ask all of these in one frame, and wait for the answers; return how many frames they came in."""
        await self.say(*(sitting.ask() for sitting in sittings))
        return await self.answers(*sittings)

    async def sit(self, *sittings: Sitting) -> None:
        """Tell the bot in one frame that it sits down in these, and see that it has read it."""
        await self.say(*(sitting.start() for sitting in sittings))
        await self.sign()

    async def sign(self) -> list[play_pb2.ClientMessage]:
        """Wait for a sign that the last frame has been read: any frame at all."""
        messages = await self.hear()
        self._sort(messages)
        return messages

    async def pong(self, nonce: int) -> float:
        """Ping, and wait for the answer; return the seconds that took."""
        began = time.monotonic()
        await self.say(play_pb2.ServerMessage(ping=play_pb2.Ping(nonce=nonce)))
        while True:
            messages = await self.hear()
            pongs = [message.pong.nonce for message in messages if message.WhichOneof("message") == "pong"]
            self._sort(messages, nonce)
            if pongs:
                return time.monotonic() - began

    async def play_on(self, *sittings: Sitting) -> None:
        """Play these to their ends, side by side, and tell the bot."""
        playing = list(sittings)
        while playing:
            await self.ask(*playing)
            for sitting in playing:
                sitting.take()
            over = [sitting for sitting in playing if sitting.finished]
            if over:
                await self.say(*(sitting.end() for sitting in over))
            playing = [sitting for sitting in playing if not sitting.finished]

    def end(self, status: Status | None = None) -> None:
        """End the stream, as a server does."""
        self.open = False
        self.call.end(status)

    async def closed(self) -> None:
        """Wait until the bot has ended the stream."""
        while (await self._stage.first(self.call.frames.get(), "the bot keeps its stream open")) is not None:
            pass
        self.open = False

    def transcript(self) -> list[str]:
        """What was said of late, for people."""
        return list(self._said)

    # -- inside --------------------------------------------------------------------------------------------------------

    def _sort(self, messages: Iterable[play_pb2.ClientMessage], nonce: int | None = None) -> bool:
        """See that everything said makes sense; say whether there were answers in it."""
        answered = False
        for message in messages:
            match message.WhichOneof("message"):
                case "act":
                    self._stage.sitting(message.act).hear(message.act)
                    answered = True
                case "pong" if message.pong.nonce != nonce:
                    asked = "no ping was sent" if nonce is None else f"the ping was {nonce}"
                    raise Failed(f"the bot sent Pong {message.pong.nonce}, but {asked}")
                case "hello":
                    raise Failed("the bot said Hello again, on a stream that had begun")
        return answered

    async def _gone(self) -> None:
        self.open = False
        await self._stage.explain_end()
        raise Failed("the bot has ended its stream, and it should not have")


def in_words(message: play_pb2.ServerMessage | play_pb2.ClientMessage) -> str:
    """A message on one line, without its long fields.

    >>> in_words(play_pb2.ClientMessage(act=play_pb2.Act(session_id="a", decision_id=3, index=0)))
    'Act session_id=a decision_id=3 index=0'
    """
    kind = message.WhichOneof("message")
    if kind is None:
        return "(a message of a kind that this contract does not have)"
    body = getattr(message, kind)
    shown = [
        f"{field.name}={value}"
        for field, value in body.ListFields()
        if field.message_type is None and field.type != field.TYPE_BYTES
    ]
    for field, value in body.ListFields():
        if field.message_type is not None and field.is_repeated:
            shown.append(f"{field.name}: {len(value)}")
    return " ".join([type(body).__name__, *shown])


def listed(kinds: Iterable[str | None]) -> str:
    """Kinds of messages in words."""
    return ", ".join(kind.title() if kind else "an unknown one" for kind in kinds) or "nothing"
