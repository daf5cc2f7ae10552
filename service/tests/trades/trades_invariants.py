"""What holds in every position of every game, by turns or all at once.

    python service/tests/trades/trades_invariants.py 10000

plays so many random games by turns at 3, 5 and 7 tables' seats each, and holds every position to it.
"""

import sys
import time

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trades import GAME, Options, Phase, Style
from croupier_games.trades.cards import pack
from croupier_games.trades.history import DeckTraded, events_of
from croupier_games.trades.trading import NOBODY, TradeStatus

LONGEST_LIST = 91  # the sets of two, three or four of seven cards


def hold(state) -> None:
    """Raises AssertionError where one of the invariants is broken."""
    cards_are_where_one_can_be(state)
    the_queue_is_in_order(state)
    somebody_can_go_on(state)


def cards_are_where_one_can_be(state) -> None:
    held = [card for hand in state.hands for card in hand]
    assert sorted([*held, *state.deck]) == list(pack(state.packs))
    assert state.deck
    for seat, hand in enumerate(state.hands):
        assert len(hand) == 7
        assert hand == sorted(hand)
        assert {*state.received[seat]} <= {*hand}
        assert len(state.received[seat]) <= 4
    made = [event.seat for event in events_of(state.history) if isinstance(event, DeckTraded)]
    assert [3 - made.count(seat) for seat in range(state.seats)] == state.deck_trades


def the_queue_is_in_order(state) -> None:
    numbers = [trade.number for trade in state.queue]
    assert numbers == sorted({*numbers})
    assert all(0 < number <= state.declared for number in numbers)
    declarers = [trade.declarer for trade in state.queue]
    assert len({*declarers}) == len(declarers)
    choosing = {trade.declarer for trade in state.queue if not trade.laid}
    running, involved = [], []
    for trade in state.queue:
        assert trade.declarer != trade.target
        assert {*trade.laid} <= {*state.hands[trade.declarer]}
        if trade.status is TradeStatus.BEGUN:
            running += [trade.declarer, trade.target]
            laid = [card for other in state.queue if other.declarer == trade.target for card in other.laid]
            assert {*trade.drawn} <= {*state.hands[trade.target]} - {*laid}
            assert len(trade.drawn) == len(trade.laid) // 2
            assert trade.target not in choosing
        elif trade.laid:  # it waits for something
            assert {trade.declarer, trade.target} & {*involved} or trade.target in choosing
        involved += [trade.declarer, trade.target]
    assert len({*running}) == len(running)
    if state.style is Style.TURNS:
        assert len(state.queue) <= 1
    if state.phase is not Phase.TRADING:
        assert all(trade.drawn for trade in state.queue)
    assert all(partner != seat for seat, partner in enumerate(state.partners) if partner != NOBODY)


def somebody_can_go_on(state) -> None:
    acting = state.to_act()
    for seat in acting:
        assert 0 < len(state.legal_actions(seat)) <= LONGEST_LIST
    must = [seat for seat in acting if not state.may_wait(seat)]
    if state.phase is Phase.OVER:
        assert not acting
        assert not state.queue
    elif state.phase is not Phase.TRADING or state.queue or state.style is Style.TURNS:
        assert must
    else:
        assert len(acting) == state.seats
        assert state.deadline() is not None


def memories_are_true(state) -> None:
    """What nobody can have taken away is where each seat remembers it."""
    places = {card: seat + 1 for seat, hand in enumerate(state.hands) for card in hand}
    for seat in range(state.seats):
        view = state.view(seat)
        for card in pack(state.packs):
            place, left = view.last_seen[card - 1], view.left_since[card - 1]
            assert place or not left
            if place and not left:
                assert places.get(card, state.seats + 1) == place
            if places.get(card) == seat + 1:
                assert (place, left) == (seat + 1, 0)


def main(games: int) -> None:
    for seats in (3, 5, 7):
        start, decisions = time.process_time(), 0
        for number in range(games):
            for table in random_playout(GAME, seats, Options(), Seed.of(f"invariants/{seats}/{number}")):
                hold(table.state)
            decisions += len(table.inputs)
            memories_are_true(table.state)
            assert table.state.turn == 10 * seats
        took = time.process_time() - start
        print(f"{seats} seats: {games} games, {decisions} decisions, all invariants hold ({took:.0f} s)")


if __name__ == "__main__":
    main(int(sys.argv[1]))
