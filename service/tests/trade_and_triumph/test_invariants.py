"""What holds at every position of every game."""

from collections import Counter

import pytest

from croupier_games.kernel import Seed
from croupier_games.kernel.conformance import CHECKS, Trial, check_game
from croupier_games.kernel.conformance.hashing import check_hash_seed
from croupier_games.kernel.playout import play_out, random_playout
from croupier_games.trade_and_triumph import GAME, Options

GAMES = [(seats, edition) for seats in (2, 3, 4) for edition in ("standard", "tiny")]


def everywhere(state):
    """All cards, wherever they are."""
    piles = (*state.decks, *state.discards, *state.hands, *state.hidden, *state.eternals)
    return Counter(card for pile in piles for card in pile)


@pytest.mark.parametrize(("seats", "edition"), GAMES)
def test_every_card_is_in_exactly_one_place(tiny, seats, edition):
    box = Counter(card for box in tiny.edition(edition).boxes for card in box)
    assert edition == "tiny" or box.total() == 150
    for table in random_playout(tiny, seats, Options(edition=edition), Seed.of(f"conservation {seats}")):
        assert everywhere(table.state) == box


@pytest.mark.parametrize(("seats", "edition"), GAMES)
def test_positions_are_sound(tiny, seats, edition):
    for number in range(2):
        points = [0] * seats
        for table in random_playout(tiny, seats, Options(edition=edition), Seed.of(f"sound {seats} {number}")):
            state = table.state
            assert min(state.gold) >= 0
            assert min(state.resources) >= 0
            assert min(state.left) >= 0
            assert all(now >= before for now, before in zip(state.points, points, strict=True))
            points = state.points[:]
            assert all(hand == sorted(hand) for hand in state.hands)
            assert all(state.is_trade(card) for cards in state.hidden for card in cards)
            assert all(len(cards) == len(set(cards)) for cards in state.eternals)
            assert all(len(set(state.legal_actions(seat))) <= 100 for seat in state.to_act())
            if state.over or (not state.acted and state.ask is None):
                assert all(len(hand) <= state.edition.hand_limit for hand in state.hands)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_what_a_seat_knows_of_others_is_true(tiny, seats):
    for table in random_playout(tiny, seats, Options(edition="tiny"), Seed.of(f"knowledge {seats}")):
        state = table.state
        for viewer in range(seats):
            for seat in range(seats):
                held = Counter(state.hands[seat] + state.hidden[seat])
                assert not Counter(state.known[viewer * seats + seat]) - held
            assert not state.known[viewer * seats + viewer]
            for deck in (1, 2, 3):
                assert state.tops[4 * viewer + deck] <= len(state.decks[deck])


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_random_games_never_stall_and_always_end(seats):
    """5,000 games at each number of seats: ``RULES.md`` names the command."""
    for number in range(10):
        seed = Seed.of(f"stall {seats} {number}")
        state = GAME.deal(seats, Options(), seed)
        play_out(state, seed.dice("players"))
        assert state.result() is not None


def test_everyone_has_equally_many_turns():
    turns = Counter()
    previous = None
    for table in random_playout(GAME, 3, Options(), Seed.of("turns")):
        if (now := (table.state.round, table.state.turn)) != previous:
            turns[now] += 1
            previous = now
    assert set(turns.values()) == {1}
    assert len(turns) == 3 * max(number for number, _ in turns)


def test_conformance():
    check_game(GAME, games_per_seat_count=1, seat_counts=[2], positions=1)


@pytest.mark.parametrize("check", [check for check in CHECKS if check is not check_hash_seed], ids=lambda c: c.__name__)
def test_the_tiny_edition_conforms_too(tiny, check):
    """It has every choice there is. The check for hash seeds wants a game that can be imported."""
    check(Trial(tiny, 3, options=Options(edition="tiny"), positions=2))
