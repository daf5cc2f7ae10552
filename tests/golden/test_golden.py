"""The golden games go as written, and between them they show everything. ``make golden`` writes them anew."""

from pathlib import Path

import pytest

from croupier_games.kernel import games
from croupier_games.kernel.golden import compare, golden_files, missing_components

HERE = Path(__file__).parent
FILES = golden_files([HERE])


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_golden_game_goes_as_written(path):
    difference = compare(path)
    assert not difference, f"{difference}\nmeant? `make golden` writes it anew"


@pytest.mark.parametrize("name", games())
def test_a_game_has_golden_games_that_show_all_its_components(name):
    mine = [path for path in FILES if path.parent.name == name]
    assert mine, f"add one: python -m croupier_games.kernel.golden --new tests/golden/{name}/<what it shows>.txt"
    assert not missing_components(mine)[name]
