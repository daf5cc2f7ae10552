"""The tutorial on searching: its programs run as they stand, and its bot beats greedy."""

import re
from functools import cache
from pathlib import Path

import pytest

import croupier
from croupier.bot import Decision, Session
from croupier.v1 import play_pb2
from croupier_games.kernel import Seed, Table, find_game
from croupier_service.wire.messages import GameWire
from croupier_service.wire.registry import codecs

PAGE = Path(__file__).resolve().parents[2] / "docs/tutorial/search-bot.md"
DEALS = 24
CRITICAL = 2.5  # of Student's t with 23 degrees of freedom, one-sided, for one chance in a hundred


@cache
def tutorial():
    """Everything that the page defines."""
    names = {"__name__": "page"}
    for program in re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        exec(compile(program, str(PAGE), "exec"), names)
    return names


@pytest.mark.timeout(240)
def test_searching_over_re_deals_beats_greedy():
    """On deals that were chosen once the bot was finished, and are not those it was tuned on."""
    seeds = [Seed.of(f"never seen A {number}") for number in range(DEALS)]
    points, errors = tutorial()["compare"](tutorial()["searching"], seeds)
    assert points > 0
    assert errors > CRITICAL, (points, errors)


def test_a_player_that_does_as_greedy_does_gains_nothing():
    assert tutorial()["gain"](tutorial()["greedy"], Seed.of("any deal")) == 0


def test_searching_sees_nothing_that_its_seat_may_not_see():
    """In a state that the seat cannot tell from the real one, it decides alike with the same dice."""
    game = find_game("trick-and-trade")
    state = game.deal(3, game.options(), Seed.of("secrets"))
    [seat] = state.to_act()
    other = state.redeal(seat, Seed.of("others").dice("redeal"))
    assert other.hands != state.hands
    chosen = [
        tutorial()["searching"](one.redeal(seat, Seed.of("same").dice("redeal")), seat, Seed.of("x").dice("y"))
        for one in (state, state)
    ]
    assert chosen[0] == chosen[1]


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_what_is_imagined_looks_like_what_is_seen(seats):
    game = find_game("trick-and-trade")
    wire = GameWire(codecs()["trick-and-trade"])
    for number in range(3):
        seed = Seed.of(f"game {number}")
        dice = seed.dice("players")
        table = Table(game, seats, game.options(), seed)
        while acting := table.state.to_act():
            [seat] = acting
            view = wire.view(table.state.view(seat)).trick_and_trade
            imagined = tutorial()["imagine"](view, dice)
            assert imagined.view(seat) == table.state.view(seat)
            assert imagined.legal_actions(seat) == table.state.legal_actions(seat)
            table.choose(seat, dice.choice(table.state.legal_actions(seat)))


async def test_the_bot_decides_on_a_server(monkeypatch):
    monkeypatch.setitem(tutorial(), "WORLDS", 2)
    game = find_game("trick-and-trade")
    state = game.deal(3, game.options(), Seed.of("a server"))
    [seat] = state.to_act()
    wire = GameWire(codecs()["trick-and-trade"])
    message = play_pb2.Decision(
        decision_id=1,
        view=wire.view(state.view(seat)),
        actions=[wire.action(action) for action in state.legal_actions(seat)],
    )
    bot = tutorial()["Searching"]()
    assert isinstance(bot, croupier.Bot)
    assert 0 <= await bot.choose(Decision(Session(play_pb2.SessionStart(session_id="a")), message)) < 13
