"""A bot for Trick and Trade that looks one trick ahead: what will an icon pay, and what does each choice bring?"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby
from operator import mul

import croupier
from croupier.examples.command import main
from croupier.trick_and_trade import GAME, Card, Decision, Table, View, icons, rank, suit, value

WANDER = 4.0  # how far a suit's value strays in a round
LEAD = 0.6  # points that it is worth to lead the next trick
KEEP = 0.3  # points that it is worth to keep a card one rank higher, at the start of the game


class Greedy(croupier.Bot):
    """Makes the choice that promises most points, for itself and against the average opponent."""

    games: tuple[str, ...] = (GAME,)

    def choose(self, decision: Decision) -> int:
        view, table = decision.view, decision.view.table
        pays = payments(table, table.values)
        front = [sum(map(mul, icons(card), pays)) if card else math.inf for card in table.front_row]
        if not table.placing:
            cards = [action.play for action in decision.actions]  # ascending, so suit by suit
            promises = play_promises(view, cards, sorted(front, reverse=True), pays)
        else:
            left_over = min(front) + (LEAD if table.round < table.rounds else 0)  # what comes with the lead card
            promises = [left_over if action.take_lead else front[action.take_trade] for action in decision.actions]
        return promises.index(max(promises))


def payments(table: Table, values: Sequence[int]) -> list[float]:
    """Return what an icon of each suit is likely to pay in the end if the suits' values stand like this now."""
    spread = WANDER * math.sqrt(table.rounds - table.round + 1)
    higher = [sum((1 + math.erf((other - own) / spread)) / 2 for other in values) - 0.5 for own in values]
    return [3 - suits if suits < 2 else 5 - 2 * suits for suits in higher]  # x3, x2, x1, x-1, and all between


def play_promises(view: View, cards: list[Card.ValueType], picks: list[float], pays: list[float]) -> list[float]:
    """Return what playing each card promises: the pick that its place gives, and what the winner does to the values."""
    table, trick = view.table, list(view.table.trick)
    unseen = set(Card.values()[1:]) - {*table.played, *trick, *view.hand}
    to_come = table.seats - len(trick) - 1
    later = 1 - table.round / table.rounds
    promises = []
    for led, group in groupby(cards, key=lambda card: suit(trick[0] if trick else card)):
        ladder = sorted(strength(other, led) for other in unseen) or [0]
        for card in group:
            winner = max((*trick, card), key=lambda other: strength(other, led))  # so far
            ahead = sum(strength(other, led) > strength(card, led) for other in trick)
            risk, loss = (1 - bisect_left(ladder, strength(each, led)) / len(ladder) for each in (card, winner))
            place = min(ahead + to_come * risk, len(picks) - 1)
            pick = picks[int(place)] * (1 - place % 1) + picks[math.ceil(place)] * (place % 1)
            promises.append(pick + (1 - loss) ** to_come * swing(table, winner, pays) - KEEP * rank(card) * later)
    return promises


def strength(card: Card.ValueType, led: int) -> int:
    """Return what orders the cards of a trick; of equals the later one is stronger."""
    return rank(card) + (10 if suit(card) == led else 0)


def swing(table: Table, card: Card.ValueType, pays: Sequence[float]) -> float:
    """Return what it is worth to the seat on turn that this card wins, against the average opponent."""
    values = list(table.values)
    values[suit(card) - 1] += value(card)
    change = [after - now for after, now in zip(payments(table, values), pays, strict=True)]
    return sum(
        (icon - (sum(table.icons[at::4]) - icon) / (table.seats - 1)) * change[at]
        for at, icon in enumerate(table.icons[4 * table.turn : 4 * table.turn + 4])
    )


if __name__ == "__main__":
    main(Greedy())
