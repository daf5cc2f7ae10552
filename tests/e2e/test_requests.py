"""What an organiser asks for in vain, through a real server: the answer names the field. Unit tests cover the rest."""

import grpc
import pytest
from bots import Honest

from croupier import RequestError
from croupier.v1 import game_pb2

HOUSE = ("house:random",) * 3

REFUSED = [
    (HOUSE, {"game": "whist"}, "NOT_FOUND", "UNKNOWN_GAME", "game"),
    (HOUSE[:1], {}, "INVALID_ARGUMENT", "BAD_OPTION", "bots"),
    (HOUSE * 3, {}, "INVALID_ARGUMENT", "BAD_OPTION", "bots"),
    ((*HOUSE, "nobody"), {}, "NOT_FOUND", "UNKNOWN_BOT", "bots[3]"),
    ((*HOUSE, "house:of-cards"), {}, "NOT_FOUND", "UNKNOWN_BOT", "bots[3]"),
    (HOUSE, {"seed": b"short"}, "INVALID_ARGUMENT", "BAD_SEED", "seed"),
    (HOUSE, {"clock": {"think_time_ms": 86_400_001}}, "INVALID_ARGUMENT", "OUT_OF_RANGE", "clock.think_time_ms"),
    (HOUSE, {"faults": {"attempts": 0}}, "INVALID_ARGUMENT", "OUT_OF_RANGE", "faults.attempts"),
    (HOUSE, {"labels": {"": "no key"}}, "INVALID_ARGUMENT", "TOO_LONG", "labels[]"),
    (
        *(HOUSE, {"options": game_pb2.GameOptions(trick_and_trade={"first_leader": 3})}),
        *("INVALID_ARGUMENT", "BAD_OPTION", "options.first_leader"),
    ),
]


@pytest.mark.parametrize(("bots", "fields", "code", "reason", "field"), REFUSED, ids=[row[-1] for row in REFUSED])
async def test_a_bad_request_is_refused_with_the_field_named(server, organise, bots, fields, code, reason, field):
    async with organise(server) as organiser:
        with pytest.raises(RequestError) as refused:
            await organiser.create(*bots, **fields)
        error = refused.value
        assert (error.code, error.reason) == (grpc.StatusCode[code], reason)
        [(named, what)] = error.violations
        assert named == field
        assert what
        assert str(error).count(f"{field}:") <= 1  # people are told once


async def test_the_same_request_twice_is_one_session_and_another_under_its_id_is_refused(server, organise):
    async with organise(server) as organiser, Honest(server.target, "ann") as ann:
        first = await organiser.create("ann", *HOUSE, request_id="once")
        assert await organiser.create("ann", *HOUSE, request_id="once") == first
        with pytest.raises(RequestError) as refused:
            await organiser.create("ann", "ann", *HOUSE, request_id="once")
        assert refused.value.code is grpc.StatusCode.ALREADY_EXISTS
        assert refused.value.violations[0][0] == "request_id"
        await ann.over(first)


async def test_more_sessions_than_the_server_takes_are_refused(serve, organise):
    server = serve(max_sessions=1)
    async with organise(server) as organiser, Waiting(server.target, "ann"):
        await organiser.create("ann", *HOUSE)
        with pytest.raises(RequestError) as refused:
            await organiser.create("ann", *HOUSE)
        assert (refused.value.code, refused.value.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_SESSIONS")


async def test_a_service_that_does_not_exist_is_unimplemented(server, organise):
    async with organise(server) as organiser:
        with pytest.raises(RequestError) as refused:
            await organiser.server.channel.unary_unary("/croupier.v1.SessionService/Shuffle")(b"", timeout=30)
        assert refused.value.code is grpc.StatusCode.UNIMPLEMENTED


class Waiting(Honest):
    """Never decides."""

    async def decide(self, decision):
        return []
