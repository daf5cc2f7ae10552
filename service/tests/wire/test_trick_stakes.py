"""Trick Stakes' wire form: as the generated classes build it, there and back, what is refused; no leak in any byte."""

from dataclasses import fields

import pytest

from croupier.games.trick_stakes.v1 import trick_stakes_pb2 as pb
from croupier.v1 import game_pb2
from croupier_games.kernel import MalformedAction, NoOptions, Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_stakes import GAME, Phase
from croupier_games.trick_stakes.actions import DISCARDS, PLAYS, TICKETS_DOWN, TICKETS_UP, WHIPPED
from croupier_games.trick_stakes.cards import CARD_NAMES, CARDS, COLOR_NAMES, HORSE_NAMES, TICKET_NAMES
from croupier_service.wire.codec import WireError
from croupier_service.wire.messages import GameWire
from croupier_service.wire.registry import codecs
from croupier_service.wire.trick_stakes import CODEC, TrickStakesCodec

WIRE = GameWire(CODEC)
ACTIONS = [action for kind in (DISCARDS, TICKETS_UP, TICKETS_DOWN, PLAYS, WHIPPED) for action in kind.values()]


def positions(seats, games=1):
    """The states of so many random games; each is left as soon as the next is asked for."""
    for number in range(games):
        for table in random_playout(GAME, seats, GAME.options(), Seed.of(f"wire/{seats}/{number}")):
            yield table.state


def view_message(view):
    """A view in its envelope, by the generated classes."""
    table = pb.Table(**{field.name: getattr(view.table, field.name) for field in fields(view.table)})
    own = {field.name: getattr(view, field.name) for field in fields(view)}
    return game_pb2.GameView(trick_stakes=pb.View(**own | {"table": table}))


@pytest.mark.parametrize("seats", [3, 4])
def test_a_view_is_what_the_generated_classes_build(seats):
    for state in positions(seats):
        for view in (*map(state.view, range(seats)), state.public_view()):
            encoded, expected = WIRE.view(view), view_message(view)
            assert encoded == expected
            assert encoded.SerializeToString(deterministic=True) == expected.SerializeToString(deterministic=True)


@pytest.mark.parametrize("action", ACTIONS, ids=str)
def test_every_action_comes_back_as_it_went(action):
    assert CODEC.action_from_wire(WIRE.action(action)) == action


def test_an_action_says_what_it_is():
    assert WIRE.action(PLAYS[1]).trick_stakes == pb.Action(play=pb.Play(card=pb.CARD_RED_1))
    assert WIRE.action(WHIPPED[48]).trick_stakes == pb.Action(play=pb.Play(card=pb.CARD_GREEN_12, whip=True))
    assert WIRE.action(DISCARDS[13]).trick_stakes == pb.Action(discard=pb.CARD_BLUE_1)
    assert WIRE.action(TICKETS_UP[5]).trick_stakes == pb.Action(ticket_up=pb.TICKET_WIN)
    assert WIRE.action(TICKETS_DOWN[1]).trick_stakes == pb.Action(ticket_down=pb.TICKET_VANILLA_BEANS)


def test_options_come_back_as_they_went():
    assert CODEC.options_from_wire(CODEC.options_to_wire(NoOptions())) == NoOptions()
    assert CODEC.options_to_wire(NoOptions()).WhichOneof("options") == "trick_stakes"


def test_no_options_are_the_defaults():
    assert CODEC.options_from_wire(game_pb2.GameOptions()) == NoOptions()


def refused(action=None, **envelope):
    message = game_pb2.GameAction(trick_stakes=action) if action is not None else game_pb2.GameAction(**envelope)
    with pytest.raises((WireError, MalformedAction)) as error:
        CODEC.action_from_wire(message)
    return str(error.value)


def test_an_empty_envelope_is_refused():
    assert refused() == "is empty; it should hold trick_stakes"


def test_another_games_action_is_refused():
    assert refused(trick_and_trade={"play": 1}) == "is trick_stakes for this game, not trick_and_trade"


def test_an_action_that_says_nothing_is_refused():
    assert refused(pb.Action()) == "trick_stakes is empty, or says what this game does not know"


@pytest.mark.parametrize("card", [0, 49, 2**31 - 1, -1])
@pytest.mark.parametrize("kind", ["discard", "play"])
def test_a_card_that_does_not_exist_is_refused_unspecified_too(kind, card):
    action = pb.Action(discard=card) if kind == "discard" else pb.Action(play=pb.Play(card=card, whip=True))
    assert refused(action) == f"race cards are numbered 1 to 48, there is no {card}"


@pytest.mark.parametrize("ticket", [0, 6, -1])
@pytest.mark.parametrize("kind", ["ticket_up", "ticket_down"])
def test_a_ticket_that_does_not_exist_is_refused_unspecified_too(kind, ticket):
    assert refused(pb.Action(**{kind: ticket})) == f"tickets are numbered 1 to 5, there is no {ticket}"


def test_numbers_are_those_of_the_contract():
    for enum, prefix, names in [
        (pb.Card, "CARD_", CARD_NAMES),
        (pb.Color, "COLOR_", COLOR_NAMES),
        (pb.Horse, "HORSE_", HORSE_NAMES),
        (pb.Ticket, "TICKET_", TICKET_NAMES),
        (pb.Phase, "PHASE_", ("", *Phase.__members__)),
    ]:
        ours = {prefix + name.replace("-", "_"): number for number, name in enumerate(names) if number}
        assert dict(enum.items()) == {prefix + "UNSPECIFIED": 0, **ours}


def test_its_arm_is_the_same_in_all_three_envelopes():
    for envelope in (game_pb2.GameOptions, game_pb2.GameAction, game_pb2.GameView):
        assert envelope.DESCRIPTOR.fields_by_name[CODEC.arm].number == CODEC.arm_number == 2


def test_it_is_registered_under_its_games_name():
    assert codecs()["trick-stakes"] is CODEC


# Nothing that a seat may not know reaches it: re-deal what is hidden from it, and every byte stays the same.


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


@pytest.mark.parametrize("seats", [3, 4])
def test_a_seat_and_spectators_are_told_the_same_whatever_they_cannot_see(seats):
    one, other = GameWire(TrickStakesCodec()), GameWire(TrickStakesCodec())
    dice = Seed.of(f"leaks/{seats}").dice("redeal")
    different = total = 0
    for state in positions(seats, games=3):
        for seat in range(seats):
            again = redealt(state, seat, dice)
            assert asked(one, state, seat) == asked(other, again, seat)
            assert one.codec.view_bytes(state.public_view()) == other.codec.view_bytes(again.public_view())
            different += (again.hands, again.discards, again.tickets_down) != (
                state.hands, state.discards, state.tickets_down,
            )  # fmt: skip
            total += 1
    assert different > total / 2


@pytest.mark.parametrize("seats", [3, 4])
def test_while_others_choose_every_byte_is_the_same_whatever_a_seat_has_chosen(seats):
    kinds = set()
    for state in positions(seats):
        acting = state.to_act()
        if len(acting) < 2:
            continue
        kinds.add(state.phase)
        chooser, viewers = acting[0], [seat for seat in range(seats) if seat != acting[0]]
        told = set()
        for action in state.legal_actions(chooser):
            after = state.clone()
            after.apply(chooser, action)
            wire = GameWire(TrickStakesCodec())
            told.add((*(asked(wire, after, seat) for seat in viewers), wire.codec.view_bytes(after.public_view())))
        assert len(told) == 1
    assert kinds == {Phase.DISCARD, Phase.TICKET_DOWN}


class Leaky(TrickStakesCodec):
    """Lets slip one card, as a field 31."""

    def __init__(self, card):
        super().__init__()
        self.card = card

    def view_bytes(self, view):
        return super().view_bytes(view) + bytes([0xF8, 0x01, self.card])


def test_the_comparison_would_notice_a_single_card():
    state = next(positions(4))
    dice = Seed.of("leaks").dice("redeal")
    deals = [state, *(redealt(state, 0, dice) for _ in range(5))]
    assert len({asked(GameWire(Leaky(max(deal.hands[1]))), deal, 0) for deal in deals}) > 1
    assert len({asked(GameWire(TrickStakesCodec()), deal, 0) for deal in deals}) == 1


def test_cards_are_numbered_from_one_without_gaps():
    assert [*CARDS] == [number for number in pb.Card.values() if number]
