"""A tournament stops early for a reason, and for the same one in whatever order its games end."""

import asyncio
import random
from types import SimpleNamespace

import numpy as np
import pytest

from croupier_tournament.run import standing
from croupier_tournament.run.ledger import FINAL, Game
from croupier_tournament.run.opening import open_ledger
from croupier_tournament.run.stopping import Stopping
from croupier_tournament.run.tournament import add_tournament, plan_of
from croupier_tournament.spec.reading import spec_of


def table(**fields):
    entrants = [{"name": name, "house": "random"} for name in ("ann", "bob", "cat")]
    return {"game": "trick-and-trade", "seats": 3, "entrants": entrants, **fields}


DUEL = {"format": "head-to-head", "pair": ["bob", "ann"], "blocks": 200, "stopping": {"alpha": 0.05}}


class Books:
    """What has been played, as far as the rule may see it."""

    def __init__(self):
        self.first = 0


@pytest.fixture
async def ledger(tmp_path):
    async with await open_ledger(f"sqlite:///{tmp_path}/l.sqlite", new=True) as it:
        yield it


@pytest.fixture
async def begin(ledger):
    async def begin(**fields):
        spec = spec_of(table(**fields))
        tournament = await add_tournament(ledger, table(**fields), spec, plan_of(spec))
        books = Books()

        async def flush():
            pass

        rule = Stopping(tournament, ledger, SimpleNamespace(books=books, flush=flush))
        return tournament, books, rule

    return begin


async def play(ledger, tournament, blocks, places):
    """Play blocks; `places` gives the placing of an entrant in a block."""
    games = []
    for block in blocks:
        for replay in range(3):
            key = tournament.plan.blocks[block]
            seating = tuple(tournament.names[entrant] for entrant in key.replays[replay])
            placings = tuple(places(name, block, replay) for name in seating)
            points = tuple(10 - placing for placing in placings)
            over = {"points": points, "placings": placings, "forfeited": (False,) * 3, "faults": ({},) * 3}
            games.append(
                Game(block, replay, FINAL, 0, "me", 1.0, "s", seating, decisions=(1,) * 3, charged=(1,) * 3, **over)
            )
    await ledger.write(tournament.id, games)


def bob_first(name, block, replay):
    return {"bob": 1, "ann": 2, "cat": 3}[name]


def all_alike(name, block, replay):
    """Nobody is better than anybody else, but for chance."""
    order = random.Random(f"{block} {replay}").sample(["ann", "bob", "cat"], 3)
    return 1 + order.index(name)


async def test_a_duel_stops_when_one_is_better(ledger, begin):
    tournament, books, rule = await begin(**DUEL)
    await play(ledger, tournament, range(60), bob_first)
    books.first = 60
    await rule.look()
    assert rule.counted is not None
    assert 5 < rule.counted < 20
    assert rule.reason.startswith(f"after {rule.counted} blocks bob is better than ann (e-value ")


async def test_the_other_one_may_be_better_too(ledger, begin):
    tournament, books, rule = await begin(**{**DUEL, "pair": ["ann", "bob"]})
    await play(ledger, tournament, range(60), bob_first)
    books.first = 60
    await rule.look()
    assert "bob is better than ann" in rule.reason


async def test_a_duel_of_equals_goes_on(ledger, begin):
    tournament, books, rule = await begin(**DUEL)
    await play(ledger, tournament, range(100), all_alike)
    books.first = 100
    await rule.look()
    assert (rule.counted, rule.reason) == (None, "")


async def test_the_verdict_does_not_depend_on_when_it_is_looked_at(ledger, begin):
    tournament, books, at_once = await begin(**DUEL)
    await play(ledger, tournament, range(60), bob_first)
    books.first = 60
    await at_once.look()
    step_by_step = Stopping(tournament, ledger, at_once._play)
    for books.first in (1, 2, 5, 6, 9, 30, 60):
        await step_by_step.look()
    assert (step_by_step.counted, step_by_step.reason) == (at_once.counted, at_once.reason)


async def test_two_who_look_at_once_weigh_each_block_once(ledger, begin):
    tournament, books, rule = await begin(**DUEL)
    await play(ledger, tournament, range(40), all_alike)
    books.first = 40
    await asyncio.gather(rule.look(), rule.look())
    assert rule._evidence.blocks == 40


async def test_blocks_behind_one_that_is_missing_are_not_seen(ledger, begin):
    tournament, books, rule = await begin(**DUEL)
    await play(ledger, tournament, [*range(3), *range(4, 60)], bob_first)
    books.first = 3
    await rule.look()
    assert rule.counted is None


async def test_a_league_stops_when_everybody_is_known_well_enough_and_not_before_30_deals(ledger, begin):
    tournament, books, rule = await begin(blocks=200, stopping={"half_width": 400})
    await play(ledger, tournament, range(100), all_alike)
    books.first = 29
    await rule.look()
    assert rule.counted is None
    books.first = 100
    await rule.look()
    assert rule.counted == 30
    assert rule.reason == "after 30 blocks every rating is known to ± 400 or better"


async def test_a_league_is_looked_at_when_its_deals_have_doubled(ledger, begin, monkeypatch):
    looks = []
    tournament, books, rule = await begin(blocks=200, stopping={"half_width": 0.001})
    await play(ledger, tournament, range(130), all_alike)

    async def compute(_tournament, _ledger, before):
        looks.append(before)
        return SimpleNamespace(
            ratings=SimpleNamespace(theta=[0.0], half_width=lambda _: 1.0, prior_driven=np.array([False]))
        )

    monkeypatch.setattr("croupier_tournament.run.stopping.compute", compute)
    for books.first in (30, 59, 60, 61, 130):
        await rule.look()
    assert looks == [30, 60, 120]
    assert rule.counted is None


async def test_a_look_that_was_cancelled_is_made_again(ledger, begin, monkeypatch):
    looks = []
    tournament, books, rule = await begin(blocks=200, stopping={"half_width": 400})
    await play(ledger, tournament, range(30), all_alike)
    books.first = 30

    async def compute(tournament, ledger, before):
        looks.append(before)
        if len(looks) == 1:
            raise asyncio.CancelledError
        return await standing.compute(tournament, ledger, before)

    monkeypatch.setattr("croupier_tournament.run.stopping.compute", compute)
    with pytest.raises(asyncio.CancelledError):
        await rule.look()
    await rule.look()
    assert (looks, rule.counted) == ([30, 30], 30)


async def test_without_a_rule_it_never_stops(begin):
    _, books, rule = await begin(blocks=10)
    books.first = 10
    await rule.look()
    met = asyncio.create_task(rule.met())
    await asyncio.sleep(0)
    assert (rule.counted, met.done()) == (None, False)
    met.cancel()
    await asyncio.wait([met])
