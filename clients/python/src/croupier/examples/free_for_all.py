"""A bot for Trades. In a free-for-all it is asked at any time what it would like to do, and may wait."""

import croupier
from croupier.examples.command import main
from croupier.trades import GAME, Action, Decision, View, leaving, value

AVERAGE = 7  # what a card counts of which it knows nothing
REACH = 4  # how much more the highest card of a hand counts than that


class FreeForAll(croupier.Bot):
    """Hands its highest cards on whenever that pays."""

    games: tuple[str, ...] = (GAME,)

    def choose(self, decision: Decision) -> int | None:
        promises = [promise(decision.view, action) for action in decision.actions]
        best = max(promises)
        return None if decision.standing and best <= 0 else promises.index(best)  # None: wait, until something changes


def promise(view: View, action: Action) -> float:
    """Return by how much an action is likely to lower the hand's total."""
    kind, cards = action.WhichOneof("action"), leaving(action)
    if kind == "deck_trade" and view.table.deck_trades_left[view.seat] == 1:
        return 0  # that one is for the end
    if kind == "declare":
        cards = sorted(view.hand, key=value)[-2:]  # what it would offer, at least
        distance = (action.declare - view.seat) % view.table.seats  # not all on the same seat
        return sum(map(value, cards)) - 2 * AVERAGE - REACH - distance / 100
    return sum(map(value, cards)) - AVERAGE * len(cards)


if __name__ == "__main__":
    main(FreeForAll())
