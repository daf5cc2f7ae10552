"""The bots of the storm: honest ones made with the SDK, and the unruly ones, which come back after each misdeed."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Iterable
from itertools import count
from zlib import crc32

import grpc
from bots import Crash, Garbage, Honest, Liar, Slow, Stall, garbage, liar

import croupier
from croupier.v1 import play_pb2

QUICK = croupier.Backoff(base=0.02, cap=0.3)
HONEST = ("ann", "bob", "cat")
UNRULY = ("crash", "stall", "liar", "garbage", "slow")
LIES = (
    *(liar.empty_action, liar.no_choice, liar.index_out_of_range, liar.huge_index, liar.never_asked),
    *(liar.no_such_session, liar.same_again, liar.second_thoughts),
)


class Steady(croupier.Bot):
    """An honest bot whose choices follow from what it may choose, and from nothing else."""

    def __init__(self) -> None:
        self.ends: dict[str, list[int]] = {}
        """Points by session, as it was told."""
        self.lost: set[str] = set()
        """Sessions of which the server knew nothing any more: killed before their creation was answered."""
        self.faults: list[str] = []
        """What it was told to have done wrong."""

    def choose(self, decision):
        offered = b"".join(action.SerializeToString(deterministic=True) for action in decision.actions)
        return (crc32(offered) + decision.session.seat * 104729) % len(decision.actions)

    def on_result(self, session, result):
        if result.fault:
            self.faults.append(str(result))

    def on_end(self, session, end):
        if end.result is None:
            self.lost.add(session.id)
        else:
            self.ends[session.id] = list(end.result.points)


class Lying(Liar):
    """Tells a lie every so often, for ever."""

    def __init__(self, target: str, name: str, dice: random.Random) -> None:
        super().__init__(target, name)
        self._dice = dice

    async def decide(self, decision: play_pb2.Decision) -> Iterable[play_pb2.ClientMessage]:
        if self._dice.random() < 0.2:
            self.lies.append(self._dice.choice(LIES))
        return await super().decide(decision)


@contextlib.asynccontextmanager
async def crowd(target: str, seed: int) -> AsyncIterator[dict[str, Steady]]:
    """Everybody there, until the end of the context; yields the honest ones by name."""
    honest = {name: Steady() for name in HONEST}
    dice = random.Random(f"crowd {seed}")
    kinds: dict[str, Callable[[], Honest]] = {
        "crash": lambda: Crash(target, "crash"),
        "stall": lambda: Stall(target, "stall"),
        "liar": lambda: Lying(target, "liar", dice),
        "garbage": lambda: Garbage(target, "garbage", [dice.choice(garbage.ALL) for _ in range(20)]),
        "slow": lambda: Slow(target, "slow"),
    }
    async with asyncio.TaskGroup() as group:
        tasks = [
            *(
                group.create_task(croupier.play(bot, target, name=name, backoff=QUICK, on_error="raise"))
                for name, bot in honest.items()
            ),
            *(group.create_task(_again_and_again(kinds[name], dice)) for name in UNRULY),
        ]
        try:
            yield honest
        finally:
            for task in tasks:
                task.cancel()


async def _again_and_again(make: Callable[[], Honest], dice: random.Random) -> None:
    for _ in count():
        bot = make()
        # not there, or not for long: the server has been killed, or the wire was cut
        with contextlib.suppress(AssertionError, grpc.aio.AioRpcError, asyncio.InvalidStateError):
            async with bot:
                if isinstance(bot, Stall):
                    await asyncio.sleep(3)  # longer than the server bears it
                else:
                    assert bot._playing is not None
                    await asyncio.wait([bot._playing])
        # one that crashes is now and then away for longer than the grace, which is 3 seconds
        await asyncio.sleep(dice.uniform(0.05, 6) if isinstance(bot, Crash) else 0.1)
