"""Each comparison of the leak tests fails where something does leak."""

import pytest
from test_redealt import everything_that_a_seat_is_told
from twins import Twin, positions, redealt, wrong_actions

from croupier_games.kernel import Seed
from croupier_service.identity.roles import Role
from croupier_service.logs import SessionLog
from croupier_service.sessions import referee
from croupier_service.wire.messages import GameWire
from croupier_service.wire.registry import codecs
from croupier_service.wire.trick_and_trade import TrickAndTradeCodec

VIEWER = 0


@pytest.fixture
def twins(monkeypatch):
    """Makes the twins of one position with parts of the test's own."""
    position = next(
        position for position in positions("trick-and-trade", 3, {}, 20) if VIEWER in position.table().state.to_act()
    )
    state = position.table().state
    again = redealt(state, VIEWER, Seed.of("controls").dice("redeal"))
    assert again.hands[1] != state.hands[1]

    def make(**parts):
        return [
            Twin(position, one, monkeypatch, **{name: part(one) for name, part in parts.items()})
            for one in (state, again)
        ]

    return make


def leaky_wires(state):
    class Leaky(TrickAndTradeCodec):
        def view_bytes(self, view):
            return super().view_bytes(view) + bytes([0xFA, 0x01, len(state.hands[1]), *state.hands[1]])

    return {**{name: GameWire(codec) for name, codec in codecs().items()}, "trick-and-trade": GameWire(Leaky())}


def leaky_log(state):
    class Leaky(SessionLog):
        def faulted(self, session, seat, kind, message):
            super().faulted(session, seat, kind, f"{message} {session.table.state.hands}")

    return Leaky()


def test_without_a_leak_nothing_differs(twins, monkeypatch):
    one, other = twins()
    wrong = wrong_actions(one, VIEWER)
    told = [everything_that_a_seat_is_told(twin, VIEWER, wrong, monkeypatch) for twin in (one, other)]
    assert told[0] == told[1]
    assert one.logged == other.logged
    assert one.logged  # faults were logged


async def test_a_card_in_a_view_would_be_noticed(twins, monkeypatch):
    one, other = twins(wires=leaky_wires)
    wrong = wrong_actions(one, VIEWER)
    told = [everything_that_a_seat_is_told(twin, VIEWER, wrong, monkeypatch) for twin in (one, other)]
    assert told[0] != told[1]
    assert await one.watch(monkeypatch) != await other.watch(monkeypatch)


def test_a_hand_in_the_log_would_be_noticed(twins, monkeypatch):
    one, other = twins(log=leaky_log)
    wrong = wrong_actions(one, VIEWER)
    for twin in (one, other):
        everything_that_a_seat_is_told(twin, VIEWER, wrong, monkeypatch)
    assert one.logged != other.logged


def test_a_hand_in_an_error_text_would_be_noticed(twins, monkeypatch):
    def wrong(session, decision, kind, now, message, **more):
        really(session, decision, kind, now, f"{message}; {session.table.state.hands[1]}", **more)

    really = referee.wrong
    monkeypatch.setattr(referee, "wrong", wrong)
    one, other = twins()
    wrong = wrong_actions(one, VIEWER)
    told = [everything_that_a_seat_is_told(twin, VIEWER, wrong, monkeypatch) for twin in (one, other)]
    assert told[0] != told[1]


def test_a_metric_of_cards_would_be_noticed(twins, monkeypatch):
    one, other = twins()
    for twin in (one, other):
        twin.metrics.meter("trick-and-trade").decided("chosen", sum(twin.state.hands[1]), twin.session.id)
    assert one.measured() != other.measured()


def test_a_card_beside_an_example_would_be_noticed(twins):
    one, other = twins()
    for twin in (one, other):
        twin.metrics.meter("trick-and-trade").decided("chosen", 200.0, f"{twin.session.id} {twin.state.hands[1]}")
    assert one.measured() != other.measured()


def test_a_deal_in_a_label_would_be_noticed(twins):
    one, other = twins()
    assert one.summary() == other.summary()
    assert one.summary(Role.ORGANISER) != other.summary(Role.ORGANISER)
