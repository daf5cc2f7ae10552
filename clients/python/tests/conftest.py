"""A server that does what a test tells it: the test accepts streams, speaks as the server, and sees the bot's answers.

stream = await server.accept()
await stream.say(stream.start("a"), stream.ask("a", 1))  # one frame
assert await stream.hear() == [stream.act("a", 1, index=0)]  # one frame
"""

import asyncio
import logging
from contextlib import asynccontextmanager

import grpc
import pytest

import croupier
from croupier.games.trick_and_trade.v1 import trick_and_trade_pb2 as tnt
from croupier.v1 import game_pb2, play_pb2, play_pb2_grpc

PATIENCE = 40  # seconds until a test that waits for something gives up, on however busy a machine


class Stream:
    """One stream, from the server's side; its Hello has been read."""

    def __init__(self, context, hello):
        self.hello = hello
        self.metadata = dict(context.invocation_metadata())
        self.ended = asyncio.get_running_loop().create_future()
        self._context = context

    async def say(self, *messages):
        """Send messages in one frame."""
        await self._context.write(play_pb2.PlayResponse(messages=messages))

    async def hear(self):
        """Return the messages of the bot's next frame."""
        async with asyncio.timeout(PATIENCE):
            frame = await self._context.read()
        assert frame is not grpc.aio.EOF, "the bot has ended the stream"
        return list(frame.messages)

    async def gone(self):
        """Wait until the bot has ended the stream."""
        async with asyncio.timeout(PATIENCE):
            while await self._context.read() is not grpc.aio.EOF:
                pass

    def end(self, code=grpc.StatusCode.OK, message="", trailers=()):
        """End the stream."""
        self.ended.set_result((code, message, trailers))

    # What a server says.

    @staticmethod
    def welcome(**fields):
        return play_pb2.ServerMessage(welcome=play_pb2.Welcome(protocol=1, bot="bot", server="fake 1", **fields))

    @staticmethod
    def start(session_id, **fields):
        fields = {"game": "trick-and-trade", "seat": 2, "seats": 4, **fields}
        return play_pb2.ServerMessage(session_start=play_pb2.SessionStart(session_id=session_id, **fields))

    @staticmethod
    def ask(session_id, decision_id, *, attempt=1, cards=(1, 2, 3), **fields):
        actions = [game_pb2.GameAction(trick_and_trade=tnt.Action(play=card)) for card in cards]
        view = game_pb2.GameView(trick_and_trade=tnt.View(hand=cards))
        fields = {"actions": actions, "view": view, "seat": 2, "attempt": attempt, **fields}
        if not fields.get("standing"):
            fields.setdefault("think_time_ms", 1000)
        decision = play_pb2.Decision(session_id=session_id, decision_id=decision_id, **fields)
        return play_pb2.ServerMessage(decision=decision)

    @staticmethod
    def result(session_id, decision_id, outcome, **fields):
        fields = {"seat": 2, "outcome": play_pb2.ActOutcome.Value(f"ACT_OUTCOME_{outcome}"), **fields}
        result = play_pb2.ActResult(session_id=session_id, decision_id=decision_id, **fields)
        return play_pb2.ServerMessage(act_result=result)

    @staticmethod
    def events(session_id, *seqs, seat=2):
        events = [game_pb2.Event(seq=seq, vacated=game_pb2.Vacated(seat=0)) for seq in seqs]
        return play_pb2.ServerMessage(events=play_pb2.Events(session_id=session_id, seat=seat, events=events))

    @staticmethod
    def over(session_id, seat=2):
        result = game_pb2.Result(points=[10, 40, 30, 20], placings=[4, 1, 2, 3])
        view = game_pb2.GameView(trick_and_trade=tnt.View(table=tnt.Table(round=10)))
        reason = play_pb2.END_REASON_FINISHED
        end = play_pb2.SessionEnd(session_id=session_id, seat=seat, seq=99, reason=reason, result=result, view=view)
        return play_pb2.ServerMessage(session_end=end)

    @staticmethod
    def ping(nonce):
        return play_pb2.ServerMessage(ping=play_pb2.Ping(nonce=nonce))

    @staticmethod
    def drain(reason):
        return play_pb2.ServerMessage(drain=play_pb2.Drain(grace_ms=5000, reason=reason))

    # What a bot answers.

    @staticmethod
    def act(session_id, decision_id, *, index=None, card=None):
        action = None if card is None else game_pb2.GameAction(trick_and_trade=tnt.Action(play=card))
        act = play_pb2.Act(session_id=session_id, decision_id=decision_id, index=index, action=action)
        return play_pb2.ClientMessage(act=act)

    @staticmethod
    def ack():
        return play_pb2.ClientMessage(ack=play_pb2.Ack())

    @staticmethod
    def pong(nonce):
        return play_pb2.ClientMessage(pong=play_pb2.Pong(nonce=nonce))


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Let a busy machine not look like a slow bot."""
    monkeypatch.setattr("croupier.seats.PATIENCE", 60.0)


@asynccontextmanager
async def serving(*services):
    """A server of these, each with what adds it to a server: where it listens."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    for add, service in services:
        add(service, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)


@pytest.fixture
def serve():
    return serving


class FakeServer(play_pb2_grpc.PlayServiceServicer):
    """Hands each stream that a bot opens to the test."""

    def __init__(self):
        self.refusals = []  # what the next streams are refused with, before anything is read
        self._streams = asyncio.Queue()
        self._all = []

    async def __aenter__(self):
        self._serving = serving((play_pb2_grpc.add_PlayServiceServicer_to_server, self))
        self.target = await self._serving.__aenter__()
        return self

    async def __aexit__(self, *error):
        for stream in self._all:
            if not stream.ended.done():
                stream.end()
        await self._serving.__aexit__(*error)

    async def Play(self, _requests, context):  # noqa: N802 -- named like its RPC
        if self.refusals:
            await context.abort(*self.refusals.pop(0))
        frame = await context.read()
        [message] = frame.messages  # Hello comes alone
        stream = Stream(context, message.hello)
        self._streams.put_nowait(stream)
        self._all.append(stream)
        code, text, trailers = await stream.ended
        if code is not grpc.StatusCode.OK:
            await context.abort(code, text, trailers)

    async def accept(self, *, greet=True):
        """Return the next stream that a bot opens, greeted."""
        async with asyncio.timeout(PATIENCE):
            stream = await self._streams.get()
        if greet:
            await stream.say(stream.welcome())
            assert await stream.hear() == [stream.ack()]
        return stream

    async def refuse(self, *refusal):
        self.refusals.append(refusal)


@pytest.fixture
async def server():
    async with FakeServer() as server:
        yield server


@pytest.fixture
async def second_server():
    async with FakeServer() as server:
        yield server


class Pauses:
    """Stands for the clock between two connections: no test waits, and each sees how long a bot would have."""

    def __init__(self):
        self.seconds = []

    async def sleep(self, seconds):
        self.seconds.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
def pauses():
    return Pauses()


@pytest.fixture
async def play(server, pauses):
    """Play a bot at the server until the test is over; return the task."""
    tasks = []

    def start(bot, **arguments):
        backoff = croupier.Backoff(random=lambda: 1.0, sleep=pauses.sleep)
        arguments = {"name": "bot", "backoff": backoff, **arguments}
        tasks.append(asyncio.create_task(croupier.play(bot, server.target, **arguments)))
        return tasks[-1]

    yield start
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class Recorder(croupier.Bot):
    """Takes the first legal action and remembers all that it was told."""

    wants_events = True

    def __init__(self, choose=lambda decision: 0):
        self.told = []
        self.decisions = []
        self._choose = choose

    def choose(self, decision):
        self.decisions.append(decision)
        return self._choose(decision)

    def on_start(self, session):
        self.told.append(("start", session.id))

    def on_events(self, session, events):
        self.told.append(("events", session.id, [event.seq for event in events]))

    def on_rewind(self, session):
        self.told.append(("rewind", session.id, session.seq))

    def on_result(self, session, result):
        self.told.append(("result", session.id, play_pb2.ActOutcome.Name(result.outcome)))

    def on_end(self, session, end):
        self.told.append(("end", session.id, end.placing))


@pytest.fixture
def recorder():
    return Recorder()


@pytest.fixture
def choosing():
    """Make a bot from a function that chooses."""
    return Recorder


@pytest.fixture
def log(caplog):
    """Return what the SDK has logged so far, as text."""
    caplog.set_level(logging.INFO, "croupier")
    return lambda: caplog.text
