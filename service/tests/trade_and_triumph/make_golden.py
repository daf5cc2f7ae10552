"""Writes the golden games anew: ``python service/tests/trade_and_triumph/make_golden.py``, from the project's root.

Only needed when a change of the rules or of the edition makes an input of an old one illegal; else
``python -m croupier_games.kernel.golden --rewrite`` does. Two games are played by bots that want to see every card, one
by greedy bots, one at random with a seat that is given up, one is cut off by its cap of rounds.
"""

from pathlib import Path

from croupier_games.kernel import Record, Seed, Table, annotated
from croupier_games.kernel.playout import random_playout
from croupier_games.trade_and_triumph import GAME, Draw, Options, Play, Reveal, SellResources
from croupier_service.house.trade_and_triumph import greedy

FOLDER = Path("tests/golden/trade-and-triumph")


class Curious:
    """Lays open what was never laid open; for that it draws what it can, and keeps from winning too early."""

    def __init__(self):
        self.seen = set()

    def __call__(self, view, legal, dice):
        def interest(action):
            new = isinstance(action, Play | Reveal) and action.card not in self.seen
            return (new, isinstance(action, Draw) and action.deck == 3, isinstance(action, Draw))

        best = max(legal, key=interest)
        if not any(interest(best)):
            best = greedy(view, [a for a in legal if not isinstance(a, SellResources)] or legal, dice)
        if isinstance(best, Play | Reveal) and not (isinstance(best, Play) and GAME.edition().deck[best.card] == 1):
            self.seen.add(best.card)
        return best


def played_by(policy, seats, options, seed):
    table = Table(GAME, seats, options, Seed.of(seed))
    while table.state.result() is None:
        (seat,) = table.state.to_act()
        table.choose(seat, policy(table.state.view(seat), table.state.legal_actions(seat), None))
    return table


def played_at_random(seats, options, seed, **unusual):
    for table in random_playout(GAME, seats, options, Seed.of(seed), **unusual):  # noqa: B007 - to its end
        pass
    return table


def write(name, table, comment):
    text = "".join(f"# {line}\n" for line in comment) + annotated(Record.of(table), GAME)
    (FOLDER / f"{name}.txt").write_text(text, "utf-8")
    missing = sorted(GAME.components() - table.state.seen_components())
    print(f"{name}: {len(table.inputs)} inputs, {table.state.round} rounds, unseen {len(missing)}: {missing[:5]}")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    curious = Curious()
    for name, seed, more in (
        ("every-card", 1, ""),
        ("every-other-card", 21, " Now those that every-card.txt did not show."),
    ):
        write(
            name,
            played_by(curious, 4, Options(), f"golden/trade-and-triumph/every-card/{seed}"),
            [f"Four seats that want to see every card: they draw what they can and sell no resources.{more}"],
        )
    write(
        "greedy-two-seats",
        played_by(greedy, 2, Options(first_seat=1), "golden/trade-and-triumph/greedy-two-seats"),
        ["Two greedy house bots."],
    )
    write(
        "substitute-and-vacated",
        played_at_random(
            3, Options(round_cap=12), "golden/trade-and-triumph/vacated", vacate_after={2: 40}, substitute_one_in=12
        ),
        [
            "Played at random by three seats. Some decisions are left to substitutes, and seat 2 is vacated.",
            "A cap of 12 rounds ends it.",
        ],
    )


if __name__ == "__main__":
    main()
