"""``crash``: plays honestly until its fifth decision, then drops the connection and never comes back."""

from collections.abc import Iterable

from croupier.v1 import play_pb2

from .honest import Honest


class Crash(Honest):
    """See the module."""

    lifetime = 5
    """Decisions."""

    async def decide(self, decision: play_pb2.Decision) -> Iterable[play_pb2.ClientMessage]:
        if len(self.decisions) >= self.lifetime:
            self._call.cancel()  # what a process that dies looks like from the server: the stream is reset
            return []
        return await super().decide(decision)
