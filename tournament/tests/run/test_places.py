"""What is known of entrants is noted in order, servers are waited for, and what fails behind the scenes is told."""

import asyncio
from types import SimpleNamespace

import pytest

from croupier import BadCertificate
from croupier_tournament.run import servers
from croupier_tournament.run.ledger import Mark
from croupier_tournament.run.places import Places
from croupier_tournament.run.running import Running
from croupier_tournament.run.servers import GameServer
from croupier_tournament.spec.reading import spec_of


class Slow:
    """A ledger that writes when the test lets it, the last that was asked first; `trouble` is what it raises."""

    def __init__(self):
        self.may = asyncio.Event()
        self.trouble = None
        self.asked = 0
        self.known = {}

    async def mark(self, _tournament, name, mark):
        self.asked += 1
        turns = 10 - self.asked
        await self.may.wait()
        for _ in range(turns):
            await asyncio.sleep(0)
        if self.trouble is not None:
            raise self.trouble
        self.known[name] = mark


@pytest.fixture
async def ledger():
    return Slow()


@pytest.fixture
async def places(ledger, tmp_path):
    entrants = [{"name": name, "command": ["bot"], "limits": {"restarts": 1}} for name in ("ann", "bob", "cat")]
    spec = spec_of({"game": "trick-and-trade", "seats": 3, "blocks": 2, "entrants": entrants})
    tournament = SimpleNamespace(id="t", spec=spec)
    audience = SimpleNamespace(event=lambda _: None, progress=lambda _: None)
    return Places(tournament, ledger, audience, logs=tmp_path, store=tmp_path / "store", programs=tmp_path)


async def test_a_disqualification_is_not_forgotten_for_a_crash_that_came_before(ledger, places):
    assert places._crashed("ann", "ended", "")
    assert not places._crashed("ann", "ended", "")
    ledger.may.set()
    await places.close()
    assert ledger.known == {"ann": Mark(2, "it has crashed twice; the last time it ended")}


async def test_what_cannot_be_noted_ends_the_run(ledger, places):
    ledger.trouble = OSError("the disk is full")
    ledger.may.set()
    running = Running(None, None, SimpleNamespace(progress=lambda _: None), None)
    play = SimpleNamespace(go=asyncio.Event().wait, progress=lambda: None)
    stopping = SimpleNamespace(met=asyncio.Event().wait)
    places.disqualify("ann", "why")
    async with asyncio.timeout(30):
        with pytest.raises(OSError, match="full"):
            await running._until_over(play, stopping, {places.failed})


async def test_what_could_not_be_noted_at_the_end_is_told_then(ledger, places):
    ledger.trouble = OSError("the disk is full")
    ledger.may.set()
    places.disqualify("ann", "why")
    with pytest.raises(OSError, match="full"):
        await places.__aexit__(None, None, None)


async def test_a_server_comes_back_though_its_certificate_could_not_be_read_for_a_while(monkeypatch):
    at_once = SimpleNamespace(delay=lambda _: 0.0, sleep=asyncio.sleep)
    monkeypatch.setattr(servers, "Backoff", lambda **_: at_once)
    server = GameServer("fake:1", "trick-and-trade")
    tries = []

    async def connect():
        tries.append("")
        if len(tries) == 1:
            raise BadCertificate("the file is empty")

    server._connect = connect
    server.wait_for_it()
    assert await server.back(30)
    assert len(tries) == 2
    await server.close()
