"""Choices within effects. Each is a decision of its own, so that lists of legal actions stay short.

While one is open, ``state.ask`` says which: who is asked, what there is to choose from, and what the answer does. They
hold nothing that is hidden, so a re-deal may share them: what there is to choose from is looked up in the state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import insort
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

from ..kernel import Seat
from .actions import (
    DECK_CHOICES,
    DISCARDS,
    OPTION_CHOICES,
    PUT_BACKS,
    REGION_CHOICES,
    SEAT_CHOICES,
    TAKE_BACKS,
    TAKE_SEENS,
    Action,
    ChooseDeck,
    ChooseOption,
    ChooseRegion,
    ChooseSeat,
    Discard,
    PutBack,
    TakeBack,
    TakeSeen,
)
from .deeds import (
    Need,
    can_draw,
    discard,
    gain_resource,
    learn,
    lose_resource,
    met,
    others,
    renew,
    vulnerable,
)
from .vocabulary import Threat

if TYPE_CHECKING:
    from .state import State


class Phase(IntEnum):
    """What is being decided; numbered as in the contract."""

    TURN = 1
    """Anything that the turn allows."""
    STEAL = 2
    """From which seat to take gold."""
    MAKE_DISCARD = 3
    """Which seat is to discard."""
    SEND_HOME = 4
    """Whose trader is sent to the city."""
    GAIN_RESOURCE = 5
    """Which resource to gain."""
    SPEND_RESOURCE = 6
    """Which resource to return."""
    DRAW_DECK = 7
    """From which deck to draw."""
    LOOK_DECK = 8
    """At which deck to look."""
    RECOVER_DECK = 9
    """From which discard pile to take a card back."""
    RECOVER_CARD = 10
    """Which card to take back from the discard pile ``table.deck``."""
    TAKE_SEEN = 11
    """Which of the top cards of ``table.deck`` to take."""
    PUT_BACK = 12
    """Which of the top cards of ``table.deck`` is to be drawn next."""
    OPTION = 13
    """Which alternative of the card ``table.card`` is to happen."""
    DISCARD = 14
    """What to discard because of another seat."""
    HAND_LIMIT = 15
    """What to discard at the end of the turn."""
    OVER = 16
    """The game is over."""


class Ask(ABC):
    """An open choice. Asked only when others too can see that there is something to choose."""

    __slots__ = ()

    phase: Phase
    deck: int = 0
    """The deck that it is about, if any."""
    left: int = 1
    """How many answers are still wanted."""

    def seat(self, state: State) -> Seat:
        """Who is asked."""
        return state.turn

    @abstractmethod
    def options(self, state: State) -> Sequence[Action]:
        """What there is to choose from, in a stable order; empty: the effect comes to nothing."""

    def width(self, state: State) -> int:
        """How many things there are to choose from as far as everyone can tell; the engine answers below 2."""
        return len(self.options(state))

    @abstractmethod
    def answer(self, state: State, action: Action) -> None:
        """Do what was chosen; it is one of the options."""


class AskSeat(Ask):
    """Whom it concerns, among those who are vulnerable to it."""

    __slots__ = ("phase", "then", "threat")

    def __init__(self, threat: Threat, then: Callable[[State, Seat], None]) -> None:
        self.phase = _SEAT_PHASES[threat]
        self.threat = threat
        self.then = then

    def options(self, state: State) -> Sequence[Action]:
        return [
            SEAT_CHOICES[seat] for seat in sorted(others(state, state.turn)) if vulnerable(state, seat, self.threat)
        ]

    def answer(self, state: State, action: Action) -> None:
        assert isinstance(action, ChooseSeat)
        self.then(state, action.seat)


_SEAT_PHASES = {
    Threat.STEAL: Phase.STEAL,
    Threat.DISCARD: Phase.MAKE_DISCARD,
    Threat.SEND_HOME: Phase.SEND_HOME,
}


class AskGain(Ask):
    """Which resource to gain."""

    __slots__ = ()
    phase = Phase.GAIN_RESOURCE

    def options(self, state: State) -> Sequence[Action]:
        return REGION_CHOICES[1:]

    def answer(self, state: State, action: Action) -> None:
        assert isinstance(action, ChooseRegion)
        gain_resource(state, action.region)


class AskSpend(Ask):
    """Which of the resources held to return."""

    __slots__ = ()
    phase = Phase.SPEND_RESOURCE

    def options(self, state: State) -> Sequence[Action]:
        first = 4 * state.turn - 1
        return [REGION_CHOICES[region] for region in range(1, 5) if state.resources[first + region]]

    def answer(self, state: State, action: Action) -> None:
        assert isinstance(action, ChooseRegion)
        lose_resource(state, action.region)


class AskDeck(Ask):
    """Which deck it concerns."""

    __slots__ = ("phase", "then")

    def __init__(self, phase: Phase, then: Callable[[State, int], None]) -> None:
        self.phase = phase
        self.then = then

    def options(self, state: State) -> Sequence[Action]:
        if self.phase is Phase.RECOVER_DECK:
            return [DECK_CHOICES[deck] for deck in range(1, 4) if state.discards[deck]]
        return [DECK_CHOICES[deck] for deck in range(1, 4) if can_draw(state, deck)]

    def answer(self, state: State, action: Action) -> None:
        assert isinstance(action, ChooseDeck)
        self.then(state, action.deck)


class AskRecover(Ask):
    """Which card to take back from a discard pile. Everyone sees which."""

    __slots__ = ("deck",)
    phase = Phase.RECOVER_CARD

    def __init__(self, deck: int) -> None:
        self.deck = deck

    def options(self, state: State) -> Sequence[Action]:
        return [TAKE_BACKS[card] for card in sorted(set(state.discards[self.deck]))]

    def answer(self, state: State, action: Action) -> None:
        assert isinstance(action, TakeBack)
        state.discards[self.deck].remove(action.card)
        state.seen.add(action.card)
        insort(state.hands[state.turn], action.card)
        for viewer in others(state, state.turn):
            learn(state, viewer, state.turn, action.card)


class AskTake(Ask):
    """Which of the cards looked at to take. The others stay as they are."""

    __slots__ = ("count", "deck")
    phase = Phase.TAKE_SEEN

    def __init__(self, deck: int, count: int) -> None:
        self.deck = deck
        self.count = count

    def options(self, state: State) -> Sequence[Action]:
        return [TAKE_SEENS[card] for card in sorted(set(state.decks[self.deck][-self.count :]))]

    def width(self, state: State) -> int:
        return self.count

    def answer(self, state: State, action: Action) -> None:
        assert isinstance(action, TakeSeen)
        cards = state.decks[self.deck]
        place = len(cards) - 1
        while cards[place] != action.card:  # of two copies the upper one
            place -= 1
        insort(state.hands[state.turn], cards.pop(place))
        state.tops[4 * state.turn + self.deck] -= 1


class AskOrder(Ask):
    """Which of the cards looked at is to be drawn next, and which after it, until one is left."""

    __slots__ = ("count", "deck", "left", "placed")
    phase = Phase.PUT_BACK

    def __init__(self, deck: int, count: int, placed: int = 0) -> None:
        self.deck = deck
        self.count = count
        self.placed = placed
        self.left = count - placed - 1

    def options(self, state: State) -> Sequence[Action]:
        cards = state.decks[self.deck]
        return [PUT_BACKS[card] for card in sorted(set(cards[len(cards) - self.count : len(cards) - self.placed]))]

    def width(self, state: State) -> int:
        return self.count - self.placed

    def answer(self, state: State, action: Action) -> None:
        assert isinstance(action, PutBack)
        cards = state.decks[self.deck]
        place = len(cards) - self.placed - 1
        while cards[place] != action.card:
            place -= 1
        cards.insert(len(cards) - self.placed - 1, cards.pop(place))
        if self.left > 1:
            state.ask = AskOrder(self.deck, self.count, self.placed + 1)


class AskDiscard(Ask):
    """What to discard, card by card."""

    __slots__ = ("left", "phase", "who")

    def __init__(self, who: Seat, left: int, phase: Phase) -> None:
        self.who = who
        self.left = left
        self.phase = phase

    def seat(self, state: State) -> Seat:
        return self.who

    def options(self, state: State) -> Sequence[Action]:
        return [DISCARDS[card] for card in sorted(set(state.hands[self.who]))]

    def width(self, state: State) -> int:
        size = len(state.hands[self.who])
        return size if size > self.left else min(size, 1)

    def answer(self, state: State, action: Action) -> None:
        assert isinstance(action, Discard)
        discard(state, self.who, action.card)
        if self.left > 1:
            state.ask = AskDiscard(self.who, self.left - 1, self.phase)


class Alternatives(Ask):
    """Which of a card's alternatives is to happen, among those whose needs can be met."""

    __slots__ = ("alternatives",)
    phase = Phase.OPTION

    def __init__(self, alternatives: tuple[tuple[Need, tuple[Callable[[State], None], ...]], ...]) -> None:
        self.alternatives = alternatives

    def options(self, state: State) -> Sequence[Action]:
        gold = state.gold[state.turn]
        return [OPTION_CHOICES[place] for place, (need, _) in enumerate(self.alternatives) if met(state, need, gold)]

    def answer(self, state: State, action: Action) -> None:
        assert isinstance(action, ChooseOption)
        state.pending += self.alternatives[action.option][1]


def look(state: State, deck: int, count: int, then: type[AskTake | AskOrder]) -> None:
    """The turn's seat looks at the top of a deck, and is asked what to do with it.

    What others knew of this deck's top is void from now on: it may be changed without their seeing how.
    """
    renew(state, deck)
    count = min(count, len(state.decks[deck]))
    if not count:
        return
    state.insight = True
    for viewer in others(state, state.turn):
        state.tops[4 * viewer + deck] = 0
    place = 4 * state.turn + deck
    state.tops[place] = max(state.tops[place], count)
    state.ask = then(deck, count)
