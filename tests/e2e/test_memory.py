"""Sessions that wait for their bots cost next to nothing. ``make bench`` does the same with 10,000 of them."""

import pytest
from benchmarks.load import idle


@pytest.mark.parametrize("decisions", [0, 20], ids=["at the deal", "in mid-game"])
async def test_an_idle_session_costs_less_than_64_kib(serve, decisions):
    server = serve(log_level="warning", stall_timeout=60)
    found = await idle(target=server.target, pid=server.pid, sessions=1000, decisions=decisions)
    assert found["kib_each"] < 64
