"""A game under way: everything that lies on, in or under the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, final

from .. import kernel
from ..kernel import Dice, Result, Seat
from . import rules
from .actions import Action, Play, TakeLead, TakeTrade, plays_of
from .cards import CARD_NAMES, NO_TRADE_CARD, SUITS, TRADE_CARD_NAMES, Card, TradeCard
from .rules import OFFERS, OVER, PLAY, Phase
from .scoring import score
from .view import Lying, Table, View, table_of


@final
class State(kernel.State[Action, View]):
    """A game under way. Read its parts freely; only ``apply`` changes them."""

    # In the order of __init__, which explains them.
    __slots__ = (
        *("seats", "rounds", "undealt", "trades"),
        *("round", "phase", "turn", "leader", "lead_taken_by", "hands", "placing", "front_row", "offers"),
        *("won", "values", "icons"),
        *("played", "leaders", "taken"),
        *("engine_moves", "public", "lying"),
    )

    def __init__(
        self, hands: Sequence[Sequence[Card]], trades: Sequence[TradeCard], undealt: Sequence[Card], leader: Seat
    ) -> None:
        """The start of a game.

        ``hands`` by seat, each ascending; ``trades`` row by row in the order in which they will be revealed, behind
        them those that are not used; ``undealt`` the trick cards that nobody gets.
        """
        # The deal.
        self.seats = len(hands)
        self.rounds = len(hands[0])
        self.undealt = tuple(undealt)
        self.trades = list(trades)
        """As given, and never changed, so that copies may share it; ``row`` looks up a row."""

        # The round.
        self.round = 1
        self.phase: Phase = PLAY
        self.turn = leader
        self.leader = leader
        self.lead_taken_by: Seat | None = None
        self.hands: list[dict[Card, Play]] = [plays_of(hand) for hand in hands]
        """By seat: the cards, ascending, each with the action that plays it."""
        self.placing: list[Seat] = []
        """Best first; empty while cards are being played."""
        self.front_row = self.row(0)
        """By place; ``NO_TRADE_CARD`` where one has been taken."""
        self.offers: dict[int, TakeTrade | TakeLead] = OFFERS[self.seats].copy()
        """What can still be taken in the round: places ascending, then ``LEAD``, each with the action that takes it."""

        # What came of it.
        self.won: list[Card] = []
        """The best card of each trick."""
        self.values = [0] * len(SUITS)
        """The value totals of the suits."""
        self.icons = [0] * (len(SUITS) * self.seats)
        """Icons held, flat by seat and suit."""

        # History.
        self.played: list[Card] = []
        """All cards played, trick by trick, each from its leader clockwise; this round's trick too."""
        self.leaders: list[Seat] = []
        """Of all earlier tricks."""
        self.taken = [NO_TRADE_CARD] * self.seats
        """The trade cards received, flat by round and seat; ``NO_TRADE_CARD`` where a seat waits for this round's."""

        # What others make of it.
        self.engine_moves: list[tuple[Seat, Action]] = []
        """Not drained yet."""
        self.public: Table | None = None
        """The public part of the views, until something changes."""
        self.lying: Lying | None = None
        """What views tell of all but the trick, until a card is won or taken."""

    # Deciding: the rules are this state's methods.

    legal_actions = rules.legal_actions
    check = rules.check
    apply = rules.apply

    def to_act(self) -> tuple[Seat, ...]:
        return () if self.phase is OVER else (self.turn,)

    def drain_engine_moves(self) -> list[tuple[Seat, Action]]:
        moves = self.engine_moves
        self.engine_moves = []
        return moves

    def result(self) -> Result | None:
        return score(self.values, self.icons) if self.phase is OVER else None

    # Looking.

    def view(self, seat: Seat) -> View:
        return View(self.table(), seat, tuple(self.hands[seat]))

    def public_view(self) -> View:
        return View(self.table(), None, ())

    def table(self) -> Table:
        """The public part of every view: the very same object until something changes."""
        if self.public is None:
            self.public = table_of(self)
        return self.public

    def shown(self, viewer: Seat | None, seat: Seat, action: Action) -> Action:
        """All actions are taken in the open."""
        return action

    @property
    def trick(self) -> list[Card]:
        """This round's trick as played, the leader's card first. It stays until the next round begins."""
        return self.played[self.seats * (self.round - 1) :]

    def row(self, index: int) -> list[TradeCard]:
        """The trade cards of one round, by place; rounds count from 0 here. Empty beyond the last round."""
        return self.trades[self.seats * index : self.seats * (index + 1)] if index < self.rounds else []

    def revealed(self) -> int:
        """How many of ``trades`` everyone has seen: all rows up to the back row."""
        return self.seats * min(self.round + 1, self.rounds)

    def seen_components(self) -> frozenset[str]:
        """The trick cards that were played and the trade cards that were revealed."""
        trade_cards = self.trades[: self.revealed()]
        return frozenset([CARD_NAMES[card] for card in self.played] + [TRADE_CARD_NAMES[kind] for kind in trade_cards])

    # Branching.

    def clone(self) -> Self:
        copy = object.__new__(type(self))
        copy.seats = self.seats
        copy.rounds = self.rounds
        copy.hands = [hand.copy() for hand in self.hands]
        copy.undealt = self.undealt
        copy.trades = self.trades
        copy.round = self.round
        copy.phase = self.phase
        copy.turn = self.turn
        copy.leader = self.leader
        copy.lead_taken_by = self.lead_taken_by
        copy.placing = self.placing[:]
        copy.front_row = self.front_row[:]
        copy.offers = self.offers.copy()
        copy.won = self.won[:]
        copy.values = self.values[:]
        copy.icons = self.icons[:]
        copy.played = self.played[:]
        copy.leaders = self.leaders[:]
        copy.taken = self.taken[:]
        copy.engine_moves = self.engine_moves[:]
        copy.public = self.public
        copy.lying = self.lying
        return copy

    def redeal(self, seat: Seat, dice: Dice) -> Self:
        """What the seat has not seen is shuffled and dealt again.

        Trick cards: the others' hands and the undealt ones; as any card may always be played, every split of them
        agrees with all that was seen. Trade cards: the pile and those that are not used.
        """
        copy = self.clone()
        others = [other for other in range(self.seats) if other != seat]
        unseen = dice.shuffled([*(card for other in others for card in self.hands[other]), *self.undealt])
        for other in others:
            size = len(self.hands[other])
            copy.hands[other] = plays_of(sorted(unseen[:size]))
            del unseen[:size]
        copy.undealt = tuple(unseen)
        revealed = self.revealed()
        copy.trades = self.trades[:revealed] + dice.shuffled(self.trades[revealed:])
        return copy
