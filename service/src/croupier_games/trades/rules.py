"""The rules: who may do what, and what happens then.

Three doors lead in: ``check`` and ``apply`` for decisions, ``tick`` for time. A game goes through these phases:

1. ``TRADING``    By turns, or all at once: trades are declared and carried out, cards are exchanged with the deck.
2. ``FINISHING``  Time is over while trades that have begun are being finished.
3. ``LAST``       Seats that have saved a deck trade may make one, all at the same time and in secret.
4. ``OVER``

What each seat is asked at the moment is its ``Task``; ``tasks`` finds them all. Trades are carried out in ``trading``.
All of this reads and changes a ``State``, whose parts are explained there.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, TypeAlias

from ..kernel import IllegalAction, MalformedAction, Seat
from . import trading
from .actions import (
    DECK_TRADES,
    DECLARES,
    DECLINE,
    LAST_DECK_TRADES,
    PASS,
    Action,
    DeckTrade,
    Declare,
    Decline,
    Give,
    LastDeckTrade,
    Offer,
    Pass,
)
from .cards import CARD_NAMES, FACE_DOWN, Card, names
from .trading import TIME, Declaration, have_just_traded, leaves_some

if TYPE_CHECKING:
    from .state import State

DECK_TRADES_EACH = 3
STRIKES = 10
"""How often a game with a time limit is told the time: at each tenth of it."""


class Style(IntEnum):
    """How trades are declared; numbered as in the contract."""

    TURNS = 1
    FREE_FOR_ALL = 2


class Phase(IntEnum):
    """What is going on; numbered as in the contract."""

    TRADING = 1
    FINISHING = 2
    LAST = 3
    OVER = 4


TURNS, FREE_FOR_ALL = Style
TRADING, FINISHING, LAST, OVER = Phase


class Task(Enum):
    """What a seat is asked."""

    NOTHING = 0
    MOVE = 1
    """Its turn; or, in a free-for-all, what it may do at any time or never."""
    LAY = 2
    """The cards for the trade that it has declared."""
    GIVE = 3
    """The cards that it gives as a target, with those that were drawn."""
    LAST = 4
    """Its last deck trade."""


Asked: TypeAlias = tuple[Task, Declaration | None]
"""What a seat is asked, and about which trade."""

_NOTHING: Asked = (Task.NOTHING, None)
_MOVE: Asked = (Task.MOVE, None)
_LAST: Asked = (Task.LAST, None)


def tasks(state: State) -> list[Asked]:
    """What every seat is asked, by seat.

    A seat that is choosing cards to lay is not asked for cards to give: trades with it as a target wait for that.
    """
    asked = [_NOTHING] * state.seats
    if state.phase is LAST:
        for seat in state.last_asked:
            if seat not in state.last_chosen:
                asked[seat] = _LAST
        return asked
    if state.phase is TRADING:
        if state.style is FREE_FOR_ALL:
            asked = [_MOVE] * state.seats
        elif not state.queue:
            asked[state.whose_turn()] = _MOVE
    for declaration in state.queue:
        asked[declaration.declarer] = _NOTHING if declaration.laid else (Task.LAY, declaration)
    for declaration in state.queue:
        if declaration.drawn:
            asked[declaration.target] = (Task.GIVE, declaration)
    return asked


# The doors.


def legal_actions(state: State, seat: Seat) -> Sequence[Action]:
    """What the seat may do; empty when it is asked nothing.

    Targets ascending, then cards ascending, then to pass or to decline; or sets of cards, the smallest first.
    """
    task, declaration = state.asked()[seat]
    if task is Task.NOTHING:
        return ()
    if declaration is None:
        return _moves(state, seat) if task is Task.MOVE else _last_moves(state, seat)
    about, sets = state.sets.get(seat, (None, ()))
    if about is not declaration:
        sets = (trading.offers if task is Task.LAY else trading.completions)(state, declaration)
        state.sets[seat] = declaration, sets
    return sets


def check(state: State, seat: Seat, action: Action) -> None:
    """Raise IllegalAction, naming the rule, unless the seat may do this now. Raises MalformedAction for nonsense."""
    match action:
        case Declare(target):
            check_declare(state, seat, target)
        case Offer(cards):
            check_offer(state, seat, cards)
        case DeckTrade(card):
            check_deck_trade(state, seat, card)
        case Pass():
            check_pass(state, seat)
        case Give(cards):
            check_give(state, seat, cards)
        case LastDeckTrade(card):
            check_last_deck_trade(state, seat, card)
        case Decline():
            _require(state, seat, Task.LAST, "decline.phase")
        case _:
            raise MalformedAction(f"{action!r} is no action of Trades")


def apply(state: State, seat: Seat, action: Action) -> None:
    """Decide. Raises as ``check`` does, and then nothing has changed."""
    check(state, seat, action)
    declaration = state.asked()[seat][1]
    state.changed()
    match action:
        case Declare(target):
            trading.declare(state, seat, target)
        case Offer(cards):
            assert declaration is not None
            trading.lay(state, declaration, cards)
        case Give(cards):
            assert declaration is not None
            trading.finish(state, declaration, cards)
            go_on(state)
        case DeckTrade(card):
            trading.trade_with_deck(state, seat, card)
            go_on(state)
        case Pass():
            go_on(state)
        case LastDeckTrade(card):
            choose_last(state, seat, card)
        case Decline():
            choose_last(state, seat, FACE_DOWN)


def tick(state: State, now_ms: int) -> None:
    """Tell the time. When it is over, trades that have begun go on, all others are void."""
    state.now_ms = now_ms
    state.changed()
    if state.phase is TRADING and state.time_limit_ms is not None and now_ms >= state.time_limit_ms:
        for declaration in list(state.queue):
            if not declaration.drawn:
                trading.void(state, declaration, TIME)
        state.phase = FINISHING
        go_on(state)


def deadline(state: State) -> int | None:
    """The next tenth of the time limit, up to the limit itself; None when no time is running."""
    limit = state.time_limit_ms
    if limit is None or state.phase is not TRADING:
        return None
    strike = STRIKES * state.now_ms // limit + 1
    return -(-limit * strike // STRIKES)


# What happens between decisions.


def go_on(state: State) -> None:
    """A trade is finished, a turn is over, or time is."""
    if state.phase is FINISHING:
        if not state.queue:
            ask_for_last(state)
    elif state.style is FREE_FOR_ALL:
        trading.advance(state)
    else:
        state.turn += 1
        if state.turn == state.turns:
            ask_for_last(state)


def ask_for_last(state: State) -> None:
    """Whoever has saved a deck trade may make one now."""
    state.last_asked = tuple(seat for seat in range(state.seats) if state.deck_trades[seat])
    state.phase = LAST if state.last_asked else OVER


def choose_last(state: State, seat: Seat, card: Card) -> None:
    """Keep a seat's choice (``FACE_DOWN``: none); the last one reveals all, clockwise from the seat that began."""
    state.last_chosen[seat] = card
    if len(state.last_chosen) < len(state.last_asked):
        return
    for step in range(state.seats):
        trader = (state.first + step) % state.seats
        if put := state.last_chosen.get(trader, FACE_DOWN):
            trading.trade_with_deck(state, trader, put)
    state.phase = OVER


# Moves: a seat's turn, or what it may do at any time in a free-for-all.


def _moves(state: State, seat: Seat) -> list[Action]:
    moves: list[Action] = [
        DECLARES[target]
        for target in range(state.seats)
        if target != seat and not have_just_traded(state, seat, target)
    ]
    if state.deck_trades[seat] and not _awaited(state, seat):
        moves += [DECK_TRADES[card] for card in state.hands[seat] if leaves_some(state.received[seat], (card,))]
    if state.style is TURNS:
        moves.append(PASS)
    return moves


def _awaited(state: State, seat: Seat) -> bool:
    """Whether the seat is in an unfinished trade."""
    return any(declaration.involves(seat) for declaration in state.queue)


def check_declare(state: State, seat: Seat, target: Seat) -> None:
    """Any other seat may be named, unless the two have just traded with each other."""
    _require(state, seat, Task.MOVE, "declare.phase")
    if target == seat or target >= state.seats:
        raise IllegalAction("declare.target", f"name another seat, 0 to {state.seats - 1}, not {target}")
    if have_just_traded(state, seat, target):
        message = (
            f"you and seat {target} have just traded with each other; one of you must trade with a third seat first"
        )
        raise IllegalAction("declare.same-partner", message)


def check_deck_trade(state: State, seat: Seat, card: Card) -> None:
    """Any card of the hand but one just received from the deck may go, three times in a game."""
    _require(state, seat, Task.MOVE, "deck-trade.phase")
    if _awaited(state, seat):
        raise IllegalAction("deck-trade.in-trade", "you are in a trade that is not finished yet")
    if not state.deck_trades[seat]:
        raise IllegalAction("deck-trade.none-left", f"you have made your {DECK_TRADES_EACH} trades with the deck")
    _check_put(state, seat, card, "deck-trade")


def check_pass(state: State, seat: Seat) -> None:
    """By turns, a seat may pass."""
    _require(state, seat, Task.MOVE, "pass.phase")
    if state.style is FREE_FOR_ALL:
        raise IllegalAction("pass.phase", "there are no turns in a free-for-all: to wait, do not answer")


# The cards of a trade.


def check_offer(state: State, seat: Seat, laid: tuple[Card, ...]) -> None:
    """The declarer may lay what it likes, as long as something stays of what it received last."""
    declaration = _require(state, seat, Task.LAY, "offer.phase")
    _check_held(laid, state.hands[seat], "offer.in-hand")
    if len(laid) > declaration.most:
        raise IllegalAction("offer.size", f"a trade is waiting for you, so offer {declaration.most} cards")
    _check_leaves_some(state, seat, laid, "offer.same-cards")


def check_give(state: State, seat: Seat, chosen: tuple[Card, ...]) -> None:
    """The target may give what it likes of what is left to it, as long as something stays of what it received last."""
    declaration = _require(state, seat, Task.GIVE, "give.phase")
    drawn = declaration.drawn
    _check_held(chosen, trading.target_cards(state, declaration), "give.in-hand")
    if len(chosen) != declaration.wanted:
        cards = "card" if declaration.wanted == 1 else "cards"
        raise IllegalAction("give.size", f"give {declaration.wanted} {cards}, not {len(chosen)}")
    _check_leaves_some(state, seat, drawn + chosen, "give.same-cards")


# The last deck trades.


def _last_moves(state: State, seat: Seat) -> list[Action]:
    received = state.received[seat]
    return [*(LAST_DECK_TRADES[card] for card in state.hands[seat] if leaves_some(received, (card,))), DECLINE]


def check_last_deck_trade(state: State, seat: Seat, card: Card) -> None:
    """Any card of the hand but one just received from the deck may go."""
    _require(state, seat, Task.LAST, "last-deck-trade.phase")
    _check_put(state, seat, card, "last-deck-trade")


# What several of them check.


def _check_put(state: State, seat: Seat, card: Card, kind: str) -> None:
    _check_held((card,), state.hands[seat], f"{kind}.in-hand")
    if not leaves_some(state.received[seat], (card,)):
        raise IllegalAction(f"{kind}.same-cards", f"{CARD_NAMES[card]} is the card that you have just drawn")


def _check_held(leaving: tuple[Card, ...], held: Sequence[Card], rule: str) -> None:
    if FACE_DOWN in leaving:
        raise MalformedAction("a card must be said: face down is only how others see it")
    if missing := [card for card in leaving if card not in held]:
        raise IllegalAction(rule, f"{names(missing)} cannot be taken: you have {names(held)}")


def _check_leaves_some(state: State, seat: Seat, leaving: tuple[Card, ...], rule: str) -> None:
    received = state.received[seat]
    if not leaves_some(received, leaving):
        raise IllegalAction(
            rule, f"you received {names(received)} in your last trade; not all of that may leave in this"
        )


def _require(state: State, seat: Seat, task: Task, rule: str) -> Declaration:
    """The trade that the seat is asked about, if it is asked this. Raises IllegalAction."""
    if state.phase is OVER:
        raise IllegalAction("game.over", "the game is over")
    asked, declaration = state.asked()[seat]
    if asked is not task:
        raise IllegalAction(rule if asked is not Task.NOTHING else "turn", _INSTEAD[asked])
    return declaration or _NO_TRADE


_NO_TRADE = Declaration(0, trading.NOBODY, trading.NOBODY, 0)
_INSTEAD = {
    Task.NOTHING: "you are asked nothing at the moment",
    Task.MOVE: "declare a trade, or trade with the deck",
    Task.LAY: "you have declared a trade: offer cards for it",
    Task.GIVE: "cards were drawn from your hand: give others with them",
    Task.LAST: "trading is over: make a last trade with the deck, or decline",
}
