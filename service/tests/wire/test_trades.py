"""Trades' wire form: as the generated classes build it, there and back, what is refused; no leak in any byte."""

from dataclasses import fields, replace

import pytest

from croupier.games.trades.v1 import trades_pb2 as pb
from croupier.v1 import game_pb2
from croupier_games.kernel import MalformedAction, OptionError, Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trades import GAME, DeckTrade, Give, Offer, Options, Phase, Style, TradeStatus, VoidReason
from croupier_games.trades.actions import DECK_TRADES, DECLARES, DECLINE, LAST_DECK_TRADES, PASS, face_down
from croupier_games.trades.cards import CARD_NAMES, CARDS
from croupier_service.wire.codec import WireError
from croupier_service.wire.messages import GameWire
from croupier_service.wire.registry import codecs
from croupier_service.wire.trades import CODEC, TradesCodec

WIRE = GameWire(CODEC)
SETS = [Offer((1, 2)), Offer((1, 13, 53, 104)), Give((104,)), Give((1, 52))]
ACTIONS = [*DECLARES, *DECK_TRADES[1:], *LAST_DECK_TRADES[1:], PASS, DECLINE, *SETS]
GAMES = [
    (3, Options(turns_per_seat=3)),
    (5, Options(style="free-for-all", time_limit_ms=70_000)),
    (14, Options(style="free-for-all", time_limit_ms=500)),
    (9, Options(turns_per_seat=1, time_limit_ms=1_000)),
]


def positions(seats, options, most=120):
    """The states of one random game; each is left as soon as the next is asked for."""
    for table in random_playout(GAME, seats, options, Seed.of(f"wire/{seats}")):
        if len(table.inputs) > most:
            return
        yield table.state


def view_message(view):
    """A view in its envelope, by the generated classes."""
    table = parts(view.table)
    table["trades"] = [pb.Trade(**parts(trade)) for trade in view.table.trades]
    return game_pb2.GameView(trades=pb.View(**parts(view) | {"table": pb.Table(**table)}))


def parts(thing):
    return {field.name: getattr(thing, field.name) for field in fields(thing)}


def same(message, other):
    """Equal to the last byte of their canonical form, which shows unknown fields too."""
    assert message == other
    assert message.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)


@pytest.mark.parametrize(("seats", "options"), GAMES)
def test_a_view_is_what_the_generated_classes_build(seats, options):
    for state in positions(seats, options):
        for view in (*map(state.view, range(seats)), state.public_view()):
            same(WIRE.view(view), view_message(view))


def test_large_numbers_find_room():
    state = GAME.deal(3, Options(style="free-for-all", time_limit_ms=86_400_000), Seed.of("large"))
    table = replace(
        state.table(), declared=1_000_000, now_ms=86_400_000, void_trades=(999_999, 0, 0), turns_left=14_000
    )
    view = replace(state.view(0), table=table, left_since=(100_000,) * 52)
    same(WIRE.view(view), view_message(view))


@pytest.mark.parametrize("action", ACTIONS, ids=str)
def test_every_action_comes_back_as_it_went(action):
    assert CODEC.action_from_wire(WIRE.action(action)) == action


def test_an_action_says_what_it_is():
    for action, message in [
        (DECLARES[0], pb.Action(declare=0)),
        (Offer((1, 52)), pb.Action(offer=pb.Cards(cards=[pb.CARD_CLUBS_ACE, pb.CARD_SPADES_KING]))),
        (DECK_TRADES[53], pb.Action(deck_trade=pb.CARD_SECOND_CLUBS_ACE)),
        (PASS, pb.Action(pass_turn=True)),
        (Give((10,)), pb.Action(give=pb.Cards(cards=[pb.CARD_CLUBS_10]))),
        (LAST_DECK_TRADES[36], pb.Action(last_deck_trade=pb.CARD_HEARTS_10)),
        (DECLINE, pb.Action(decline=True)),
    ]:
        same(WIRE.action(action), game_pb2.GameAction(trades=message))


def test_cards_face_down_are_sent_as_unspecified_ones():
    hidden = pb.Cards(cards=[pb.CARD_UNSPECIFIED] * 3)
    assert WIRE.action(face_down(Offer((1, 2, 3)))).trades == pb.Action(offer=hidden)
    assert WIRE.action(face_down(DeckTrade(1))).trades == pb.Action(deck_trade=pb.CARD_UNSPECIFIED)


def test_cards_may_come_in_any_order():
    action = game_pb2.GameAction(trades=pb.Action(offer=pb.Cards(cards=[52, 1, 30])))
    assert CODEC.action_from_wire(action) == Offer((1, 30, 52))


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(turns_per_seat=3),
        Options(time_limit_ms=5_000, packs=2),
        Options(style="free-for-all"),
        Options(style="free-for-all", time_limit_ms=100),
    ],
)
def test_options_come_back_as_they_went(options):
    assert CODEC.options_from_wire(CODEC.options_to_wire(options)) == options
    assert CODEC.options_to_wire(options).WhichOneof("options") == "trades"


def test_no_options_are_the_defaults():
    assert CODEC.options_from_wire(game_pb2.GameOptions()) == Options()


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (pb.Options(style=3), "style"),
        (pb.Options(style=pb.STYLE_FREE_FOR_ALL, turns_per_seat=3), "turns_per_seat"),
        (pb.Options(time_limit_ms=1), "time_limit_ms"),
        (pb.Options(packs=0), "packs"),
    ],
)
def test_options_out_of_range_are_named(options, field):
    with pytest.raises(OptionError) as error:
        CODEC.options_from_wire(game_pb2.GameOptions(trades=options))
    assert error.value.field == field


def refused(action=None, **envelope):
    message = game_pb2.GameAction(trades=action) if action is not None else game_pb2.GameAction(**envelope)
    with pytest.raises((WireError, MalformedAction)) as error:
        CODEC.action_from_wire(message)
    return str(error.value)


def test_an_empty_envelope_is_refused():
    assert refused() == "is empty; it should hold trades"


def test_another_games_action_is_refused():
    assert refused(trick_and_trade={"play": 1}) == "is trades for this game, not trick_and_trade"


@pytest.mark.parametrize("action", [pb.Action(), pb.Action(pass_turn=False), pb.Action(decline=False)])
def test_an_action_that_says_nothing_is_refused(action):
    assert refused(action) == "trades is empty, or says what this game does not know"


@pytest.mark.parametrize("card", [105, 2**31 - 1, -1])
@pytest.mark.parametrize("kind", ["deck_trade", "last_deck_trade", "offer", "give"])
def test_a_card_that_does_not_exist_is_refused(kind, card):
    action = pb.Action(**{kind: card if "deck" in kind else pb.Cards(cards=[1, card])})
    assert refused(action) == f"cards are numbered 1 to 104, there is no {card}"


@pytest.mark.parametrize("kind", ["deck_trade", "last_deck_trade", "offer", "give"])
def test_a_card_that_is_unspecified_is_refused(kind):
    action = pb.Action(**{kind: 0 if "deck" in kind else pb.Cards(cards=[1, 0])})
    assert refused(action) == "a card must be said: face down is only how others see it"


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (pb.Action(declare=14), "seats are numbered 0 to 13, there is no 14"),
        (pb.Action(offer=pb.Cards()), "it takes 2 to 4 cards, not ()"),
        (pb.Action(offer=pb.Cards(cards=[1])), "it takes 2 to 4 cards, not (1,)"),
        (pb.Action(offer=pb.Cards(cards=[1, 2, 3, 4, 5])), "it takes 2 to 4 cards, not (1, 2, 3, 4, 5)"),
        (pb.Action(give=pb.Cards(cards=[1, 2, 3])), "it takes 1 to 2 cards, not (1, 2, 3)"),
        (pb.Action(give=pb.Cards(cards=[1, 1])), "the cards must be different and ascending, not (1, 1)"),
    ],
)
def test_what_cannot_be_is_refused(action, reason):
    assert refused(action) == reason


def test_numbers_are_those_of_the_contract():
    suits = {"C": "CLUBS", "D": "DIAMONDS", "H": "HEARTS", "S": "SPADES"}
    ranks = {"A": "ACE", "J": "JACK", "Q": "QUEEN", "K": "KING"}
    cards = {"CARD_UNSPECIFIED": 0}
    for card in CARDS:
        name, _, second = CARD_NAMES[card].partition(".")
        cards[f"CARD_{'SECOND_' if second else ''}{suits[name[-1]]}_{ranks.get(name[:-1], name[:-1])}"] = card
    assert dict(pb.Card.items()) == cards
    for ours, theirs, prefix in [
        (Style, pb.Style, "STYLE_"),
        (Phase, pb.Phase, "PHASE_"),
        (TradeStatus, pb.TradeStatus, "TRADE_STATUS_"),
        (VoidReason, pb.VoidReason, "VOID_REASON_"),
    ]:
        assert {prefix + value.name: value.value for value in ours} | {prefix + "UNSPECIFIED": 0} == dict(
            theirs.items()
        )


def test_its_arm_is_the_same_in_all_three_envelopes():
    for envelope in (game_pb2.GameOptions, game_pb2.GameAction, game_pb2.GameView):
        assert envelope.DESCRIPTOR.fields_by_name[CODEC.arm].number == CODEC.arm_number == 3


def test_it_is_registered_under_its_games_name():
    assert codecs()["trades"] is CODEC


# Nothing that a seat may not know reaches it: re-deal what is hidden from it, and every byte stays the same.


def asked(wire, state, seat):
    """All that a seat is told when it is asked: the actions that it has, and its view."""
    return wire.decisions("session", seat).encode(
        1, 1, 1, state.legal_actions(seat), state.view(seat), think_time_ms=1, bank_ms=1, last_charged_ms=1
    )


@pytest.mark.parametrize(("seats", "options"), GAMES)
def test_a_seat_and_spectators_are_told_the_same_whatever_they_cannot_see(seats, options):
    one, other = GameWire(TradesCodec()), GameWire(TradesCodec())
    dice = Seed.of(f"leaks/{seats}").dice("redeal")
    different = total = 0
    for number, state in enumerate(positions(seats, options, most=80)):
        for seat in {number % seats, (number + 2) % seats}:
            again = state.redeal(seat, dice)
            again.public = None
            different += again.hands != state.hands
            total += 1
            assert asked(one, state, seat) == asked(other, again, seat)
            assert one.codec.view_bytes(state.public_view()) == other.codec.view_bytes(again.public_view())
    assert different > total * 0.9


class Leaky(TradesCodec):
    """Lets slip one card, as a field 31."""

    def __init__(self, card):
        super().__init__()
        self.card = card

    def view_bytes(self, view):
        return super().view_bytes(view) + bytes([0xF8, 0x01, self.card])


def test_the_comparison_would_notice_a_single_card():
    state = GAME.deal(4, Options(), Seed.of("leaky"))
    dice = Seed.of("leaks").dice("redeal")
    deals = [state, *(state.redeal(0, dice) for _ in range(5))]
    assert len({asked(GameWire(Leaky(max(deal.hands[1]))), deal, 0) for deal in deals}) > 1
    assert len({asked(GameWire(TradesCodec()), deal, 0) for deal in deals}) == 1
