"""The text on a card, made from its effects: it cannot disagree with what the card does."""

from __future__ import annotations

from collections.abc import Sequence

from .cards import DECKS, REGIONS, TRACKS
from .vocabulary import (
    ANY,
    TRAVELLED,
    Again,
    Change,
    Condition,
    DrawCards,
    Effect,
    Effects,
    Either,
    Extra,
    Gold,
    Insight,
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
    Threat,
    When,
)


def sentence(effects: Effects, *, lasting: bool = False) -> str:
    """A list of effects as one or more sentences; empty for none. ``lasting``: they hold while the card is in play.

    >>> sentence((Gold(4), When(Condition(Test.TRAVELLED, 3), (Gold(2),), ())))
    'Gain 4 gold. If you travelled the desert: gain 2 gold.'
    """
    text = _joined(effects, ". ", capital=True)
    return text.replace(_THIS_TURN, "" if lasting else " this turn")


def _joined(effects: Effects, separator: str, *, capital: bool) -> str:
    price = " and ".join(_effect(effect) for effect in effects if isinstance(effect, Pay | Spend))
    parts = [_effect(effect) for effect in effects if not isinstance(effect, Pay | Spend)]
    if price:  # it comes first, and all the rest is for it
        parts = [": ".join(filter(None, (price, " and ".join(parts))))]
    if capital:
        parts = [part[0].upper() + part[1:] for part in parts]
    return separator.join(parts) + ("." if capital and parts else "")


def _effect(effect: Effect) -> str:  # noqa: C901 - one line for each part of the vocabulary
    match effect:
        case Gold(amount, per, limit):
            return f"gain {amount} gold{_per(per, limit)}"
        case Points(amount, per, limit):
            return f"gain {amount} VP{_per(per, limit)}"
        case Pay(amount):
            return f"pay {amount} gold"
        case Spend(resource):
            return f"return {_resource(resource)}"
        case Resource(resource):
            return f"gain {_resource(resource)}"
        case DrawCards(deck, count):
            return f"draw {_cards(deck, count)}"
        case Extra(track, count):
            return f"{count} more {TRACKS[track]}{_s(count)} this turn"
        case Again():
            return "decks that you have drawn from this turn may be drawn from again"
        case Steal(amount, each):
            return f"take {amount} gold from {_others(each=each)}"
        case MakeDiscard(count, each):
            return f"{_others(each=each)} discards {count} card{_s(count)}"
        case SendHome(each):
            return f"send the trader of {_others(each=each)} to the city"
        case Look(deck, count, insight):
            what = "take one in hand" if insight is Insight.TAKE else "put them back in any order"
            top = "card" if count == 1 else f"{count} cards"
            return f"look at the top {top} of {_deck(deck)} and {what}"
        case Recover(deck):
            return f"take {_cards(deck, 1)} back in hand from the discards"
        case Change(price, amount):
            return _CHANGES[price].format(amount) + _THIS_TURN
        case Protect(threats):
            return f"others cannot {_listed([_THREATS[threat] for threat in threats])}"
        case When(condition, do, otherwise):
            text = f"if {_condition(condition)}: {_joined(do, ', ', capital=False)}"
            return text + (f"; otherwise: {_joined(otherwise, ', ', capital=False)}" if otherwise else "")
        case Either(options):
            return "either " + ", or ".join(_joined(option, " and ", capital=False) for option in options)


_THIS_TURN = "\0"
"""Stands where a change of prices says how long it holds, which only the whole text knows."""

_CHANGES = {
    Price.TRADE: "your trade cards cost {} less",
    Price.INFLUENCE: "your influence cards cost {} less",
    Price.SPECIALTY: "drawing from the specialty deck costs you {} less",
    Price.UPGRADE: "your upgrades cost {} less",
    Price.CARD_SALE: "cards that you sell bring {} gold more",
    Price.RESOURCE_SALE: "single resources that you sell bring {} VP more",
    Price.SET_SALE: "sets of the four resources that you sell bring {} VP more",
}

_THREATS = {
    Threat.STEAL: "take your gold",
    Threat.DISCARD: "make you discard",
    Threat.SEND_HOME: "send your trader home",
}

_PERS = {
    Per.SPACE: "space moved this turn",
    Per.RESOURCE: "resource you hold",
    Per.KIND: "kind of resource you hold",
    Per.ETERNAL: "eternal card you have in play",
    Per.HIDDEN: "trade card you have face down",
}


def _condition(condition: Condition) -> str:
    value = condition.value
    match condition.test:
        case Test.TRAVELLED:
            return f"you travelled the {REGIONS[value]}"
        case Test.REGION:
            return f"your trader is in the {REGIONS[value]}"
        case Test.AT:
            return "your trader is in the city" if value == 1 else "your trader is at a post"
        case Test.RESOURCE:
            return f"you hold at least {_resource(value)}"
        case Test.RESOURCES:
            return f"you hold {value} or more resources"
        case Test.ETERNALS:
            return f"you have {value} or more eternal cards in play"
        case Test.BEHIND:
            return f"{value} or more others have more VP"


def _per(per: Per, limit: int) -> str:
    if per is Per.ONCE:
        return ""
    return f" for each {_PERS[per]}" + (f" (at most {limit})" if limit else "")


def _resource(resource: int) -> str:
    if resource == TRAVELLED:
        return "1 resource of the region travelled"
    return "1 resource of your choice" if resource == ANY else f"1 {REGIONS[resource]} resource"


def _cards(deck: int, count: int) -> str:
    if deck == ANY:
        return "1 card of any deck" if count == 1 else f"{count} cards, each of any deck"
    return f"{count} {DECKS[deck]} card{_s(count)}"


def _deck(deck: int) -> str:
    return "any deck" if deck == ANY else f"the {DECKS[deck]} deck"


def _others(*, each: bool) -> str:
    return "each other seat" if each else "another seat"


def _listed(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + " or " + texts[-1]


def _s(count: int) -> str:
    return "" if count == 1 else "s"
