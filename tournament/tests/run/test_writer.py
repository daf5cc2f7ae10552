"""What was put is written, whoever gives up waiting for it; and when it cannot be written, nothing is from then on."""

import asyncio

import pytest

from croupier_tournament.plan import GameKey
from croupier_tournament.run.ledger import FINAL, LEASED, Game, Recorded, Voided
from croupier_tournament.run.writer import Writer

RECORD = Recorded.of("record")
VOID = Voided(1, 0, 3, "why", 5.0)


class Slow:
    """A ledger that writes when the test lets it, and keeps what was written; `trouble` is what it raises."""

    def __init__(self):
        self.asked = asyncio.Event()
        self.may = asyncio.Event()
        self.trouble = None
        self.rows = []

    async def write(self, _tournament, games, records, voids):
        self.asked.set()
        await self.may.wait()
        if self.trouble is not None:
            raise self.trouble
        self.rows.append((games, records, voids))


def game(state=FINAL):
    return Game(0, 0, state, 0, "me", 1.0, "host:1", ("a", "b"))


@pytest.fixture
async def ledger():
    return Slow()


@pytest.fixture
async def writer(ledger):
    it = Writer(ledger, "t")
    yield it
    it._task.cancel()
    await asyncio.wait([it._task])


async def given_up(ledger, writer):
    """Wait for a flush, and stop waiting when it has begun."""
    waiting = asyncio.create_task(writer.flush())
    await ledger.asked.wait()
    waiting.cancel()
    await asyncio.wait([waiting])
    assert waiting.cancelled()


async def test_what_somebody_has_given_up_waiting_for_is_written_once(ledger, writer):
    writer.put(game(), RECORD)
    writer.void(VOID)
    await given_up(ledger, writer)
    ledger.may.set()
    await writer.close()
    assert ledger.rows == [([game()], {GameKey(0, 0): RECORD}, [VOID])]


async def test_what_was_put_later_is_written_later(ledger, writer):
    writer.put(game(LEASED))
    await given_up(ledger, writer)
    writer.put(game())
    ledger.may.set()
    await writer.flush()
    assert [games for games, _, _ in ledger.rows] == [[game(LEASED)], [game()]]


async def test_when_the_ledger_cannot_be_written_everybody_hears_of_it_and_nothing_is_written_any_more(ledger, writer):
    ledger.trouble = OSError("the disk is full")
    ledger.may.set()
    writer.void(VOID)
    with pytest.raises(OSError, match="full"):
        await writer.flush()
    assert writer.failed.exception() is ledger.trouble
    ledger.trouble = None
    writer.put(game())
    for again in (writer.flush, writer.close):
        with pytest.raises(OSError, match="full"):
            await again()
    assert ledger.rows == []
