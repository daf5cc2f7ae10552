"""A short storm; ``make chaos`` is a long one."""

import pytest

from chaos.storm import Weather, rage

SHORT = Weather(seed=1, kills=3, games=24, at_once=24, patience_s=150)


@pytest.mark.timeout(300)
async def test_whatever_happens_every_game_ends_as_it_should_and_is_proven(tmp_path):
    found = await rage(SHORT, tmp_path)
    assert found.wrong == []
    assert found.kills == SHORT.kills
    assert len(found.sessions) >= SHORT.games
