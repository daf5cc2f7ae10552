"""The greedy house bot of Trade and Triumph: does what brings the most at once, and moves on when nothing does.

Everything is reckoned in gold (``trade_and_triumph_worth``). It looks no further than one action, so it has rules of
thumb for what only pays later: which way to go, when to upgrade, what to keep for a set of the four resources.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from croupier_games.kernel import Dice
from croupier_games.trade_and_triumph import (
    GAME,
    Action,
    ChooseDeck,
    ChooseOption,
    ChooseRegion,
    ChooseSeat,
    Discard,
    Draw,
    EndTurn,
    Move,
    Phase,
    Play,
    PutBack,
    Reveal,
    SellCard,
    SellResources,
    TakeBack,
    TakeSeen,
    Upgrade,
    UseEternal,
    View,
)
from croupier_games.trade_and_triumph.cards import TRADE
from croupier_games.trade_and_triumph.vocabulary import Effects, Either, Test, When

from .trade_and_triumph_worth import Worth, draw_worth, price

ACT_FIRST = 100.0
"""Added to what should happen before the trader moves on."""
UPGRADES = (0.0, 36.0, 20.0, 22.0)
"""What an upgrade brings in a whole game, by track, in gold."""


def greedy(view: View, legal: Sequence[Action], _dice: Dice, ignore: int = 0) -> Action:
    """The action that promises the most; the first one of equals.

    ``ignore``: a deck whose cards it never uses, as far as it has the choice; 0: none.
    """
    edition = GAME.edition(view.table.edition)
    if ignore:
        legal = [action for action in legal if not _uses(action, edition.deck, ignore)] or legal
    if len(legal) == 1:
        return legal[0]
    assert view.seat is not None
    worth = Worth(edition, view.table, view.seat)
    hopes = [_hope(action, view, worth) for action in legal]
    return legal[hopes.index(max(hopes))]


def ignoring(deck: int) -> partial[Action]:
    """The same bot without one of the decks: what the deck is worth shows in how much less it wins."""
    return partial(greedy, ignore=deck)


def _uses(action: Action, decks: Sequence[int], deck: int) -> bool:
    if isinstance(action, Draw | ChooseDeck):
        return action.deck == deck
    return isinstance(action, Play | TakeBack) and decks[action.card] == deck


def _hope(action: Action, view: View, worth: Worth) -> float:  # noqa: C901 - one line for each kind of action
    table, edition = view.table, worth.edition
    match action:
        case EndTurn():
            return 0.0
        case Move(route):
            return 1.0 + _way(route, view, worth)
        case Draw(deck):
            paid = max(0, edition.specialty_price - table.price_changes[2]) if deck == 3 else 0
            return ACT_FIRST + draw_worth(deck, worth) - paid
        case Play(card):
            return _or_never(_play(card, view, worth))
        case Reveal(card):
            per_hidden = any(getattr(effect, "per", 0) == 5 for effect in edition.cards[card - 1].once)
            return ACT_FIRST + 50 * per_hidden + worth.card(card, now=True)
        case UseEternal(card):
            return _or_never(worth.effects(edition.cards[card - 1].use, now=True))
        case Upgrade(track):
            level = table.upgrades[3 * worth.seat + track - 1]
            cost = edition.upgrade_costs[track][level] - table.price_changes[3]
            return _or_never(UPGRADES[track] * worth.turns / 26 * (1.0, 0.8, 0.6)[min(level, 2)] - cost)
        case SellResources(counts):
            return _sale(counts, table.points, worth)
        case SellCard(card):
            gold = (edition.city_sale if table.stations[worth.seat] == 1 else edition.post_sale) + table.price_changes[
                4
            ]
            return _or_never(gold - max(0.0, 0.8 * (worth.card(card) - price(edition, table, card))))
        case ChooseSeat(seat):
            return 10 * table.points[seat] + table.gold[seat] + sum(table.resources[4 * seat : 4 * seat + 4])
        case ChooseRegion(region):
            return worth.resource(region) if table.phase is Phase.GAIN_RESOURCE else -worth.resource(region)
        case ChooseDeck(deck):
            return draw_worth(deck, worth)
        case ChooseOption(option):
            return worth.effects(_alternatives(edition.cards[table.card - 1].once)[option], now=True)
        case TakeBack(card) | TakeSeen(card) | PutBack(card):
            return worth.card(card) - price(edition, table, card)
        case Discard(card):
            return -worth.card(card)
    raise AssertionError(action)


def _or_never(gain: float) -> float:
    """Before moving on if it gains anything, else after everything else."""
    return ACT_FIRST + gain if gain > 0 else -1.0


def _alternatives(effects: Effects) -> Sequence[Effects]:
    return next(effect.options for effect in effects if isinstance(effect, Either))


def _play(card: int, view: View, worth: Worth) -> float:
    """Trade cards are worth something later; of the others, one that waits for a better moment is not played now."""
    table, edition = view.table, worth.edition
    paid = price(edition, table, card)
    if edition.deck[card] == TRADE:
        return 0.9 * worth.card(card) - paid + 1
    return worth.card(card, now=True) - paid


def _sale(counts: tuple[int, ...], points: Sequence[int], worth: Worth) -> float:
    """Sets at once; single ones when the end is near, or when there are more of a kind than a set can use soon."""
    sets = min(counts)
    total = 5 * sets + sum(counts) - 3 * sets
    mine = points[worth.seat]
    near = max(points) >= 0.7 * worth.edition.goal or mine + sum(worth.held) >= worth.edition.goal
    if sets == 1 and sum(counts) == 4:
        return ACT_FIRST + 20
    if near:
        return ACT_FIRST + total
    single = counts.index(1) if sum(counts) == 1 else None
    return ACT_FIRST + 1 if single is not None and worth.held[single] > 2 else -1.0


def _way(route: int, view: View, worth: Worth) -> float:
    """Which way to go: to the resources that are missing, where face-down trade cards pay, and not too far."""
    if not route:
        return 0.0
    region = (route - 1) % 4 + 1
    hope = 20 - 2.0 * worth.edition.spaces[region]
    if route <= 4:
        hope += worth.resource(region)
    for card in view.face_down:
        for effect in worth.edition.cards[card - 1].once:
            if (
                isinstance(effect, When)
                and effect.condition.test is Test.TRAVELLED
                and effect.condition.value == region
            ):
                hope += worth.effects(effect.do)
    return hope
