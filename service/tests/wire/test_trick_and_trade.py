"""Trick and Trade's wire form: there and back, and what is refused."""

import pytest

from croupier.games.trick_and_trade.v1 import trick_and_trade_pb2 as pb
from croupier.v1 import game_pb2
from croupier_games.kernel import MalformedAction
from croupier_games.trick_and_trade import Options, cards
from croupier_games.trick_and_trade.actions import PLAYS, TAKE_LEAD, TAKES
from croupier_games.trick_and_trade.rules import Phase
from croupier_service.wire.codec import WireError
from croupier_service.wire.messages import GameWire
from croupier_service.wire.registry import codecs
from croupier_service.wire.trick_and_trade import CODEC

WIRE = GameWire(CODEC)


@pytest.mark.parametrize("action", [*PLAYS.values(), *TAKES, TAKE_LEAD], ids=str)
def test_every_action_comes_back_as_it_went(action):
    assert CODEC.action_from_wire(WIRE.action(action)) == action


@pytest.mark.parametrize("leader", [None, 0, 4])
def test_options_come_back_as_they_went(leader):
    options = Options(first_leader=leader)
    assert CODEC.options_from_wire(CODEC.options_to_wire(options)) == options


def test_no_options_are_the_defaults():
    assert CODEC.options_from_wire(game_pb2.GameOptions()) == Options()


def refused(action=None, **envelope):
    message = game_pb2.GameAction(trick_and_trade=action) if action is not None else game_pb2.GameAction(**envelope)
    with pytest.raises((WireError, MalformedAction)) as error:
        CODEC.action_from_wire(message)
    return str(error.value)


def test_an_empty_envelope_is_refused():
    assert refused() == "is empty; it should hold trick_and_trade"


def test_another_games_action_is_refused():
    assert refused(other={"type_url": "x/y"}) == "is trick_and_trade for this game, not other"


def test_an_action_of_a_kind_that_is_not_known_yet_is_refused():
    newer = bytes([1 << 3 | 2, 3, 15 << 3 | 2, 1, 0])  # field 15 of the game's Action
    with pytest.raises(WireError, match="says what this game does not know"):
        CODEC.action_from_wire(game_pb2.GameAction.FromString(newer))


def test_an_action_that_says_nothing_is_refused():
    assert refused(pb.Action()) == "trick_and_trade is empty, or says what this game does not know"


@pytest.mark.parametrize("card", [0, 41, 2**31 - 1, -1])
def test_a_card_that_does_not_exist_is_refused_unspecified_too(card):
    assert refused(pb.Action(play=card)) == f"trick cards are numbered 1 to 40, there is no {card}"


@pytest.mark.parametrize("place", [5, 2**32 - 1])
def test_a_place_that_does_not_exist_is_refused(place):
    assert refused(pb.Action(take_trade=place)) == f"places are numbered 0 to 4, there is no {place}"


def test_place_0_is_one():
    assert CODEC.action_from_wire(game_pb2.GameAction(trick_and_trade=pb.Action(take_trade=0))) == TAKES[0]


def test_taking_the_lead_card_is_always_true():
    assert refused(pb.Action(take_lead=False)) == "trick_and_trade is empty, or says what this game does not know"


# Numbers that games and contract have in common.


def test_cards_have_the_numbers_of_the_contract():
    names = {"CARD_" + cards.CARD_NAMES[card].replace("-", "_"): card for card in cards.CARDS}
    assert dict(pb.Card.items()) == {"CARD_UNSPECIFIED": 0, **names}


def test_trade_cards_have_the_numbers_of_the_contract():
    kinds = {"TRADE_CARD_" + cards.TRADE_CARD_NAMES[kind].replace("+", "_"): kind for kind in cards.TRADE_CARD_KINDS}
    assert dict(pb.TradeCard.items()) == {"TRADE_CARD_UNSPECIFIED": 0, **kinds}


def test_suits_are_in_the_order_of_the_contract():
    assert [name.removeprefix("SUIT_") for name, number in pb.Suit.items() if number] == list(cards.SUITS)


def test_phases_have_the_numbers_of_the_contract():
    assert {"PHASE_" + phase.name: phase.value for phase in Phase} | {"PHASE_UNSPECIFIED": 0} == dict(pb.Phase.items())


def test_its_arm_is_the_same_in_all_three_envelopes():
    for envelope in (game_pb2.GameOptions, game_pb2.GameAction, game_pb2.GameView):
        field = envelope.DESCRIPTOR.fields_by_name[CODEC.arm]
        assert field.number == CODEC.arm_number


def test_it_is_registered_under_its_games_name():
    assert codecs()["trick-and-trade"] is CODEC
    assert all(codec.game == name for name, codec in codecs().items())
