"""The greedy house bot of Trick and Trade: looks one decision ahead, and never further.

It guesses what each suit will be worth, takes the trade card that is worth the most, and plays the card that promises
an early pick, or a win that lifts the suits it holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from croupier_games.kernel import Dice
from croupier_games.trick_and_trade import Action, Card, Play, Table, TakeTrade, View
from croupier_games.trick_and_trade.cards import SHOWN, SUIT, VALUE
from croupier_games.trick_and_trade.rules import placing_order
from croupier_games.trick_and_trade.scoring import MULTIPLIERS, multipliers

LEAD_WORTH = 0.5
"""What leading the next trick is worth, in points."""
LIFT = 0.3
"""What a suit's value total growing by one is worth, in points per icon held more than the others."""


def greedy(view: View, legal: Sequence[Action], _dice: Dice) -> Action:
    """The action that promises the most points; the first one of equals."""
    table = view.table
    seat = table.turn
    worth = suit_worth(table)
    if isinstance(legal[0], Play):
        hopes = [_hope_of_card(table, seat, action.card, worth) for action in legal if isinstance(action, Play)]
    else:
        left = [_card_worth(trade_card, worth) for trade_card in table.front_row if trade_card]
        hopes = [
            _card_worth(table.front_row[action.place], worth)
            if isinstance(action, TakeTrade)
            else min(left) + LEAD_WORTH
            for action in legal
        ]
    return legal[hopes.index(max(hopes))]


def suit_worth(table: Table) -> list[float]:
    """Points that an icon of each suit will bring: what it would bring now, trusted more with each round."""
    trust = table.round / table.rounds
    average = sum(MULTIPLIERS) / len(MULTIPLIERS)
    return [trust * multiplier + (1 - trust) * average for multiplier in multipliers(table.values)]


def _card_worth(trade_card: int, worth: Sequence[float]) -> float:
    return sum(worth[suit] for suit in SHOWN[trade_card])


def _hope_of_card(table: Table, seat: int, card: Card, worth: Sequence[float]) -> float:
    """What playing this card promises: the trade card that its place would pick, and what a win would lift."""
    trick = [*table.trick, card]
    place = placing_order(trick).index(len(trick) - 1)
    still_to_play = table.seats - len(trick)
    beaten_by = still_to_play * _chance_to_be_beaten(card, trick[0])
    picks = sorted((_card_worth(trade_card, worth) for trade_card in table.front_row), reverse=True)
    hope = picks[min(table.seats - 1, round(place + beaten_by))]
    if place == 0:
        wins = (1 - _chance_to_be_beaten(card, trick[0])) ** still_to_play
        hope += wins * LIFT * VALUE[card] * _advantage(table, seat, SUIT[card])
    return hope


def _chance_to_be_beaten(card: Card, led: Card) -> float:
    """By one card of which nothing is known; whatever follows suit beats whatever does not."""
    higher = VALUE[card] / 40
    return higher if SUIT[card] == SUIT[led] else 0.25 + 3 * higher


def _advantage(table: Table, seat: int, suit: int) -> float:
    """Icons of a suit that the seat holds more than the others do on average."""
    held = [table.icons[4 * other + suit] for other in range(table.seats)]
    return held[seat] - (sum(held) - held[seat]) / (table.seats - 1)
