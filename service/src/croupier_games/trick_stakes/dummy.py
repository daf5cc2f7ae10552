"""How the dummy plays, which holds the fourth horse when there are three seats. The engine plays it.

Its cards lie open in a pile whose order is never changed: lists of them run from the top down. Its place, which is also
the number that its moves are reported under, is ``seating.DUMMY``.
"""

from __future__ import annotations

from collections.abc import Sequence

from .actions import PLAYS, WHIPPED, Play
from .cards import COLOR, NO_COLOR, Card, Color


def discards(pile: Sequence[Card], number: int) -> tuple[Card, Card]:
    """Its two discards: the card that the discard number (1 to 12) points at, and the one below.

    Below the last is the first.

        >>> from .cards import cards
        >>> discards(cards("RED-1 RED-2 RED-3 RED-4 RED-5 RED-6 RED-7 RED-8 RED-9 RED-10 RED-11 GREEN-12"), 12)
        (48, 1)
    """
    return pile[number - 1], pile[number % len(pile)]


def choose(pile: Sequence[Card], led: Color, *, may_whip: bool) -> Play:
    """What it plays. ``led`` is the colour led; ``NO_COLOR`` when it leads itself.

    When it leads, its top card. When it can follow, the highest card with which it can; when not, its top card, and
    with it the whip if it may.
    """
    following = [card for card in pile if COLOR[card] == led]
    if following:
        return PLAYS[max(following)]
    if led != NO_COLOR and may_whip:
        return WHIPPED[pile[0]]
    return PLAYS[pile[0]]
