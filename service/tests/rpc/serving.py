"""A real server inside the test's event loop, on a port that the system picks; stubs for it; and bots over gRPC."""

import asyncio
from contextlib import asynccontextmanager

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from croupier.v1 import bot_pb2_grpc, play_pb2, session_pb2_grpc
from croupier_service.identity.roles import Role
from croupier_service.server import Server, ServerSettings


class Serving:
    """``async with Serving() as server``: the server, a channel to it, and a stub of SessionService.

    ``Serving(ask_for_tokens=True)`` asks for them: ``server.token("ann")`` makes one, ``server.as_("ann")`` stubs that
    show it.
    """

    def __init__(self, store=None, **settings):
        self.server = Server(ServerSettings(listen="127.0.0.1:0", metrics_listen=None, **settings), store)
        self.tokens = {}

    async def __aenter__(self):
        await self.server.__aenter__()
        self.channel = grpc.aio.insecure_channel(self.server.address)
        self.sessions = session_pb2_grpc.SessionServiceStub(self.channel)
        return self

    async def token(self, name, role=Role.BOT, **fields):
        """The token of a new identity."""
        _, self.tokens[name] = await self.server.identities.create(name, role, **fields)
        return self.tokens[name]

    def as_(self, name):
        """Stubs of the services; calls through them show this identity's token, if it has one."""
        return Stubs(self.channel, self.tokens.get(name, name))

    async def __aexit__(self, *error):
        await self.channel.close()
        await self.server.__aexit__(*error)

    @property
    def host(self):
        return self.server.host

    @asynccontextmanager
    async def bots(self, *names, **hello):
        """Some bots that are connected and have been greeted."""
        bots = [RemoteBot(self.channel, name, **hello) for name in names]
        try:
            for bot in bots:
                await bot.hello()
            yield bots
        finally:
            for bot in bots:
                bot.call.cancel()


class Stubs:
    """What one token may be tried on."""

    def __init__(self, channel, token):
        metadata = (("authorization", f"Bearer {token}"),)

        class Showing:
            """A channel that adds the token to each call."""

            def __getattr__(self, kind):
                def method(path, *args, **kwargs):
                    made = getattr(channel, kind)(path, *args, **{k: v for k, v in kwargs.items() if k[0] != "_"})
                    return lambda *request, **call: made(*request, metadata=metadata, **call)

                return method

        shown = Showing()
        self.channel = shown
        self.sessions = session_pb2_grpc.SessionServiceStub(shown)
        self.bots = bot_pb2_grpc.BotServiceStub(shown)


class RemoteBot:
    """One stream, by hand. ``channel`` may be one that shows a token."""

    def __init__(self, channel, name, **hello):
        self.name = name
        self.greeting = play_pb2.Hello(protocol=1, bot=name, **hello)
        play = channel.stream_stream(
            "/croupier.v1.PlayService/Play", response_deserializer=play_pb2.PlayResponse.FromString
        )
        self.call = play()
        self.told = []

    async def say(self, *messages):
        await self.say_bytes(play_pb2.PlayRequest(messages=messages).SerializeToString())

    async def say_bytes(self, frame):
        await self.call.write(frame)

    async def hello(self):
        """Say Hello and return the server's greeting."""
        await self.say(play_pb2.ClientMessage(hello=self.greeting))
        return await self.hear("welcome")

    async def frame(self):
        """The next frame's messages. Raises AioRpcError when the server has ended the stream with an error."""
        frame = await self.call.read()
        if frame is grpc.aio.EOF:
            code = await self.call.code()
            raise grpc.aio.AioRpcError(
                code, await self.call.initial_metadata(), await self.call.trailing_metadata(), await self.call.details()
            )
        self.told += frame.messages
        return frame.messages

    async def hear(self, kind):
        """The next message of one kind; others are left in ``told``."""
        seen = 0
        while True:
            for message in self.told[seen:]:
                seen += 1
                if message.WhichOneof("message") == kind:
                    self.told.remove(message)
                    return getattr(message, kind)
            await self.frame()

    async def act(self, decision, **choice):
        act = play_pb2.Act(session_id=decision.session_id, decision_id=decision.decision_id, **(choice or {"index": 0}))
        await self.say(play_pb2.ClientMessage(act=act))

    async def play(self, sessions=1):
        """Answer everything with the first action until so many sessions are over; returns how they ended."""
        ends = []
        while len(ends) < sessions:
            acts = []
            for message in self.told or await self.frame():
                if message.WhichOneof("message") == "decision":
                    decision = message.decision
                    act = play_pb2.Act(session_id=decision.session_id, decision_id=decision.decision_id, index=0)
                    acts.append(play_pb2.ClientMessage(act=act))
                elif message.WhichOneof("message") == "session_end":
                    ends.append(message.session_end)
            self.told.clear()
            if acts:
                await self.say(*acts)
        return ends

    async def leave(self):
        """Say that there is nothing more to say, and wait for the server to agree."""
        await self.call.done_writing()
        while await self.call.read():
            pass

    async def end(self):
        """How the server ended the stream: code and details."""
        try:
            while True:
                await self.frame()
        except grpc.aio.AioRpcError as error:
            return error


async def refusal(call):
    """How a call is refused: code, reason, and the fields to blame."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return told_by(caught.value)


def told_by(error):
    """Code, reason and the fields to blame, from an error's google.rpc details."""
    details = dict(error.trailing_metadata()).get("grpc-status-details-bin")
    assert details is not None, f"{error.code()} has no details: {error.details()}"
    status = status_pb2.Status.FromString(details)
    assert (status.code, status.message) == (error.code().value[0], error.details())
    info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
    for detail in status.details:
        assert detail.Unpack(info) or detail.Unpack(bad) or detail.Unpack(retry)
    assert (error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED) == (retry.retry_delay.ToMilliseconds() > 0)
    assert info.domain == "croupier"
    assert all(violation.description for violation in bad.field_violations)
    return error.code().name, info.reason, [violation.field for violation in bad.field_violations]


async def all_of(*awaitables):
    return await asyncio.gather(*awaitables)
