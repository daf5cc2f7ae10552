"""The helpers for Trick and Trade, and the bot that uses them."""

import random

import pytest

from croupier import trick_and_trade as tnt
from croupier.bot import Decision, Session
from croupier.examples.greedy import Greedy
from croupier.examples.random_bot import RandomBot
from croupier.trick_and_trade import Action, Card, Phase, Suit, Table, TradeCard, View
from croupier.v1 import game_pb2, play_pb2


def test_every_card_knows_suit_rank_value_and_name():
    for card in Card.values()[1:]:
        suit, rank = Card.Name(card).removeprefix("CARD_").split("_")
        assert Suit.Name(tnt.suit(card)) == f"SUIT_{suit}"
        assert tnt.rank(card) == int(rank)
        assert tnt.value(card) == 10 - int(rank)
        assert tnt.name(card) == f"{suit.title()} {rank}"


def test_every_trade_card_knows_its_icons():
    for card in TradeCard.values()[1:]:
        shown = TradeCard.Name(card).removeprefix("TRADE_CARD_").split("_")
        assert tnt.icons(card) == tuple(shown.count(suit) for suit in ("NEV", "ZEUS", "OCTO", "RATCOIN"))
    assert tnt.icons(TradeCard.TRADE_CARD_UNSPECIFIED) == (0, 0, 0, 0)
    assert sum(sum(tnt.icons(card)) * 3 for card in TradeCard.values()) == 72


@pytest.mark.parametrize(
    ("values", "multipliers"),
    [
        ((5, 4, 3, 1), (3, 2, 1, -1)),
        ((5, 4, 4, 1), (3, 2, 2, -1)),
        ((5, 5, 2, 2), (3, 3, 1, 1)),
        ((4, 4, 4, 1), (3, 3, 3, -1)),
        ((7, 0, 0, 0), (3, 2, 2, 2)),
        ((2, 2, 2, 2), (3, 3, 3, 3)),
    ],
)
def test_multipliers_go_by_how_many_suits_stand_higher(values, multipliers):
    assert tnt.multipliers(values) == multipliers


def decision(table, hand=(), actions=()):
    view = View(table=table, seat=table.turn, hand=hand)
    message = play_pb2.Decision(
        view=game_pb2.GameView(trick_and_trade=view),
        actions=[game_pb2.GameAction(trick_and_trade=action) for action in actions],
    )
    return Decision(Session(play_pb2.SessionStart(seat=table.turn, seats=table.seats)), message)


def table(**fields):
    zeros = {"values": [0] * 4, "icons": [0] * 16}
    return Table(**{"seats": 4, "round": 1, "rounds": 10, **zeros, **fields})


def takes(*places, lead=True):
    return [*(Action(take_trade=place) for place in places), *([Action(take_lead=True)] if lead else [])]


def test_greedy_takes_the_trade_card_that_pays_most():
    row = [TradeCard.TRADE_CARD_NEV_NEV, TradeCard.TRADE_CARD_ZEUS_ZEUS, TradeCard.TRADE_CARD_OCTO_OCTO, 0]
    last = table(round=10, phase=Phase.PHASE_TAKE, placing=[0, 1, 2, 3], front_row=row, values=[0, 30, 20, 10])
    assert Greedy().choose(decision(last, actions=takes(0, 1, 2))) == 1


def test_greedy_takes_the_lead_when_the_cards_do_not_differ():
    row = [TradeCard.TRADE_CARD_NEV] * 4
    early = table(phase=Phase.PHASE_TAKE, placing=[0, 1, 2, 3], front_row=row)
    assert Greedy().choose(decision(early, actions=takes(0, 1, 2, 3))) == 4


def test_greedy_wins_a_trick_that_is_worth_winning():
    row = [TradeCard.TRADE_CARD_NEV_NEV, TradeCard.TRADE_CARD_RATCOIN, TradeCard.TRADE_CARD_RATCOIN, 0]
    hand = [Card.CARD_NEV_2, Card.CARD_NEV_9]
    last = table(
        round=10,
        phase=Phase.PHASE_PLAY,
        turn=3,
        trick=[Card.CARD_NEV_5, Card.CARD_NEV_6, Card.CARD_NEV_7],
        front_row=[*row[:3], TradeCard.TRADE_CARD_RATCOIN],
        values=[30, 20, 10, 0],
    )
    assert Greedy().choose(decision(last, hand, [Action(play=card) for card in hand])) == 1


def test_greedy_wins_with_the_card_that_keeps_its_own_suit_ahead():
    hand = [Card.CARD_OCTO_4, Card.CARD_OCTO_9, Card.CARD_RATCOIN_1]
    last = table(
        round=10,
        phase=Phase.PHASE_PLAY,
        turn=3,
        trick=[Card.CARD_OCTO_3, Card.CARD_NEV_1, Card.CARD_NEV_2],
        front_row=[TradeCard.TRADE_CARD_NEV] * 4,  # all the same: only the values matter
        values=[0, 20, 15, 0],  # Octo 3 or 4 would lift Octo above Zeus; Octo 9 does not
        icons=[0] * 12 + [0, 9, 0, 0],
    )
    assert Greedy().choose(decision(last, hand, [Action(play=card) for card in hand])) == 1


def test_random_bots_with_the_same_seed_choose_alike_where_they_see_the_same():
    questions = [decision(table(pile=pile), actions=takes(0, 1, 2)) for pile in range(40)]
    choices, others, strangers = (
        [RandomBot(seed).choose(question) for question in questions] for seed in ("x", "x", "y")
    )
    assert choices == others
    assert choices != strangers
    assert set(choices) == {0, 1, 2, 3}


def test_the_random_bot_takes_every_action_now_and_then():
    random.seed(1)
    question = decision(table(), actions=takes(0, 1, 2))
    assert {RandomBot().choose(question) for _ in range(100)} == {0, 1, 2, 3}
