"""A drawn seed: committed to at the start, revealed at the end, and until then nowhere in what a server says.

Every byte that comes out of a real server process is searched: streams of bots and spectators, answers, errors with
their details, log, stdout, metrics.
"""

import asyncio
import base64
import hashlib
import urllib.request

import grpc
import pytest

from croupier.v1 import play_pb2, session_pb2, spectator_pb2
from croupier_games.kernel import Record, Seed, find_game, verify

GAMES = {
    "trick-and-trade": (["ann", "house:greedy", "house:random"], None),
    "trick-stakes": (["ann", "house:greedy", "house:random"], None),
    "trades": (["ann", "house:greedy", "house:random"], None),
    "trade-and-triumph": (["ann", "house:greedy"], {"trade_and_triumph": {"round_cap": 3}}),
}


class Eavesdropper:
    """Talks to a server in bytes, and keeps all that it hears."""

    def __init__(self, server, channel):
        self.server = server
        self.channel = channel
        self.heard = []

    async def ask(self, method, request):
        """One answer; or the error with everything that comes with it."""
        call = self.channel.unary_unary(f"/croupier.v1.SessionService/{method}")(request.SerializeToString())
        try:
            answer = await call
        except grpc.aio.AioRpcError as error:
            trailers = [
                part if isinstance(part, bytes) else part.encode()
                for pair in error.trailing_metadata()
                for part in pair
            ]
            self.heard += [error.details().encode(), *trailers]
            return error.code().name
        self.heard.append(answer)
        return answer

    async def watch(self, session_id):
        """What a spectator is shown so far."""
        request = spectator_pb2.WatchSessionRequest(session_id=session_id, no_follow=True).SerializeToString()
        call = self.channel.unary_stream("/croupier.v1.SpectatorService/WatchSession")(request)
        while (frame := await call.read()) is not grpc.aio.EOF:
            self.heard.append(frame)

    async def look_around(self, session_id):
        """Everything that can be asked while a session runs."""
        await self.ask("GetSession", session_pb2.GetSessionRequest(session_id=session_id))
        await self.ask("ListSessions", session_pb2.ListSessionsRequest())
        refused = await self.ask("GetRecord", session_pb2.GetRecordRequest(session_id=session_id))
        assert refused == "FAILED_PRECONDITION"
        await self.watch(session_id)
        self.heard.append(await asyncio.to_thread(self.measured))

    def measured(self):
        with urllib.request.urlopen(f"http://{self.server.metrics}/metrics", timeout=30) as answer:
            return answer.read()


def traces(seed):
    """The ways in which a seed may be written."""
    return [
        seed,
        seed.hex().encode(),
        seed.hex().upper().encode(),
        base64.b64encode(seed)[:40],
        repr(seed)[2:-1].encode(),
    ]


def assert_nowhere(seed, heard):
    for what in heard:
        for trace in traces(seed):
            assert trace not in what


@pytest.mark.timeout(120)  # hundreds of round trips, on however busy a machine
@pytest.mark.parametrize("game", GAMES)
async def test_a_drawn_seed_is_nowhere_until_the_end_and_then_proves_the_deal(serve, game):
    server = serve(log_level="debug", think_time=60, ping_interval=10, stall_timeout=60)  # it looks around at leisure
    bots, options = GAMES[game]
    async with grpc.aio.insecure_channel(server.target) as channel:
        ear = Eavesdropper(server, channel)
        stream = channel.stream_stream("/croupier.v1.PlayService/Play")()

        async def say(**message):
            await stream.write(play_pb2.PlayRequest(messages=[play_pb2.ClientMessage(**message)]).SerializeToString())

        await say(hello=play_pb2.Hello(protocol=1, bot="ann", events=True))
        ear.heard.append(await stream.read())
        create = session_pb2.CreateSessionRequest(game=game, bots=bots, options=options)
        session = session_pb2.CreateSessionResponse.FromString(await ear.ask("CreateSession", create)).session
        assert len(session.seed_commitment) == 32
        end, acts = None, 0
        while end is None:
            frame = await stream.read()
            for message in play_pb2.PlayResponse.FromString(frame).messages:
                match message.WhichOneof("message"):
                    case "session_start":
                        assert message.session_start.seed_commitment == session.seed_commitment
                    case "session_end":
                        end = message.session_end
                    case "decision":
                        if acts % 20 == 0:
                            await ear.look_around(session.session_id)
                        if acts == 3:
                            await say(act=play_pb2.Act(session_id=session.session_id, decision_id=9_999, index=0))
                        acts += 1
                        decision = message.decision
                        await say(
                            act=play_pb2.Act(session_id=session.session_id, decision_id=decision.decision_id, index=0)
                        )
            if end is None:
                ear.heard.append(frame)
        stream.cancel()
        seed = end.seed
        assert hashlib.sha256(seed).digest() == session.seed_commitment
        assert len(ear.heard) > 10
        assert_nowhere(seed, ear.heard)
        assert_nowhere(seed, [server.stderr().encode(), await asyncio.to_thread(ear.measured)])  # not even afterwards

        reply = session_pb2.GetRecordResponse.FromString(
            await ear.ask("GetRecord", session_pb2.GetRecordRequest(session_id=session.session_id))
        )
        record = Record.from_text(reply.text, find_game)
        assert record.seed == Seed(seed)
        assert record.commitment == reply.record.seed_commitment == session.seed_commitment
        assert verify(record, find_game(game)).points == tuple(end.result.points)
        ear.heard.clear()
        await ear.watch(session.session_id)
        shown = [
            update for frame in ear.heard for update in spectator_pb2.WatchSessionResponse.FromString(frame).updates
        ]
        assert shown[-1].end.seed == seed, shown[-1]


async def test_a_seed_that_was_given_is_told_to_nobody_but_in_the_record(serve):
    server = serve(log_level="debug")
    seed = Seed.of("given").raw
    async with grpc.aio.insecure_channel(server.target) as channel:
        ear = Eavesdropper(server, channel)
        create = session_pb2.CreateSessionRequest(game="trick-and-trade", bots=["house:greedy"] * 3, seed=seed)
        session = session_pb2.CreateSessionResponse.FromString(await ear.ask("CreateSession", create)).session
        assert session.seed_commitment == b""
        request = spectator_pb2.WatchSessionRequest(session_id=session.session_id).SerializeToString()
        call = channel.unary_stream("/croupier.v1.SpectatorService/WatchSession")(request)
        while (frame := await call.read()) is not grpc.aio.EOF:
            ear.heard.append(frame)
        assert_nowhere(seed, [*ear.heard, server.stderr().encode(), await asyncio.to_thread(ear.measured)])
        reply = session_pb2.GetRecordResponse.FromString(
            await ear.ask("GetRecord", session_pb2.GetRecordRequest(session_id=session.session_id))
        )
        assert reply.record.seed == seed
        assert "commitment" not in reply.text


def test_a_seed_would_be_found_however_it_is_written():
    seed = Seed.of("found").raw
    for written in (
        seed,
        seed.hex().encode(),
        seed.hex().upper().encode(),
        base64.b64encode(seed),
        repr(seed).encode(),
    ):
        with pytest.raises(AssertionError):
            assert_nowhere(seed, [b"something", b"around " + written + b" it"])
