"""The conformance suite passes a sound game and finds each kind of defect: a check that cannot fail would be one."""

import pytest
from broken import DEFECTS
from toy import GAME, HighCard, Options

from croupier_games.kernel.conformance import CHECKS, NotConformant, Trial, check_game, check_hash_seed
from croupier_games.kernel.conformance.main import main

TRIALS = 8


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_sound_game_passes(check):
    for seats in GAME.seat_range:
        check(Trial(GAME, seats, seed="sound"))


@pytest.mark.parametrize(("check", "game", "words"), DEFECTS, ids=[type(game).__name__ for _, game, _ in DEFECTS])
def test_a_defect_is_found(check, game, words):
    error = first_error(check, game)
    assert error is not None
    assert words in error.what
    assert error.check == check.__name__


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_every_check_finds_some_defect(check):
    assert check in {finder for finder, _, _ in DEFECTS}


def test_an_error_says_where_and_how_to_see_it_again():
    check, game, _ = next(defect for defect in DEFECTS if type(defect[1]).__name__ == "Duplicates")
    error = first_error(check, game)
    assert (error.game, error.seats, error.check) == ("high-card", 3, "check_turns")
    assert error.move is not None
    assert str(error).startswith(f"high-card with 3 seats, seed 'defect 0', after {error.move} inputs: seat ")
    assert str(error).endswith("(again: check_turns(Trial(game, 3, seed='defect 0')))")


def test_options_are_part_of_how_to_see_it_again():
    trial = Trial(GAME, 2, seed="x", options=Options(hand=5))
    assert trial.again() == "Trial(game, 2, seed='x', options=Options(hand=5, bell_ms=1000))"


def test_a_trial_is_the_same_game_every_time():
    one, other = Trial(GAME, 3, seed="same"), Trial(GAME, 3, seed="same")
    assert one.end().moves == other.end().moves
    assert one.fingerprint() == other.fingerprint() != Trial(GAME, 3, seed="another").fingerprint()


def test_a_sample_has_the_deal_the_end_and_every_kind_of_decision():
    sample = Trial(GAME, 3, seed="kinds", positions=1).sample
    assert sample[0].move == 0
    assert sample[-1].state.result() is not None
    phases = {position.state.phase.name for position in sample}
    assert {"LAYING", "OVER"} <= phases
    waiting = {len(position.state.to_act()) for position in sample if position.state.phase.name == "LAYING"}
    assert waiting == {1, 2, 3}


def test_a_game_that_cannot_be_imported_is_told_so():
    with pytest.raises(NotConformant, match="other processes cannot import it"):
        check_hash_seed(Trial(HighCard(), 2))


def test_check_game_runs_everything_and_tells_what_was_played():
    heard = []
    tally = check_game(GAME, games_per_seat_count=2, seed="all", options=Options(hand=2), progress=heard.append)
    assert [trial.seats for trial in heard] == [2, 2, 3, 3, 4, 4]
    assert tally.games == 6
    assert tally.forced == 2 * (2 + 3 + 4)
    assert tally.longest == 2
    assert tally.lone == 0


def test_check_game_keeps_to_the_seat_counts_asked_for():
    assert check_game(GAME, games_per_seat_count=1, seat_counts=[4]).games == 1


def test_command_line_conformant(capsys):
    assert main(["toy:GAME", "--games", "1", "--seats", "2", "--option", "hand=2"]) == 0
    assert "2 seats: 1 of 1 games" in (out := capsys.readouterr().out)
    assert "High Card conforms: 1 games" in out


def test_command_line_not_conformant(capsys):
    assert main(["broken:ORDERS_BY_SET", "--games", "1"]) == 1
    assert "not conformant: high-card with 2 seats" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no-such-game"], "no game is called 'no-such-game'; there are: "),
        (["no_such_module:GAME"], "No module named 'no_such_module'"),
        (["toy:NOTHING"], "has no attribute 'NOTHING'"),
        (["toy:GAME", "--seats", "9"], "seats: High Card is played with 2 to 4 seats, not 9"),
        (["toy:GAME", "--option", "hand=0"], "hand: at least one card, not 0"),
        (["toy:GAME", "--option", "hand"], "'hand'"),
        (["toy:GAME", "--games", "0"], "'0'"),
    ],
)
def test_command_line_misused(arguments, words, capsys):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert words in capsys.readouterr().err


def first_error(check, game):
    for number in range(TRIALS):
        try:
            check(Trial(game, 3, seed=f"defect {number}"))
        except NotConformant as error:
            return error
    return None
