"""Positions of your own: for puzzles, lessons and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from ..kernel import Seat, Seed
from .cards import CARD_NAMES, HAND, PACK, Card, cards, pack
from .game import STYLES, TIME_LIMIT_MS, Options, turns_per_seat
from .history import Dealt
from .rules import Style
from .state import State, hands_of


def arrange(
    hands: Sequence[str],
    deck: str = "",
    *,
    options: Options | None = None,
    first: Seat = 0,
    turns: int | None = None,
    received: Mapping[Seat, str] | None = None,
    partners: Sequence[tuple[Seat, Seat]] = (),
    deck_trades: Mapping[Seat, int] | None = None,
    draws: str = "draws",
) -> State:
    """A position in which nothing has been traded yet, from the names of its cards.

    ``deck`` begins with its top; cards that are not named come behind, in a fixed order. ``turns`` is the number of
    turns to come, all seats together (None: as many as the options say); ``received`` counts as received in the last
    trade; ``partners`` are the pairs who have just traded with each other; ``deck_trades`` are those left to a seat,
    where they are not three; ``draws`` is a text from which the blind draws follow.

    Raises ValueError when no table can look like that.

        >>> state = arrange(["AC 2C 3C 4C 5C 6C 7C", "AD 2D 3D 4D 5D 6D 7D", "AH 2H 3H 4H 5H 6H 7H"], "KS QS")
        >>> len(state.legal_actions(0)), state.legal_actions(1)
        (10, ())
    """
    options = options or Options()
    style = STYLES[options.style]
    held = [cards(hand) for hand in hands]
    seats = len(held)
    if seats not in range(3, 15) or any(len(hand) != HAND for hand in held):
        raise ValueError(f"there are 3 to 14 hands of {HAND} cards")
    named = [*chain(*held), *cards(deck)]
    packs = options.packs or (1 if seats <= 7 and max(named) <= PACK else 2)
    for card, copies in Counter(named).items():
        if copies > 1:
            raise ValueError(f"{CARD_NAMES[card]} is there {copies} times")
    rest = [card for card in pack(packs) if card not in named]
    if not set(named) <= set(pack(packs)) or not (cards(deck) or rest):
        raise ValueError("one pack has no such card, or none is left for the deck")
    state = State(
        Dealt(hands_of(held), tuple(reversed([*cards(deck), *rest])), _received(received or {}, held)),
        packs=packs,
        style=style,
        first=first,
        turns=None if style is Style.FREE_FOR_ALL else turns or seats * turns_per_seat(options),
        time_limit_ms=options.time_limit_ms or (TIME_LIMIT_MS if style is Style.FREE_FOR_ALL else None),
        seed=Seed.of(draws),
    )
    for one, other in partners:
        state.partners[one], state.partners[other] = other, one
    for seat, left in (deck_trades or {}).items():
        state.deck_trades[seat] = left
    return state


def _received(received: Mapping[Seat, str], held: Sequence[Sequence[Card]]) -> tuple[tuple[Card, ...], ...]:
    by_seat = [tuple(sorted(cards(received.get(seat, "")))) for seat in range(len(held))]
    for seat, got in enumerate(by_seat):
        if not set(got) <= set(held[seat]):
            raise ValueError(f"seat {seat} cannot have received what it does not hold")
    return tuple(by_seat)
