"""What holds in every game, and the rules once more, written differently, to hold the engine to."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier_games.kernel import Seed
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_and_trade import GAME, Options, Phase
from croupier_games.trick_and_trade.cards import CARD_NAMES, CARDS, SHOWN, TRADE_CARD_NAMES

EVERY_GAME = given(
    seats=st.sampled_from([3, 4, 5]),
    options=st.sampled_from([Options(), Options(first_leader=0), Options(first_leader=2)]),
    seed=st.binary(min_size=32, max_size=32).map(Seed),
)


@settings(max_examples=30, deadline=None)
@EVERY_GAME
def test_at_any_time(seats, options, seed):
    for game in random_playout(GAME, seats, options, seed):
        state, table = game.state, game.state.table()

        held = [card for hand in state.hands for card in hand]
        assert sorted([*held, *state.undealt, *table.played, *table.trick]) == list(CARDS)

        begun = table.round - (table.phase is Phase.PLAY)
        assert len(table.won) == begun
        assert set(table.won) <= {*table.played, *table.trick}
        assert len(table.leaders) == table.round - 1
        assert len(table.played) == seats * (table.round - 1)
        assert len(table.taken) == seats * table.round
        assert 0 not in table.taken[:-seats]
        assert all(list(hand) == sorted(hand) for hand in state.hands)

        in_front = Counter(filter(None, table.front_row)) + Counter(filter(None, table.taken[-seats:]))
        assert in_front == Counter(state.trades[seats * (table.round - 1) : seats * table.round])
        assert table.pile == seats * max(0, table.rounds - table.round - 1)

        if table.placing:
            assert sorted(table.placing) == list(range(seats))
            assert table.won[-1] == table.trick[(table.placing[0] - table.leader) % seats]
        for seat in range(seats):
            for action in state.legal_actions(seat):
                state.check(seat, action)


@settings(max_examples=30, deadline=None)
@EVERY_GAME
def test_at_the_end(seats, options, seed):
    *_, game = random_playout(GAME, seats, options, seed)
    table, used = game.state.table(), game.state.trades[: seats * (40 // seats)]
    assert len(table.won) == table.rounds == 40 // seats
    assert sorted(table.taken) == sorted(used)  # every seat has one of each round: 13, 10 or 8
    assert len(table.taken) == seats * table.rounds
    for suit in range(4):
        assert sum(table.icons[suit::4]) == sum(SHOWN[card].count(suit) for card in used)


@settings(max_examples=40, deadline=None)
@EVERY_GAME
def test_the_engine_agrees_with_the_rules_written_differently(seats, options, seed):
    playout = random_playout(GAME, seats, options, seed, vacate_after={1: 20}, substitute_one_in=9)
    state = next(playout).state
    hands = [{CARD_NAMES[card] for card in hand} for hand in state.hands]
    rows = [[TRADE_CARD_NAMES[card] for card in state.row(index)] for index in range(state.rounds)]
    leader = state.leader
    *_, game = playout
    moves = [(move.seat, GAME.notation(move.action)) for move in game.moves]
    result = game.state.result()
    assert referee(hands, rows, leader, moves) == list(zip(result.placings, result.points, strict=True))


def referee(hands, rows, leader, moves):
    """Placing and points of each seat, or AssertionError at the first move that is illegal or out of turn."""
    moves = iter(moves)
    values, icons = Counter(), [Counter() for _ in hands]
    for row in rows:
        trick = []
        for nth in range(len(hands)):
            seat, text = next(moves)
            assert seat == (leader + nth) % len(hands)
            card = text.removeprefix("play ")
            hands[seat].remove(card)
            suit, rank = card.split("-")
            trick.append((seat, suit, int(rank)))

        led = trick[0][1]
        following = sorted((play for play in trick if play[1] == led), key=lambda play: -play[2])
        others = sorted((play for play in trick[::-1] if play[1] != led), key=lambda play: -play[2])
        placed = following + others
        values[placed[0][1]] += 10 - placed[0][2]

        front, has_lead = dict(enumerate(row)), None
        for expected, _, _ in placed:
            seat, text = next(moves)
            assert seat == expected
            if text == "take lead":
                assert has_lead is None
                has_lead = seat
            else:
                icons[seat].update(front.pop(int(text.removeprefix("take "))).split("+"))
        if has_lead is None:
            leader = placed[-1][0]
        else:
            leader = has_lead
            icons[leader].update(front.popitem()[1].split("+"))
        assert not front
    assert not any(hands)
    assert next(moves, None) is None

    worth, suits = {}, ["NEV", "ZEUS", "OCTO", "RATCOIN"]
    for suit in suits:
        ahead = len([other for other in suits if values[other] > values[suit]])
        worth[suit] = {0: 3, 1: 2, 2: 1, 3: -1}[ahead]
    standing = [
        (
            sum(worth[suit] * number for suit, number in held.items()),
            sum(held[suit] for suit in suits if worth[suit] == 3),
        )
        for held in icons
    ]
    return [(1 + sum(other > own for other in standing), own[0]) for own in standing]


@pytest.mark.parametrize("wrong", ["placing", "taking", "card"])
def test_the_rules_written_differently_do_object(wrong):
    hands = [{"NEV-1"}, {"NEV-2"}, {"ZEUS-3"}]
    moves = [(0, "play NEV-1"), (1, "play NEV-2"), (2, "play ZEUS-3"), (1, "take lead"), (0, "take 0"), (2, "take 1")]
    assert referee([set(hand) for hand in hands], [["NEV", "OCTO", "ZEUS+ZEUS"]], 0, moves) == [(2, 3), (1, 4), (3, 2)]
    at, move = {"placing": (3, (0, "take lead")), "taking": (5, (2, "take 0")), "card": (1, (1, "play NEV-1"))}[wrong]
    moves[at] = move
    with pytest.raises((AssertionError, KeyError)):
        referee(hands, [["NEV", "OCTO", "ZEUS+ZEUS"]], 0, moves)
