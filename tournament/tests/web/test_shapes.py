"""What comes over the wire and what the rules say give the very same JSON."""

import pytest

from croupier_games.kernel import Seed, games
from croupier_games.kernel.playout import random_playout
from croupier_service.wire.messages import GameWire, result_to_wire
from croupier_service.wire.registry import codecs
from croupier_tournament.web.shapes import (
    action_json,
    changes,
    message_action_json,
    message_view_json,
    result_json,
    view_json,
)

GAMES = [
    ("trick-and-trade", 3, {}),
    ("trick-stakes", 3, {}),
    ("trick-stakes", 4, {}),
    ("trades", 4, {}),
    ("trades", 3, {"style": "free-for-all", "time_limit_ms": "1000"}),
    ("trade-and-triumph", 3, {"round_cap": "6"}),
]


@pytest.mark.parametrize(("name", "seats", "options"), GAMES)
def test_views_actions_and_results_are_the_same_from_both_sides(name, seats, options):
    game = games()[name]
    wire = GameWire(codecs()[name])
    kinds = set()
    for number, table in enumerate(random_playout(game, seats, game.options(options), Seed.of(f"shapes/{name}"))):
        if number % 11 == 0:
            for view in (table.state.public_view(), *map(table.state.view, range(seats))):
                assert view_json(view) == message_view_json(wire.view(view))
        for seat in table.state.to_act() if number % 3 == 0 else ():
            for action in list(table.state.legal_actions(seat))[:: 1 + number % 7]:
                assert action_json(action) == message_action_json(wire.action(action))
                kinds.update(action_json(action))
    assert result_json(table.result()) == result_json(result_to_wire(table.result()))
    assert len(kinds) > 2


def test_what_is_no_part_of_a_view_is_refused_rather_than_shown():
    with pytest.raises(TypeError, match="set"):
        view_json({1, 2})


def test_only_what_has_changed_is_said():
    assert changes(None, {"a": 1}) == {"a": 1}
    assert changes({"a": 1, "b": [1]}, {"a": 1, "b": [1, 2], "c": 0}) == {"b": [1, 2], "c": 0}
