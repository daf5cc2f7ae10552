"""What holds in every game, and the rules once more, written differently, to hold the engine to."""

from itertools import combinations

import pytest
import trades_invariants as invariants
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trades import GAME, Options
from croupier_games.trades.cards import CARD_NAMES

OPTIONS = [
    Options(turns_per_seat=4),
    Options(turns_per_seat=2, packs=2),
    Options(turns_per_seat=20, time_limit_ms=1_000),
    Options(style="free-for-all", time_limit_ms=1_000),
]


@settings(max_examples=12, deadline=None)
@given(st.integers(3, 14), st.sampled_from(OPTIONS), st.binary(min_size=32, max_size=32).map(Seed))
def test_at_any_time(seats, options, seed):
    for game in random_playout(GAME, seats, options, seed):
        invariants.hold(game.state)
        for seat in game.state.to_act():
            for action in game.state.legal_actions(seat)[::7]:
                game.state.check(seat, action)
    invariants.memories_are_true(game.state)


@pytest.mark.parametrize("seats", [3, 5, 7])
def test_games_by_turns(seats):
    """Ten thousand of them: ``python service/tests/trades/trades_invariants.py 10000``."""
    for number in range(4):
        for game in random_playout(GAME, seats, Options(), Seed.of(f"invariants/{seats}/{number}")):
            invariants.hold(game.state)
        assert game.state.turn == 10 * seats


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seats", [3, 5, 9])
def test_the_engine_agrees_with_the_rules_written_differently(seats, options):
    seed = Seed.of(f"referee/{seats}")
    playout = random_playout(GAME, seats, options, seed, vacate_after={1: 20}, substitute_one_in=9)
    state = next(playout).state
    referee = Referee(state, seed, options.style == "turns")
    told = 0
    for game in playout:
        ticked = len(game.moves) == told or game.now_ms != referee.now
        if ticked:
            referee.time(game.now_ms, state.time_limit_ms)
        for move in game.moves[told:]:
            referee.move(move.seat, GAME.notation(move.action))
        told = len(game.moves)
        assert [{CARD_NAMES[card] for card in hand} for hand in game.state.hands] == referee.hands
        assert [CARD_NAMES[card] for card in game.state.deck] == referee.deck[::-1]
    assert game.state.result().points == tuple(referee.totals())


class Referee:
    """Trades, with sets of names and one list of declared trades. Raises AssertionError at what is not allowed."""

    def __init__(self, state, seed, by_turns):
        self.hands = [{CARD_NAMES[card] for card in hand} for hand in state.hands]
        self.deck = [CARD_NAMES[card] for card in state.deck][::-1]  # the top comes first
        self.seed, self.by_turns, self.first = seed, by_turns, state.first
        self.got = [set() for _ in self.hands]
        self.partner = [None] * len(self.hands)
        self.left = [3] * len(self.hands)
        self.trades, self.number, self.now, self.closed = [], 0, 0, False
        self.last = {}

    def time(self, now, limit):
        self.now = now
        if limit is not None and now >= limit and not self.closed:
            self.closed = True
            self.trades = [trade for trade in self.trades if "drawn" in trade]

    def move(self, seat, text):
        word, *rest = text.split()
        cards = set(rest)
        if word == "declare":
            other = int(rest[0])
            assert not (self.partner[seat] == other and self.partner[other] == seat)
            assert other != seat
            assert all(trade["by"] != seat for trade in self.trades)
            self.number += 1
            few = any(trade["to"] == seat for trade in self.trades)
            self.trades.append({"n": self.number, "by": seat, "to": other, "few": few})
        elif word == "offer":
            (trade,) = [trade for trade in self.trades if trade["by"] == seat]
            assert cards <= self.hands[seat]
            assert len(cards) == 2 if trade["few"] else 2 <= len(cards) <= 4
            assert not self.got[seat] or not self.got[seat] <= cards
            trade["cards"] = cards
            self.begin()
        elif word == "give":
            (trade,) = [trade for trade in self.trades if trade["to"] == seat and "drawn" in trade]
            given = cards | trade["drawn"]
            assert len(given) == len(trade["cards"]) == len(cards) + len(trade["drawn"])
            assert given <= self.hands[seat] - trade["aside"]
            assert not self.got[seat] or not self.got[seat] <= given
            self.swap(trade["by"], trade["to"], trade["cards"], given)
            self.trades.remove(trade)
            self.begin()
        elif word in ("deck", "last"):
            assert self.left[seat] > 0
            assert cards != self.got[seat]
            if word == "deck":
                assert not any(seat in (trade["by"], trade["to"]) for trade in self.trades)
                self.through_deck(seat, *cards)
            else:
                self.choose_last(seat, *cards)
        elif word == "decline":
            self.choose_last(seat, None)

    def begin(self):
        """From the first to the last, whoever is free of all that came before."""
        taken = set()
        for trade in self.trades[:]:
            pair = {trade["by"], trade["to"]}
            laying = {other["by"] for other in self.trades if "cards" not in other}
            if "cards" in trade and "drawn" not in trade and not pair & taken and trade["to"] not in laying:
                if self.partner[trade["by"]] == trade["to"] and self.partner[trade["to"]] == trade["by"]:
                    self.trades = [other for other in self.trades if other is not trade]
                    continue
                self.draw(trade)
            taken |= pair

    def draw(self, trade):
        own = [other for other in self.trades if other["by"] == trade["to"] and "cards" in other]
        trade["aside"] = own[0]["cards"] if own else set()
        names = [name for name in CARD_NAMES if name in self.hands[trade["to"]] - trade["aside"]]
        got = self.got[trade["to"]]
        ways = [set(way) for way in combinations(names, len(trade["cards"]) // 2)]
        ways = [way for way in ways if not got or not got <= way]
        trade["drawn"] = ways[self.seed.dice(f"draw/{trade['n']}").below(len(ways))]

    def swap(self, one, other, by_one, by_other):
        self.hands[one] = self.hands[one] - by_one | by_other
        self.hands[other] = self.hands[other] - by_other | by_one
        self.got[one], self.got[other] = by_other, by_one
        self.partner[one], self.partner[other] = other, one

    def through_deck(self, seat, card):
        self.left[seat] -= 1
        top, *rest = self.deck
        self.deck = [*rest, card]
        self.hands[seat] = self.hands[seat] - {card} | {top}
        self.got[seat] = {top}

    def choose_last(self, seat, card):
        assert not self.trades
        self.last[seat] = card
        if len(self.last) == sum(left > 0 for left in self.left):
            for step in range(len(self.hands)):
                trader = (self.first + step) % len(self.hands)
                if self.last.get(trader) is not None:
                    self.through_deck(trader, self.last[trader])

    def totals(self):
        worth = {"A": 1, "J": 11, "Q": 12, "K": 13}
        ranks = [[name.split(".")[0][:-1] for name in hand] for hand in self.hands]
        return [sum(worth.get(rank) or int(rank) for rank in hand) for hand in ranks]
