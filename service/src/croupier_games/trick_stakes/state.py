"""A game under way: everything that lies on the table, face up or face down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, final

from .. import kernel
from ..kernel import Dice, Result, Seat, Seed
from . import rules
from .actions import Action, Discard, TicketDown
from .cards import (
    CARD_NAMES,
    CARDS,
    HORSE_NAMES,
    HORSES,
    NO_HORSE,
    NO_TICKET,
    TICKET_NAMES,
    VANILLA_BEANS,
    WHIPS,
    Card,
    Color,
    Horse,
    Ticket,
)
from .paddock import count_colors
from .redeal import redeal
from .rules import DISCARD, OVER, Phase
from .scoring import score
from .seating import PLACES, circle_of, playing_order
from .view import Table, View, table_of

FIRST_ODDS = 2
"""The odds of every horse in the first race."""


@final
class State(kernel.State[Action, View]):
    """A game under way. Read its parts freely; only ``apply`` changes them.

    There are four places: those of the seats and, with three seats, the dummy's behind them. Lists by place have four
    entries; lists by horse have the horse of number ``h`` at ``h - 1``. Lists by race as well are flat, race by race,
    so the last entries are those of the current race. A tuple is replaced, never changed: copies share it.
    """

    # In the order of __init__, which explains them.
    __slots__ = (
        *("seats", "races", "seed", "cards", "horse_colors", "circle", "orders"),
        *("race", "start", "horses", "odds", "points", "whips", "phase", "waiting"),
        *("hands", "hand_colors", "spaces", "standing", "leader", "order", "trick", "whip_at"),
        *("stacks", "top_cards", "turned_up", "discards", "discard_colors", "dummy_discards"),
        *("tickets_up", "tickets_down", "tickets_shown"),
        *("tricks", "played", "leaders", "whips_at", "finishes", "unplayed", "known"),
        *("engine_moves", "public"),
    )

    def __init__(
        self,
        seats: int,
        horses: Sequence[Horse],
        cards: Sequence[Sequence[Card]],
        seed: Seed,
        *,
        first: Seat | None = None,
    ) -> None:
        """The start of a game, before its first race.

        ``horses`` by place; ``cards`` are the twelve of each horse, in an order that matters to the shuffles only;
        ``first`` starts the first race: by default the seat that holds Vanilla Beans.
        """
        # The deal.
        self.seats = seats
        self.races = seats
        self.seed = seed
        """From which all later chance comes."""
        self.cards = tuple(map(tuple, cards))
        """By horse, in the order in which they were dealt."""
        self.horse_colors = tuple(count_colors(self.cards))
        """Cards of each colour, flat by horse and colour."""
        self.circle = circle_of(seats, horses.index(VANILLA_BEANS) if first is None else first)
        """The places clockwise, from the start player of the first race."""
        self.orders = tuple(playing_order(seats, self.circle, leader) for leader in range(PLACES))
        """The places in the order in which they play, by the place that leads."""

        # The game.
        self.race = 1
        self.start: Seat = self.circle[0]
        """The race's start player."""
        self.horses = list(horses)
        """By place."""
        self.odds = [FIRST_ODDS] * len(HORSES)
        """By horse."""
        self.points = [0] * seats
        self.whips = [WHIPS] * PLACES
        """Whips face up, by place."""
        self.phase: Phase = DISCARD
        self.waiting: tuple[Seat, ...] = ()
        """Who has still to decide, ascending."""

        # The race.
        self.hands: list[list[Card]] = [[] for _ in range(PLACES)]
        """By place: ascending; the dummy's from the top down. What a seat discards leaves it at once."""
        self.hand_colors = [0] * 16
        """Cards of each colour in hand, flat by place and colour, as everyone sees their backs."""
        self.spaces = [0] * len(HORSES)
        """See ``course``."""
        self.standing: list[Horse] = []
        """See ``course``."""
        self.leader: int = self.start
        """The place that leads the current trick; before the first one, will lead it."""
        self.order: tuple[int, ...] = self.orders[self.start]
        """The places in the order in which they play to this trick."""
        self.trick: list[Card] = []
        """As played so far."""
        self.whip_at = 0
        """The card of this trick with which the whip was declared, 1 to 4; 0: none."""

        # History, by race.
        self.stacks: tuple[Horse, ...] = ()
        """The piles on the gate, the top first: four for each race."""
        self.top_cards: tuple[Card, ...] = ()
        """The start player's top card of each race. Its number was the discard number."""
        self.turned_up: tuple[Card, ...] = ()
        """By place as well."""
        self.discards: list[Card] = []
        """By place as well: the second discards, ``NO_CARD`` where a seat has yet to choose."""
        self.discard_colors: tuple[Color, ...] = ()
        """By place as well: what everyone sees of them, so ``NO_COLOR`` until all have chosen."""
        self.dummy_discards: tuple[Card, ...] = ()
        """The dummy's among them, which everyone sees; empty with four seats."""
        self.tickets_up: tuple[Ticket, ...] = ()
        """By seat as well; ``NO_TICKET`` until laid."""
        self.tickets_down: list[Ticket] = []
        """By seat as well; ``NO_TICKET`` until laid."""
        self.tickets_shown: tuple[Ticket, ...] = ()
        """What everyone sees of these: ``NO_TICKET`` until the race is paid."""
        self.tricks: tuple[int, ...] = ()
        """Number of finished tricks."""
        self.played: tuple[Card, ...] = ()
        """The cards of all finished tricks of all races, four for each trick, in the order played."""
        self.leaders: tuple[int, ...] = ()
        """Of all finished tricks."""
        self.whips_at: tuple[int, ...] = ()
        """Of all finished tricks, as ``whip_at``."""
        self.finishes: tuple[Horse, ...] = ()
        """The finishing orders of all finished races, best first."""
        self.unplayed: tuple[tuple[Card, ...], ...] = ()
        """By finished race and place: the second discard and what was left of the hand."""

        # What has been learnt.
        self.known: list[list[Horse]] = [[NO_HORSE] * len(CARDS) for _ in range(seats + 1)]
        """By seat, and last for everyone: whose each card is (card ``c`` at ``c - 1``), as far as they know."""

        # What others make of it.
        self.engine_moves: list[tuple[Seat, Action]] = []
        """Not drained yet."""
        self.public: Table | None = None
        """The public part of the views, until something changes."""

    # Deciding: the rules are this state's methods.

    legal_actions = rules.legal_actions
    check = rules.check
    apply = rules.apply

    def to_act(self) -> tuple[Seat, ...]:
        return self.waiting

    def drain_engine_moves(self) -> list[tuple[Seat, Action]]:
        """Forced plays, and the dummy's under the seat number 3."""
        moves = self.engine_moves
        self.engine_moves = []
        return moves

    def result(self) -> Result | None:
        return score(self.points, self.standing, self.horses) if self.phase is OVER else None

    # Looking.

    def view(self, seat: Seat) -> View:
        return View(
            table=self.table(),
            seat=seat,
            hand=tuple(self.hands[seat]),
            discards=tuple(self.discards[seat::4]),
            ticket_down=self.tickets_down[seat - self.seats],
            known=tuple(self.known[seat]),
        )

    def public_view(self) -> View:
        return View(self.table(), None, (), (), NO_TICKET, tuple(self.known[-1]))

    def table(self) -> Table:
        """The public part of every view: the very same object until something changes."""
        if self.public is None:
            self.public = table_of(self)
        return self.public

    def shown(self, viewer: Seat | None, seat: Seat, action: Action) -> Action | None:
        """Discards and face-down tickets are their seat's own; everything else is done in the open."""
        if viewer != seat and isinstance(action, Discard | TicketDown):
            return None
        return action

    def seen_components(self) -> frozenset[str]:
        """The cards that were played, the tickets that were laid face up, the horses that moved, and the whip."""
        parts = {CARD_NAMES[card] for card in (*self.played, *self.trick)}
        parts |= {f"ticket {TICKET_NAMES[ticket]}" for ticket in self.tickets_up if ticket}
        parts |= {f"horse {HORSE_NAMES[horse]}" for horse in HORSES if self.spaces[horse - 1]}
        return frozenset(parts | {"whip"} if any(self.whips_at) else parts)

    # Branching.

    def clone(self) -> Self:
        copy = object.__new__(type(self))
        copy.seats = self.seats
        copy.races = self.races
        copy.seed = self.seed
        copy.cards = self.cards
        copy.horse_colors = self.horse_colors
        copy.circle = self.circle
        copy.orders = self.orders
        copy.race = self.race
        copy.start = self.start
        copy.horses = self.horses[:]
        copy.odds = self.odds[:]
        copy.points = self.points[:]
        copy.whips = self.whips[:]
        copy.phase = self.phase
        copy.waiting = self.waiting
        copy.hands = [hand[:] for hand in self.hands]
        copy.hand_colors = self.hand_colors[:]
        copy.spaces = self.spaces[:]
        copy.standing = self.standing[:]
        copy.leader = self.leader
        copy.order = self.order
        copy.trick = self.trick[:]
        copy.whip_at = self.whip_at
        copy.stacks = self.stacks
        copy.top_cards = self.top_cards
        copy.turned_up = self.turned_up
        copy.discards = self.discards[:]
        copy.discard_colors = self.discard_colors
        copy.dummy_discards = self.dummy_discards
        copy.tickets_up = self.tickets_up
        copy.tickets_down = self.tickets_down[:]
        copy.tickets_shown = self.tickets_shown
        copy.tricks = self.tricks
        copy.played = self.played
        copy.leaders = self.leaders
        copy.whips_at = self.whips_at
        copy.finishes = self.finishes
        copy.unplayed = self.unplayed
        copy.known = [known[:] for known in self.known]
        copy.engine_moves = self.engine_moves[:]
        copy.public = self.public
        return copy

    def redeal(self, seat: Seat, dice: Dice) -> Self:
        """See ``redeal`` for what is drawn, and why that is even."""
        return redeal(self, seat, dice)
