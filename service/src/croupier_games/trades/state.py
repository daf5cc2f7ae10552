"""A game under way: everything that lies on the table, is held, or was agreed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, final

from .. import kernel
from ..kernel import Dice, Result, Seat, Seed
from . import redealing, rules
from .actions import Action, Decline, LastDeckTrade, face_down
from .cards import CARD_NAMES, PACK, Card
from .history import Dealt, DeckTraded, History, events_of
from .memory import Memory
from .rules import DECK_TRADES_EACH, FREE_FOR_ALL, OVER, TRADING, TURNS, Asked, Phase, Style, Task
from .scoring import score
from .trading import NOBODY, Declaration
from .view import Table, View, table_of, view_of


@final
class State(kernel.State[Action, View]):
    """A game under way. Read its parts freely; only ``apply`` and ``tick`` change them."""

    # In the order of __init__, which explains them.
    __slots__ = (
        *("seats", "packs", "style", "first", "turns", "time_limit_ms", "seed", "dealt"),
        *("phase", "turn", "now_ms", "hands", "deck", "put_by", "deck_trades", "received", "partners"),
        *("queue", "declared", "void_trades", "void_reasons", "last_asked", "last_chosen"),
        *("history", "memory", "public", "_asked", "_acting", "sets"),
    )

    def __init__(
        self,
        dealt: Dealt,
        *,
        packs: int,
        style: Style,
        first: Seat,
        turns: int | None,
        time_limit_ms: int | None,
        seed: Seed,
    ) -> None:
        """The start of a game.

        ``turns`` are those of all seats together, None in a free-for-all; ``seed`` is for the blind draws to come.
        """
        # The game.
        self.seats = seats = len(dealt.hands)
        self.packs = packs
        self.style = style
        self.first = first
        self.turns = turns
        self.time_limit_ms = time_limit_ms
        self.seed = seed
        self.dealt = dealt

        # The table.
        self.phase: Phase = TRADING
        self.turn = 0
        """Turns that are over."""
        self.now_ms = 0
        """The latest time that the game was told."""
        self.hands: list[list[Card]] = [[*hand] for hand in dealt.hands]
        """By seat, ascending: always seven, with what is set aside for a trade. Lists are replaced, never changed."""
        self.deck: list[Card] = [*dealt.deck]
        """The top is its end."""
        self.put_by: list[Seat | None] = [None] * len(self.deck)
        """Who has put each card of the deck there; None: it was there from the start."""
        self.deck_trades = [DECK_TRADES_EACH] * seats
        """How many each seat has left."""
        self.received: list[tuple[Card, ...]] = [*dealt.received]
        """By seat, the cards that came to it in its last trade, with a seat or the deck; ascending."""
        self.partners = [NOBODY] * seats
        """By seat, whom it last traded with."""

        # Declared trades.
        self.queue: list[Declaration] = []
        """Those that are not finished, by number."""
        self.declared = 0
        self.void_trades = [0] * seats
        """By seat, the number of its latest declaration that came to nothing; 0: none."""
        self.void_reasons = [0] * seats
        """Why: a ``VoidReason``."""

        # The last deck trades.
        self.last_asked: tuple[Seat, ...] = ()
        """Who may make one."""
        self.last_chosen: dict[Seat, Card] = {}
        """What they have chosen so far; ``FACE_DOWN``: to decline."""

        # What has been.
        self.history: History = None
        self.memory = Memory(seats, PACK * packs)
        for seat, hand in enumerate(self.hands):
            self.memory.deal(seat, hand)

        # Found once, until something changes.
        self.public: Table | None = None
        """The public part of the views."""
        self._asked: list[Asked] | None = None
        self._acting: tuple[Seat, ...] | None = None
        self.sets: dict[Seat, tuple[Declaration, Sequence[Action]]] = {}
        """By seat, what may be laid or given for which trade: it stays the same as long as the seat is asked for it."""

    # Deciding: the rules are this state's methods.

    legal_actions = rules.legal_actions
    check = rules.check
    apply = rules.apply
    tick = rules.tick
    deadline = rules.deadline

    def to_act(self) -> tuple[Seat, ...]:
        if self._acting is None:
            self._acting = tuple([seat for seat, (task, _) in enumerate(self.asked()) if task is not Task.NOTHING])
        return self._acting

    def may_wait(self, seat: Seat) -> bool:
        return self.style is FREE_FOR_ALL and self.asked()[seat][0] is Task.MOVE

    def result(self) -> Result | None:
        return score(self.hands) if self.phase is OVER else None

    def asked(self) -> list[Asked]:
        """What every seat is asked, by seat."""
        if self._asked is None:
            self._asked = rules.tasks(self)
        return self._asked

    def changed(self) -> None:
        """Something is about to change: forget what was found before."""
        self.public = None
        self._asked = None
        self._acting = None

    @property
    def by_turns(self) -> bool:
        """Whether seats declare in turn."""
        return self.style is TURNS

    def whose_turn(self) -> Seat:
        """Whose turn it is, in a game by turns."""
        return (self.first + self.turn) % self.seats

    # Looking.

    def view(self, seat: Seat) -> View:
        return view_of(self, seat)

    def public_view(self) -> View:
        return View(self.table(), None, (), (), (), (), (), ())

    def table(self) -> Table:
        """The public part of every view: the very same object until something changes."""
        if self.public is None:
            self.public = table_of(self)
        return self.public

    def shown(self, viewer: Seat | None, seat: Seat, action: Action) -> Action | None:
        """All may see what is done, and only the seat itself with which cards; of a last deck trade, nothing at all.

        Whoever receives the cards finds them in its view.
        """
        if viewer == seat:
            return action
        return None if isinstance(action, LastDeckTrade | Decline) else face_down(action)

    def seen_components(self) -> frozenset[str]:
        """The cards that have been in a hand."""
        drawn = [event.drawn for event in events_of(self.history) if isinstance(event, DeckTraded)]
        return frozenset(CARD_NAMES[card] for hand in (*self.dealt.hands, drawn) for card in hand)

    # Branching.

    def clone(self) -> Self:
        copy = object.__new__(type(self))
        copy.seats = self.seats
        copy.packs = self.packs
        copy.style = self.style
        copy.first = self.first
        copy.turns = self.turns
        copy.time_limit_ms = self.time_limit_ms
        copy.seed = self.seed
        copy.dealt = self.dealt
        copy.phase = self.phase
        copy.turn = self.turn
        copy.now_ms = self.now_ms
        copy.hands = self.hands[:]
        copy.deck = self.deck[:]
        copy.put_by = self.put_by[:]
        copy.deck_trades = self.deck_trades[:]
        copy.received = self.received[:]
        copy.partners = self.partners[:]
        copy.queue = self.queue[:]
        copy.declared = self.declared
        copy.void_trades = self.void_trades[:]
        copy.void_reasons = self.void_reasons[:]
        copy.last_asked = self.last_asked
        copy.last_chosen = self.last_chosen.copy()
        copy.history = self.history
        copy.memory = self.memory.clone()
        copy.public = self.public
        copy._asked = self._asked
        copy._acting = self._acting
        copy.sets = self.sets.copy()
        return copy

    def redeal(self, seat: Seat, dice: Dice) -> Self:
        """Another game, from its deal on, in which this seat has seen the same. ``redealing`` says how it is drawn."""
        copy = self.clone()
        redealing.redeal(copy, seat, dice)
        return copy


def hands_of(hands: Sequence[Sequence[Card]]) -> tuple[tuple[Card, ...], ...]:
    """Hands as a deal has them: ascending."""
    return tuple(tuple(sorted(hand)) for hand in hands)
