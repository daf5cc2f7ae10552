"""Two sessions that differ only in what a viewer may not know, and everything that comes out of each."""

import asyncio
import os
from contextlib import contextmanager
from dataclasses import dataclass

import structlog
from hall import Hall
from prometheus_client import CollectorRegistry, openmetrics
from streams import FakeStream

from croupier_games.kernel import Seed, Table, games
from croupier_games.kernel.playout import random_playout
from croupier_service.identity.roles import Caller, Role
from croupier_service.logs import SessionLog
from croupier_service.metrics import Metrics
from croupier_service.rpc.caller import CALLER
from croupier_service.rpc.convert import session_to_wire
from croupier_service.rpc.session import SessionServicer
from croupier_service.rpc.spectator import SpectatorEncoder
from croupier_service.sessions import history, host
from croupier_service.sessions.feed import INTERVAL_MS
from croupier_service.sessions.host import NewSession
from croupier_service.sessions.settings import ClockSettings, FaultSettings
from croupier_service.sessions.watching import Watching
from croupier_service.wire.messages import GameWire
from croupier_service.wire.registry import codecs

NAMES = ("ann", "bob", "cat", "dan", "eve")
POSITIONS = int(os.environ.get("CROUPIER_LEAK_TWINS", "5"))
"""For each game, number of seats and viewer."""
GAMES = [
    ("trick-and-trade", 3, {}),
    ("trick-and-trade", 5, {}),
    ("trick-stakes", 3, {}),
    ("trick-stakes", 4, {}),
    ("trades", 4, {}),
    ("trades", 5, {"style": "free-for-all", "time_limit_ms": "1000"}),
    ("trade-and-triumph", 2, {"round_cap": "12"}),
    ("trade-and-triumph", 4, {"round_cap": "6"}),
]


@dataclass
class Position:
    """A game up to some point: from the same seed and inputs it can be had again and again."""

    game: object
    seats: int
    options: object
    seed: Seed
    inputs: tuple

    def table(self):
        table = Table(self.game, self.seats, self.options, self.seed)
        for item in self.inputs:
            table.put(item)
        return table


def positions(name, seats, options, count=POSITIONS):
    """So many positions of random games, spread over whole games; none where the game is over."""
    game = games()[name]
    options = game.options(options)
    seed = Seed.of(f"leaks/{name}/{seats}")
    *tables, last = (tuple(table.inputs) for table in random_playout(game, seats, options, seed))
    del last
    return [Position(game, seats, options, seed, tables[number * len(tables) // count]) for number in range(count)]


def redealt(state, viewer, dice):
    """Another state that the viewer (None: a spectator) cannot tell from this one, and that shares nothing with it."""
    again = state.redeal(viewer or 0, dice)
    if viewer is None:
        again = again.redeal(1, dice)  # now seat 0 has other cards too
    if hasattr(again, "public"):
        again.public = None
    return again


class Twin:
    """One of two servers, at the same moment of the same session; ``state`` is all that is on its table."""

    def __init__(self, position, state, monkeypatch, *, wires=None, log=None):
        self.hall = hall = Hall()
        self.wires = wires or {name: GameWire(codec) for name, codec in codecs().items()}
        hall.host.games = dict(games())
        hall.host._new_id = lambda: "0123456789abcdef"
        self.metrics = Metrics(wall_clock=lambda: 1_000.0)
        hall.observers.add(self.metrics)
        hall.observers.add(log or SessionLog())
        hall.meter = self.metrics.meter
        self.watching = Watching(hall.host, SpectatorEncoder(self.wires))
        hall.observers.add(self.watching)
        self.logged = []
        self.streams = {name: FakeStream(hall, name, events=True, wires=self.wires) for name in NAMES[: position.seats]}
        table = position.table()
        table.state = state
        self.position, self.state = position, state
        with self.logging(), monkeypatch.context() as patched:
            patched.setattr(host, "Table", lambda *_: table)
            session_id = hall.host.create(
                NewSession(
                    game=position.game.name,
                    bots=NAMES[: position.seats],
                    options=position.options,
                    clock=ClockSettings(1_000, 5_000),
                    faults=FaultSettings(max_faults=1000, attempts=10),
                    seed=position.seed,
                    labels={"dealt": repr(state)},
                )
            )
            hall.settle()
        self.session = hall.host.sessions[session_id]

    @contextmanager
    def logging(self):
        """What is logged meanwhile is kept."""
        with structlog.testing.capture_logs() as logged:
            yield
        self.logged += [{**entry, "exc_info": repr(entry.get("exc_info"))} for entry in logged]

    def heard(self, seat):
        """Everything that has been written to the seat's stream, as bytes."""
        link = self.streams[NAMES[seat]].link
        frames = []
        while link.outbox._waiting:
            frame, decisions = link.outbox._take()
            frames.append(frame)
            if decisions:
                link.asked(decisions)
        return frames

    def act(self, seat, **choice):
        """The seat answers its open decision."""
        decision = self.session.seats[seat].open
        with self.logging():
            self.streams[NAMES[seat]].act(self.session, decision.id, **choice)

    def act_on(self, seat, decision_id, **choice):
        """The seat answers what it was perhaps never asked."""
        with self.logging():
            self.streams[NAMES[seat]].act(self.session, decision_id, **choice)

    def come_back(self, seat):
        """The seat's bot has lost its stream, and everything that it knew."""
        name = NAMES[seat]
        with self.logging():
            self.streams[name].leave()
            self.streams[name] = FakeStream(self.hall, name, events=True, wires=self.wires)
            self.hall.settle()

    def pass_time(self, ms):
        with self.logging():
            self.hall.advance(ms)

    def summary(self, role=Role.BOT):
        """The session as somebody of this role may see it."""
        caller = CALLER.set(Caller(NAMES[0], role))
        try:
            shown = SessionServicer(self.hall.host, self.wires)._shown(self.hall.summary(self.session))
        finally:
            CALLER.reset(caller)
        return session_to_wire(shown, self.wires).SerializeToString(deterministic=True)

    def measured(self):
        """The metrics that tell of games, with the examples that only OpenMetrics has."""
        registry = CollectorRegistry()
        registry.register(self.metrics)
        return openmetrics.exposition.generate_latest(registry)

    @contextmanager
    def as_dealt(self, monkeypatch):
        """Who plays the session's past again meanwhile finds on the table in the end what is on it here."""
        position, state = self.position, self.state

        class Again(Table):
            def __init__(self, *deal):
                super().__init__(*deal)
                self.swap()

            def put(self, item):
                super().put(item)
                self.swap()

            def swap(self):
                if len(self.inputs) == len(position.inputs):
                    self.state = state.clone()

        with monkeypatch.context() as patched:
            patched.setattr(history, "Table", Again)
            yield

    async def watch(self, monkeypatch, from_seq=0, *, follow=False):
        """What a spectator is shown, as bytes."""
        frames = []

        async def write(frame):
            frames.append(frame)

        with self.as_dealt(monkeypatch):
            watching = asyncio.ensure_future(self.watching.watch(self.session.id, from_seq, write, follow=follow))
            for _ in range(len(self.position.inputs) + 30):
                await asyncio.sleep(0)
                if watching.done():
                    break
                if follow:
                    self.pass_time(INTERVAL_MS)
            if not follow:
                await watching
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
        return frames


def wrong_actions(twin, seat):
    """Some actions, in the contract's form, that the seat may not take now: fewer than it has attempts."""
    game, state = twin.position.game, twin.state
    legal = {game.notation(action) for action in state.legal_actions(seat)}
    return [twin.wires[game.name].action(game.parse(text)) for text in KNOWN_ACTIONS[game.name] if text not in legal][
        :6
    ]


KNOWN_ACTIONS = {
    "trick-and-trade": ["play NEV-1", "play OCTO-5", "play RATCOIN-10", "take 0", "take lead"],
    "trick-stakes": [
        "discard RED-1",
        "play GREEN-12 whip",
        "play BLUE-6",
        "ticket up WIN",
        "ticket down VANILLA_BEANS",
    ],
    "trades": [
        "declare 0",
        "declare 1",
        "declare 2",
        "offer AC 2C",
        "give 7H",
        "deck KS",
        "pass",
        "last QD",
        "decline",
    ],
    "trade-and-triumph": [
        "move 1",
        "draw 3",
        "play 17",
        "reveal 3",
        "sell-card 40",
        "upgrade 1",
        "choose-seat 1",
        "end-turn",
    ],
}
