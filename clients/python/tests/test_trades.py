"""The helpers for Trades, and the bot that uses them."""

import pytest

from croupier import trades
from croupier.bot import Decision, Session
from croupier.examples.free_for_all import FreeForAll
from croupier.trades import Action, Card, Cards, Table, View
from croupier.v1 import game_pb2, play_pb2

ROYAL = [Card.CARD_CLUBS_KING, Card.CARD_DIAMONDS_KING]
LOW = [Card.CARD_HEARTS_ACE, Card.CARD_HEARTS_2, Card.CARD_HEARTS_3, Card.CARD_HEARTS_4, Card.CARD_HEARTS_5]


def test_every_card_knows_its_value_and_name():
    counts = {"ACE": 1, "JACK": 11, "QUEEN": 12, "KING": 13}
    for card in Card.values()[1:]:
        suit, rank = Card.Name(card).removeprefix("CARD_").removeprefix("SECOND_").split("_")
        assert trades.value(card) == counts.get(rank) or int(rank)
        assert trades.name(card) == f"{rank} of {suit}".lower()


@pytest.mark.parametrize(
    ("action", "cards"),
    [
        (Action(declare=1), []),
        (Action(offer=Cards(cards=ROYAL)), ROYAL),
        (Action(deck_trade=ROYAL[0]), ROYAL[:1]),
        (Action(give=Cards(cards=ROYAL[:1])), ROYAL[:1]),
        (Action(last_deck_trade=ROYAL[0]), ROYAL[:1]),
        (Action(pass_turn=True), []),
        (Action(decline=True), []),
    ],
)
def test_an_action_says_which_cards_leave(action, cards):
    assert trades.leaving(action) == cards


def test_known_are_the_cards_that_nothing_can_have_taken_away():
    view = View(last_seen=[1, 2, 2, 0, 4], left_since=[0, 0, 3, 0, 0])
    assert trades.known(view, 1) == [2]
    assert trades.known(view, 2) == []


def decision(hand, *actions, standing=True, left=3):
    view = View(table=Table(seats=3, deck_trades_left=[left] * 3), seat=1, hand=hand)
    message = play_pb2.Decision(
        view=game_pb2.GameView(trades=view),
        actions=[game_pb2.GameAction(trades=action) for action in actions],
        standing=standing,
    )
    return Decision(Session(play_pb2.SessionStart(seat=1, seats=3)), message)


DECLARES = [Action(declare=0), Action(declare=2)]


def test_the_bot_declares_on_its_neighbour_when_it_has_high_cards():
    assert FreeForAll().choose(decision([*ROYAL, *LOW], *DECLARES)) == 1


def test_it_waits_when_it_has_none():
    assert FreeForAll().choose(decision([*LOW, 6, 7], *DECLARES, *(Action(deck_trade=card) for card in LOW))) is None


def test_by_turns_it_passes_instead():
    assert FreeForAll().choose(decision([*LOW, 6, 7], *DECLARES, Action(pass_turn=True), standing=False)) == 2


def test_it_saves_its_last_deck_trade_for_the_end():
    deck = [Action(deck_trade=Card.CARD_CLUBS_9)]
    hand = [*LOW, 6, Card.CARD_CLUBS_9]
    assert FreeForAll().choose(decision(hand, *DECLARES, *deck, left=2)) == 2
    assert FreeForAll().choose(decision(hand, *DECLARES, *deck, left=1)) is None


def test_it_offers_and_gives_the_highest_cards():
    offers = [Action(offer=Cards(cards=cards)) for cards in (LOW[:2], ROYAL, [*LOW[:1], *ROYAL])]
    assert FreeForAll().choose(decision([*ROYAL, *LOW], *offers, standing=False)) == 1
    gifts = [Action(give=Cards(cards=[card])) for card in (*LOW, *ROYAL)]
    assert FreeForAll().choose(decision([*ROYAL, *LOW], *gifts, standing=False)) == 5


def test_it_makes_a_last_deck_trade_only_with_a_card_above_the_average():
    assert FreeForAll().choose(decision(LOW, *(Action(last_deck_trade=card) for card in LOW), Action(decline=True),
                                        standing=False)) == 5  # fmt: skip
    assert FreeForAll().choose(decision(ROYAL, Action(last_deck_trade=13), Action(decline=True), standing=False)) == 0
