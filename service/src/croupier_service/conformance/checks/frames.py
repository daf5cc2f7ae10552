"""How messages travel: in frames, fast and slow, small and large."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from croupier_games.kernel import Seed, Table
from croupier_service.conformance.check import check, require
from croupier_service.conformance.failures import DoesNotApply
from croupier_service.conformance.line import GOING, Line
from croupier_service.conformance.sitting import Sitting
from croupier_service.conformance.stage import Stage

COALESCED = 64
ROUNDS = 4
FEW = 8
"""One frame in so many answers is as good as one frame: the machine may have been busy."""
QUICK_S = 0.005
"""A bot that takes longer over a choice may send each answer as it has it."""
SLOW_FRAMES_S = 1.2
PINGS = 3
LARGEST_NONCE = (1 << 64) - 3
SMALL_FRAME = 1024
QUESTIONS_A_FRAME = 150


@check(
    why="The server puts all that waits into one frame: a frame has as many questions as games wait for the bot.",
    remedy="Go through all messages of a PlayResponse, not only the first.",
)
async def coalesced_frames(stage: Stage) -> None:
    """Answers every question of a frame."""
    line = await stage.line()
    sittings = stage.seats(COALESCED)
    await line.say(*(message for sitting in sittings for message in (sitting.start(), sitting.ask())))
    await line.answers(*sittings)


@check(
    why="gRPC costs by the frame: a bot that sends a frame for each answer plays a tenth as fast, and so do its "
    "opponents.",
    remedy="Collect the answers while going through a frame and write them together; one task writes, and takes "
    "everything that waits.",
    advice=True,
)
async def one_frame_back(stage: Stage) -> None:
    """Sends the answers to one frame in one frame."""
    line = await stage.line()
    sittings = stage.seats(COALESCED)
    if len(sittings) < FEW:
        raise DoesNotApply("it plays too few games at once")
    await line.sit(*sittings)
    best, seconds = len(sittings), 0.0
    for _ in range(ROUNDS):
        began = time.monotonic()
        frames = await line.ask(*sittings)
        seconds = time.monotonic() - began
        best = min(best, frames)
        if best == 1:
            return
    if seconds / len(sittings) > QUICK_S:
        raise DoesNotApply(
            f"it takes {1000 * seconds / len(sittings):.0f} ms over a choice, and may send each when it has it"
        )
    require(best <= len(sittings) / FEW, f"{len(sittings)} answers to one frame came in {best} frames")


@check(
    why="The server does not read a larger frame: everything in it is lost, and counts as a fault.",
    remedy="Spread what does not fit over several frames.",
)
async def frame_limit(stage: Stage) -> None:
    """Keeps its frames within Welcome.max_frame_bytes."""
    line = await stage.line()
    line.end(GOING)
    line = await stage.accept(max_frame_bytes=SMALL_FRAME)
    sittings = stage.seats(COALESCED)
    await line.sit(*sittings)
    await line.ask(*sittings)
    require(line.largest <= SMALL_FRAME, f"a frame of {line.largest} bytes, though the server reads {SMALL_FRAME}")
    line.end(GOING)
    await stage.accept()


@check(
    why="Networks are slow at times, and opponents think.",
    remedy="Set no deadline on the stream and none on reading; wait for the server's next frame as long as it takes.",
    slow=True,
)
async def slow_frames(stage: Stage) -> None:
    """Bears frames that come in crumbs, and silence between them."""
    line = await stage.line()
    sitting = stage.seat()
    stage.relay.slow = True
    await line.say(sitting.start())
    await line.sign()
    await asyncio.sleep(SLOW_FRAMES_S)
    await line.say()  # an empty frame is a frame
    await line.sign()
    await line.ask(sitting)
    await asyncio.sleep(SLOW_FRAMES_S)
    sitting.take()
    if not sitting.finished:
        await line.ask(sitting)


@check(
    why="A bot that does not answer pings is taken for stalled, and cut off.",
    remedy="Send Pong with the ping's nonce at once, whatever else is going on. A nonce has all 64 bits.",
    slow=True,
)
async def pings(stage: Stage) -> None:
    """Answers a ping every second, with its nonce."""
    line = await stage.line()
    sitting = stage.seat()
    await line.sit(sitting)
    for number in range(PINGS):
        await line.pong(LARGEST_NONCE - number)
        if not sitting.finished:
            await line.ask(sitting)
            sitting.take()
        await asyncio.sleep(1.0)


@check(
    why="An operator, a tournament or a test may seat a bot in thousands of games; after a lost connection it has "
    "them all at once.",
    remedy="Keep sessions in a map, not in a list; do not start a thread for each; name at most 4,096 in Hello.resume.",
    slow=True,
)
async def thousands_of_sessions(stage: Stage) -> None:
    """Holds thousands of sessions on one stream, and takes them up again."""
    line = await stage.line()
    game = stage.games()[0]
    seats = 4 if 4 in game.seat_range else game.seat_range[0]
    table = Table(game, seats, game.options(), Seed.of("thousands of sessions"))
    first = stage.seat(game, table=table)
    first.ask()  # plays the table on to where the seat is asked
    sittings = [first, *(stage.seat(game, table=table) for _ in range(stage.most(stage.settings.many) - 1))]
    await _in_frames(line, sittings)
    line.end(GOING)
    line = await stage.accept()
    require(len(line.hello.resume) <= 4096, f"Hello.resume names {len(line.hello.resume)} seats; 4,096 are read")
    require(line.largest <= 256 * 1024, f"Hello has {line.largest} bytes; a server reads 256 KiB")
    await _in_frames(line, sittings, resumed=True)
    for at in range(0, len(sittings), QUESTIONS_A_FRAME):
        await line.say(*(sitting.end() for sitting in sittings[at : at + QUESTIONS_A_FRAME]))
        await line.sign()


async def _in_frames(line: Line, sittings: Sequence[Sitting], *, resumed: bool = False) -> None:
    for at in range(0, len(sittings), QUESTIONS_A_FRAME):
        some = sittings[at : at + QUESTIONS_A_FRAME]
        frame = [message for one in some for message in (one.start(resumed=resumed), one.ask())]
        await line.say(*frame)
        await line.answers(*some)
