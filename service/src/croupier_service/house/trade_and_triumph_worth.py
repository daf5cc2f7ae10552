"""What effects are worth to a seat of Trade and Triumph, in gold: the eyes of the greedy house bot."""

from __future__ import annotations

from collections.abc import Iterable

from croupier_games.trade_and_triumph import Edition, Table
from croupier_games.trade_and_triumph.cards import SPECIALTY, TRADE
from croupier_games.trade_and_triumph.vocabulary import (
    Again,
    Change,
    Condition,
    DrawCards,
    Effect,
    Effects,
    Either,
    Extra,
    Gold,
    Look,
    MakeDiscard,
    Pay,
    Per,
    Points,
    Price,
    Protect,
    Recover,
    Resource,
    SendHome,
    Spend,
    Steal,
    Test,
    When,
)

EXTRA = (0.0, 2.5, 3.0, 2.0)
"""A move, draw, play more in this turn, by track."""
A_CARD = (7.0, 3.5, 3.5, 15.0)
"""A card drawn, by deck; of any deck first."""
CHANGES = {
    Price.UPGRADE: 0.7,
    Price.SPECIALTY: 0.6,
    Price.CARD_SALE: 0.3,
    Price.RESOURCE_SALE: 3.0,
    Price.SET_SALE: 1.0,
}
"""A change of prices by 1 for a turn, by what it concerns."""


class Worth:
    """One seat's reckoning at one table."""

    __slots__ = ("edition", "held", "hidden", "point", "seat", "table", "turns")

    def __init__(self, edition: Edition, table: Table, seat: int) -> None:
        """From what lies open."""
        self.edition = edition
        self.table = table
        self.seat = seat
        self.held = table.resources[4 * seat : 4 * seat + 4]
        self.hidden = table.face_down_sizes[seat]
        lead = max(table.points) / edition.goal
        self.point = 5 + 4 * lead
        """A victory point: dearer towards the end, when gold has no time left to turn into anything."""
        self.turns = 2 + 24 * max(0.0, 1 - lead)
        """Turns that are probably left."""

    def card(self, card: int, *, now: bool = False) -> float:
        """A card of the hand, its cost not counted. ``now``: its conditions as they are, else as they may become."""
        printed = self.edition.cards[card - 1]
        worth = self.effects(printed.once, now=now)
        if printed.eternal:
            if card in self.eternals():
                return 0.0
            per_turn = self.effects(printed.start) + 0.8 * max(0.0, self.effects(printed.use))
            worth += self.turns * per_turn + sum(map(self._lasting, printed.lasting))
        return worth

    def eternals(self) -> tuple[int, ...]:
        """The seat's eternal cards in play."""
        first = sum(self.table.eternal_sizes[: self.seat])
        return self.table.eternals[first : first + self.table.eternal_sizes[self.seat]]

    def effects(self, effects: Effects, *, now: bool = False) -> float:
        """What a list of effects brings, less what it asks for first."""
        return sum([self._effect(effect, now=now) for effect in effects])

    def resource(self, region: int) -> float:
        """A resource more of a region: the first one of its kind brings a set nearer."""
        if region <= 0:
            return max(self.resource(each) for each in range(1, 5))
        return self.point * (1.6, 1.2, 1.0)[min(2, self.held[region - 1])]

    def _effect(self, effect: Effect, *, now: bool) -> float:  # noqa: C901 - one line for each part of the vocabulary
        match effect:
            case Gold(amount, per, limit):
                return self._amount(amount, per, limit)
            case Points(amount, per, limit):
                return self.point * self._amount(amount, per, limit)
            case Pay(amount):
                return -amount
            case Spend(region):
                return -min(
                    map(self.resource, [region] if region else [r for r in range(1, 5) if self.held[r - 1]] or [1])
                )
            case Resource(region):
                return self.resource(region)
            case DrawCards(deck, count):
                return A_CARD[deck] * count
            case Extra(track, count):
                return EXTRA[track] * count
            case Again():
                return 2.0
            case Steal(amount, each):
                return self._steal(amount, each=each)
            case MakeDiscard(count, each):
                return 1.5 * count * (self.table.seats - 1 if each else 1)
            case SendHome(each):
                return 3.0 * (self.table.seats - 1 if each else 1)
            case Look() | Recover():
                return 4.5
            case Change(price, amount):
                return CHANGES.get(price, 1.0) * amount
            case Protect():
                return 4.0
            case When(condition, do, otherwise):
                chance = float(self.holds(condition)) if now else 0.4
                return chance * self.effects(do, now=now) + (1 - chance) * self.effects(otherwise, now=now)
            case Either(options):
                return max(self.effects(option, now=now) for option in options)

    def _lasting(self, effect: Effect) -> float:
        if isinstance(effect, Change):
            rate = {Price.UPGRADE: 0.3, Price.SPECIALTY: 0.3, Price.CARD_SALE: 0.15}.get(effect.price, 0.35)
            return effect.amount * rate * self.turns
        return 0.3 * self.turns

    def _amount(self, amount: int, per: Per, limit: int) -> float:
        number = 1.0
        if per is Per.RESOURCE:
            number = sum(self.held)
        elif per is Per.KIND:
            number = sum(held > 0 for held in self.held)
        elif per is Per.ETERNAL:
            number = max(1.0, self.table.eternal_sizes[self.seat])
        elif per is Per.HIDDEN:
            number = max(1.0, self.hidden - 1.0)
        elif per is Per.SPACE:
            number = max(2.0, self.table.spaces_moved)
        return min(amount * number, limit) if limit else amount * number

    def _steal(self, amount: int, *, each: bool) -> float:
        gold = [min(amount, have) for seat, have in enumerate(self.table.gold) if seat != self.seat]
        return 1.2 * (sum(gold) if each else max(gold))

    def holds(self, condition: Condition) -> bool:
        """Whether a condition holds for the seat now."""
        table, seat, value = self.table, self.seat, condition.value
        match condition.test:
            case Test.TRAVELLED:
                return table.travelled == value
            case Test.REGION:
                return value in self._regions()
            case Test.AT:
                return table.stations[seat] == 1 if value == 1 else table.stations[seat] > 1
            case Test.RESOURCE:
                return self.held[value - 1] > 0
            case Test.RESOURCES:
                return sum(self.held) >= value
            case Test.ETERNALS:
                return table.eternal_sizes[seat] >= value
            case Test.BEHIND:
                return sum(points > table.points[seat] for points in table.points) >= value

    def _regions(self) -> Iterable[int]:
        route, station = self.table.routes[self.seat], self.table.stations[self.seat]
        if route:
            return ((route - 1) % 4 + 1,)
        return self.edition.posts[station - 2] if station > 1 else ()


def price(edition: Edition, table: Table, card: int) -> int:
    """What the turn's seat has to pay to play a card."""
    return max(0, edition.cost[card] - table.price_changes[edition.deck[card] - 1])


def draw_worth(deck: int, worth: Worth) -> float:
    """A card of a deck, by how the seat stands: the more of its kind are in hand already, the less."""
    if deck == SPECIALTY:
        return 2.6 * worth.point
    waiting = worth.table.hand_sizes[3 * worth.seat + deck - 1]
    return 4.5 - 0.7 * waiting if deck == TRADE else 2.5 + 0.1 * worth.turns - 0.7 * waiting
