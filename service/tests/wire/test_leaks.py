"""Nothing that a seat may not know reaches it: re-deal what is hidden from it, and every byte stays the same.

How many positions: ``CROUPIER_LEAK_POSITIONS``, by default a thousand for each number of seats.
"""

import os

import pytest
from positions import SEATS, positions

from croupier_games.kernel import Seed
from croupier_service.wire.messages import GameWire
from croupier_service.wire.trick_and_trade import TrickAndTradeCodec

POSITIONS = int(os.environ.get("CROUPIER_LEAK_POSITIONS", "1000"))


def asked(wire, state, seat):
    """All that a seat is told when it is asked: the actions that it has, and its view."""
    return wire.decisions("session", seat).encode(
        1, 1, 1, state.legal_actions(seat), state.view(seat), think_time_ms=1, bank_ms=1, last_charged_ms=1
    )


def redealt(state, seat, dice):
    """Another state that differs in all that is hidden from the seat, and remembers nothing of this one's table."""
    other = state.redeal(seat, dice)
    other.public = None
    return other


@pytest.mark.parametrize("seats", SEATS)
def test_a_seat_is_told_the_same_whatever_it_cannot_see(seats):
    one, other = GameWire(TrickAndTradeCodec()), GameWire(TrickAndTradeCodec())
    dice = Seed.of(f"leaks/{seats}").dice("redeal")
    different = 0
    for state in positions(seats, POSITIONS):
        for seat in range(seats):
            again = redealt(state, seat, dice)
            different += again.hands != state.hands
            assert asked(one, state, seat) == asked(other, again, seat)
    assert different > POSITIONS * seats / 2  # the rest is known: the end of a game


@pytest.mark.parametrize("seats", SEATS)
def test_a_spectator_is_told_the_same_whatever_the_hands_are(seats):
    one, other = GameWire(TrickAndTradeCodec()), GameWire(TrickAndTradeCodec())
    dice = Seed.of(f"leaks/{seats}").dice("spectator")
    for state in positions(seats, POSITIONS // 10):
        again = redealt(redealt(state, 0, dice), 1, dice)
        assert one.view(state.public_view()) == other.view(again.public_view())


class Leaky(TrickAndTradeCodec):
    """Lets slip one card, as a field 31."""

    def __init__(self, card):
        super().__init__()
        self.card = card

    def view_bytes(self, view):
        return super().view_bytes(view) + bytes([0xF8, 0x01, self.card])


def test_the_comparison_would_notice_a_single_card():
    state = next(positions(4, 1))
    dice = Seed.of("leaks").dice("redeal")
    deals = [state, *(redealt(state, 0, dice) for _ in range(5))]
    assert len({asked(GameWire(Leaky(max(deal.hands[1]))), deal, 0) for deal in deals}) > 1
    assert len({asked(GameWire(TrickAndTradeCodec()), deal, 0) for deal in deals}) == 1
