"""A short storm; ``make chaos`` is a long one."""

import pytest

from chaos.storm import Weather, rage

SHORT = Weather(seed=1, kills=2, games=8, at_once=8, patience_s=240)


@pytest.mark.timeout(300)
async def test_whatever_happens_every_game_ends_as_it_should_and_is_proven(tmp_path):
    found = await rage(SHORT, tmp_path)
    assert found.wrong == []
    assert found.kills == SHORT.kills
    assert len(found.sessions) >= SHORT.games
