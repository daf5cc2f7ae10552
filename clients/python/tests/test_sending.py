"""What the server says of a call is heard, though the call is being written to."""

import asyncio
from contextlib import suppress

import grpc
import pytest

from croupier.sending import send
from croupier.v1 import play_pb2, play_pb2_grpc

CALLS = 200


class Server(play_pb2_grpc.PlayServiceServicer):
    """Reads one frame and ends the call."""

    code = grpc.StatusCode.OK

    async def Play(self, _requests, context):  # noqa: N802 -- named like its RPC
        await context.read()
        if self.code is not grpc.StatusCode.OK:
            await context.abort(self.code, "that is all", (("why", "so"),))


@pytest.fixture
async def opened(serve):
    """Opens calls to a server that ends them with this."""
    service = Server()
    async with (
        serve((play_pb2_grpc.add_PlayServiceServicer_to_server, service)) as target,
        grpc.aio.insecure_channel(target) as channel,
    ):
        stub = play_pb2_grpc.PlayServiceStub(channel)

        def calls(code):
            service.code = code
            return (stub.Play() for _ in range(CALLS))

        yield calls


async def write(call):
    """More frames than the server reads."""
    with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
        for _ in range(30):
            await send(call, play_pb2.PlayRequest())


async def read(call):
    """What the call ends with, while it is written to: as an error, or None."""
    writing = asyncio.create_task(write(call))
    try:
        while await call.read() is not grpc.aio.EOF:
            pass
    except grpc.aio.AioRpcError as error:
        return error
    finally:
        await writing
        call.cancel()
    return None


@pytest.mark.parametrize("code", [grpc.StatusCode.ABORTED, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNAVAILABLE])
async def test_what_the_server_says_is_not_lost_to_a_write_that_fails(code, opened):
    for call in opened(code):
        said = await read(call)
        assert (said.code(), said.details(), dict(said.trailing_metadata())) == (code, "that is all", {"why": "so"})


async def test_a_call_that_the_server_ends_in_good_order_has_nothing_to_tell(opened):
    for call in opened(grpc.StatusCode.OK):
        assert await read(call) is None


async def test_where_the_server_says_nothing_the_reader_hears_of_the_write_that_failed(opened, monkeypatch):
    monkeypatch.setattr("croupier.sending.PATIENCE", 0.0)
    for call in opened(grpc.StatusCode.ABORTED):
        said = await read(call)
        assert said.code() in (grpc.StatusCode.ABORTED, grpc.StatusCode.INTERNAL)
