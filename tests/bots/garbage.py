"""``garbage``: before its honest answers it sends frames that make no sense."""

from collections.abc import Iterable, Sequence

from croupier.v1 import play_pb2

from .honest import Honest

APP_LIMIT = 256 * 1024
"""Larger frames are refused by the application, and the stream lives."""
TRANSPORT_LIMIT = 4 * 1024 * 1024
"""Larger messages are refused by gRPC itself, and the stream does not live."""


class Garbage(Honest):
    """See the module. One of ``frames`` goes before each answer, as long as there are any."""

    def __init__(self, target: str, name: str, frames: Sequence[bytes]) -> None:
        super().__init__(target, name)
        self.frames = list(frames)

    async def decide(self, decision: play_pb2.Decision) -> Iterable[play_pb2.ClientMessage]:
        if self.frames:
            await self.send(self.frames.pop(0))
        return await super().decide(decision)


def of_size(size: int) -> bytes:
    """A frame that is in order but for its size: a Hello with a long name."""
    empty = _hello("")
    room = size - len(empty)
    while len(frame := _hello("x" * room)) > size:
        room -= 1
    return frame


def _hello(name: str) -> bytes:
    hello = play_pb2.ClientMessage(hello=play_pb2.Hello(protocol=1, bot=name))
    return play_pb2.PlayRequest(messages=[hello]).SerializeToString()


UNPARSABLE = b"\xff\xff\xff\xff"
NOTHING_SAID = play_pb2.PlayRequest(messages=[play_pb2.ClientMessage()]).SerializeToString()
UNKNOWN_KIND = b"\x0a\x04\xfa\x3e\x01\x00"
"""A message of a kind (number 1007) that no version of the contract has."""
HELLO_AGAIN = _hello("someone-else")
TOO_LARGE = of_size(APP_LIMIT + 1)
ALL = (UNPARSABLE, NOTHING_SAID, UNKNOWN_KIND, HELLO_AGAIN, TOO_LARGE)
