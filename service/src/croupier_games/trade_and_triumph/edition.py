"""Editions: board, upgrade tracks and cards, as data.

``load`` reads a file and holds it to the schema that ``RULES.md`` describes; ``packaged`` finds one of those that come
with the game. The result is made for looking things up by number while the game runs; effects are compiled once, here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from .actions import MOVES, Move
from .cards import CITY, COPIES, DECKS, INFLUENCE, MAX_CARDS, POST_1, REGIONS, SPECIALTY, TRACKS, TRADE, Card
from .deeds import NO_NEED, Need
from .effects import Program, compiled, headed, need_of
from .reading import EditionError, Fields, effects, word
from .vocabulary import Change, Effects, Protect
from .wording import sentence

FORMAT = 1
"""The version of the schema."""

MAX_SPACES = 9
MAX_SQUARES = 6


@dataclass(frozen=True, slots=True)
class Printed:
    """What is printed on a card."""

    number: Card
    name: str
    deck: int
    cost: int
    """Gold to play it."""
    eternal: bool
    once: Effects
    """What happens when it is played, or for a trade card revealed."""
    use: Effects
    """What an eternal card does when it is used, once a turn."""
    start: Effects
    """What an eternal card does at the start of each of its owner's turns."""
    lasting: Effects
    """What holds while an eternal card is in play."""

    @property
    def text(self) -> str:
        """The text of its effects."""
        parts = [sentence(self.once)]
        if self.start:
            parts.append(f"At the start of your turn: {_lower(sentence(self.start))}")
        if self.use:
            parts.append(f"Once a turn: {_lower(sentence(self.use))}")
        if self.lasting:
            parts.append(sentence(self.lasting, lasting=True))
        return " ".join(part for part in parts if part)


class Edition:
    """An edition, ready to be played. Tables by card have nothing at place 0."""

    __slots__ = (
        *(
            "title",
            "source",
            "cards",
            "spaces",
            "posts",
            "specialty_price",
            "start_gold",
            "hand_limit",
            "goal",
            "set_points",
        ),
        *("post_sale", "city_sale", "squares", "upgrade_costs", "cheapest_upgrade", "playing"),
        *("deck", "cost", "eternal", "need", "program", "use_need", "use", "start", "lasting", "shield", "boxes"),
        *("station", "route", "space", "regions", "moves", "onward"),
    )

    def __init__(self, data: object, source: str = "") -> None:
        """Raises EditionError naming the card and field that breaks the schema.

        ``source`` is the text that the data was read from.
        """
        self.source = source
        fields = Fields(data, "edition")
        if fields.number("format", 0, 1_000) != FORMAT:
            raise EditionError("edition.format", f"is {FORMAT}; this is the schema that is known here")
        self.title = fields.text("title")
        self._read_board(Fields(fields.get("board"), "board"))
        self._read_rules(Fields(fields.get("rules"), "rules"))
        self._read_tracks(Fields(fields.get("tracks"), "tracks"))
        printed: list[Printed] = []
        for number, name in enumerate(DECKS):
            if number:
                printed += [_card(item, number, name, place) for place, item in enumerate(fields.list(name), start=1)]
        fields.done()
        if len(printed) > MAX_CARDS:
            raise EditionError("edition", f"has at most {MAX_CARDS} kinds of card, not {len(printed)}")
        names: set[str] = set()
        for item in printed:
            if item.name in names:
                raise EditionError(f"card {item.name!r}", "is there twice: every kind of card has a name of its own")
            names.add(item.name)
        self._number(printed)
        self._lay_out()

    def name(self, card: int) -> str:
        """The name of a card."""
        return self.cards[card - 1].name

    def printed(self, name: str) -> Printed:
        """The card of this name. Raises ValueError."""
        for item in self.cards:
            if item.name == name:
                return item
        raise ValueError(f"{self.title} has no card {name!r}")

    def find(self, text: str) -> list[Card]:
        """Cards from their names, separated by commas. Raises ValueError naming what is none."""
        return [self.printed(name.strip()).number for name in text.split(",") if name.strip()]

    def _read_board(self, fields: Fields) -> None:
        self.spaces = (0, *(fields.number(region, 1, MAX_SPACES) for region in REGIONS[1:]))
        """Spaces between the ends of a route, by region."""
        posts = fields.list("posts")
        regions = {name: number for number, name in enumerate(REGIONS) if name}
        found = [[word(name, regions, fields.at("posts")) for name in post] for post in posts if isinstance(post, list)]
        all_once = sorted(region for post in found for region in post) == [1, 2, 3, 4]
        if not all_once or len(posts) != 2 or [len(post) for post in found] != [2, 2]:
            raise EditionError(fields.at("posts"), "is two lists of two regions each, every region once")
        self.posts = tuple(tuple(sorted(post)) for post in found)
        """The two regions that lead to each post."""
        fields.done()

    def _read_rules(self, fields: Fields) -> None:
        self.start_gold = fields.number("gold", 0, 100)
        self.specialty_price = fields.number("specialty-price", 0, 100)
        self.hand_limit = fields.number("hand-limit", 1, 20)
        self.goal = fields.number("goal", 1, 200)
        """Victory points that end the game."""
        self.set_points = fields.number("set-points", 1, 50)
        """Victory points for one resource of each region, sold together."""
        self.post_sale = fields.number("post-sale", 0, 20)
        self.city_sale = fields.number("city-sale", 0, 20)
        """Gold for a card of the hand."""
        fields.done()

    def _read_tracks(self, fields: Fields) -> None:
        squares: list[tuple[int, ...]] = [()]
        costs: list[tuple[int, ...]] = [()]
        for track in TRACKS[1:]:
            track_fields = Fields(fields.get(track), fields.at(track))
            values = _numbers(track_fields, "squares", 1, 20)
            prices = _numbers(track_fields, "costs", 0, 100) if len(values) > 1 else ()
            if len(values) > MAX_SQUARES or list(values) != sorted(set(values)):
                raise EditionError(
                    track_fields.at("squares"), f"is 1 to {MAX_SQUARES} numbers, each higher than before"
                )
            if len(prices) != len(values) - 1:
                raise EditionError(track_fields.at("costs"), f"has {len(values) - 1} numbers: one for each upgrade")
            track_fields.done()
            squares.append(values)
            costs.append(prices)
        fields.done()
        self.squares = tuple(squares)
        """How many actions a turn has, by track and square."""
        self.upgrade_costs = tuple(costs)
        """Gold for the step from each square to the next, by track."""
        self.cheapest_upgrade = min([price for prices in costs for price in prices], default=0)

    def _number(self, printed: Sequence[Printed]) -> None:
        cards = [
            Printed(Card(number), c.name, c.deck, c.cost, c.eternal, c.once, c.use, c.start, c.lasting)
            for number, c in enumerate(printed, start=1)
        ]
        self.cards = tuple(cards)
        """By number, from 1 on: ``cards[number - 1]``."""
        self.deck = (0, *(card.deck for card in cards))
        self.cost = (0, *(card.cost for card in cards))
        self.eternal = (False, *(card.eternal for card in cards))
        self.need: tuple[Need, ...] = (NO_NEED, *(need_of(card.once) for card in cards))
        """What playing it (of a trade card: revealing it) wants, besides its cost."""
        self.playing: tuple[tuple[int, int, Need | None], ...] = (
            (0, 0, None),
            *(
                (c.cost, c.deck, None if c.deck == TRADE or need_of(c.once) is NO_NEED else need_of(c.once))
                for c in cards
            ),
        )
        """For playing it from the hand: its cost, its deck, and what it wants besides; one look-up where it counts."""
        self.program: tuple[Program, ...] = ((), *(compiled(card.once) for card in cards))
        self.use_need: tuple[Need, ...] = (NO_NEED, *(need_of(card.use) for card in cards))
        self.use: tuple[Program, ...] = ((), *(compiled(card.use) for card in cards))
        """Empty for cards that are not used."""
        self.start: tuple[Program, ...] = ((), *(headed(card.number, compiled(card.start)) for card in cards))
        self.lasting = ((), *(_changes(card.lasting) for card in cards))
        """Changes of prices as pairs: place in the list of changes, amount."""
        self.shield = (0, *(_shield(card.lasting) for card in cards))
        """What it protects from, as bits."""
        boxes = [[card.number for card in cards if card.deck == deck for _ in range(COPIES[deck])] for deck in range(4)]
        self.boxes = tuple(map(tuple, boxes))
        """All cards of each deck, ascending, copies side by side."""

    def _lay_out(self) -> None:
        """Number the spots of the board: the stations by their own numbers, then the spaces of each route."""
        station, route, space = [0, CITY, POST_1, POST_1 + 1], [0, 0, 0, 0], [0, 0, 0, 0]
        for number in range(1, 9):
            for step in range(1, self.spaces[_region(number)] + 1):
                station.append(0)
                route.append(number)
                space.append(step)
        self.station = tuple(station)
        """The station that a spot is, else 0."""
        self.route = tuple(route)
        """The route that a spot lies on, else 0."""
        self.space = tuple(space)
        """Which space of its route a spot is, 1-based."""
        first = {route[spot]: spot for spot in range(len(route) - 1, 3, -1)}
        end = {number: POST_1 + self._post(number) if number <= 4 else CITY for number in range(1, 9)}
        routes = [(), (1, 2, 3, 4), *(tuple(region + 4 for region in post) for post in self.posts)]
        self.moves: tuple[tuple[Move, ...], ...] = tuple(
            tuple(MOVES[number] for number in routes[spot]) if spot < 4 else (MOVES[0],) for spot in range(len(route))
        )
        """The moves from each spot."""
        onward: list[dict[int, int]] = [{number: first[number] for number in leaving} for leaving in routes]
        onward += [
            {0: spot + 1 if space[spot] < self.spaces[_region(route[spot])] else end[route[spot]]}
            for spot in range(4, len(route))
        ]
        self.onward = tuple(onward)
        """Where a move leads: by spot, then by the move's route."""
        posts = [sum(1 << region for region in post) for post in self.posts]
        self.regions = (0, 0, *posts, *(1 << _region(number) for number in route[4:]))
        """The regions that a spot is in, as bits."""

    def _post(self, region: int) -> int:
        return next(place for place, post in enumerate(self.posts) if region in post)


def load(text: str) -> Edition:
    """An edition from the text of its file. Raises EditionError."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise EditionError("edition", f"is not TOML: {error}") from error
    return Edition(data, text)


@cache
def packaged(name: str) -> Edition:
    """One of the editions that come with the game. Raises EditionError when there is none of that name."""
    if name not in packaged_names():
        raise EditionError("edition", f"there is no {name!r}; there are: {', '.join(packaged_names())}")
    return load((resources.files(__package__) / "editions" / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def packaged_names() -> tuple[str, ...]:
    """The names of the editions that come with the game."""
    folder = resources.files(__package__) / "editions"
    return tuple(sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml")))


def _card(data: object, deck: int, deck_name: str, place: int) -> Printed:
    where = f"{deck_name} card {place}"
    name = Fields(data, where).text("name")
    fields = Fields(data, f"card {name!r}")
    fields.text("name")
    cost = 0 if deck == SPECIALTY else fields.number("cost", 0, 50)
    once = _effects(fields, "reveal" if deck == TRADE else "play")
    use, start, lasting = (
        _effects(fields, field) if deck == INFLUENCE else () for field in ("use", "start", "lasting")
    )
    fields.done()
    eternal = bool(use or start or lasting)
    if not (once or eternal):
        raise EditionError(fields.where, f"does nothing: write {'reveal' if deck == TRADE else 'play'}")
    if start and need_of(start) != NO_NEED:
        raise EditionError(fields.at("start"), "cannot begin with 'pay' or 'spend': nobody is asked whether to")
    if once and eternal and need_of(once) != NO_NEED:
        raise EditionError(fields.at("play"), "of an eternal card cannot begin with 'pay' or 'spend'")
    return Printed(Card(0), name, deck, cost, eternal, once, use, start, lasting)


def _effects(fields: Fields, name: str) -> Effects:
    return effects(fields.get(name), fields.at(name), lasting=name == "lasting") if fields.has(name) else ()


def _numbers(fields: Fields, name: str, low: int, high: int) -> tuple[int, ...]:
    values = fields.list(name)
    for value in values:
        if type(value) is not int or not low <= value <= high:
            raise EditionError(fields.at(name), f"is a list of whole numbers from {low} to {high}, not {value!r}")
    return tuple(values)


def _region(route: int) -> int:
    return (route - 1) % 4 + 1


def _changes(lasting: Effects) -> tuple[tuple[int, int], ...]:
    return tuple((int(effect.price), effect.amount) for effect in lasting if isinstance(effect, Change))


def _shield(lasting: Effects) -> int:
    bits = 0
    for effect in lasting:
        if isinstance(effect, Protect):
            for threat in effect.threats:
                bits |= 1 << threat
    return bits


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
