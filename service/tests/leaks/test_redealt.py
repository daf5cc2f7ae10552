"""Cards that a viewer cannot see are dealt anew, and everything that it is told stays the same to the last byte."""

import pytest
from twins import GAMES, POSITIONS, Twin, positions, redealt, wrong_actions

from croupier.v1 import play_pb2
from croupier_games.kernel import Seed
from croupier_service.identity.roles import Role


def hidden(state):
    """What of a state is seen by nobody or by some, for finding out whether a re-deal has changed anything."""
    return [repr(state.view(seat)) for seat in range(state.seats)]


def twins_for(name, seats, options, viewer, monkeypatch):
    """At each position two servers that the viewer must not be able to tell apart."""
    dice = Seed.of(f"leaks/{name}/{seats}/{viewer}").dice("redeal")
    for position in positions(name, seats, options):
        state = position.table().state
        again = redealt(state, viewer, dice)
        yield Twin(position, state, monkeypatch), Twin(position, again, monkeypatch), hidden(state) != hidden(again)


@pytest.mark.parametrize(("name", "seats", "options"), GAMES)
def test_a_seat_is_told_the_same_whatever_it_cannot_see(name, seats, options, monkeypatch):
    compared = 0
    for viewer in {0, seats - 1}:
        for one, other, differ in twins_for(name, seats, options, viewer, monkeypatch):
            wrong = wrong_actions(one, viewer)
            told = [everything_that_a_seat_is_told(twin, viewer, wrong, monkeypatch) for twin in (one, other)]
            assert told[0] == told[1]
            assert one.logged == other.logged
            assert one.measured() == other.measured()
            compared += differ
    assert compared >= POSITIONS  # the rest is known to that seat: the end of a game


def everything_that_a_seat_is_told(twin, seat, wrong, monkeypatch):
    """Its questions, a snapshot with the whole past, what is wrong with all sorts of acts; the session as listed."""
    told = [twin.heard(seat), twin.summary()]
    with twin.as_dealt(monkeypatch):
        twin.come_back(seat)
        told.append(twin.heard(seat))
        decision = twin.session.seats[seat].open
        number = decision.id if decision is not None else 1
        for action in wrong:
            twin.act_on(seat, number, action=action)
            told.append(twin.heard(seat))
        for choice in ({"index": 1_000}, {}, {"action": play_pb2.Act().action}):
            twin.act_on(seat, number, **choice)
            told.append(twin.heard(seat))
        twin.act_on(seat, 999_999, index=0)
        told.append(twin.heard(seat))
    told.append(twin.summary())
    return told


@pytest.mark.parametrize(("name", "seats", "options"), GAMES)
async def test_a_spectator_is_shown_the_same_whatever_is_in_hands_and_decks(name, seats, options, monkeypatch):
    compared = 0
    for one, other, differ in twins_for(name, seats, options, None, monkeypatch):
        shown = [await twin.watch(monkeypatch) for twin in (one, other)]
        assert shown[0]
        assert shown[0] == shown[1]
        assert one.summary(Role.SPECTATOR) == other.summary(Role.SPECTATOR)
        assert one.logged == other.logged
        assert one.measured() == other.measured()
        compared += differ
    assert compared >= POSITIONS / 2


@pytest.mark.parametrize(("name", "seats", "options"), GAMES)
async def test_faults_of_others_say_nothing_of_their_cards(name, seats, options, monkeypatch):
    """Somebody else does nothing, and sends nonsense: all that is told of it is that it happened."""
    for viewer in (None, 0):
        for one, other, _ in twins_for(name, seats, options, viewer, monkeypatch):
            told = []
            for twin in (one, other):
                for seat in range(1, seats):
                    decision = twin.session.seats[seat].open
                    twin.act_on(seat, decision.id if decision else 999_999, index=1_000)
                heard = twin.heard(0)
                told.append([viewer == 0 and heard, twin.summary(), twin.measured()])
                if viewer is None:
                    told[-1].append(await twin.watch(monkeypatch))
            assert told[0] == told[1]
            assert one.logged == other.logged
