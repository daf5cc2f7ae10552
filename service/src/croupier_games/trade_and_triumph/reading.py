"""Reading the effects of a card from an edition's data. Every error names the place and says what would be right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .actions import MAX_OPTIONS
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

HIGHEST = 50
"""The highest amount or count."""


class EditionError(ValueError):
    """An edition that breaks the schema. ``where`` names the card and field."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}")
        self.where = where


class Fields:
    """One table of the data: what is asked for is checked, and what was never asked for is an error."""

    def __init__(self, data: object, where: str) -> None:
        """Raises EditionError unless it is a table."""
        if not isinstance(data, Mapping):
            raise EditionError(where, f"is a table, not {data!r}")
        self.data: Mapping[str, Any] = data
        self.where = where
        self._asked: set[str] = set()

    def has(self, name: str) -> bool:
        """Whether there is such a field."""
        self._asked.add(name)
        return name in self.data

    def at(self, name: str) -> str:
        """Where a field stands, for messages."""
        return f"{self.where}.{name}"

    def get(self, name: str) -> Any:  # noqa: ANN401 - anything may stand in a file
        """The field as it is. Raises EditionError when there is none."""
        if not self.has(name):
            raise EditionError(self.at(name), "is missing")
        return self.data[name]

    def number(self, name: str, low: int = 1, high: int = HIGHEST, default: int | None = None) -> int:
        """A whole number."""
        if default is not None and not self.has(name):
            return default
        value = self.get(name)
        if type(value) is not int or not low <= value <= high:
            raise EditionError(self.at(name), f"is a whole number from {low} to {high}, not {value!r}")
        return value

    def text(self, name: str) -> str:
        """A text that is not empty."""
        value = self.get(name)
        if not isinstance(value, str) or not value.strip() or "\n" in value:
            raise EditionError(self.at(name), f"is a text on one line, not {value!r}")
        return value

    def flag(self, name: str) -> bool:
        """True where the field is there; it may only be true."""
        if self.has(name) and self.data[name] is not True:
            raise EditionError(self.at(name), f"is true or left out, not {self.data[name]!r}")
        return name in self.data

    def one_of(self, name: str, choices: Mapping[str, int]) -> int:
        """One of several words."""
        return word(self.get(name), choices, self.at(name))

    def list(self, name: str) -> Sequence[Any]:
        """A list that is not empty."""
        value = self.get(name)
        if not isinstance(value, list) or not value:
            raise EditionError(self.at(name), f"is a list that is not empty, not {value!r}")
        return value

    def done(self) -> None:
        """Raises EditionError when a field is left that nobody asked for."""
        for name in self.data:
            if name not in self._asked:
                raise EditionError(self.at(name), f"is not known here; known are: {', '.join(sorted(self._asked))}")


def word(value: object, choices: Mapping[str, int], where: str) -> int:
    """The number of a word. Raises EditionError."""
    if not isinstance(value, str) or value not in choices:
        raise EditionError(where, f"is one of {', '.join(choices)}; not {value!r}")
    return choices[value]


def effects(data: object, where: str, *, lasting: bool = False) -> Effects:
    """A list of effects. ``lasting``: what holds while the card is in play, else what happens once.

    Raises EditionError.
    """
    if not isinstance(data, list) or not data:
        raise EditionError(where, f"is a list of effects that is not empty, not {data!r}")
    found = tuple(effect(item, f"{where}[{place}]") for place, item in enumerate(data))
    for place, part in enumerate(found):
        _check_place(found, place, part, f"{where}[{place}]", lasting=lasting)
    return found


def effect(data: object, where: str) -> Effect:
    """One effect. Raises EditionError."""
    fields = Fields(data, where)
    names = [name for name in PARTS if name in fields.data]
    if len(names) != 1:
        found = " and ".join(names) or "none of them"
        raise EditionError(where, f"has exactly one of {', '.join(PARTS)}; it has {found}")
    made = PARTS[names[0]](fields)
    fields.done()
    return made


def _check_place(found: Effects, place: int, part: Effect, where: str, *, lasting: bool) -> None:
    if lasting and not isinstance(part, Change | Protect):
        raise EditionError(where, "does not last: while a card is in play only 'change' and 'protect' can hold")
    if not lasting and isinstance(part, Protect):
        raise EditionError(where, "'protect' needs a card that stays: write it under 'lasting'")
    first = place == 0
    if (isinstance(part, Pay) and not first) or (
        isinstance(part, Spend) and not first and not (place == 1 and isinstance(found[0], Pay))
    ):
        raise EditionError(where, "'pay' and 'spend' come first in their list, in this order")


def _no_price(found: Effects, where: str) -> Effects:
    if isinstance(found[0], Pay | Spend):
        raise EditionError(where, "cannot begin with 'pay' or 'spend': a condition is not a choice")
    return found


def condition(data: object, where: str) -> Condition:
    """A condition. Raises EditionError."""
    fields = Fields(data, where)
    names = [name for name in CONDITIONS if name in fields.data]
    if len(names) != 1:
        raise EditionError(where, f"has exactly one of {', '.join(CONDITIONS)}")
    name = names[0]
    made = Condition(CONDITIONS[name], _condition_value(fields, name))
    fields.done()
    return made


def _condition_value(fields: Fields, name: str) -> int:
    if name in ("travelled", "region", "resource"):
        return fields.one_of(name, REGION_WORDS)
    if name == "at":
        return fields.one_of(name, {"city": 1, "post": 2})
    return fields.number(name)


def _when(fields: Fields) -> When:
    do = _no_price(effects(fields.get("do"), fields.at("do")), fields.at("do"))
    otherwise: Effects = ()
    if fields.has("else"):
        otherwise = _no_price(effects(fields.get("else"), fields.at("else")), fields.at("else"))
    return When(condition(fields.get("when"), fields.at("when")), do, otherwise)


def _either(fields: Fields) -> Either:
    options = fields.list("either")
    if not 2 <= len(options) <= MAX_OPTIONS:
        raise EditionError(fields.at("either"), f"has two to {MAX_OPTIONS} lists to choose from, not {len(options)}")
    return Either(tuple(effects(item, f"{fields.at('either')}[{place}]") for place, item in enumerate(options)))


def _per(fields: Fields) -> tuple[Per, int]:
    if not fields.has("per"):
        return Per.ONCE, 0
    return Per(fields.one_of("per", PER_WORDS)), fields.number("limit", default=0)


def _look(fields: Fields) -> Look:
    count = fields.number("look", 1, 5)
    return Look(fields.one_of("deck", ANY_DECK_WORDS), count, Insight(fields.one_of("to", INSIGHT_WORDS)))


def _protect(fields: Fields) -> Protect:
    threats = fields.list("protect")
    return Protect(tuple(Threat(word(threat, THREAT_WORDS, fields.at("protect"))) for threat in threats))


def _again(fields: Fields) -> Again:
    fields.flag("again")
    return Again()


def _send_home(fields: Fields) -> SendHome:
    return SendHome(fields.one_of("send-home", {"one": 0, "each": 1}) == 1)


REGION_WORDS = {name: number for number, name in enumerate(REGIONS) if name}
DECK_WORDS = {name: number for number, name in enumerate(DECKS) if name}
ANY_DECK_WORDS = {**DECK_WORDS, "any": ANY}
RESOURCE_WORDS = {**REGION_WORDS, "any": ANY}
GAIN_WORDS = {**RESOURCE_WORDS, "travelled": TRAVELLED}
PER_WORDS = {per.name.lower(): int(per) for per in Per if per}
PRICE_WORDS = {price.name.lower().replace("_", "-"): int(price) for price in Price}
THREAT_WORDS = {threat.name.lower().replace("_", "-"): int(threat) for threat in Threat}
INSIGHT_WORDS = {insight.name.lower(): int(insight) for insight in Insight}
CONDITIONS = {test.name.lower(): test for test in Test}
_MOVE, _DRAW, _PLAY = range(1, len(TRACKS))

PARTS: dict[str, Callable[[Fields], Effect]] = {
    "gold": lambda f: Gold(f.number("gold"), *_per(f)),
    "points": lambda f: Points(f.number("points"), *_per(f)),
    "pay": lambda f: Pay(f.number("pay")),
    "spend": lambda f: Spend(f.one_of("spend", RESOURCE_WORDS)),
    "gain": lambda f: Resource(f.one_of("gain", GAIN_WORDS)),
    "draw": lambda f: DrawCards(f.one_of("draw", ANY_DECK_WORDS), f.number("count", 1, 5, default=1)),
    "moves": lambda f: Extra(_MOVE, f.number("moves", 1, 9)),
    "draws": lambda f: Extra(_DRAW, f.number("draws", 1, 9)),
    "plays": lambda f: Extra(_PLAY, f.number("plays", 1, 9)),
    "again": _again,
    "steal": lambda f: Steal(f.number("steal"), f.flag("each")),
    "discard": lambda f: MakeDiscard(f.number("discard", 1, 5), f.flag("each")),
    "send-home": _send_home,
    "look": _look,
    "recover": lambda f: Recover(f.one_of("recover", ANY_DECK_WORDS)),
    "change": lambda f: Change(Price(f.one_of("change", PRICE_WORDS)), f.number("by")),
    "protect": _protect,
    "when": _when,
    "either": _either,
}
"""How each part is read, by the key that names it."""
