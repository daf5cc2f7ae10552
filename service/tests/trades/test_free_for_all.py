"""Free-for-all: anybody declares at any time; trades wait, begin, are finished or come to nothing."""

import pytest

from croupier_games.kernel import IllegalAction, Record, Seed, Table, replay
from croupier_games.trades import GAME, Options, Phase, Trade, TradeStatus, VoidReason
from croupier_games.trades.cards import cards, names

FREE = Options(style="free-for-all", time_limit_ms=10_000)
DECLARED, LAID, BEGUN = TradeStatus


@pytest.fixture
def five(table):
    return table(5, deck="KS QS JS", options=FREE)


def trades(state):
    """The queue as everybody sees it: numbers, seats, how far."""
    return [(trade.number, trade.declarer, trade.target, trade.status) for trade in state.table().trades]


# Who may do what.


def test_everybody_may_act_at_any_time_and_nobody_must(five, may):
    assert five.to_act() == (0, 1, 2, 3, 4)
    assert all(five.may_wait(seat) for seat in range(5))
    assert may(five, 3)[:5] == ["declare 0", "declare 1", "declare 2", "declare 4", "deck AS"]
    assert "pass" not in may(five, 3)


def test_declarations_are_numbered_as_they_come(five, do):
    do(five, "3 declare 1", "0 declare 2", "4 declare 0")
    assert trades(five) == [(1, 3, 1, DECLARED), (2, 0, 2, DECLARED), (3, 4, 0, DECLARED)]
    assert five.table().declared == 3


def test_who_has_declared_must_lay_cards_and_is_busy(five, do, may):
    do(five, "0 declare 1")
    assert not five.may_wait(0)
    assert {text.split()[0] for text in may(five, 0)} == {"offer"}
    do(five, "0 offer 6C 7C")
    assert 0 not in five.to_act()


def test_a_declared_trade_begins_as_soon_as_its_cards_are_laid_if_both_seats_are_free(five, do):
    do(five, "0 declare 1", "0 offer 6C 7C")
    assert five.table().trades == (Trade(1, 0, 1, 2, BEGUN),)
    assert not five.may_wait(1)
    assert len(five.view(1).drawn) == 1


def test_trades_between_other_seats_run_side_by_side(five, do):
    do(five, "0 declare 1", "2 declare 3", "2 offer 6H 7H", "0 offer 6C 7C")
    assert trades(five) == [(1, 0, 1, BEGUN), (2, 2, 3, BEGUN)]
    five.apply(3, five.legal_actions(3)[0])
    assert trades(five) == [(1, 0, 1, BEGUN)]


def test_a_busy_target_may_be_named_and_the_trade_waits_for_the_earlier_one(five, do):
    do(five, "0 declare 1", "0 offer 6C 7C", "2 declare 1", "2 offer 6H 7H")
    assert trades(five) == [(1, 0, 1, BEGUN), (2, 2, 1, LAID)]
    five.apply(1, five.legal_actions(1)[0])
    assert trades(five) == [(2, 2, 1, BEGUN)]


def test_a_later_trade_waits_for_an_earlier_one_whose_cards_are_not_laid_yet(five, do):
    do(five, "0 declare 1", "2 declare 1", "2 offer 6H 7H")
    assert trades(five) == [(1, 0, 1, DECLARED), (2, 2, 1, LAID)]
    do(five, "0 offer 6C 7C")
    assert trades(five) == [(1, 0, 1, BEGUN), (2, 2, 1, LAID)]


def test_a_queue_of_three_with_one_seat_is_worked_off_in_order(five, do):
    do(five, "0 declare 1", "2 declare 1", "3 declare 1")
    do(five, "3 offer 6S 7S", "2 offer 6H 7H", "0 offer 6C 7C")
    order = []
    while five.table().trades:
        (begun,) = [trade for trade in five.table().trades if trade.status is BEGUN]
        order.append(begun.number)
        five.apply(1, five.legal_actions(1)[0])
    assert order == [1, 2, 3]


def test_trades_wait_in_a_chain(five, do):
    """0 with 1, 1 with 2, 2 with 3: each waits for the one before."""
    do(five, "0 declare 1", "1 declare 2", "2 declare 3", "2 offer 2H 3H", "1 offer 2D 3D", "0 offer 2C 3C")
    assert trades(five) == [(1, 0, 1, BEGUN), (2, 1, 2, LAID), (3, 2, 3, LAID)]
    five.apply(1, five.legal_actions(1)[0])
    assert trades(five) == [(2, 1, 2, BEGUN), (3, 2, 3, LAID)]
    five.apply(2, five.legal_actions(2)[0])
    assert trades(five) == [(3, 2, 3, BEGUN)]


def test_a_ring_of_declarations_does_not_lock(five, do):
    do(five, "0 declare 1", "1 declare 2", "2 declare 0", "0 offer 2C 3C", "1 offer 2D 3D", "2 offer 2H 3H")
    assert trades(five) == [(1, 0, 1, BEGUN), (2, 1, 2, LAID), (3, 2, 0, LAID)]
    for seat in (1, 2, 0):
        five.apply(seat, five.legal_actions(seat)[0])
    assert trades(five) == []


# Cards set aside.


def test_the_declarers_cards_are_set_aside_so_that_it_neither_gives_nor_loses_them(five, do):
    """Seat 1 is the target of an earlier trade while its own cards are laid."""
    do(five, "0 declare 1", "1 declare 2", "1 offer 6D 7D", "0 offer 4C 5C 6C 7C")
    aside = {*cards("6D 7D")}
    assert five.view(1).laid == tuple(cards("6D 7D"))
    assert not aside & {*five.view(1).drawn}
    assert not any(aside & {*action.cards} for action in five.legal_actions(1))
    five.apply(1, five.legal_actions(1)[0])
    assert aside <= {*five.hands[1]}
    five.apply(2, five.legal_actions(2)[0])
    assert aside <= {*five.hands[2]}


def test_a_seat_for_which_an_earlier_trade_waits_offers_two_cards(five, do):
    """So that five are left, of which it can give up to four and keep one that it received last."""
    do(five, "0 declare 1", "1 declare 2")
    assert {len(action.cards) for action in five.legal_actions(1)} == {2}


def test_a_trade_declared_on_it_later_does_not_limit_its_offer(five, do):
    do(five, "1 declare 2", "0 declare 1", "0 offer 6C 7C")
    assert {len(action.cards) for action in five.legal_actions(1)} == {2, 3, 4}


def test_with_cards_set_aside_the_target_can_always_give_lawfully(table, do):
    """Of seven cards two are aside and two drawn, and one of these forbids another: one way is the least there is."""
    fewest = 99
    for number in range(60):
        state = table(5, options=FREE, received={1: "AD 2D"}, draws=str(number))
        do(state, "0 declare 1", "1 declare 2", "1 offer 6D 7D", "0 offer 4C 5C 6C 7C")
        fewest = min(fewest, len(state.legal_actions(1)))
    assert fewest == 1


def test_a_trade_does_not_begin_while_its_target_is_choosing_cards_to_lay(five, do, may):
    do(five, "0 declare 1", "1 declare 2", "0 offer 6C 7C")
    assert trades(five) == [(1, 0, 1, LAID), (2, 1, 2, DECLARED)]
    assert {text.split()[0] for text in may(five, 1)} == {"offer"}
    do(five, "1 offer 6D 7D")
    assert trades(five) == [(1, 0, 1, BEGUN), (2, 1, 2, LAID)]
    assert {text.split()[0] for text in may(five, 1)} == {"give"}


def test_an_open_choice_of_cards_stays_the_same_whatever_the_others_do(five, do):
    do(five, "1 declare 2", "0 declare 1")
    offers = five.legal_actions(1)
    do(five, "3 deck 7S", "4 declare 1", "4 offer KC QC", "0 offer 6C 7C")
    assert five.legal_actions(1) == offers


# The deck.


def test_a_deck_trade_can_be_made_at_any_time_by_who_is_in_no_trade(five, do, may):
    do(five, "0 declare 1", "2 deck 7H")
    assert "KS" in names(five.hands[2])
    assert not [text for text in may(five, 1) if text.startswith("deck")]
    assert [text for text in may(five, 1) if text.startswith("declare")]
    do(five, "0 offer 6C 7C")
    five.apply(1, five.legal_actions(1)[0])
    assert [text for text in may(five, 1) if text.startswith("deck")]


# Void.


def test_two_who_have_declared_on_each_other_trade_once_and_the_second_is_void(five, do):
    do(five, "0 declare 1", "1 declare 0", "0 offer 6C 7C", "1 offer 6D 7D")
    five.apply(1, five.legal_actions(1)[0])
    assert trades(five) == []
    assert five.table().void_trades == (0, 2, 0, 0, 0)
    assert five.table().void_reasons == (0, VoidReason.SAME_PARTNER, 0, 0, 0)
    assert five.view(1).laid == ()
    assert {*cards("6D 7D")} <= {*five.hands[1]}


def test_the_seats_of_a_void_trade_are_free_at_once(five, do):
    """Number 2 is void, so number 3 begins, although both seats of number 2 were ahead of it."""
    do(five, "0 declare 1", "1 declare 0", "2 declare 0", "0 offer 6C 7C", "1 offer 6D 7D", "2 offer 6H 7H")
    five.apply(1, five.legal_actions(1)[0])
    assert trades(five) == [(3, 2, 0, BEGUN)]
    assert five.may_wait(1)


def test_a_trade_between_lifts_it(five, do):
    """0 and 1 trade; then 0 and 2; so that 1 and 0 may trade again when that comes."""
    do(five, "0 declare 1", "0 offer 6C 7C", "2 declare 0", "2 offer 6H 7H")
    five.apply(1, five.legal_actions(1)[0])
    assert trades(five) == [(2, 2, 0, BEGUN)]
    do(five, "1 declare 2")
    five.apply(0, five.legal_actions(0)[0])
    do(five, "0 declare 1")
    five.apply(0, five.legal_actions(0)[0])
    five.apply(1, five.legal_actions(1)[0])
    five.apply(2, five.legal_actions(2)[0])
    assert trades(five) == [(4, 0, 1, BEGUN)]
    assert five.table().void_trades == (0,) * 5


def test_who_names_a_partner_it_has_just_traded_with_is_refused_at_once(five, do, trade, may):
    trade(five, 0, 1, "6C 7C")
    assert "declare 0" not in may(five, 1)
    assert "declare 1" not in may(five, 0)


# The end of time.


def test_the_game_asks_to_be_told_the_time_at_each_tenth_of_its_limit(five):
    told = []
    while five.deadline() is not None:
        told.append(five.deadline())
        five.tick(five.deadline())
        assert five.table().now_ms == told[-1]
    assert told == [1_000 * tenth for tenth in range(1, 11)]


@pytest.mark.parametrize("limit", [100, 101, 105, 109, 999])
def test_whatever_the_limit_there_are_ten_tenths_and_the_last_one_is_the_limit(table, limit):
    state = table(options=Options(style="free-for-all", time_limit_ms=limit))
    told = []
    while state.deadline() is not None:
        assert state.deadline() > state.now_ms
        told.append(state.deadline())
        state.tick(told[-1])
    assert len(told) == 10
    assert told[-1] == limit


def test_time_told_too_early_or_late_does_no_harm(five):
    five.tick(500)
    assert (five.deadline(), five.table().phase) == (1_000, Phase.TRADING)
    five.tick(9_999)
    assert (five.deadline(), five.table().phase) == (10_000, Phase.TRADING)
    five.tick(12_345)
    assert (five.deadline(), five.table().phase) == (None, Phase.LAST)


def test_when_time_is_over_a_trade_that_has_begun_is_finished(five, do):
    do(five, "0 declare 1", "0 offer 6C 7C")
    five.tick(10_000)
    assert five.table().phase is Phase.FINISHING
    assert five.to_act() == (1,)
    five.apply(1, five.legal_actions(1)[0])
    assert len({*cards("6C 7C")} & {*five.hands[1]}) == 2
    assert five.table().phase is Phase.LAST


def test_trades_that_have_not_begun_are_void(five, do):
    do(five, "0 declare 1", "0 offer 6C 7C", "2 declare 1", "2 offer 6H 7H", "3 declare 4")
    five.tick(10_000)
    assert trades(five) == [(1, 0, 1, BEGUN)]
    assert five.table().void_trades == (0, 0, 2, 3, 0)
    assert five.table().void_reasons == (0, 0, VoidReason.TIME, VoidReason.TIME, 0)
    assert five.to_act() == (1,)
    assert {*cards("6H 7H")} <= {*five.hands[2]}


def test_what_the_target_has_set_aside_stays_out_of_the_trade_even_when_time_frees_it(five, do):
    """An open choice of cards does not change under the hands of who is choosing."""
    do(five, "0 declare 1", "1 declare 2", "1 offer 6D 7D", "0 offer 6C 7C")
    gifts = five.legal_actions(1)
    five.tick(10_000)
    assert five.view(1).laid == ()
    for state in (five, five.clone()):
        state.sets.clear()  # found anew, it is the same
        assert state.legal_actions(1) == gifts
    with pytest.raises(IllegalAction, match="6D cannot be taken"):
        five.check(1, GAME.parse("give 6D"))


def test_when_time_is_over_and_no_trade_runs_the_last_deck_trades_come_at_once(five, do):
    do(five, "0 declare 1", "1 declare 2", "1 offer 6D 7D")
    five.tick(10_000)
    assert five.table().phase is Phase.LAST
    assert five.to_act() == (0, 1, 2, 3, 4)
    assert not any(five.may_wait(seat) for seat in range(5))


def test_last_deck_trades_of_a_free_for_all_are_resolved_from_seat_0(five, do):
    five.tick(10_000)
    do(five, "4 decline", "2 last 7H", "0 last 7C", "1 decline", "3 last 7S")
    assert [names(five.hands[seat])[-2:] for seat in (0, 2, 3)] == ["KS", "QS", "JS"]


def test_who_declared_and_does_not_lay_in_time_is_substituted_for(five):
    """The session's clock does that; here the table does."""
    table = Table(GAME, 5, FREE, Seed.of("late"))
    table.choose(0, GAME.parse("declare 1"))
    table.substitute(0)
    table.substitute(1)
    assert table.state.table().trades == ()
    assert replay(Record.of(table), GAME).moves == table.moves


def test_a_vacated_seat_gives_what_it_must_and_declares_nothing():
    table = Table(GAME, 5, FREE, Seed.of("gone"))
    table.vacate(1)
    table.choose(0, GAME.parse("declare 1"))
    table.substitute(0)
    assert table.state.table().trades == ()
    assert [move.cause for move in table.moves] == ["chosen", "substituted", "vacated"]
    table.tick(10_000)
    assert table.state.table().phase is Phase.LAST
    assert table.state.to_act() == (0, 2, 3, 4)


# By turns, with a time limit.


def test_by_turns_time_ends_the_turn_that_is_running(table):
    state = table(options=Options(time_limit_ms=1_000))
    state.tick(1_000)
    assert state.table().phase is Phase.LAST


def test_by_turns_a_trade_declared_but_not_laid_when_time_is_over_is_void(table, do):
    state = table(options=Options(time_limit_ms=1_000))
    do(state, "0 declare 1")
    state.tick(1_000)
    assert state.table().phase is Phase.LAST
    assert state.table().void_reasons == (VoidReason.TIME, 0, 0)


def test_by_turns_a_trade_that_has_begun_is_finished(table, do):
    state = table(options=Options(time_limit_ms=1_000))
    do(state, "0 declare 1", "0 offer 6C 7C")
    state.tick(1_000)
    assert state.to_act() == (1,)
    state.apply(1, state.legal_actions(1)[0])
    assert state.table().phase is Phase.LAST


def test_by_turns_whatever_comes_first_ends_it(table, do):
    state = table(options=Options(turns_per_seat=1, time_limit_ms=1_000))
    do(state, "0 pass", "1 pass", "2 pass")
    assert state.table().phase is Phase.LAST
    assert state.deadline() is None
