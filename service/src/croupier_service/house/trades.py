"""The greedy house bot of Trades: gives its highest cards away, wherever that promises the most.

It guesses what it would get: of cards whose place it knows it takes them for there, of all others the average. Half of
what a target gives is chosen by the target, and that will be its highest cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from croupier_games.kernel import Dice
from croupier_games.trades import Action, DeckTrade, Declare, Give, LastDeckTrade, Offer, View
from croupier_games.trades.cards import HAND, VALUE

LATE = 3
"""Turns of its own before the end: from then on it uses up deck trades, but for the one that it saves."""
PATIENCE = 3.0
"""Points that anything must promise in a free-for-all, where one trade after the other can be made."""


def greedy(view: View, legal: Sequence[Action], _dice: Dice) -> Action | None:
    """The action that promises the most points, the first one of equals; None: it would rather wait."""
    hope = _Hope(view)
    hopes = [hope.of(action) for action in legal]
    best = max(hopes)
    if best < PATIENCE and view.table.turn is None and isinstance(legal[0], Declare):
        return None
    return legal[hopes.index(best)]


class _Hope:
    """What actions promise, in points, compared with doing nothing."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._average = self._average_card()
        self._expected = cache(self._expect)
        self._target = next((trade.target for trade in view.table.trades if trade.declarer == view.seat), -1)

    def of(self, action: Action) -> float:
        match action:
            case Declare(target):
                return max(self._best_of(size) - self._expected(target, size) for size in (2, 3, 4))
            case Offer(cards):
                return _total(cards) - self._expected(self._target, len(cards))
            case Give(cards):
                return _total(cards)
            case LastDeckTrade(card):
                return VALUE[card] - self._average
            case DeckTrade(card):
                return VALUE[card] - self._average if self._timely() else -1.0
            case _:
                return 0.0

    def _best_of(self, size: int) -> float:
        """What the highest cards count that may leave together."""
        received = self._view.received
        cards = sorted(self._view.hand, key=VALUE.__getitem__, reverse=True)
        if received and set(received) <= set(cards[:size]):
            cards.remove(min(received, key=VALUE.__getitem__))
        return _total(cards[:size])

    def _timely(self) -> bool:
        """Whether to use up the deck trades that are not to be saved for the end."""
        table, seat = self._view.table, self._view.seat
        assert seat is not None
        late = table.turns_left is None or table.turns_left <= LATE * table.seats
        return late and table.deck_trades_left[seat] > 1

    def _expect(self, seat: int, size: int) -> float:
        """What so many cards of this seat's count: half are drawn blindly, the others are its highest ones."""
        there = zip(self._view.last_seen, self._view.left_since, strict=True)
        known = [VALUE[card] for card, (place, left) in enumerate(there, 1) if place == seat + 1 and not left]
        unknown = HAND - len(known)
        reach = 12 - self._average  # what it does not know is taken for spread evenly about the average
        spread = [self._average + reach * (2 * nth + 1 - unknown) / max(1, unknown) for nth in range(unknown)]
        hand = sorted([*spread, *known], reverse=True)
        drawn = size // 2
        return drawn * sum(hand) / HAND + sum(hand[: size - drawn])

    def _average_card(self) -> float:
        """What a card counts of which it does not know who has it."""
        view = self._view
        seats = range(1, view.table.seats + 1)
        there = zip(view.last_seen, view.left_since, strict=True)
        values = [VALUE[card] for card, (place, left) in enumerate(there, 1) if left or place not in seats]
        return sum(values) / len(values)


def _total(cards: Iterable[int]) -> float:
    return float(sum(VALUE[card] for card in cards))
