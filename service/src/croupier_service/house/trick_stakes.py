"""The greedy house bot of Trick Stakes: looks to the end of the trick, and never further.

From where the horses stand it guesses how likely each pair of them is to come in first and second. It bets on the two
tickets that promise the most, and plays the card after which prize and bet promise the most.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from operator import mul

from croupier_games.kernel import Dice
from croupier_games.trick_stakes import Action, Card, Discard, Horse, Play, Ticket, View
from croupier_games.trick_stakes.cards import CARDS, COLOR, FINISH, HORSES, MARKS, NUMBER, TICKETS
from croupier_games.trick_stakes.course import advance
from croupier_games.trick_stakes.rules import winning
from croupier_games.trick_stakes.scoring import PRIZES, bet
from croupier_games.trick_stakes.seating import playing_order

PAIRS = tuple(permutations(HORSES, 2))
AHEAD, HURRY = 1.3, 0.08
"""How much likelier a horse is to win for each space that it is ahead, and how much more so with every trick."""
OWN = 2.0  # how much likelier the own horse is to win than any other, before the first trick
CARD, WHIP = 0.8, 0.4
"""What it costs to part with the best of cards, and with a whip, in points."""
MOVE = 2  # the marks that another place is expected to win with
USE = (0.0, *(((NUMBER[card] - 1) / 11) ** 2 * (MARKS[card] + 1) / 2.3 for card in CARDS))
"""How useful a card is, 0 to 1: it takes a high number to win, and a low one to move far."""


def greedy(view: View, legal: Sequence[Action], _dice: Dice) -> Action:
    """The action that promises the most points; the first one of equals."""
    if isinstance(legal[0], Play):
        hope = _Trick(view).hope
        hopes = [hope(action.card, whip=action.whip) for action in legal if isinstance(action, Play)]
    elif isinstance(legal[0], Discard):
        hopes = [-USE[action.card] for action in legal if isinstance(action, Discard)]
    else:
        best = _best_bets(view)
        hopes = [best[action.ticket] for action in legal if not isinstance(action, Play | Discard)]
    return legal[hopes.index(max(hopes))]


def _best_bets(view: View) -> dict[Ticket, float]:
    """What each ticket promises, with the one that lies face up; before that, with the best other one."""
    table, seat = view.table, view.seat or 0
    chances = _chances(table.standing, [OWN if horse == table.horses[seat] else 1.0 for horse in HORSES])
    face_up = table.tickets_up[seat - table.seats]
    return {
        one: max(
            sum(map(mul, chances, [bet(pair, table.odds, one, other) for pair in PAIRS]))
            for other in ([face_up] if face_up else TICKETS)
            if other != one
        )
        for one in TICKETS
        if one != face_up
    }


def _chances(standing: Sequence[Horse], weights: Sequence[float]) -> list[float]:
    """Of every pair, from a weight for each horse; a horse that stands better counts a little more."""
    weight = [0.0, *(each * 1.1 ** -standing.index(horse) for horse, each in zip(HORSES, weights, strict=True))]
    total = sum(weight)
    return [weight[first] / total * weight[second] / (total - weight[first]) for first, second in PAIRS]


class _Trick:
    """The trick under way, as one seat sees it before it plays."""

    def __init__(self, view: View) -> None:
        table, seat = view.table, view.seat or 0
        self.table = table
        self.order = playing_order(table.seats, table.circle, table.leader)
        self.after = self.order[len(table.trick) + 1 :]
        own, face_up = table.horses[seat], table.tickets_up[seat - table.seats]
        self.pays = [
            bet(pair, table.odds, face_up, view.ticket_down) + (PRIZES[pair.index(own)] if own in pair else 0)
            for pair in PAIRS
        ]
        out = {*table.turned_up[-4:], *table.played[4 * sum(table.tricks[:-1]) :], *table.trick}
        self.possible = {
            place: [card for card in CARDS if view.known[card - 1] in (0, table.horses[place]) and card not in out]
            for place in self.after
        }
        self.worths: dict[tuple[int, int], float] = {}

    def hope(self, card: Card, *, whip: bool) -> float:
        """What a play promises: over the places that may win the trick, what their horse's move would bring."""
        trick = [*self.table.trick, card]
        best = winning(trick, len(trick) if whip else self.table.whip_at)
        hope, stays = -CARD * USE[card] - WHIP * whip, 1.0
        for place in reversed(self.after):  # the last one to beat the best card wins
            beats = self.beats(place, trick[best], COLOR[trick[0]])
            hope += stays * beats * self.worth(place, MOVE)
            stays *= 1 - beats
        return hope + stays * self.worth(self.order[best], MARKS[trick[best]])

    def beats(self, place: int, card: Card, led: int) -> float:
        """How likely a place that has yet to play may play a higher card of this one's colour."""
        color, backs = COLOR[card], self.table.hand_colors
        number = backs[4 * place + color - 1]
        if not number or (color != led and backs[4 * place + led - 1]):
            return 0.0
        possible = [other for other in self.possible[place] if COLOR[other] == color]
        return 1 - (1 - sum(other > card for other in possible) / len(possible)) ** number

    def worth(self, place: int, marks: int) -> float:
        """The points to be expected once this place's horse has moved."""
        table = self.table
        if (place, marks) not in self.worths:
            standing, spaces = [*table.standing], [*table.spaces]
            advance(standing, spaces, table.horses[place], marks)
            counts = AHEAD ** (1 + HURRY * table.tricks[-1])
            weights = [counts**space * (1e3 if space == FINISH else 1) for space in spaces]
            if spaces[standing[1] - 1] == FINISH:
                weights[standing[0] - 1] *= 1e3
            self.worths[place, marks] = sum(map(mul, _chances(standing, weights), self.pays))
        return self.worths[place, marks]
