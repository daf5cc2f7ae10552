"""``fuzz``: everything that a hostile or broken client may send, from a seed.

Messages of the contract filled with extreme values, field by field as their descriptors say; the same with bits
flipped, bytes cut out, put in or cut off; plain noise; and what no descriptor suggests: the sessions of others, Hello
again and again, ten thousand empty messages in one frame.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import grpc
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from croupier.v1 import bot_pb2, play_pb2, session_pb2, spectator_pb2

from .garbage import APP_LIMIT
from .honest import Honest

INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32: (0, 1, -1, 2**31 - 1, -(2**31)),
    FieldDescriptor.CPPTYPE_UINT32: (0, 1, 2, 100, 2**31, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (0, 1, -1, 2**63 - 1, -(2**63)),
    FieldDescriptor.CPPTYPE_UINT64: (0, 1, 2**32, 2**63, 2**64 - 1),
    FieldDescriptor.CPPTYPE_ENUM: (0, 1, 2, 77, 2**31 - 1, -1),
}
TEXTS = (
    "",
    "a",
    "house:random",
    "trick-and-trade",
    "../../etc/passwd",
    "x" * 300,
    "\x00",
    "\U0001f0a1" * 20,
    "%s%n{0}",
)
DEPTH = 5


class Fuzzer:
    """Makes frames and requests. The same seed makes the same ones.

    ``names`` are texts that mean something to the server, ``sessions`` those of others.
    """

    def __init__(self, seed: int, names: Sequence[str] = ()) -> None:
        self.random = random.Random(seed)
        self.names = list(names)
        self.sessions = ["nowhere"]
        self.decisions: list[play_pb2.Decision] = []
        """That it has been asked; to be answered wrongly."""

    # -- frames of a stream ----------------------------------------------------------------------------------------

    def frame(self) -> bytes:
        """One frame."""
        kinds: list[Callable[[], bytes]] = [
            *(self.mutated, self.mutated, self.extreme, self.extreme, self.wrong_act, self.wrong_act, self.noise),
            *(self.hello_again, self.of_others, self.lying_length),
        ]
        if self.random.random() < 0.005:
            kinds = [self.many_empty, self.too_large, self.many_resumes, self.many_acts]
        return self.random.choice(kinds)()

    def noise(self) -> bytes:
        """Bytes that mean nothing."""
        return self.random.randbytes(self.random.choice((0, 1, 2, 7, 64, 1000)))

    def extreme(self) -> bytes:
        """A frame of the contract, full of extreme values."""
        count = self.random.randint(0, 4)
        return _frame(*(self.message(play_pb2.ClientMessage.DESCRIPTOR) for _ in range(count)))

    def mutated(self) -> bytes:
        """A frame that was in order, or nearly, before its bytes were meddled with."""
        return self.meddled(self.random.choice((self.extreme, self.wrong_act, self.hello_again))())

    def wrong_act(self) -> bytes:
        """An answer to something that was asked, but not that one."""
        if not self.decisions:
            return self.extreme()
        asked = self.random.choice(self.decisions[-20:])
        act = play_pb2.Act(session_id=asked.session_id, decision_id=asked.decision_id)
        match self.random.randint(0, 4):
            case 0:
                act.index = self.random.choice((2**32 - 1, len(asked.actions), 10_000))
            case 1:
                act.decision_id = self.random.choice((0, 2**32 - 1, asked.decision_id + 1))
                act.index = 0
            case 2:
                act.action.CopyFrom(self.message(play_pb2.Act.DESCRIPTOR.fields_by_name["action"].message_type))
            case 3:
                act.index = 0
                act.session_id = act.session_id.upper() + "\x00"
        return _frame(*([play_pb2.ClientMessage(act=act)] * self.random.choice((1, 1, 1, 50))))

    def of_others(self) -> bytes:
        """An act in a session of others."""
        act = play_pb2.Act(
            session_id=self.random.choice(self.sessions), decision_id=self.random.randint(0, 40), index=0
        )
        return _frame(play_pb2.ClientMessage(act=act))

    def hello_again(self) -> bytes:
        """Hello, where it was said already, in any name."""
        hello = play_pb2.Hello(protocol=self.random.choice((0, 1, 2**32 - 1)), bot=self.text(), games=[self.text()])
        return _frame(play_pb2.ClientMessage(hello=hello))

    def lying_length(self) -> bytes:
        """A message that says it is longer than its frame, up to 4 GiB, or deeper than any."""
        length = self.random.choice((b"\x05", b"\xff\xff\x03", b"\xff\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01"))
        return b"\x0a" + length + self.random.choice((b"", b"\x12\x00", b"\x0a" * 200, b"\x0b" * 200))

    def many_empty(self) -> bytes:
        """As many messages without content as fit."""
        return b"\x0a\x00" * 10_000

    def many_acts(self) -> bytes:
        """As many acts of nobody's session as fit."""
        return _frame(*([play_pb2.ClientMessage(act=play_pb2.Act(session_id="x", index=0))] * 2_000))

    def many_resumes(self) -> bytes:
        """Hello with more to resume than there can be."""
        resume = [play_pb2.Resume(session_id=self.text(), last_seq=2**64 - 1)] * 5_000
        return _frame(play_pb2.ClientMessage(hello=play_pb2.Hello(protocol=1, bot="x", resume=resume)))[:APP_LIMIT]

    def too_large(self) -> bytes:
        """A frame over the limit."""
        return bytes(APP_LIMIT + 1)

    # -- single calls ----------------------------------------------------------------------------------------------

    def call(self) -> tuple[str, bytes]:
        """A method (``package.Service/Method``) and a request for it."""
        file = self.random.choice((session_pb2, session_pb2, bot_pb2, spectator_pb2))
        [service] = file.DESCRIPTOR.services_by_name.values()
        method = self.random.choice(service.methods)
        request = self.message(method.input_type).SerializeToString()
        if self.random.random() < 0.5:
            request = self.meddled(request)
        return f"{service.full_name}/{method.name}", request

    # -- what they are made of -------------------------------------------------------------------------------------

    def message(self, kind: Descriptor, depth: int = 0) -> Any:
        """A message with some of its fields filled, some of them absurdly."""
        message: Message = GetMessageClass(kind)()
        for field in kind.fields:
            chosen = 1.0 if depth == 0 and field.containing_oneof is None else 0.5
            if self.random.random() > chosen or (field.message_type is not None and depth >= DEPTH):
                continue
            if field.is_repeated:
                self._repeat(message, field, depth)
            elif field.message_type is not None:
                getattr(message, field.name).CopyFrom(self.message(field.message_type, depth + 1))
            else:
                setattr(message, field.name, self.value(field))
        return message

    def _repeat(self, message: Message, field: FieldDescriptor, depth: int) -> None:
        many = getattr(message, field.name)
        for _ in range(self.random.choice((0, 1, 2, 40))):
            if field.message_type is None:
                many.append(self.value(field))
            elif field.message_type.GetOptions().map_entry:
                many[self.text()] = self.text()
            else:
                many.add().CopyFrom(self.message(field.message_type, depth + 1))

    def value(self, field: FieldDescriptor) -> Any:
        """A value for a field, as extreme as its type allows."""
        if field.cpp_type in INTEGERS:
            return self.random.choice(INTEGERS[field.cpp_type])
        if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
            return self.random.random() < 0.5
        if field.cpp_type in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
            return self.random.choice((0.0, -1.0, float("nan"), float("inf"), 1e300))
        if field.type == FieldDescriptor.TYPE_BYTES:
            return self.random.randbytes(self.random.choice((0, 1, 31, 32, 33, 1000)))
        return self.text()

    def text(self) -> str:
        """A text that means something, or one that should not."""
        return self.random.choice((*TEXTS, *self.names))

    def meddled(self, frame: bytes) -> bytes:
        """The same with bits flipped, and bytes put in, cut out or cut off."""
        changed = bytearray(frame)
        for _ in range(self.random.randint(1, 6)):
            at = self.random.randrange(len(changed) + 1)
            match self.random.randint(0, 3):
                case 0 if at < len(changed):
                    changed[at] ^= 1 << self.random.randint(0, 7)
                case 1:
                    changed[at:at] = self.random.randbytes(self.random.randint(1, 8))
                case 2:
                    del changed[at : at + self.random.randint(1, 8)]
                case 3:
                    del changed[at:]
        return bytes(changed[:APP_LIMIT])


class Fuzz(Honest):
    """A bot that sends frames of a fuzzer; now and then it answers honestly, so that its sessions go on."""

    def __init__(self, target: str, name: str, fuzzer: Fuzzer) -> None:
        super().__init__(target, name)
        self.fuzzer = fuzzer
        self.outcomes: Counter[int] = Counter()
        """What became of its acts, by outcome."""
        self._leaving = False

    async def say(self, *messages: play_pb2.ClientMessage) -> None:
        if not self._leaving:
            await super().say(*messages)

    async def decide(self, decision: play_pb2.Decision) -> Any:
        self.fuzzer.decisions.append(decision)
        del self.fuzzer.decisions[:-20], self.decisions[:-20], self.results[:-20]
        return await super().decide(decision) if self.fuzzer.random.random() < 0.2 else []

    async def told(self, result: play_pb2.ActResult) -> Any:
        self.outcomes[result.outcome] += 1
        return []

    async def attack(self, frames: int) -> int:
        """Send so many frames; fewer where the stream ends before. Returns how many."""
        for number in range(frames):
            if self.status is not None:
                return number
            try:
                await self.send(self.fuzzer.frame())
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                return number + 1
        return frames

    async def leave(self) -> None:
        """Say that there is nothing more to come, and wait until the server has read it all."""
        self._leaving = True  # but it reads on: the end comes after what it has not read yet
        if self.status is None:
            async with self._writing:
                await self._call.done_writing()
        await self.hung_up()


def _frame(*messages: play_pb2.ClientMessage) -> bytes:
    return play_pb2.PlayRequest(messages=messages).SerializeToString()
