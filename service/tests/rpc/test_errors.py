"""Errors as they reach the client, however long what it has sent."""

import grpc
import pytest
from serving import told_by

from croupier.v1 import session_pb2 as pb

LONG = "a" * 9_000


@pytest.mark.parametrize(
    ("call", "message", "code", "reason", "field"),
    [
        ("GetSession", pb.GetSessionRequest(session_id=LONG), "NOT_FOUND", "UNKNOWN_SESSION", "session_id"),
        ("GetSession", pb.GetSessionRequest(session_id="☃ " * 9_000), "NOT_FOUND", "UNKNOWN_SESSION", "session_id"),
        ("GetRecord", pb.GetRecordRequest(session_id=LONG), "NOT_FOUND", "UNKNOWN_SESSION", "session_id"),
        ("GetGame", pb.GetGameRequest(name=LONG), "NOT_FOUND", "UNKNOWN_GAME", "name"),
        (
            "CreateSession",
            pb.CreateSessionRequest(game="trick-and-trade", bots=[LONG, "", ""]),
            "NOT_FOUND",
            "UNKNOWN_BOT",
            "bots[0]",
        ),
    ],
)
async def test_an_error_names_the_field_however_long_what_is_in_it(server, call, message, code, reason, field):
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await getattr(server.sessions, call)(message)
    assert told_by(caught.value) == (code, reason, [field])
    assert len(caught.value.details().encode()) <= 1_000


async def test_a_long_value_is_cut_and_what_would_be_right_is_still_said(server):
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await server.sessions.GetGame(pb.GetGameRequest(name=LONG))
    known = ", ".join(server.host.games)
    assert caught.value.details() == f"name: no game is called '{'a' * 96}…'; there are: {known}"
