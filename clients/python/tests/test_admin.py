"""The organisers' client."""

import grpc
import pytest
from google.protobuf.any_pb2 import Any
from google.rpc import error_details_pb2, status_pb2

import croupier
from croupier import admin
from croupier.v1 import session_pb2, session_pb2_grpc, spectator_pb2, spectator_pb2_grpc


def trailers(*details):
    packed = []
    for detail in details:
        packed.append(Any())
        packed[-1].Pack(detail)
    status = status_pb2.Status(code=3, message="ignored: the status line says it", details=packed)
    return (("grpc-status-details-bin", status.SerializeToString()),)


class Sessions(session_pb2_grpc.SessionServiceServicer):
    async def ListGames(self, request, context):  # noqa: N802 -- named like its RPC
        metadata = dict(context.invocation_metadata())
        title = f"{metadata.get('authorization')}, {context.time_remaining():.0f} s"
        return session_pb2.ListGamesResponse(games=[session_pb2.GameInfo(name="trick-and-trade", title=title)])

    async def CreateSession(self, request, context):  # noqa: N802
        details = trailers(
            error_details_pb2.ErrorInfo(reason="UNKNOWN_BOT", domain="croupier", metadata={"bot": "x"}),
            error_details_pb2.BadRequest(
                field_violations=[
                    error_details_pb2.BadRequest.FieldViolation(field="bots[1]", description="no bot is called x"),
                    error_details_pb2.BadRequest.FieldViolation(field="bots[2]", description="no bot is called y"),
                ]
            ),
        )
        await context.abort(grpc.StatusCode.NOT_FOUND, "who are x and y?", details)

    async def GetSession(self, request, context):  # noqa: N802
        await context.abort(grpc.StatusCode.NOT_FOUND, "no such session", (("grpc-status-details-bin", b"\xff\xff"),))


class Spectators(spectator_pb2_grpc.SpectatorServiceServicer):
    async def WatchSession(self, request, context):  # noqa: N802
        yield spectator_pb2.WatchSessionResponse(updates=[spectator_pb2.SessionUpdate()])
        if request.from_seq:
            await context.abort(grpc.StatusCode.ABORTED, "you read too slowly")


@pytest.fixture
async def target(serve):
    async with serve(
        (session_pb2_grpc.add_SessionServiceServicer_to_server, Sessions()),
        (spectator_pb2_grpc.add_SpectatorServiceServicer_to_server, Spectators()),
    ) as target:
        yield target


async def test_calls_carry_the_token_and_a_deadline(target):
    async with admin.connect(target, "secret", deadline=20) as server:
        reply = await server.sessions.ListGames(session_pb2.ListGamesRequest())
        assert reply.games[0].title == "Bearer secret, 20 s"
        reply = await server.sessions.ListGames(session_pb2.ListGamesRequest(), timeout=90)
        assert reply.games[0].title == "Bearer secret, 90 s"


async def test_a_refused_request_names_the_bad_fields(target):
    async with admin.connect(target) as server:
        with pytest.raises(croupier.RequestError) as caught:
            await server.sessions.CreateSession(session_pb2.CreateSessionRequest())
    error = caught.value
    assert (error.code, error.message, error.reason) == (grpc.StatusCode.NOT_FOUND, "who are x and y?", "UNKNOWN_BOT")
    assert error.violations == (("bots[1]", "no bot is called x"), ("bots[2]", "no bot is called y"))
    assert str(error) == "NOT_FOUND: who are x and y? (bots[1]: no bot is called x; bots[2]: no bot is called y)"


async def test_details_that_cannot_be_read_do_not_hide_the_error(target):
    async with admin.connect(target) as server:
        with pytest.raises(croupier.RequestError, match=r"^NOT_FOUND: no such session$"):
            await server.sessions.GetSession(session_pb2.GetSessionRequest())


async def test_streams_are_read_with_async_for(target):
    async with admin.connect(target) as server:
        call = server.spectators.WatchSession(spectator_pb2.WatchSessionRequest())
        assert [len(response.updates) async for response in call] == [1]


async def test_an_error_in_a_stream_is_readable_too(target):
    async with admin.connect(target) as server:
        call = server.spectators.WatchSession(spectator_pb2.WatchSessionRequest(from_seq=1))
        with pytest.raises(croupier.RequestError, match="ABORTED: you read too slowly"):
            [response async for response in call]


async def test_a_server_that_is_not_there_is_a_request_error_too():
    async with admin.connect("127.0.0.1:1") as server:
        with pytest.raises(croupier.RequestError, match="UNAVAILABLE: connection refused"):
            await server.sessions.ListGames(session_pb2.ListGamesRequest())
