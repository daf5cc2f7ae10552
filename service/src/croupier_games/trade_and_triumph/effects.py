"""What effects do: each is compiled once, when its edition is loaded, into steps that change a state.

A program is a tuple of steps in reverse, so that it can be put on top of ``state.pending`` as it is: the engine
takes steps from its end, one by one. A step that needs a choice sets ``state.ask``, and everything waits until it is
answered. All effects are those of the turn's seat; what it has is looked up when the step runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ..kernel import Seat
from .cards import CITY, Card
from .choices import (
    Alternatives,
    Ask,
    AskDeck,
    AskDiscard,
    AskGain,
    AskOrder,
    AskRecover,
    AskSeat,
    AskSpend,
    AskTake,
    Phase,
    look,
)
from .deeds import NO_NEED, Need, draw, gain_resource, lose_resource, others, send_home, steal, vulnerable
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

if TYPE_CHECKING:
    from .state import State

Step = Callable[["State"], None]
Program = tuple[Step, ...]
"""Steps, the first one last."""


def compiled(effects: Effects) -> Program:
    """The program that a list of effects is; what lasts is no step of it."""
    steps: list[Step] = []
    for effect in effects:
        steps += _steps(effect)
    return tuple(reversed(steps))


def headed(card: Card, program: Program) -> Program:
    """The program of a card that nobody has played or used just now: whoever is asked is told which card it is."""
    return (*program, partial(_is_under_way, card)) if program else ()


def _is_under_way(card: Card, state: State) -> None:
    state.card = card


def need_of(effects: Effects) -> Need:
    """What a list of effects wants before it can begin."""
    gold, resource = NO_NEED
    for effect in effects[:2]:
        if isinstance(effect, Pay):
            gold = effect.amount
        elif isinstance(effect, Spend):
            resource = effect.resource
    need = Need(gold, resource)
    return NO_NEED if need == NO_NEED else need  # the very object: the rules ask for it


def _steps(effect: Effect) -> list[Step]:  # noqa: C901 - one line for each part of the vocabulary
    match effect:
        case Gold(amount, per, limit):
            return [_gold(amount, per, limit)]
        case Points(amount, per, limit):
            return [_points(amount, per, limit)]
        case Pay(amount):
            return [_gold(-amount, Per.ONCE, 0)]
        case Spend(resource):
            return [_asking(AskSpend()) if resource == ANY else partial(_resource, lose_resource, resource)]
        case Resource(resource):
            return [_asking(AskGain()) if resource == ANY else partial(_resource, gain_resource, resource)]
        case DrawCards(deck, count):
            step = _asking(AskDeck(Phase.DRAW_DECK, draw)) if deck == ANY else partial(_on_deck, draw, deck)
            return [step] * count
        case Extra(track, count):
            return [partial(_extra, track, count)]
        case Again():
            return [_again]
        case Steal(amount, each):
            return [_to_others(Threat.STEAL, partial(_steal, amount), each=each)]
        case MakeDiscard(count, each):
            return [_to_others(Threat.DISCARD, partial(_make_discard, count), each=each)]
        case SendHome(each):
            return [_to_others(Threat.SEND_HOME, send_home, each=each)]
        case Look(deck, count, insight):
            then = partial(_look, count, AskTake if insight is Insight.TAKE else AskOrder)
            return [_asking(AskDeck(Phase.LOOK_DECK, then)) if deck == ANY else partial(_on_deck, then, deck)]
        case Recover(deck):
            return [
                _asking(AskDeck(Phase.RECOVER_DECK, _recover)) if deck == ANY else partial(_on_deck, _recover, deck)
            ]
        case Change(price, amount):
            return [partial(_change, int(price), amount)]
        case Protect():
            return []
        case When(condition, do, otherwise):
            return [partial(_when, condition, compiled(do), compiled(otherwise))]
        case Either(options):
            return [_asking(Alternatives(tuple((need_of(option), compiled(option)) for option in options)))]


# Amounts.


def _gold(amount: int, per: Per, limit: int) -> Step:
    def step(state: State) -> None:
        state.gold[state.turn] += amount if per is Per.ONCE else _amount(state, amount, per, limit)

    return step


def _points(amount: int, per: Per, limit: int) -> Step:
    def step(state: State) -> None:
        state.points[state.turn] += amount if per is Per.ONCE else _amount(state, amount, per, limit)

    return step


def _amount(state: State, amount: int, per: Per, limit: int) -> int:
    total = amount * count(state, per)
    return min(total, limit) if limit else total


def count(state: State, per: Per) -> int:
    """How many there are of what an amount is multiplied by."""
    seat = state.turn
    if per is Per.SPACE:
        return state.walked
    if per is Per.ETERNAL:
        return len(state.eternals[seat])
    if per is Per.HIDDEN:
        return len(state.hidden[seat])
    held = state.resources[4 * seat : 4 * seat + 4]
    return sum(held) if per is Per.RESOURCE else sum(number > 0 for number in held)


# Single steps.


def _asking(ask: Ask) -> Step:
    return partial(_ask, ask)


def _ask(ask: Ask, state: State) -> None:
    state.ask = ask


def _on_deck(then: Callable[[State, int], None], deck: int, state: State) -> None:
    then(state, deck)


def _resource(then: Callable[[State, int], None], region: int, state: State) -> None:
    if region == TRAVELLED:
        region = state.travelled
    if region:
        then(state, region)


def _extra(track: int, number: int, state: State) -> None:
    state.left[track] += number


def _again(state: State) -> None:
    state.drawn = 0


def _change(price: int, amount: int, state: State) -> None:
    state.now[price] += amount


def _steal(amount: int, state: State, victim: Seat) -> None:
    steal(state, victim, amount)


def _make_discard(number: int, state: State, victim: Seat) -> None:
    state.ask = AskDiscard(victim, min(number, len(state.hands[victim])), Phase.DISCARD)


def _look(number: int, then: type[AskTake | AskOrder], state: State, deck: int) -> None:
    look(state, deck, number, then)


def _recover(state: State, deck: int) -> None:
    state.ask = AskRecover(deck)


def _to_others(threat: Threat, then: Callable[[State, Seat], None], *, each: bool) -> Step:
    return partial(_to_each, threat, then) if each else _asking(AskSeat(threat, then))


def _to_each(threat: Threat, then: Callable[[State, Seat], None], state: State) -> None:
    """One after the other, clockwise; on the stack they lie the other way round."""
    for victim in reversed(others(state, state.turn)):
        if vulnerable(state, victim, threat):
            state.pending.append(partial(_to_one, then, victim))


def _to_one(then: Callable[[State, Seat], None], victim: Seat, state: State) -> None:
    then(state, victim)


# Conditions.


def _when(condition: Condition, do: Program, otherwise: Program, state: State) -> None:
    state.pending += do if holds(state, condition) else otherwise


def holds(state: State, condition: Condition) -> bool:
    """Whether a condition holds for the turn's seat."""
    seat, value = state.turn, condition.value
    held = state.resources[4 * seat : 4 * seat + 4]
    match condition.test:
        case Test.TRAVELLED:
            return state.travelled == value
        case Test.REGION:
            return bool(state.edition.regions[state.spots[seat]] >> value & 1)
        case Test.AT:
            station = state.edition.station[state.spots[seat]]
            return station == CITY if value == 1 else station > CITY
        case Test.RESOURCE:
            return held[value - 1] > 0
        case Test.RESOURCES:
            return sum(held) >= value
        case Test.ETERNALS:
            return len(state.eternals[seat]) >= value
        case Test.BEHIND:
            return sum(points > state.points[seat] for points in state.points) >= value
