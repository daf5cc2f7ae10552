"""Servers that are newer than the bot."""

from __future__ import annotations

from croupier.v1 import game_pb2, play_pb2
from croupier_service.conformance.check import check, require
from croupier_service.conformance.dialect import add_news
from croupier_service.conformance.line import GOING
from croupier_service.conformance.stage import Stage

KIND = b"\xa2\x06\x07\x0a\x05later"
"""A ServerMessage of a kind that there is not, field 100."""
BEYOND = 4242
"""A value that no enum has."""


@check(
    why="The contract grows by fields: a server that is newer than the bot sends them.",
    remedy="Let protobuf do it: do not reject unknown fields, and do not compare messages by their bytes.",
)
async def unknown_fields(stage: Stage) -> None:
    """Skips fields that it does not know, in every message."""
    line = await stage.line()
    sitting = stage.seat()
    await line.say(with_news(sitting.start()))
    await line.sign()
    for _ in range(3):
        await line.say(with_news(sitting.ask()))
        await line.answers(sitting)
        await line.say(with_news(sitting.result("STALE", decision_id=77)))
        sitting.take()
        if sitting.finished:
            break
    drain = play_pb2.ServerMessage(drain=play_pb2.Drain(grace_ms=60_000, reason="none: a check"))
    await line.say(with_news(sitting.events()), with_news(drain))
    await line.say(with_news(sitting.end()))
    line.end(GOING)
    await stage.accept()


@check(
    why="The contract grows by kinds of messages: a server that is newer than the bot says what the bot has never "
    "heard of.",
    remedy="Where the oneof of a ServerMessage is empty, go on with the next message; a frame that needs no answer is "
    "answered with Ack, whatever it held.",
)
async def unknown_messages(stage: Stage) -> None:
    """Skips messages of kinds that it does not know, and acknowledges their frame."""
    line = await stage.line()
    sitting = stage.seat()
    later = play_pb2.ServerMessage.FromString(KIND)
    await line.say(later, sitting.start(), later, sitting.ask(), later)
    await line.answers(sitting)
    await line.say(later)
    await line.sign()


@check(
    why="The contract grows by values of enums too: outcomes, reasons, kinds of faults.",
    remedy="Treat a value that is not known, or UNSPECIFIED, as one of which nothing is known: log its number, and go "
    "on.",
)
async def unknown_enums(stage: Stage) -> None:
    """Bears values of enums that it does not know."""
    line = await stage.line()
    sitting, other = stage.seat(), stage.seat()
    faults = game_pb2.FaultSettings(max_faults=10, attempts=3)
    faults.policy = game_pb2.FaultPolicy.ValueType(BEYOND)
    await line.say(sitting.start(faults=faults), sitting.ask())
    await line.answers(sitting)
    for outcome in (BEYOND, 0):
        await line.say(sitting.result(outcome, fault=outcome, message="said by the check"))
    sitting.take()
    if not sitting.finished:
        await line.ask(sitting)
    end = sitting.end()
    end.session_end.reason = play_pb2.EndReason.ValueType(BEYOND)
    await line.say(end)
    await line.say(other.start(), other.ask())
    await line.answers(other)
    end = other.end()
    end.session_end.reason = play_pb2.END_REASON_UNSPECIFIED
    await line.say(end)
    await line.pong(3)
    require(line.open, "the bot has left")


def with_news(message: play_pb2.ServerMessage) -> play_pb2.ServerMessage:
    """The message with fields that nobody knows, in itself and in all inside it."""
    news = play_pb2.ServerMessage.FromString(message.SerializeToString())
    add_news(news)
    return news
