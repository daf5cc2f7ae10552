"""Memory: of a session that waits for its bots, and of bots that have left.

``make bench`` looks at 10,000 waiting sessions. ``CROUPIER_MEMORY_BOTS`` says how many bots come and go (in full:
2,000).
"""

import asyncio
import os
from contextlib import AsyncExitStack

import pytest
from benchmarks.load import idle
from bots import Honest
from processes import rss_kib

BOTS = int(os.environ.get("CROUPIER_MEMORY_BOTS", "300"))
AT_ONCE = 60
SEATS = 3


@pytest.mark.parametrize("decisions", [0, 20], ids=["at the deal", "in mid-game"])
async def test_an_idle_session_costs_less_than_64_kib(serve, decisions):
    server = serve(log_level="warning", stall_timeout=60)
    found = await idle(target=server.target, pid=server.pid, sessions=1000, decisions=decisions)
    assert found["kib_each"] < 64


async def come_play_and_leave(organiser, target, names):
    """So many bots connect, play a game in threes, and leave."""
    async with AsyncExitStack() as stack:
        bots = [await stack.enter_async_context(Honest(target, name)) for name in names]
        tables = [bots[first : first + SEATS] for first in range(0, len(bots), SEATS)]
        made = [await organiser.create(*(bot.name for bot in table)) for table in tables]
        await asyncio.gather(
            *(bot.over(session_id) for session_id, table in zip(made, tables, strict=True) for bot in table)
        )


@pytest.mark.timeout(60 + BOTS // 5)
async def test_memory_returns_to_where_it_began_when_bots_have_come_played_and_left(serve, organise, tmp_path):
    server = serve(store=tmp_path / "croupier.db", log_level="warning", stall_timeout=60, think_time=60)
    names = (f"bot-{number}" for number in range(BOTS + AT_ONCE))
    async with organise(server) as organiser:
        await come_play_and_leave(organiser, server.target, [next(names) for _ in range(AT_ONCE)])  # warm
        start, rss = rss_kib(server.pid), []
        for _ in range(BOTS // AT_ONCE):
            await come_play_and_leave(organiser, server.target, [next(names) for _ in range(AT_ONCE)])
            rss.append(rss_kib(server.pid))
    print(f"{BOTS} bots; in KiB at the start: {start}, after every {AT_ONCE}: {rss}")
    assert rss[-1] < start * 1.1
