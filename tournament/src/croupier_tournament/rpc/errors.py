"""Errors as the contract has them: a status with google.rpc.ErrorInfo, and google.rpc.BadRequest for bad fields."""

from collections.abc import Sequence
from typing import Any, NoReturn, TypeAlias

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc import error_details_pb2, status_pb2

from croupier_tournament.spec import SpecError

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
DOMAIN = "croupier"
DETAILS_KEY = "grpc-status-details-bin"

FIELDS = {
    "blocks": "deals",
    "seed": "plan_seed",
    "run.concurrency": "concurrency",
    "clock.think_time_s": "clock.think_time_ms",
    "clock.bank_s": "clock.bank_ms",
    "clock.increment_s": "clock.increment_ms",
    "cpu_s": "cpu_limit_s",
    "memory_mib": "memory_limit_mib",
    "files": "file_limit",
    "file_size_mib": "file_size_limit_mib",
    "time_s": "time_limit_s",
}
"""What fields of the spec are called in the contract, where the names differ."""
MOST_MESSAGE, MOST_FIELD, MOST_DESCRIPTION, MOST_ECHOED = 1000, 80, 150, 100
"""Bytes of an error's texts, and of a value that it repeats: clients do not take more than 8 KiB of it all, encoded."""
MOST_VIOLATIONS = 10


class CallError(Exception):
    """A call that cannot be answered. `reason` is for programs; violations are bad fields with what is wrong."""

    def __init__(
        self, code: grpc.StatusCode, reason: str, message: str, violations: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.violations = violations


def bad_spec(error: SpecError) -> CallError:
    """A spec that cannot be played, with its fields named as in the request."""
    violations = [(field_name(problem.field), problem.message) for problem in error.problems]
    shown = violations[:MOST_VIOLATIONS]
    message = cut("; ".join(f"{field}: {what}" for field, what in shown), MOST_MESSAGE - 30)
    if left := len(violations) - len(shown):
        message += f"; and {left:,} more"
    return CallError(grpc.StatusCode.INVALID_ARGUMENT, "BAD_SPEC", message, violations)


def field_name(field: str) -> str:
    """Return a spec's field as the request has it.

    >>> field_name("blocks"), field_name("entrants[1].limits.cpu_s"), field_name("entrants[0].house")
    ('spec.deals', 'spec.entrants[1].command.cpu_limit_s', 'spec.entrants[0].house')
    """
    place, limits, name = field.partition(".limits.")
    if limits:
        return f"spec.{place}.command.{FIELDS.get(name, name)}"
    return f"spec.{FIELDS.get(field, field)}".rstrip(".")


def cut(text: str, most: int) -> str:
    """Return a text, or the beginning of one that has more bytes.

    >>> cut("short", 9), cut("long enough", 9), cut("€€€€", 9)
    ('short', 'long e...', '€€...')
    """
    encoded = text.encode()
    return text if len(encoded) <= most else f"{encoded[: most - 3].decode(errors='ignore')}..."


def echo(value: str) -> str:
    """Return a value as an error repeats it: in quotes, and not all of it where it is long."""
    return repr(cut(value, MOST_ECHOED))


async def abort(context: Context, error: CallError) -> NoReturn:
    """End a call with an error, as much of it as a client takes."""
    message = cut(str(error), MOST_MESSAGE)
    details = [_packed(error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN))]
    if error.violations:
        bad = error_details_pb2.BadRequest(
            field_violations=[
                error_details_pb2.BadRequest.FieldViolation(
                    field=cut(field, MOST_FIELD), description=cut(what, MOST_DESCRIPTION)
                )
                for field, what in error.violations[:MOST_VIOLATIONS]
            ]
        )
        details.append(_packed(bad))
    status = status_pb2.Status(code=error.code.value[0], message=message, details=details)
    await context.abort(error.code, message, ((DETAILS_KEY, status.SerializeToString()),))
    raise AssertionError("context.abort raises")


def _packed(detail: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(detail)
    return packed
