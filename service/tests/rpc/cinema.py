"""A hall in which sessions can be watched, and those who watch. Time is in the test's hand."""

import asyncio

import pytest
from hall import THINK, Hall, illegal, play_on
from toy_wire import WIRES

from croupier.v1 import spectator_pb2 as pb
from croupier_service.rpc.spectator import SpectatorEncoder
from croupier_service.sessions.feed import INTERVAL_MS
from croupier_service.sessions.settings import FaultSettings
from croupier_service.sessions.watching import Watching


class Counting(SpectatorEncoder):
    """Counts the steps that it makes into bytes."""

    steps = 0

    def step(self, *args):
        self.steps += 1
        return super().step(*args)


class Cinema(Hall):
    """A hall in which sessions can be watched."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.encoder = Counting(WIRES)
        self.watching = Watching(self.host, self.encoder, wall_clock=lambda: 1_700_000_000.0 + self.time.now() / 1000)
        self.observers.add(self.watching)

    def viewer(self, session, from_seq=0, **how):
        return OneViewer(self, getattr(session, "id", session), from_seq, **how)

    async def pass_time(self, ms):
        """Let time pass, and everybody see what there is to see."""
        self.advance(ms)
        await calm()

    async def seen(self, session, from_seq=0):
        """All updates that a new viewer is shown of a session that is over."""
        return (await self.viewer(session, from_seq).to_the_end()).updates

    @property
    def feeds(self):
        return self.watching._feeds


async def calm():
    """Everything that can go on without time passing goes on."""
    for _ in range(60):
        await asyncio.sleep(0)


class OneViewer:
    """Somebody who watches. What it is shown is in ``frames`` and ``updates``."""

    def __init__(self, cinema, session_id, from_seq, *, reading=True, follow=True):
        self.cinema = cinema
        self.frames = []
        self.shown, self.reading = asyncio.Event(), asyncio.Event()
        if reading:
            self.reading.set()
        self.task = asyncio.ensure_future(cinema.watching.watch(session_id, from_seq, self.write, follow=follow))

    async def write(self, frame):
        self.frames.append(frame)
        self.shown.set()
        await self.reading.wait()

    @property
    def updates(self):
        return [update for frame in self.frames for update in pb.WatchSessionResponse.FromString(frame).updates]

    @property
    def events(self):
        return [update.event for update in self.updates if update.HasField("event")]

    @property
    def numbers(self):
        return [event.seq for event in self.events]

    async def to_the_end(self):
        """Let it see everything; it must come to the end without time passing, but for what coalesces."""
        for _ in range(20):
            await calm()
            if self.task.done():
                break
            self.cinema.advance(INTERVAL_MS)
        await asyncio.wait_for(self.task, 5)
        return self

    async def error(self):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the test says which
            await asyncio.wait_for(self.task, 5)
        return caught.value

    async def leave(self):
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


def fields(message):
    """What is there of a message."""
    return [field.name for field, _ in message.ListFields()]


def whole_game(cinema, **settings):
    """A game of Trick and Trade with everything that can happen to a seat in it."""
    bots = cinema.bots("ann bob cat")
    session = cinema.session(faults=FaultSettings(max_faults=3), **settings)
    ann, bob, _ = bots
    ann.answer(action=illegal(ann.question))
    ann.answer()
    cinema.advance(THINK + 5_000)  # bob is late
    for _ in range(2):
        bob.act(session, 99, index=0)
    play_on(bots)
    assert not session.running
    return session
