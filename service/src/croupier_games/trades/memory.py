"""What the seats remember: where each of them last saw each card, and how much has left that place since.

A seat sees cards when it is dealt them, when it trades (what it gives and what it receives), and when it trades with
the deck. What it has put under the deck it can follow: how many cards lie above it is public, so it knows who draws it.
A stateless bot finds all of this in its view.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from ..kernel import Seat
from .cards import Card

NEVER = 0
"""The place of a card that was never seen. Seats are the places 1, 2, ..., the deck comes after the last of them."""


class Memory:
    """The memories of all seats. Changed by ``deal``, ``trade`` and ``deck_trade``, as these things happen."""

    __slots__ = ("_given", "_given_to", "_marks", "_places", "_seats")

    def __init__(self, seats: int, cards: int) -> None:
        """Nobody has seen anything of a game with so many seats and cards."""
        self._seats = seats
        self._given = [0] * seats
        """Cards that each seat has given away, to others and to the deck."""
        self._given_to = [[0] * seats for _ in range(seats)]
        """Those of them that came to one viewer, which saw them: by viewer and seat."""
        self._places = [[NEVER] * (cards + 1) for _ in range(seats)]
        """Where each viewer last saw each card."""
        self._marks = [[0] * (cards + 1) for _ in range(seats)]
        """How many cards had left that seat for others than the viewer when it did."""

    def deal(self, seat: Seat, hand: Iterable[Card]) -> None:
        """A seat looks at its hand."""
        self._see(seat, hand, seat)

    def trade(self, one: Seat, other: Seat, by_one: Sequence[Card], by_other: Sequence[Card]) -> None:
        """Two seats have given each other these cards; both know all of them."""
        for giver, taker, given in ((one, other, by_one), (other, one, by_other)):
            self._given[giver] += len(given)
            self._given_to[taker][giver] += len(given)
        for giver, taker, given in ((one, other, by_one), (other, one, by_other)):
            self._see(giver, given, taker)
            self._see(taker, given, taker)

    def deck_trade(self, seat: Seat, put: Card, drawn: Card, put_by: Seat | None) -> None:
        """A seat has put one card under the deck and drawn another, which ``put_by`` (None: nobody) had put there."""
        self._given[seat] += 1
        self._places[seat][put] = self._seats + 1
        if put_by is not None:
            self._see(put_by, (drawn,), seat)
        self._see(seat, (drawn,), seat)

    def last_seen(self, viewer: Seat) -> tuple[int, ...]:
        """By card, from card 1 on: where the viewer last saw it: 0 nowhere, 1 + seat, 1 + number of seats: the deck."""
        return tuple(self._places[viewer][1:])

    def left_since(self, viewer: Seat) -> tuple[int, ...]:
        """By card, from card 1 on: how many cards that seat has since given away to others than the viewer.

        0 means that the card is still there.
        """
        counts = [0, *self._counts(viewer), 0]
        return tuple(
            [
                counts[place] - mark
                for place, mark in zip(self._places[viewer][1:], self._marks[viewer][1:], strict=True)
            ]
        )

    def clone(self) -> Self:
        """An independent copy."""
        copy = object.__new__(type(self))
        copy._seats = self._seats
        copy._given = self._given[:]
        copy._given_to = [given[:] for given in self._given_to]
        copy._places = [places[:] for places in self._places]
        copy._marks = [marks[:] for marks in self._marks]
        return copy

    def _counts(self, viewer: Seat) -> Iterable[int]:
        """By seat: cards that left it unseen by the viewer; always 0 for the viewer itself."""
        counts = [given - seen for given, seen in zip(self._given, self._given_to[viewer], strict=True)]
        counts[viewer] = 0
        return counts

    def _see(self, viewer: Seat, cards: Iterable[Card], seat: Seat) -> None:
        places, marks = self._places[viewer], self._marks[viewer]
        mark = 0 if seat == viewer else self._given[seat] - self._given_to[viewer][seat]
        for card in cards:
            places[card] = seat + 1
            marks[card] = mark
