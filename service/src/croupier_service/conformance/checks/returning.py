"""Losing the server, and coming back."""

from __future__ import annotations

import asyncio
import time

import grpc

from croupier.v1 import play_pb2
from croupier_service.conformance.check import check, require
from croupier_service.conformance.failures import DoesNotApply, Failed
from croupier_service.conformance.line import GOING, Line
from croupier_service.conformance.sitting import Sitting
from croupier_service.conformance.stage import Stage

REFUSALS = 6
LEAST_WAIT_S = 0.75
"""Seven pauses that begin at 0.1 s and double, each shortened at random, take less once in ten thousand times."""
LONGEST_WAIT_S = 13.0
"""And never more than this."""
AWAY_S = 1.5
SEVERAL = 24


@check(
    why="Wi-Fi drops, routers restart. A game that is lost with its connection is a game lost.",
    remedy="Open a new stream whenever the old one has ended with anything but a final status.",
)
async def torn_connection(stage: Stage) -> None:
    """Comes back when its connection is torn, and goes on with its game."""
    line = await stage.line()
    sitting = stage.seat()
    await line.sit(sitting)
    await line.ask(sitting)
    sitting.take()
    line.open = False
    stage.relay.cut()
    line = await stage.accept()
    await line.say(sitting.start(resumed=True))
    await line.sign()
    await line.play_on(sitting)


@check(
    why="A server that is being updated ends its streams with UNAVAILABLE, or just ends them.",
    remedy="UNAVAILABLE, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, CANCELLED, UNKNOWN, INTERNAL and OK are no reason to "
    "give up.",
)
async def ended_stream(stage: Stage) -> None:
    """Comes back when the server ends the stream, whether it says why or not."""
    codes = grpc.StatusCode
    for code in (codes.UNAVAILABLE, codes.RESOURCE_EXHAUSTED, codes.DEADLINE_EXCEEDED, codes.INTERNAL, None):
        line = await stage.line()
        await line.pong(1)  # so that it counts as a stream that went well, and the next pause is short
        line.end(None if code is None else (code, "said by the check"))
        try:
            await stage.accept()
        except Failed as failed:
            raise Failed(f"after {'OK' if code is None else code.name}: {failed}") from None


@check(
    why="By this the server tells it what it has missed: events, and sessions that have ended meanwhile.",
    remedy="On every stream but the first, name each session that has not ended, with the bot's seat and the number of "
    "the last event that it was told (0 where it does not ask for events). Leave out what is over.",
)
async def resume(stage: Stage) -> None:
    """Tells in Hello.resume which seats it knows: session, seat and last event."""
    line = await stage.line()
    sitting, over, second = stage.seat(), stage.seat(), stage.seat(seat=1)
    sittings = [sitting, over, second][: stage.most(3)]
    await line.sit(*sittings)
    await line.ask(sitting)
    sitting.take()
    if line.hello.events:
        await line.say(sitting.events())
        await line.sign()
    if over in sittings:
        await line.say(over.end())
        await line.sign()
    line.end(GOING)
    line = await stage.accept()
    told = {(seat.session_id, seat.seat): seat.last_seq for seat in line.hello.resume}
    for one in (sitting, second):
        if one in sittings:
            where = f"session {one.session_id}, seat {one.seat}"
            require(
                (one.session_id, one.seat) in told, f"Hello.resume has not {where}; it has {sorted(told) or 'nothing'}"
            )
            last = told[one.session_id, one.seat]
            require(last == one.told, f"Hello.resume says of {where} that event {last} was the last; it was {one.told}")
    require(
        not any(name == over.session_id for name, _ in told),
        f"Hello.resume has session {over.session_id}, which is over",
    )
    require(len(told) == len(line.hello.resume), "Hello.resume names a seat twice")


@check(
    why="An answer can be lost with its connection: then the server asks again, under the same number.",
    remedy="On a new stream answer whatever is asked, also what was answered before; and once, not twice.",
)
async def asked_again(stage: Stage) -> None:
    """Answers the open decision once more when it is asked again."""
    line, sitting, _ = await _lose_an_answer(stage, 1)
    [one] = sitting
    await line.say(one.ask_again())
    await line.answers(one)
    one.take()
    await line.play_on(one)


@check(
    why="A bot chooses once: what its author keeps about a game must not hear of one decision twice, and search "
    "that is done must not be done again.",
    remedy="Keep the answer to the open decision of each seat; where the same decision_id comes with the same attempt, "
    "send that. Forget it where SessionStart goes back behind it.",
    advice=True,
)
async def same_answer(stage: Stage) -> None:
    """Says again what it chose, when a decision is asked again after a lost connection."""
    line, sittings, before = await _lose_an_answer(stage, SEVERAL)
    await line.say(*(one.ask_again() for one in sittings))
    await line.answers(*sittings)
    changed = sum(one.answer != answer for one, answer in zip(sittings, before, strict=True))
    require(not changed, f"of {len(sittings)} answers {changed} were others than before the connection was lost")


async def _lose_an_answer(stage: Stage, number: int) -> tuple[Line, list[Sitting], list[object]]:
    """Ask in so many sessions, lose the connection with the answers, and sit down there again."""
    line = await stage.line()
    sittings = stage.seats(number)
    await line.sit(*sittings)
    await line.ask(*sittings)
    before: list[object] = [sitting.answer for sitting in sittings]
    line.open = False
    stage.relay.cut()
    line = await stage.accept()
    await line.say(*(sitting.start(resumed=True) for sitting in sittings))
    await line.sign()
    for sitting in sittings:
        sitting.answer = None
    return line, sittings, before


@check(
    why="After a crash a server goes on from what it had written down: SessionStart.seq says after which event.",
    remedy="Where SessionStart of a known session has a lower seq than the bot knows of, forget what came after, the "
    "answer to the open decision too. A decision of the same number is then another one.",
)
async def rewind(stage: Stage) -> None:
    """Goes back with a server that has lost the latest events."""
    line = await stage.line()
    sitting = stage.seat()
    await line.sit(sitting)
    earlier = sitting.ask()
    await line.say(earlier)
    await line.answers(sitting)
    sitting.take()
    if sitting.finished:
        raise DoesNotApply("the game was over after one decision")
    await line.ask(sitting)
    line.end(GOING)
    line = await stage.accept()
    number = sitting.decision_id
    again = play_pb2.ServerMessage.FromString(earlier.SerializeToString())
    again.decision.decision_id = number
    sitting.reopen(again.decision)
    await line.say(sitting.start(resumed=True, seq=again.decision.seq), again)
    await line.answers(sitting)


@check(
    why="A thousand bots that come back at once, and at once again, keep a server from getting up.",
    remedy="Wait about 0.1 s at first and twice as long each time, up to 10 s, each shortened at random; start anew "
    "once a stream has worked.",
    slow=True,
)
async def backoff(stage: Stage) -> None:
    """Waits longer and longer while a server turns it away, and not for ever."""
    line = await stage.line()
    await line.pong(1)
    stage.server.refusals.extend([(grpc.StatusCode.UNAVAILABLE, "said by the check: busy")] * REFUSALS)
    began, before = time.monotonic(), len(stage.server.opened)
    line.end(GOING)
    try:
        await stage.accept(patience=LONGEST_WAIT_S + stage.patience)
    except Failed as failed:
        tried = len(stage.server.opened) - before
        raise Failed(f"{failed}; it has tried {tried} times") from None
    waited = time.monotonic() - began
    require(
        waited >= LEAST_WAIT_S,
        f"the bot came {REFUSALS + 1} times within {waited:.2f} s; with pauses that grow it takes some seconds",
    )


@check(
    why="Servers and bots are started together, and nobody knows which is up first.",
    remedy="That nobody listens at CROUPIER_TARGET is a reason to try again, also the first time.",
    fresh=True,
)
async def server_not_there(stage: Stage) -> None:
    """Waits for a server that is not there."""
    stage.relay.away = True
    await stage.launch()
    await asyncio.sleep(AWAY_S)
    stage.relay.away = False
    await stage.line()


@check(
    why="A game can be over by the time that the bot is back: it is told the end, or nothing at all.",
    remedy="Take SessionEnd for any session that the bot knows, without SessionStart before it on that stream, and "
    "ignore it for others.",
)
async def ended_while_away(stage: Stage) -> None:
    """Bears that a session has ended while it was away."""
    line = await stage.line()
    sitting = stage.seat()
    await line.sit(sitting)
    await line.say(sitting.ask())
    await line.answers(sitting)
    line.end(GOING)
    line = await stage.accept()
    await line.say(sitting.end())
    await line.sign()
    unknown = play_pb2.SessionEnd(session_id="never-heard-of", reason=play_pb2.END_REASON_ABORTED)
    await line.say(play_pb2.ServerMessage(session_end=unknown))
    await line.sign()
    other = stage.seat()
    await line.sit(other)
    await line.ask(other)


@check(
    why="A server that is about to stop lets games end: whoever leaves at once loses them.",
    remedy="Drain is news and nothing more. Play on until the stream ends, then come back.",
)
async def drain(stage: Stage) -> None:
    """Plays on while the server drains, and comes back afterwards."""
    line = await stage.line()
    sitting = stage.seat()
    await line.sit(sitting)
    await line.say(play_pb2.ServerMessage(drain=play_pb2.Drain(grace_ms=60_000, reason="said by the check")))
    await line.play_on(sitting)
    line.end((grpc.StatusCode.UNAVAILABLE, "the server has stopped"))
    line = await stage.accept()
    require(not line.hello.resume, "Hello.resume still names a game that has ended")
