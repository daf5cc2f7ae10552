"""``stall``: greets, and then neither reads nor says anything more: no answer, no Pong.

It does read once it is asked how its stream ended: gRPC tells nobody before he has read what came earlier.
"""

import asyncio

import grpc
from processes import PATIENCE

from croupier.v1 import play_pb2

from .honest import PLAY, Honest


class Stall(Honest):
    """See the module."""

    async def connect(self) -> None:
        self._call = self._channel.stream_stream(PLAY)()
        await self.say(self.hello())
        frame = await self._call.read()
        self.welcome = play_pb2.PlayResponse.FromString(frame).messages[0].welcome

    async def hung_up(self) -> tuple[grpc.StatusCode, str]:
        """Begin to read; how the server ends the stream, or has ended it."""
        async with asyncio.timeout(PATIENCE):
            try:
                while await self._call.read() is not grpc.aio.EOF:
                    pass
            except grpc.aio.AioRpcError:
                pass  # the status says it
            return await self._call.code(), await self._call.details()
