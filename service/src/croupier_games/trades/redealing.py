"""Re-deals: another game, from its deal to now, of which one seat has seen exactly the same.

What a seat cannot know is which cards the others were dealt, lie in the deck, and went to and fro between the others.
So a re-deal is a whole past drawn anew: another deal, other cards chosen wherever others chose, everything by the
rules, and from it the hands, the deck and what each of the others remembers. Who traded when, with whom and how many
cards, is the same: everybody knows that, and it does not depend on any card's face.

Take the past as it was. At any choice of another seat, two cards of that hand may change roles in all that comes after
if the viewer sees neither of them from there on (``forwards``), or in all that came before if it had seen neither of
them up to there (``backwards``): the viewer sees no difference, and all later or earlier choices stay as lawful as they
were. So may two cards that it has never seen, from the deal on. What of the choice itself becomes unlawful is drawn
again. Going through all choices forwards, backwards and forwards again, and shuffling at each of them the cards that
may change roles, draws anew every card that the viewer does not know.

What that guarantees, and what it does not:

* Every re-deal is a game that could have been: lawful from its deal on, with all in it that the viewer saw.
* Each shuffle is uniform over the pasts between which it chooses. So all together leave the uniform distribution over
  pasts as it is: over games that look alike to a seat, the re-deals of one are spread like the games themselves.
* As long as no card that the viewer has let out of its sight has come back to it, all pasts there are can be drawn, and
  whatever was true is forgotten: the re-deals of one game are even (measured on small cases, in the tests). A card that
  has come back took the same way in all re-deals as it really did; what else can be drawn is drawn around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ..kernel import Dice, Seat
from . import trading
from .cards import FACE_DOWN, Card
from .history import Dealt, DeckTraded, Event, History, Laid, Traded, events_of
from .memory import Memory
from .trading import leaves_some

if TYPE_CHECKING:
    from .state import State

ATTEMPTS = 20
"""How often a shuffle that breaks a rule is tried again, before all is left as it is."""

Cards: TypeAlias = tuple[Card, ...]
Choice: TypeAlias = tuple[Seat, Cards, Seat | None, Cards]
"""What a seat chose at an event, the seat it went to if it went to one, and what came back at once.

Of what a target gives, the half that is drawn blindly counts as chosen. Setting cards aside brings nothing back; and
where a declared trade is void, nothing is chosen at all.
"""
Pool: TypeAlias = tuple[Sequence[Card], Cards, list[int]]
"""What a seat chose from: its hand less what it had set aside; what it had received last; the choices bound by that.

By turns a choice is bound alone. In a free-for-all a seat may lay cards and, before that trade begins, give others.
"""
Labels: TypeAlias = list[Card]
"""The new face of each card, by its true number."""


def redeal(state: State, viewer: Seat, dice: Dice) -> None:
    """Make this copy of a game another one that the viewer cannot tell from it.

    Once the game is over nothing is drawn: the result tells everybody's total.
    """
    if state.result() is not None:
        return
    state.changed()
    events = events_of(state.history)
    past = Past(state.dealt, list(map(choice_of, events)))
    sights = Sights(state, viewer, events)
    for draw in (Past.forwards, Past.backwards, Past.forwards):
        past = draw(past, sights, dice)
    _replay(state, past, events)
    _choose_again(state, viewer, dice)
    state.seed = dice.seed()


def choice_of(event: Event) -> Choice:
    """What was chosen at an event."""
    match event:
        case Laid(declarer, _, laid):
            return declarer, laid, None, ()
        case Traded(declarer, target, _, offered, given):
            return target, given, declarer, offered
        case DeckTraded(seat, put, drawn):
            return seat, (put,), None, (drawn,)
        case _:
            return event.declarer, (), None, ()


class Sights:
    """When the viewer first and last saw each card: the number of the event, -1 for the deal."""

    def __init__(self, state: State, viewer: Seat, events: Sequence[Event]) -> None:
        self.viewer = viewer
        cards = len(state.deck) + sum(map(len, state.hands))
        self.first = [len(events) + 1] * (cards + 1)
        """By card; beyond the last event for cards that it has never seen."""
        self.last = [-2] * (cards + 1)
        """By card; -2 for cards that it has never seen."""
        self._see(state.dealt.hands[viewer], -1)
        for number, event in enumerate(events):
            match event:
                case Traded(declarer, target, _, offered, given) if viewer in (declarer, target):
                    self._see(offered + given, number)
                case DeckTraded(seat, put, drawn) if seat == viewer:
                    self._see((put, drawn), number)
        self._see(state.hands[viewer], len(events))

    def _see(self, seen: Sequence[Card], number: int) -> None:
        for card in seen:
            self.first[card] = min(self.first[card], number)
            self.last[card] = number


class Past:
    """A deal and what was chosen after it."""

    __slots__ = ("choices", "dealt")

    def __init__(self, dealt: Dealt, choices: Sequence[Choice]) -> None:
        self.dealt = dealt
        self.choices = choices

    def pools(self) -> list[Pool]:
        """At each choice, what it was made from."""
        hands = [[*hand] for hand in self.dealt.hands]
        laid: list[Cards] = [()] * len(hands)
        received = [*self.dealt.received]
        bound: list[list[int]] = [[] for _ in hands]
        pools: list[Pool] = []
        for number, (seat, chosen, other, coming) in enumerate(self.choices):
            hand, aside = hands[seat], laid[seat]
            pool = [card for card in hand if card not in aside] if aside else hand
            pools.append((pool, received[seat], bound[seat]))
            if chosen:
                bound[seat].append(number)
            if not coming:
                laid[seat] = chosen
                continue
            hands[seat] = [*[card for card in hand if card not in chosen], *coming]
            received[seat], bound[seat] = coming, []
            if other is not None:
                hands[other] = [*[card for card in hands[other] if card not in coming], *chosen]
                received[other], bound[other] = chosen, []
                laid[other] = ()
        return pools

    def backwards(self, sights: Sights, dice: Dice) -> Past:
        """From the last choice to the first, let cards that the viewer had not seen before change their pasts."""
        labels, first = self._labels(), sights.first
        pools, choices = self.pools(), [*self.choices]
        for number in range(len(choices) - 1, -1, -1):
            seat, chosen, other, coming = choices[number]
            choices[number] = (seat, _new(labels, chosen), other, _new(labels, coming))
            if chosen and seat != sights.viewer:
                pool, received, bound = pools[number]
                free = [card for card in pool if first[card] >= number]
                leaving = [choices[later][1] for later in bound if later >= number]
                before = _new(labels, free)
                for _ in range(ATTEMPTS):
                    _shuffle(labels, free, dice)
                    if _all_lawful(_new(labels, received), leaving):
                        break
                else:
                    _set(labels, free, before)
        return Past(_relabelled(self.dealt, labels), choices)

    def forwards(self, sights: Sights, dice: Dice) -> Past:
        """From the deal to the last choice, let cards that the viewer sees no more change their futures."""
        labels, last = self._labels(), sights.last
        pools, choices = self.pools(), [*self.choices]
        _shuffle(labels, [card for card in labels[1:] if last[card] < -1], dice)
        dealt = _relabelled(self.dealt, labels)
        received: list[Cards] = [*dealt.received]
        for number, (seat, chosen, other, coming) in enumerate(choices):
            if chosen and seat != sights.viewer:
                pool, _, bound = pools[number]
                free = [card for card in pool if last[card] < number]
                leaving = [choices[later][1] for later in bound if later >= number]
                before = _new(labels, free)
                for _ in range(ATTEMPTS):
                    _shuffle(labels, free, dice)
                    if _all_lawful(received[seat], [_new(labels, cards) for cards in leaving]):
                        break
                else:
                    _set(labels, free, before)
            leaving_now, arriving = _new(labels, chosen), _new(labels, coming)
            choices[number] = (seat, leaving_now, other, arriving)
            if coming:
                received[seat] = arriving
            if other is not None:
                received[other] = leaving_now
        return Past(dealt, choices)

    def _labels(self) -> Labels:
        return [FACE_DOWN, *sorted([*self.dealt.deck, *(card for hand in self.dealt.hands for card in hand)])]


def _new(labels: Labels, cards: Sequence[Card]) -> Cards:
    return tuple([labels[card] for card in cards])


def _all_lawful(received: Cards, leaving: Sequence[Cards]) -> bool:
    """Whether all choices bound by what was received leave something of it."""
    return all(leaves_some(received, cards) for cards in leaving)


def _shuffle(labels: Labels, free: Sequence[Card], dice: Dice) -> None:
    """Shuffle the labels of these cards among them."""
    shuffled = [*_new(labels, free)]
    dice.shuffle(shuffled)
    _set(labels, free, shuffled)


def _set(labels: Labels, cards: Sequence[Card], new: Sequence[Card]) -> None:
    for card, label in zip(cards, new, strict=True):
        labels[card] = label


def _relabelled(dealt: Dealt, labels: Labels) -> Dealt:
    """The same deal of other cards."""
    return Dealt(
        hands=tuple([_sorted(_new(labels, hand)) for hand in dealt.hands]),
        deck=_new(labels, dealt.deck),
        received=tuple([_sorted(_new(labels, cards)) for cards in dealt.received]),
    )


def _sorted(cards: Sequence[Card]) -> Cards:
    return tuple(sorted(cards))


# From a past to the game as it stands.


def _replay(state: State, past: Past, events: Sequence[Event]) -> None:
    """Give everybody the cards, and the memory, that this past has led to; ``events`` are those that really were."""
    state.dealt = past.dealt
    state.hands = [[*hand] for hand in past.dealt.hands]
    state.deck = [*past.dealt.deck]
    state.put_by = [None] * len(state.deck)
    state.received = [*past.dealt.received]
    state.memory = Memory(state.seats, len(state.deck) + sum(map(len, state.hands)))
    for seat, hand in enumerate(state.hands):
        state.memory.deal(seat, hand)
    history: History = None
    for (_, chosen, _, coming), event in zip(past.choices, events, strict=True):
        now = event
        match event:
            case Laid(declarer, number, _):
                now = Laid(declarer, number, _sorted(chosen))
            case Traded(declarer, target, number, _, _):
                now = Traded(declarer, target, number, _sorted(coming), _sorted(chosen))
                trading.exchange(state, now)
            case DeckTraded(seat, _, _):
                now = DeckTraded(seat, *chosen, *coming)
                trading.go_through_deck(state, now)
        history = (history, now)
    state.history = history


def _choose_again(state: State, viewer: Seat, dice: Dice) -> None:
    """What is not settled yet: cards that were laid or drawn, and last deck trades, of others than the viewer."""
    state.sets.clear()
    lays = [event for event in events_of(state.history) if isinstance(event, Laid)]
    by_number = {lay.number: lay.cards for lay in lays}
    latest = {lay.declarer: lay.cards for lay in lays}
    for place, old in enumerate(state.queue):
        trade = replace(old, laid=by_number.get(old.number, ()))
        if old.drawn and old.target != viewer:
            trade = replace(trade, aside=latest[old.target] if old.aside else (), drawn=())
            trade = replace(trade, drawn=trading.draw(state, trade, dice))
        state.queue[place] = trade
    for seat in state.last_chosen:
        if seat != viewer:
            lawful = [card for card in state.hands[seat] if leaves_some(state.received[seat], (card,))]
            state.last_chosen[seat] = dice.choice([*lawful, FACE_DOWN])
