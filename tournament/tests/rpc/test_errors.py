"""What a call ends with reaches its client, however much there would be to say."""

import asyncio

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from croupier_tournament.rpc.errors import DETAILS_KEY, CallError, abort, bad_spec, echo
from croupier_tournament.spec import Problem, SpecError

TRAILER = 8 * 1024


class Context:
    """Keeps what a call was ended with."""

    async def abort(self, code, message, trailer):
        self.code, self.message, self.trailer = code, message, dict(trailer)
        raise asyncio.CancelledError

    async def ended(self, error):
        with pytest.raises(asyncio.CancelledError):
            await abort(self, error)
        status = status_pb2.Status.FromString(self.trailer[DETAILS_KEY])
        bad = error_details_pb2.BadRequest()
        status.details[-1].Unpack(bad)
        assert status.message == self.message
        return bad.field_violations

    @property
    def encoded(self):
        """Bytes on the way: a message may have three for each of its own, details four for three."""
        return 3 * len(self.message.encode()) + len(self.trailer[DETAILS_KEY]) * 4 // 3


async def test_many_violations_are_counted_and_not_all_told():
    problems = [Problem(f"entrants[{number}].name", "is missing") for number in range(60)]
    context = Context()
    violations = await context.ended(bad_spec(SpecError(problems)))
    assert [violation.field for violation in violations] == [f"spec.entrants[{number}].name" for number in range(10)]
    assert context.message.endswith("spec.entrants[9].name: is missing; and 50 more")


@pytest.mark.parametrize("letter", ["a", "é", "€", "\n"])
async def test_an_error_is_never_longer_than_a_client_takes(letter):
    long = letter * 9000
    context = Context()
    violations = await context.ended(bad_spec(SpecError([Problem(long, long)] * 60)))
    assert len(violations) == 10
    assert context.encoded < TRAILER
    await context.ended(CallError(grpc.StatusCode.NOT_FOUND, "R", f"there is none {long}", [("x", long)]))
    assert context.encoded < TRAILER


def test_a_long_value_is_repeated_in_part():
    assert echo("x'y") == '"x\'y"'
    assert len(echo("a" * 9000)) < 110
