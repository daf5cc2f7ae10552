"""High Card with one defect each, named after it: what the conformance suite must find.

``DEFECTS`` has each of them with the check that must refuse it, and words of the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NamedTuple

from toy import Guess, HighCard, HighCardState, Lay, Options, Phase, View

from croupier_games.kernel import Game, IllegalAction, OptionError, Result, TieBreak, rank
from croupier_games.kernel.conformance import (
    Trial,
    check_clone,
    check_declaration,
    check_determinism,
    check_forfeits,
    check_hash_seed,
    check_legality,
    check_notation,
    check_records,
    check_redeal,
    check_results,
    check_secrets,
    check_turns,
    check_views,
)

Check = Callable[[Trial], None]
DEFECTS: list[tuple[Check, Game, str]] = []


def found_by(check: Check, words: str):
    """Put a broken game, or a game with this broken state, on the list."""

    def enlist(broken):
        game = broken
        if issubclass(broken, HighCardState):
            game = type(broken.__name__, (HighCard,), {"__module__": __name__, "state_type": broken})
        DEFECTS.append((check, game(), words))
        return broken

    return enlist


# ----------------------------------------------------------------------------------------------- what it says of itself


@found_by(check_declaration, "the name 'High Card' is not in lower case")
class Name(HighCard):
    name = "High Card"


@found_by(check_declaration, "it has no title")
class Title(HighCard):
    title = ""


@found_by(check_declaration, "the rules version 0 is not")
class Version(HighCard):
    rules_version = 0


@found_by(check_declaration, "the seat range (2, 3) is not a range")
class SeatTuple(HighCard):
    seat_range = (2, 3)


@found_by(check_declaration, "the seat range is empty")
class NoSeats(HighCard):
    seat_range = range(2, 2)


@found_by(check_declaration, "it deals for 1 seats")
class AnySeats(HighCard):
    def deal(self, seats, options, seed):
        return self._deal(seats, options, seed)


@found_by(check_declaration, "names 'chairs' as wrong")
class WrongField(HighCard):
    def deal(self, seats, options, seed):
        if seats not in self.seat_range:
            raise OptionError("chairs", "wrong")
        return self._deal(seats, options, seed)


@dataclass
class LooseOptions:
    hand: int = 3
    bell_ms: int | None = 1000


@found_by(check_declaration, "is not a frozen dataclass")
class MutableOptions(HighCard):
    options_type = LooseOptions


@dataclass(frozen=True)
class NoDefault:
    hand: int
    bell_ms: int | None = 1000


@found_by(check_declaration, "the option hand has no default")
class OptionWithoutDefault(HighCard):
    options_type = NoDefault

    def options(self, values=None):
        return NoDefault(3) if not values else super().options(values)


@dataclass(frozen=True)
class Motto(Options):
    motto: str = " two\nlines"


@found_by(check_declaration, "cannot stand on one line")
class OptionOfTwoLines(HighCard):
    options_type = Motto

    def options(self, values=None):
        return Motto(motto="three\nlines") if values is None else super().options(values)


@found_by(check_declaration, "accepts an option that does not exist")
class AnyOption(HighCard):
    def options(self, values=None):
        return Options()


@found_by(check_declaration, "components() is not a frozenset")
class ComponentList(HighCard):
    def components(self):
        return ["1", "2"]


# ----------------------------------------------------------------------------------------------------------- whose turn


@found_by(check_turns, "is not to act, but has legal actions")
class ActsOffTurn(HighCardState):
    def legal_actions(self, seat):
        return [Lay(card) for card in self.hands[seat]] if self.phase is Phase.LAYING else super().legal_actions(seat)


@found_by(check_turns, "is not to act, but may wait")
class WaitsOffTurn(HighCardState):
    def may_wait(self, seat):
        return self.phase is Phase.BELL


@found_by(check_turns, "has no legal action")
class AskedForNothing(HighCardState):
    def to_act(self):
        return super().to_act() or ((0,) if self.phase is Phase.PAUSE else ())


@found_by(check_turns, "is offered Guess(high=False) twice")
class Duplicates(HighCardState):
    def legal_actions(self, seat):
        legal = super().legal_actions(seat)
        return legal + legal[:1] if self.phase is Phase.BELL else legal


@found_by(check_turns, "150 legal actions, more than")
class LongList(HighCard):
    def options(self, values=None):
        return Options(hand=150)


@found_by(check_turns, "in another order when asked again")
class RestlessOrder(HighCardState):
    asked = count()

    def legal_actions(self, seat):
        return super().legal_actions(seat)[:: 1 if next(self.asked) % 2 else -1]


@found_by(check_turns, "the game is over, but seats (0,) are to act")
class NeverRests(HighCardState):
    def to_act(self):
        return super().to_act() or ((0,) if self.phase is Phase.OVER else ())


@found_by(check_turns, "the game is over, but has a deadline")
class StillTicking(HighCardState):
    def deadline(self):
        return 10**9 if self.phase is Phase.OVER else self.closes_ms


@found_by(check_turns, "nobody is to act and it has no deadline")
class Sleeps(HighCardState):
    def deadline(self):
        return None if self.phase is Phase.PAUSE else self.closes_ms


@found_by(check_turns, "the deadline is")
class DeadlineInThePast(HighCardState):
    def deadline(self):
        return 1 if self.phase is Phase.PAUSE else self.closes_ms


@found_by(check_turns, "is not a tuple of different seats")
class TwiceToAct(HighCardState):
    def to_act(self):
        return super().to_act() * 2


@found_by(check_turns, "do not exist")
class Stranger(HighCardState):
    def to_act(self):
        return (*super().to_act(), 9) if self.phase is Phase.LAYING else super().to_act()

    def is_asked(self, seat):
        return super().is_asked(seat % self.seats)

    def legal_actions(self, seat):
        return super().legal_actions(seat % self.seats)


@found_by(check_turns, "but its open decision changed when seat")
class DecisionUnderWay(HighCardState):
    def legal_actions(self, seat):
        legal = super().legal_actions(seat)
        return legal[::-1] if any(self.laid) else legal


@found_by(check_turns, "reported a second time")
class EngineRepeats(HighCardState):
    def drain_engine_moves(self):
        return list(self.moved)


@found_by(check_turns, "moves of nobody")
class EngineMovesOfNobody(HighCardState):
    def drain_engine_moves(self):
        return [("dummy", action) for _, action in super().drain_engine_moves()]


@found_by(check_turns, "says that it has 0 seats")
class ForgetsSeats(HighCard):
    def _deal(self, seats, options, seed):
        state = super()._deal(seats, options, seed)
        state.seats = 0
        return state


# -------------------------------------------------------------------------------------------------------- what is legal


@found_by(check_legality, "is not listed, but check lets it pass")
class ChecksNothing(HighCardState):
    def check(self, seat, action):
        pass


@found_by(check_legality, "is not listed, but apply lets it pass")
class AppliesAnything(HighCardState):
    def apply(self, seat, action):
        if isinstance(action, Lay) and action.card in self.hands[seat] and self.phase is Phase.LAYING:
            self.do(seat, action)
            self.go_on()
        elif isinstance(action, Guess):
            self.guesses[seat] = action.high
            self.go_on()
        else:
            self.check(seat, action)


@found_by(check_legality, "is listed, but check says")
class ChecksTooMuch(HighCardState):
    def check(self, seat, action):
        super().check(seat, action)
        if isinstance(action, Guess) and action.high:
            raise IllegalAction("guess.low", "guess low")

    def apply(self, seat, action):
        super().check(seat, action)
        self.do(seat, action)
        self.go_on()


@found_by(check_legality, "is listed, but apply says")
class AppliesTooLittle(HighCardState):
    def apply(self, seat, action):
        if action == Guess(high=True):
            raise IllegalAction("guess.low", "guess low")
        super().apply(seat, action)


@found_by(check_legality, "was refused, but changed the state")
class ChangesBeforeItChecks(HighCardState):
    def apply(self, seat, action):
        self.points[seat] += 1
        super().apply(seat, action)
        self.points[seat] -= 1


@found_by(check_legality, "it reports engine moves")
class MovesBeforeItChecks(HighCardState):
    def apply(self, seat, action):
        self.moved.append((seat, action))
        super().apply(seat, action)


@found_by(check_legality, "check changed the state")
class CheckLeavesTraces(HighCardState):
    def check(self, seat, action):
        super().check(seat, action)
        self.points[seat] += 1


@found_by(check_legality, "without a rule's name")
class NamesNoRule(HighCardState):
    def check(self, seat, action):
        try:
            super().check(seat, action)
        except IllegalAction as error:
            raise IllegalAction("", str(error)) from None


# ----------------------------------------------------------------------------------------------- how it is written down


@found_by(check_notation, "raises ValueError: not enough values")
class ParseStumbles(HighCard):
    def parse(self, text):
        kind, what = text.split(" ", 1)
        return super().parse(f"{kind} {what}")


@found_by(check_notation, "though it says more")
class ParsesTheBeginning(HighCard):
    def parse(self, text):
        return super().parse(" ".join(text.split(" ")[:2]))


@found_by(check_notation, "is read as")
class NotationForgets(HighCard):
    def notation(self, action):
        return "guess high" if isinstance(action, Guess) else super().notation(action)


@found_by(check_notation, "not words on one line")
class NotationOfTwoLines(HighCard):
    def notation(self, action):
        return super().notation(action).replace(" ", "\n")

    def parse(self, text):
        return super().parse(text.replace("\n", " "))


@found_by(check_notation, "means something else in a record")
class NotationReserved(HighCard):
    def notation(self, action):
        return "vacate" if action == Guess(high=True) else super().notation(action)

    def parse(self, text):
        return Guess(high=True) if text == "vacate" else super().parse(text)


@found_by(check_notation, "'no such action' is read as")
class ParsesAnything(HighCard):
    def parse(self, text):
        return Guess(high=True) if text == "no such action" else super().parse(text)


@dataclass(unsafe_hash=True)
class LooseGuess:
    high: bool


@found_by(check_notation, "LooseGuess is a LooseGuess, which is a dataclass but not frozen")
class MutableActions(HighCardState):
    def legal_actions(self, seat):
        return [
            LooseGuess(action.high) if isinstance(action, Guess) else action for action in super().legal_actions(seat)
        ]


class TupleGuess(NamedTuple):
    high: bool


@found_by(check_notation, "is not a frozen dataclass")
class TupleActions(HighCardState):
    def legal_actions(self, seat):
        return [
            TupleGuess(action.high) if isinstance(action, Guess) else action for action in super().legal_actions(seat)
        ]


# --------------------------------------------------------------------------------------------------------- what is seen


@found_by(check_views, "is a list; use frozen")
class ListInView(HighCardState):
    def view(self, seat):
        return replace(super().view(seat), hand=list(self.hands[seat]))


@found_by(check_views, "is a set; use frozen")
class SetInView(HighCardState):
    def view(self, seat):
        return replace(super().view(seat), hand=set(self.hands[seat]))


@found_by(check_views, "is a float; use frozen")
class FloatInView(HighCardState):
    def public_view(self):
        return replace(super().public_view(), points=tuple(map(float, self.points)))


@dataclass
class MutableView:
    hand: tuple[int, ...]

    def __hash__(self):
        return 0


@found_by(check_views, "a dataclass but not frozen")
class ThawedView(HighCardState):
    def view(self, seat):
        return MutableView(tuple(self.hands[seat]))


@dataclass(frozen=True)
class BlindView(View):
    extra: int = field(default=0, compare=False)


@found_by(check_views, "whose comparison ignores extra")
class UncomparedView(HighCardState):
    def view(self, seat):
        return BlindView(*(getattr(super(UncomparedView, self).view(seat), name) for name in View.__slots__))


@found_by(check_views, "is a tuple, not a frozen dataclass")
class TupleView(HighCardState):
    def view(self, seat):
        return tuple(self.hands[seat])


@found_by(check_views, "asked a second time, the state answers otherwise")
class RestlessView(HighCardState):
    asked = count()

    def view(self, seat):
        return replace(super().view(seat), laid=next(self.asked))


# -------------------------------------------------------------------------------------------------------------- secrets


@found_by(check_secrets, "while others have still to choose, seat")
class ShowsPendingCards(HighCardState):
    def view(self, seat):
        return replace(super().view(seat), laid=sum(self.laid))


@found_by(check_secrets, "while others have still to choose, spectators can tell")
class ShowsSpectatorsPendingCards(HighCardState):
    def public_view(self):
        return replace(super().public_view(), laid=sum(self.laid))


@found_by(check_secrets, "while others have still to choose, seat")
class OrdersByPendingCards(HighCardState):
    def legal_actions(self, seat):
        return sorted(super().legal_actions(seat), key=lambda action: hash(action) * (1 if sum(self.laid) % 2 else -1))


@found_by(check_secrets, "while others have still to choose, seat")
class ShowsGuesses(HighCardState):
    def view(self, seat):
        return replace(super().view(seat), guess=next((guess for guess in self.guesses if guess is not None), None))


@found_by(check_secrets, "is not shown to seat")
class HidesOwnActions(HighCardState):
    def shown(self, viewer, seat, action):
        return None


@found_by(check_secrets, "is shown to spectators, but not to seat")
class SpectatorsKnowMore(HighCardState):
    def shown(self, viewer, seat, action):
        return action if viewer in (None, seat) else None


# --------------------------------------------------------------------------------------------------------- other states


@found_by(check_clone, "playing on with a clone changed the original")
class ClonesShareHands(HighCardState):
    def clone(self):
        copy = super().clone()
        copy.hands = self.hands
        return copy


@found_by(check_clone, "changed the original")
class ClonesShareRounds(HighCardState):
    def clone(self):
        copy = super().clone()
        copy.rounds = self.rounds
        return copy


@found_by(check_clone, "a clone differs from its original")
class ClonesForget(HighCardState):
    def clone(self):
        copy = super().clone()
        copy.points = [0] * self.seats
        return copy


@found_by(check_clone, "played alike, end differently")
class ClonesShuffle(HighCardState):
    def clone(self):
        copy = super().clone()
        copy.rest = copy.rest[::-1] if self.phase is not Phase.OVER else copy.rest
        return copy


@found_by(check_clone, "the original reports engine moves of its clone")
class ClonesShareEngineMoves(HighCardState):
    def clone(self):
        copy = super().clone()
        copy.moved = self.moved
        return copy


@found_by(check_redeal, "no re-deal ever changed anything")
class Peeks(HighCardState):
    def redeal(self, seat, dice):
        return self.clone()


@found_by(check_redeal, "can tell a re-deal from the game: view.laid")
class LeaksHands(HighCardState):
    def view(self, seat):
        return replace(super().view(seat), laid=sum(map(sum, self.hands)))


@found_by(check_redeal, "can tell a re-deal from the game: public_view.laid")
class LeaksToSpectators(HighCardState):
    def public_view(self):
        return replace(super().public_view(), laid=self.rest[0])


@found_by(check_redeal, "can tell a re-deal from the game: legal_actions")
class LeaksByOrder(HighCardState):
    def legal_actions(self, seat):
        return super().legal_actions(seat)[:: 1 if self.rest[0] % 2 else -1]


@found_by(check_redeal, "is refused for")
class LeaksByRefusal(HighCardState):
    def check(self, seat, action):
        try:
            super().check(seat, action)
        except IllegalAction as error:
            owner = next(
                (s for s, hand in enumerate(self.hands) if isinstance(action, Lay) and action.card in hand), None
            )
            raise IllegalAction(error.rule, f"seat {owner} holds it") from None


@found_by(check_redeal, "describe() tells what is hidden")
class LeaksInDescription(HighCard):
    def describe(self, state):
        return f"the prize is {state.rest[0]}"


@found_by(check_redeal, "it cannot be played to its end: IndexError")
class RedealsLooseCards(HighCardState):
    def redeal(self, seat, dice):
        other = super().redeal(seat, dice)
        rival = (seat + 1) % self.seats
        other.hands[rival] = other.hands[rival][1:]
        return other


@found_by(check_redeal, "two re-deals by the same dice differ")
class RedealsAtWhim(HighCardState):
    redeals = count()

    def redeal(self, seat, dice):
        for _ in range(next(self.redeals)):
            dice.word()
        return super().redeal(seat, dice)


@found_by(check_redeal, "changed the state it was made from")
class RedealsTheOriginal(HighCardState):
    def redeal(self, seat, dice):
        other = super().redeal(seat, dice)
        self.hands = [hand.copy() for hand in other.hands]
        return other


@found_by(check_redeal, "can tell a re-deal of the re-deal, played on, from it: view.points")
class RedealsTheResult(HighCardState):
    def redeal(self, seat, dice):
        other = super().redeal(seat, dice)
        if self.phase is Phase.OVER:
            other.points[0] += 1
        return other


# ------------------------------------------------------------------------------------------------------- the same again


@found_by(check_determinism, "the same seed gives two games")
class DealsAtWhim(HighCard):
    deals = count()

    def _deal(self, seats, options, seed):
        state = super()._deal(seats, options, seed)
        state.hands.append(state.hands.pop(next(self.deals) % 2))
        return state


@found_by(check_determinism, "goes otherwise when questions are asked")
class ShownLeavesTraces(HighCardState):
    def shown(self, viewer, seat, action):
        self.rest.reverse()
        self.points[0] += 1
        return super().shown(viewer, seat, action)


@found_by(check_determinism, "goes otherwise when questions are asked")
class RedealLeavesTraces(HighCardState):
    def redeal(self, seat, dice):
        self.best[0] = 99
        return super().redeal(seat, dice)


@found_by(check_records, "the record replays to")
class DealsInTurns(HighCard):
    deals = count()

    def _deal(self, seats, options, seed):
        state = super()._deal(seats, options, seed)
        state.points[0] = next(self.deals)
        return state


@found_by(check_records, "the plain record is read back otherwise")
class RecordsForget(HighCard):
    def parse(self, text):
        return Guess(high=True) if text == "guess low" else super().parse(text)


@found_by(check_hash_seed, "different games in different processes")
class OrdersBySet(HighCardState):
    def legal_actions(self, seat):
        by_name = (
            {f"card {action.card}": action for action in super().legal_actions(seat)}
            if self.phase is Phase.LAYING
            else {}
        )
        return [by_name[name] for name in set(by_name)] or super().legal_actions(seat)


ORDERS_BY_SET = DEFECTS[-1][1]  # an address for the processes that check_hash_seed starts


# -------------------------------------------------------------------------------------------------------------- results


def result_of(make: Callable[[Result], Result]) -> type[HighCardState]:
    class Broken(HighCardState):
        def result(self):
            result = super().result()
            return None if result is None else make(result)

    return Broken


@found_by(check_results, "by its points and tie-breaks it is")
class PlacesUpsideDown(result_of(lambda r: replace(r, placings=tuple(5 - placing for placing in r.placings)))):
    pass


@found_by(check_results, "is not what rank() gives: decided_by")
class DecidesByNothing(result_of(lambda r: replace(r, decided_by=("",) * len(r.points)))):
    pass


@found_by(check_results, "the game forfeits a seat")
class Forfeits(result_of(lambda r: rank(r.points, r.tie_breaks, forfeited=frozenset({0})))):
    pass


@found_by(check_results, "does not have 3 values of each kind")
class ShortResult(result_of(lambda r: replace(r, decided_by=r.decided_by[1:]))):
    pass


@found_by(check_results, "does not have 3 values of each kind")
class ShortTieBreak(result_of(lambda r: replace(r, tie_breaks=(TieBreak("odd", (1,)),)))):
    pass


@found_by(check_results, "is a float")
class FloatResult(result_of(lambda r: rank([float(points) for points in r.points], r.tie_breaks))):
    pass


@found_by(check_forfeits, "nobody is to act and it has no deadline")
class BellNeedsEverybody(HighCardState):
    """All who may wait will guess in the end, unless one of them has gone."""

    def open_bell(self):
        self.phase = Phase.BELL


@found_by(check_forfeits, "vacated seats are not placed last")
class KeepsPlacings(HighCardState):
    def result(self):
        result = super().result()
        return result and Stubborn(**{name: getattr(result, name) for name in Result.__slots__})


@dataclass(frozen=True)
class Stubborn(Result):
    def with_forfeits(self, seats):
        return self


@found_by(check_forfeits, "does not verify")
class SubstitutesAtWhim(HighCard):
    """Substitutes draw from the legal actions, which are in another order in every other game."""

    deals = count()

    def _deal(self, seats, options, seed):
        state = super()._deal(seats, options, seed)
        if next(self.deals) % 2:
            state.hands.reverse()
        return state
