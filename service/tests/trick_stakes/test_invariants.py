"""What holds in every game, and the rules once more, written differently, to hold the engine to.

``trick_stakes_games.py`` plays ten thousand games of each kind.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trick_stakes_games import check_game, main
from trick_stakes_referee import Referee

from croupier_games.kernel import Seed, Table
from croupier_games.kernel.playout import random_playout
from croupier_games.trick_stakes import GAME
from croupier_games.trick_stakes.cards import CARD_NAMES

SEEDS = st.binary(min_size=32, max_size=32).map(Seed)


@pytest.mark.parametrize("seats", [3, 4])
def test_random_games(seats):
    @settings(max_examples=25, deadline=None)
    @given(SEEDS)
    def holds(seed):
        check_game(seats, seed)

    holds()


@pytest.mark.parametrize("seats", [3, 4])
def test_games_with_substitutes_and_a_vacated_seat(seats):
    for number in range(5):
        check_game(seats, Seed.of(f"vacated/{number}"), vacate_after={1: 20}, substitute_one_in=9)


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("which", [0, -1], ids=["first", "last"])
def test_games_in_which_everyone_takes_the_same_end_of_the_list(seats, which):
    """The last action is the highest card, with the whip; so whips are used up, and races end early."""
    for number in range(5):
        table = Table(GAME, seats, GAME.options(), Seed.of(f"ends/{number}"))
        while table.result() is None:
            seat = table.state.to_act()[0]
            table.choose(seat, table.state.legal_actions(seat)[which])
        moves = [(move.seat, GAME.notation(move.action)) for move in table.moves]
        points, placings = Referee(seats, table.seed).play(moves)
        assert (list(table.result().points), list(table.result().placings)) == (points, placings)


def test_the_documented_command(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["trick_stakes_games.py", "--games", "1"])
    main()
    assert capsys.readouterr().out.count("1 games, ") == 2


@pytest.mark.parametrize("wrong", ["seat", "card", "ticket", "follow", "whip", "short"])
def test_the_rules_written_differently_do_object(wrong):
    seed = Seed.of("objection")
    *_, table = random_playout(GAME, 4, GAME.options(), seed)
    moves = [(move.seat, GAME.notation(move.action)) for move in table.moves]
    assert Referee(4, seed).play(moves)
    first_play = next(n for n, (_, text) in enumerate(moves) if text.startswith("play"))
    match wrong:
        case "seat":
            moves[first_play] = ((moves[first_play][0] + 1) % 4, moves[first_play][1])
        case "card":
            moves[first_play + 1] = (moves[first_play + 1][0], moves[first_play][1])
        case "ticket":
            moves[5] = (moves[5][0], moves[4][1])
        case "follow":
            at, text = not_following(table)
            moves[at] = (moves[at][0], text)
        case "whip":
            for n in range(first_play, first_play + 4):
                moves[n] = (moves[n][0], moves[n][1].removesuffix(" whip") + " whip")
        case "short":
            moves.pop()
    with pytest.raises((AssertionError, ValueError, StopIteration)):
        Referee(4, seed).play(moves)


def not_following(table):
    """A play that does not follow though its seat could: where in the moves it would stand, and its text."""
    for again in random_playout(GAME, 4, GAME.options(), table.seed):
        state = again.state
        if state.trick:
            (seat,) = state.to_act()
            legal = {action.card for action in state.legal_actions(seat)}
            wrong = [card for card in state.hands[seat] if card not in legal]
            if wrong:
                return len(again.moves), f"play {CARD_NAMES[wrong[0]]}"
    raise AssertionError("nobody ever had to follow")
