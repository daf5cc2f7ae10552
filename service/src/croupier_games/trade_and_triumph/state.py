"""A game under way: everything that lies on, in or under the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self, final

from .. import kernel
from ..kernel import Dice, Result, Seat, Seed
from . import redealing, rules
from .actions import Action, Play, PutBack, TakeSeen
from .cards import CITY, DECKS, TRADE, Card
from .choices import Ask, Phase
from .edition import Edition
from .scoring import score
from .view import Table, View, table_of, view_of


@final
class State(kernel.State[Action, View]):
    """A game under way. Read its parts freely; only ``apply`` changes them."""

    # In the order of __init__, which explains them.
    __slots__ = (
        *("edition", "edition_name", "seats", "first", "round_cap", "seed"),
        *("round", "turn", "over"),
        *("gold", "points", "resources", "levels", "spots", "hands", "hidden", "eternals", "prices"),
        *("decks", "discards", "renewals"),
        *("left", "drawn", "walked", "travelled", "acted", "now", "used"),
        *("card", "ask", "pending"),
        *("tops", "known", "insight"),
        *("seen", "shown_card", "engine_moves", "public", "legal"),
    )

    def __init__(
        self, edition: Edition, seats: int, first: Seat, round_cap: int, seed: Seed, edition_name: str = ""
    ) -> None:
        """The start of a game; the decks are as the seed shuffles them."""
        self.edition = edition
        self.edition_name = edition_name
        self.seats = seats
        self.first = first
        """The seat that has the first turn of every round."""
        self.round_cap = round_cap
        self.seed = seed
        """Where decks that are made anew get their order from."""

        self.round = 1
        self.turn = first
        self.over = False

        # By seat; lists by seat and region, or by seat and track, are flat.
        self.gold = [edition.start_gold] * seats
        self.points = [0] * seats
        self.resources = [0] * (4 * seats)
        """``resources[4 * seat + region - 1]``."""
        self.levels = [0] * (3 * seats)
        """Upgrades bought: ``levels[3 * seat + track - 1]``."""
        self.spots = [CITY] * seats
        """Where the traders are, as the edition numbers the spots of its board."""
        self.hands: list[list[Card]] = [[] for _ in range(seats)]
        """Ascending."""
        self.hidden: list[list[Card]] = [[] for _ in range(seats)]
        """Trade cards face down, ascending."""
        self.eternals: list[list[Card]] = [[] for _ in range(seats)]
        """Eternal cards in play, in the order in which they were played."""
        self.prices = [[0] * 9 for _ in range(seats)]
        """What eternal cards change, by ``Price``; the last one (``SHIELD``) holds bits of what they protect from."""

        self.decks: list[list[Card]] = [
            [] if not deck else seed.dice(f"deck/{name}").shuffled(edition.boxes[deck])
            for deck, name in enumerate(DECKS)
        ]
        """By deck; the top is the end."""
        self.discards: list[list[Card]] = [[], [], [], []]
        """By deck, in the order in which they were discarded."""
        self.renewals = [0, 0, 0, 0]
        """How often each deck was made anew."""

        # The turn. ``rules.begin_turn`` fills this in.
        self.left = [0, 0, 0, 0]
        """Moves, draws and plays left, by track."""
        self.drawn = 0
        """Decks drawn from, as bits."""
        self.walked = 0
        """Spaces moved."""
        self.travelled = 0
        """The region travelled, while what its arrival opened is open."""
        self.acted = 0
        """Decisions of the turn's seat."""
        self.now = [0] * 9
        """The turn's seat's changes of prices: those of its eternal cards and those of this turn."""
        self.used: list[Card] = []
        """Eternal cards used."""

        # Effects under way.
        self.card: int = 0
        """The card whose effects were last under way in this turn; 0: none."""
        self.ask: Ask | None = None
        self.pending: list[Callable[[State], None]] = []
        """What effects have still to do; the next step last."""

        # What seats know beyond what lies open.
        self.tops = [0] * (4 * seats)
        """How many cards of a deck's top a seat knows: ``tops[4 * seat + deck]``."""
        self.known: list[list[Card]] = [[] for _ in range(seats * seats)]
        """Cards that a viewer knows a seat to hold, in hand or face down: ``known[seats * viewer + seat]``."""
        self.insight = False
        """Whether anybody has ever looked at anything."""

        # What others make of it.
        self.seen: set[Card] = set()
        self.shown_card: int = 0
        """The card that was last laid open."""
        self.engine_moves: list[tuple[Seat, Action]] = []
        """Not drained yet."""
        self.public: Table | None = None
        """The public part of the views, until something changes."""
        self.legal: list[Action] | None = None
        """What the turn's seat may do, until something changes."""
        rules.begin_turn(self)

    # Deciding: the rules are this state's methods.

    legal_actions = rules.legal_actions
    check = rules.check
    apply = rules.apply

    def to_act(self) -> tuple[Seat, ...]:
        if self.over:
            return ()
        return _ALONE[self.turn if self.ask is None else self.ask.seat(self)]

    def drain_engine_moves(self) -> list[tuple[Seat, Action]]:
        moves = self.engine_moves
        self.engine_moves = []
        return moves

    def result(self) -> Result | None:
        if not self.over:
            return None
        capped = max(self.points) < self.edition.goal
        note = f"nobody had {self.edition.goal} victory points after {self.round} rounds" if capped else ""
        return score(self.points, self.gold, self.levels, note)

    # Looking.

    @property
    def phase(self) -> Phase:
        """What is being decided."""
        return Phase.OVER if self.over else Phase.TURN if self.ask is None else self.ask.phase

    def view(self, seat: Seat) -> View:
        return view_of(self, seat)

    def public_view(self) -> View:
        return view_of(self, None)

    def table(self) -> Table:
        """The public part of every view: the very same object until something changes."""
        if self.public is None:
            self.public = table_of(self)
        return self.public

    def shown(self, viewer: Seat | None, seat: Seat, action: Action) -> Action | None:
        """Trade cards are played face down, and what a look at a deck leads to is its seat's own."""
        if viewer == seat:
            return action
        if isinstance(action, TakeSeen | PutBack):
            return None
        return None if isinstance(action, Play) and self.is_trade(action.card) else action

    def is_trade(self, card: int) -> bool:
        """Whether a card is a trade card of the edition."""
        return card < len(self.edition.deck) and self.edition.deck[card] == TRADE

    def seen_components(self) -> frozenset[str]:
        """The cards that were laid open: revealed, played face up or discarded."""
        open_cards = {*self.seen, *(card for pile in self.discards for card in pile)}
        open_cards.update(card for cards in self.eternals for card in cards)
        return frozenset(self.edition.name(card) for card in open_cards)

    # Branching.

    def clone(self) -> Self:
        copy = object.__new__(type(self))
        copy.edition = self.edition
        copy.edition_name = self.edition_name
        copy.seats = self.seats
        copy.first = self.first
        copy.round_cap = self.round_cap
        copy.seed = self.seed
        copy.round = self.round
        copy.turn = self.turn
        copy.over = self.over
        copy.gold = self.gold[:]
        copy.points = self.points[:]
        copy.resources = self.resources[:]
        copy.levels = self.levels[:]
        copy.spots = self.spots[:]
        copy.hands = _copies(self.hands)
        copy.hidden = _copies(self.hidden)
        copy.eternals = _copies(self.eternals)
        copy.prices = [prices[:] for prices in self.prices]
        copy.decks = _copies(self.decks)
        copy.discards = _copies(self.discards)
        copy.renewals = self.renewals[:]
        copy.left = self.left[:]
        copy.drawn = self.drawn
        copy.walked = self.walked
        copy.travelled = self.travelled
        copy.acted = self.acted
        copy.now = self.now[:]
        copy.used = self.used[:]
        copy.card = self.card
        copy.ask = self.ask
        copy.pending = self.pending[:]
        copy.tops = self.tops[:]
        copy.known = _copies(self.known)
        copy.insight = self.insight
        copy.seen = self.seen.copy()
        copy.shown_card = self.shown_card
        copy.engine_moves = self.engine_moves[:]
        copy.public = self.public
        copy.legal = self.legal  # never changed in place
        return copy

    def redeal(self, seat: Seat, dice: Dice) -> Self:
        """See ``redealing``."""
        copy = self.clone()
        redealing.redeal(copy, seat, dice)
        return copy


_ALONE = tuple((seat,) for seat in range(4))


def _copies(lists: Sequence[list[Card]]) -> list[list[Card]]:
    return [cards[:] for cards in lists]
