"""Trade and Triumph's wire form: there and back, equal to what the generated classes make, and without leaks."""

from dataclasses import fields

import pytest

from croupier.games.trade_and_triumph.v1 import trade_and_triumph_pb2 as pb
from croupier.v1 import game_pb2
from croupier_games.kernel import MalformedAction, OptionError, Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trade_and_triumph import GAME, Options, Phase, actions, cards
from croupier_games.trade_and_triumph.edition import packaged
from croupier_service.wire.codec import WireError
from croupier_service.wire.messages import GameWire
from croupier_service.wire.registry import codecs
from croupier_service.wire.trade_and_triumph import CODEC, TradeAndTriumphCodec, edition_message

WIRE = GameWire(CODEC)
ACTIONS = [
    *actions.MOVES, *actions.DRAWS[1:], *actions.UPGRADES[1:], actions.END_TURN, *actions.SEAT_CHOICES,
    *actions.REGION_CHOICES[1:], *actions.DECK_CHOICES[1:], *actions.OPTION_CHOICES, *actions.SINGLE_SALES,
    actions.SET_SALE, actions.sale((300, 0, 2, 1)),
    *(kind[card] for card in (1, 90, 128, 255) for kind in (
        actions.PLAYS, actions.REVEALS, actions.CARD_SALES, actions.USES, actions.TAKE_BACKS, actions.TAKE_SEENS,
        actions.PUT_BACKS, actions.DISCARDS,
    )),
]  # fmt: skip


@pytest.mark.parametrize("action", ACTIONS, ids=str)
def test_every_action_comes_back_as_it_went(action):
    assert CODEC.action_from_wire(WIRE.action(action)) == action


@pytest.mark.parametrize("options", [Options(), Options(round_cap=7), Options(edition="other", first_seat=0)])
def test_options_come_back_as_they_went(options):
    assert CODEC.options_from_wire(CODEC.options_to_wire(options)) == options


def test_no_options_are_the_defaults():
    assert CODEC.options_from_wire(game_pb2.GameOptions()) == Options()


def test_options_out_of_range_are_named():
    with pytest.raises(OptionError) as error:
        CODEC.options_from_wire(game_pb2.GameOptions(trade_and_triumph=pb.Options(round_cap=0)))
    assert error.value.field == "round_cap"


def refused(action=None, **envelope):
    message = game_pb2.GameAction(trade_and_triumph=action) if action is not None else game_pb2.GameAction(**envelope)
    with pytest.raises((WireError, MalformedAction)) as error:
        CODEC.action_from_wire(message)
    return str(error.value)


def test_an_empty_envelope_is_refused():
    assert "trade_and_triumph" in refused()


def test_another_games_action_is_refused():
    assert "not other" in refused(other={"type_url": "x/y"})


def test_an_action_that_says_nothing_is_refused():
    assert refused(pb.Action())
    assert refused(pb.Action(end_turn=False))


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (pb.Action(move=9), "a route is a number from 0 to 8, not 9"),
        (pb.Action(draw=0), "a deck is a number from 1 to 3, not 0"),
        (pb.Action(draw=4), "a deck is a number from 1 to 3, not 4"),
        (pb.Action(play=0), "a card is a number from 1 to 255, not 0"),
        (pb.Action(discard=2**32 - 1), "a card is a number from 1 to 255, not 4294967295"),
        (pb.Action(upgrade=0), "a track is a number from 1 to 3, not 0"),
        (pb.Action(choose_seat=4), "a seat is a number from 0 to 3, not 4"),
        (pb.Action(choose_region=0), "a region is a number from 1 to 4, not 0"),
        (pb.Action(choose_deck=-1), "a deck is a number from 1 to 3, not -1"),
        (pb.Action(choose_option=9), "an option is a number from 0 to 8, not 9"),
        (pb.Action(sell_resources=pb.Resources(counts=[1])), "resources are four counts, not (1,)"),
        (pb.Action(sell_resources=pb.Resources(counts=[0] * 4)), "sell one resource at least"),
    ],
)
def test_numbers_that_mean_nothing_are_refused_unspecified_too(action, text):
    assert refused(action) == text


def positions():
    """Some states of one random game at each number of seats, of games of greedy hoarders too (large numbers)."""
    for seats in (2, 3, 4):
        for number, table in enumerate(random_playout(GAME, seats, Options(), Seed.of(f"wire {seats}"))):
            if number % 23 == 0:
                yield table.state


def test_views_are_what_the_generated_classes_make():
    for state in positions():
        state.gold[0] += 1000  # more than fits into a byte
        state.public = None
        for view in (*map(state.view, range(state.seats)), state.public_view()):
            told = {field.name: getattr(view, field.name) for field in fields(view) if field.name != "table"}
            table = {field.name: getattr(view.table, field.name) for field in fields(view.table)}
            table["phase"] = int(table["phase"])
            expected = game_pb2.GameView(trade_and_triumph=pb.View(table=pb.Table(**table), **told))
            made = WIRE.view(view)
            assert made == expected
            assert made.SerializeToString(deterministic=True) == expected.SerializeToString(deterministic=True)
        state.gold[0] -= 1000


def test_a_seat_is_told_the_same_whatever_it_cannot_see():
    one, other = GameWire(TradeAndTriumphCodec()), GameWire(TradeAndTriumphCodec())
    dice = Seed.of("leaks").dice("redeal")
    different = 0
    for state in positions():
        for seat in range(state.seats):
            again = state.redeal(seat, dice)
            different += again.decks != state.decks
            assert one.view(state.view(seat)) == other.view(again.view(seat))
            legal, same = state.legal_actions(seat), again.legal_actions(seat)
            assert list(map(one.action, legal)) == list(map(other.action, same))
    assert different


@pytest.mark.parametrize(
    ("enum", "names"),
    [
        (pb.Deck, cards.DECKS),
        (pb.Region, cards.REGIONS),
        (pb.Track, cards.TRACKS),
        (pb.Route, cards.ROUTES),
        (pb.Station, cards.STATIONS),
        (pb.Phase, ("", *(phase.name for phase in Phase))),
    ],
    ids=lambda value: value.DESCRIPTOR.name if hasattr(value, "DESCRIPTOR") else "",
)
def test_numbers_are_those_of_the_contract(enum, names):
    prefix = enum.DESCRIPTOR.name.upper()
    numbers = {f"{prefix}_{name.upper().replace(' ', '_')}": number for number, name in enumerate(names) if name}
    assert dict(enum.items()) == {f"{prefix}_UNSPECIFIED": 0, **numbers}


def test_tables_have_the_fields_of_the_contract():
    for message, dataclass in ((pb.Table, "table"), (pb.View, None)):
        state = next(positions())
        view = state.view(0)
        names = [field.name for field in fields(view.table if dataclass else view)]
        assert [field.name for field in message.DESCRIPTOR.fields] == names


def test_its_arm_is_the_same_in_all_three_envelopes():
    for envelope in (game_pb2.GameOptions, game_pb2.GameAction, game_pb2.GameView):
        assert envelope.DESCRIPTOR.fields_by_name[CODEC.arm].number == CODEC.arm_number


def test_it_is_registered_under_its_games_name():
    assert codecs()["trade-and-triumph"] is CODEC


def test_an_edition_can_be_fetched_whole():
    edition, message = packaged("standard"), edition_message()
    assert [card.name for card in message.cards] == [card.name for card in edition.cards]
    assert [card.text for card in message.cards] == [card.text for card in edition.cards]
    assert sum(card.copies for card in message.cards) == 150
    assert list(message.posts) == [2, 2, 3, 3]
    assert [list(track.costs) for track in message.tracks] == [list(costs) for costs in edition.upgrade_costs[1:]]
    assert message.source == edition.source


def test_an_edition_that_there_is_not_is_named():
    with pytest.raises(OptionError):
        edition_message("deluxe")
