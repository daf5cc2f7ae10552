"""How a bot ends."""

from __future__ import annotations

import signal

import grpc

from croupier_service.conformance.check import check, require
from croupier_service.conformance.line import Line
from croupier_service.conformance.stage import Stage

AT_WORK = 30
"""Sessions in which a bot is asked when it is replaced at work."""
LINES = 6
"""More than so many, whatever the bot logs besides, are a traceback and no readable line."""


@check(
    why="Containers, runners and operators end a program so; one that does not listen is killed, after a wait.",
    remedy="On SIGTERM end the stream and exit with code 0.",
    fresh=True,
)
async def sigterm(stage: Stage) -> None:
    """Ends cleanly on SIGTERM."""
    await _ends_on(stage, signal.SIGTERM)


@check(
    why="This is how people end a program.",
    remedy="On SIGINT end the stream and exit with code 0, without a traceback.",
    fresh=True,
)
async def sigint(stage: Stage) -> None:
    """Ends cleanly on SIGINT (Ctrl-C)."""
    await _ends_on(stage, signal.SIGINT)


async def _ends_on(stage: Stage, number: signal.Signals) -> None:
    line = await stage.line()
    sitting = stage.seat()
    await line.sit(sitting)
    await line.ask(sitting)
    assert stage.process is not None
    stage.process.signal(number)
    code, output = await stage.exit()
    how = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
    require(code == 0, f"after {number.name} it ended with {how}, not with exit code 0\n{output}".rstrip())


@check(
    why="A wrong token does not get better by trying: whoever started the bot has to know.",
    remedy="After UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION or "
    "UNIMPLEMENTED write the server's message to stderr in one line and exit with code 1.",
    fresh=True,
)
async def refused_token(stage: Stage) -> None:
    """Ends with exit code 1 and a readable line where its token is refused."""
    message = "the token is not known here"
    stage.server.refuse_all = (grpc.StatusCode.UNAUTHENTICATED, message)
    await stage.launch()
    await _ends_with(stage, message)


@check(
    why="A bot that runs twice would take its own place for ever.",
    remedy="After ABORTED write the server's message to stderr in one line and exit with code 1.",
    fresh=True,
)
async def replaced(stage: Stage) -> None:
    """Ends when a newer connection of the same bot takes over."""
    await _ends_replaced(stage, await stage.line())


@check(
    why="A bot is replaced while it plays; if it takes a failed write for a lost connection it comes back, and throws "
    "the newer one out.",
    remedy="Where a write fails, read on: the stream's status says why it has ended.",
    fresh=True,
)
async def replaced_at_work(stage: Stage) -> None:
    """Ends when it is replaced while it has answers to write."""
    line = await stage.line()
    sittings = stage.seats(AT_WORK)
    await line.sit(*sittings)
    for sitting in sittings:
        await line.say(sitting.ask())
    await _ends_replaced(stage, line)


async def _ends_replaced(stage: Stage, line: Line) -> None:
    message = "a newer connection of this bot has taken over"
    line.end((grpc.StatusCode.ABORTED, message))
    await _ends_with(stage, message)


async def _ends_with(stage: Stage, message: str) -> None:
    code, output = await stage.exit()
    require(code == 1, f"it ended with exit code {code}, not with 1\n{output}".rstrip())
    require(output, "it said nothing on the way: people have to know why")
    require(message in output, f"it does not say what the server said ({message!r}):\n{output}")
    lines = output.splitlines()
    require(len(lines) <= LINES, f"it said so in {len(lines)} lines; one that can be read is enough:\n{output}")
