"""What the rules forbid, by the name of the rule, and what the seat is told."""

import pytest

from croupier_games.kernel import IllegalAction, MalformedAction
from croupier_games.trades import GAME, Options
from croupier_games.trades.actions import give, offer

FREE = Options(style="free-for-all")


@pytest.fixture
def moving(table):
    """It is the turn of seat 0."""
    return table()


@pytest.fixture
def laying(moving, do):
    """Seat 0 has declared a trade with seat 1."""
    do(moving, "0 declare 1")
    return moving


@pytest.fixture
def giving(drawing):
    """Seat 1 has to give; AD was drawn from its hand."""
    return drawing("AD", "6C 7C")


@pytest.fixture
def last(table, do):
    state = table(turns=1)
    do(state, "0 pass")
    return state


@pytest.fixture
def over(last, do):
    do(last, "0 decline", "1 decline", "2 decline")
    return last


def refusal(state, seat, action):
    """The rule and the message with which ``check`` and ``apply`` both refuse, changing nothing."""
    action = GAME.parse(action) if isinstance(action, str) else action
    before = state.view(seat), state.to_act(), state.legal_actions(seat)
    with pytest.raises(IllegalAction) as checked:
        state.check(seat, action)
    with pytest.raises(IllegalAction) as applied:
        state.apply(seat, action)
    assert (checked.value.rule, str(checked.value)) == (applied.value.rule, str(applied.value))
    assert (state.view(seat), state.to_act(), state.legal_actions(seat)) == before
    return checked.value.rule, str(checked.value)


EVERYTHING = ("declare 2", "offer AC 2C", "deck AC", "pass", "give AC", "last AC", "decline")


@pytest.mark.parametrize("text", EVERYTHING)
def test_turn(moving, text):
    assert refusal(moving, 1, text) == ("turn", "you are asked nothing at the moment")


@pytest.mark.parametrize("text", EVERYTHING)
def test_game_over(over, text):
    assert refusal(over, 0, text) == ("game.over", "the game is over")


@pytest.mark.parametrize("text", ["offer AC 2C", "give AC", "last AC", "decline"])
def test_on_its_turn_a_seat_can_only_move(moving, text):
    rule = {"offer": "offer", "give": "give", "last": "last-deck-trade", "decline": "decline"}[text.split()[0]]
    assert refusal(moving, 0, text) == (f"{rule}.phase", "declare a trade, or trade with the deck")


@pytest.mark.parametrize("text", ["declare 2", "deck AC", "pass", "give AC"])
def test_who_has_declared_can_only_offer(laying, text):
    rule = "deck-trade" if text.startswith("deck") else text.split()[0]
    assert refusal(laying, 0, text) == (f"{rule}.phase", "you have declared a trade: offer cards for it")


@pytest.mark.parametrize("text", ["declare 2", "offer 2D 3D"])
def test_the_target_can_only_give(giving, text):
    told = "cards were drawn from your hand: give others with them"
    assert refusal(giving, 1, text) == (f"{text.split()[0]}.phase", told)


@pytest.mark.parametrize("text", ["declare 2", "deck AC", "pass"])
def test_after_the_end_of_trading_only_a_last_deck_trade_is_left(last, text):
    told = "trading is over: make a last trade with the deck, or decline"
    assert refusal(last, 0, text)[1] == told


@pytest.mark.parametrize("target", [0, 3, 13])
def test_declare_target(moving, target):
    assert refusal(moving, 0, f"declare {target}") == ("declare.target", f"name another seat, 0 to 2, not {target}")


def test_declare_same_partner(table):
    told = "you and seat 1 have just traded with each other; one of you must trade with a third seat first"
    assert refusal(table(partners=[(0, 1)]), 0, "declare 1") == ("declare.same-partner", told)


def test_offer_in_hand(laying):
    told = "AD cannot be taken: you have AC 2C 3C 4C 5C 6C 7C"
    assert refusal(laying, 0, "offer AC AD") == ("offer.in-hand", told)


def test_offer_same_cards(table, do):
    state = table(received={0: "6C 7C"})
    do(state, "0 declare 1")
    told = "you received 6C 7C in your last trade; not all of that may leave in this"
    assert refusal(state, 0, "offer 5C 6C 7C") == ("offer.same-cards", told)


def test_offer_size_while_a_trade_is_waiting_for_the_seat(table, do):
    state = table(options=FREE)
    do(state, "1 declare 0", "0 declare 2")
    assert refusal(state, 0, "offer AC 2C 3C") == ("offer.size", "a trade is waiting for you, so offer 2 cards")


def test_give_in_hand(giving):
    told = "AC cannot be taken: you have 2D 3D 4D 5D 6D 7D"
    assert refusal(giving, 1, "give AC") == ("give.in-hand", told)


def test_give_what_was_drawn_already(giving):
    told = "AD cannot be taken: you have 2D 3D 4D 5D 6D 7D"
    assert refusal(giving, 1, "give AD") == ("give.in-hand", told)


def test_give_size(giving):
    assert refusal(giving, 1, "give 2D 3D") == ("give.size", "give 1 card, not 2")


def test_give_same_cards(drawing):
    state = drawing("AD", "6C 7C", received={1: "AD 7D"})
    told = "you received AD 7D in your last trade; not all of that may leave in this"
    assert refusal(state, 1, "give 7D") == ("give.same-cards", told)


def test_deck_trade_in_hand(moving):
    told = "KS cannot be taken: you have AC 2C 3C 4C 5C 6C 7C"
    assert refusal(moving, 0, "deck KS") == ("deck-trade.in-hand", told)


def test_deck_trade_same_cards(table):
    state = table(received={0: "7C"})
    assert refusal(state, 0, "deck 7C") == ("deck-trade.same-cards", "7C is the card that you have just drawn")


def test_deck_trade_none_left(table):
    told = "you have made your 3 trades with the deck"
    assert refusal(table(deck_trades={0: 0}), 0, "deck 7C") == ("deck-trade.none-left", told)


def test_deck_trade_in_trade(table, do):
    state = table(options=FREE)
    do(state, "1 declare 0")
    told = "you are in a trade that is not finished yet"
    assert refusal(state, 0, "deck 7C") == ("deck-trade.in-trade", told)


def test_pass_in_a_free_for_all(table):
    told = "there are no turns in a free-for-all: to wait, do not answer"
    assert refusal(table(options=FREE), 0, "pass") == ("pass.phase", told)


def test_last_deck_trade_in_hand(last):
    told = "KS cannot be taken: you have AC 2C 3C 4C 5C 6C 7C"
    assert refusal(last, 0, "last KS") == ("last-deck-trade.in-hand", told)


def test_cards_face_down_and_what_is_no_action_of_this_game_are_malformed(laying, giving):
    for door in (laying.check, laying.apply):
        with pytest.raises(MalformedAction, match="'pass' is no action of Trades"):
            door(0, "pass")
        with pytest.raises(MalformedAction, match="a card must be said"):
            door(0, offer((0, 0)))
    with pytest.raises(MalformedAction, match="a card must be said"):
        giving.check(1, give((0,)))
