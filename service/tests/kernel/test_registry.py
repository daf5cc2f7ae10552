"""Registered games: found by entry points, told apart by name."""

from importlib.metadata import EntryPoint

import pytest
import toy

from croupier_games.kernel import UnknownGame, find_game, games, registry


@pytest.fixture
def registered(monkeypatch):
    """Registers these addresses instead of what is installed."""

    def register(**addresses):
        entries = [EntryPoint(name, address, registry.GROUP) for name, address in addresses.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: entries if group == registry.GROUP else [])
        games.cache_clear()

    yield register
    games.cache_clear()


def test_a_registered_game_is_found_by_its_own_name(registered):
    registered(whatever="toy:GAME")
    assert games() == {"high-card": toy.GAME}
    assert find_game("high-card") is toy.GAME


def test_an_unknown_game_is_answered_with_those_that_there_are(registered):
    registered(whatever="toy:GAME")
    with pytest.raises(UnknownGame) as error:
        find_game("chess")
    assert error.value.name == "chess"
    assert str(error.value) == "no game is called 'chess'; there are: high-card"


def test_two_games_of_one_name_are_refused(registered):
    registered(one="toy:GAME", other="toy:HighCard")
    with pytest.raises(ValueError, match="two registered games are called 'high-card'"):
        games()


@pytest.mark.parametrize("address", ["no_such_module:GAME", "toy:NO_SUCH_NAME"])
def test_a_game_that_cannot_be_loaded_is_named(registered, address):
    registered(broken=address)
    with pytest.raises(ImportError, match=f"the game 'broken' cannot be loaded from '{address}'"):
        games()
