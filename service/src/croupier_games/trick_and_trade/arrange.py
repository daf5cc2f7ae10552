"""Positions of your own: for puzzles, lessons and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from .cards import CARD_NAMES, SHOWN, SUIT, SUITS, TRADE_CARD_NAMES, VALUE, cards, trade_cards
from .rules import play_last_cards
from .state import State


def arrange(
    hands: Sequence[str],
    rows: Sequence[str],
    *,
    leader: int = 0,
    won: str = "",
    held: Sequence[str] = (),
    undealt: str = "",
    unused: str = "",
) -> State:
    """A position from the names of its cards.

    It is the start of a game of as many rounds as a hand has cards, with one row of trade cards for each, in the order
    in which they come to the front. ``won`` are trick cards won before, ``held`` the trade cards that each seat has
    already; ``undealt`` and ``unused`` are the trick and trade cards left over. A single round plays its forced trick
    at once, like any last round.

    Raises ValueError when no table can look like that.

        >>> hands = ["NEV-2 NEV-1", "NEV-3 OCTO-4", "ZEUS-9 OCTO-10"]
        >>> state = arrange(hands, rows=["NEV OCTO ZEUS", "NEV+NEV OCTO ZEUS"])
        >>> state.legal_actions(0)
        [Play(card=1), Play(card=2)]
    """
    seats = len(hands)
    dealt = [sorted(cards(hand)) for hand in hands]
    revealed = [trade_cards(row) for row in rows]
    holdings = [trade_cards(holding) for holding in held]
    trades = [*chain(*revealed), *trade_cards(unused)]
    if seats not in range(3, 6):
        raise ValueError(f"there are 3 to 5 hands, not {seats}")
    if leader not in range(seats):
        raise ValueError(f"the leader is a seat, 0 to {seats - 1}, not {leader}")
    rounds = len(dealt[0])
    if not rounds or any(len(hand) != rounds for hand in dealt):
        raise ValueError("all hands have the same number of cards, and at least one")
    if [len(row) for row in revealed] != [seats] * rounds:
        raise ValueError(f"there are {rounds} rows of {seats} trade cards: one for each card of a hand")
    if holdings and len(holdings) != seats:
        raise ValueError(f"held trade cards are given for all {seats} seats or for none")
    _check_copies(1, [*chain(*dealt), *cards(won), *cards(undealt)], CARD_NAMES)
    _check_copies(3, [*trades, *chain(*holdings)], TRADE_CARD_NAMES)

    state = State(dealt, trades, cards(undealt), leader)
    state.won = cards(won)
    for card in state.won:
        state.values[SUIT[card]] += VALUE[card]
    for seat, holding in enumerate(holdings):
        for suit in chain(*(SHOWN[trade_card] for trade_card in holding)):
            state.icons[len(SUITS) * seat + suit] += 1
    if rounds == 1:
        play_last_cards(state)
    return state


def _check_copies(limit: int, pool: Sequence[int], names: Sequence[str]) -> None:
    for number, copies in Counter(pool).items():
        if copies > limit:
            raise ValueError(f"{names[number]} is there {copies} times; the game has {limit}")
