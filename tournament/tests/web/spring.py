"""A tournament as its ledger has it in the midst of it."""

from croupier_games.kernel import Record, Seed, find_game
from croupier_games.kernel.playout import random_playout
from croupier_tournament.run.ledger import FINAL, Game, Recorded

SPEC = """\
title = "Spring <Cup>"
game = "trick-and-trade"
seats = 3
blocks = 6
[[entrants]]
name = "ann"
house = "greedy"
[[entrants]]
name = "bob"
house = "random"
[[entrants]]
name = "cat"
remote = true
[[entrants]]
name = "dan"
house = "random"
"""
FINAL_BLOCKS = 4


def played(tournament, key):
    """A game of the plan, played at random from its own deal: its row and its record."""
    game = find_game("trick-and-trade")
    seed = Seed(tournament.deal_seed(tournament.plan.blocks[key.block].deal))
    *_, table = random_playout(game, 3, game.options(), seed)
    record = Record.of(table)
    row = Game(
        block=key.block,
        replay=key.replay,
        state=FINAL,
        attempt=0,
        owner="test",
        leased=1000.0,
        server="local",
        bots=tuple(tournament.bots[name] for name in tournament.seating(key)),
        session=f"s{key.block}-{key.replay}",
        points=record.points,
        placings=record.placings,
        forfeited=(False,) * 3,
        faults=({"late": 1}, {}, {}),
        decisions=(10, 20, 0),
        charged=(100, 500, 0),
        ended=2000.0 + key.block,
    )
    return row, Recorded.of(record.to_text(game), range(len(record.inputs)))
