"""A record is held to the rules, to the plan and to the result that was told."""

import dataclasses

import pytest

from croupier_games.kernel import Record, Seed, find_game
from croupier_games.kernel.playout import random_playout
from croupier_tournament.plan.round_robin import PlannedGame, deal_seed
from croupier_tournament.run.games import PlayedGame
from croupier_tournament.run.proof import Unproven, check

GAME = find_game("trick-and-trade")
BOTS = ("alice", "bob", "carol")
SECRET = "tests"


def play(deal):
    *_, table = random_playout(GAME, 3, GAME.options(), Seed(deal_seed(SECRET, deal)))
    record = Record.of(table)
    game = PlayedGame(PlannedGame(7, deal, 0, BOTS), "s7", record.points, record.placings, (0,) * 3, ())
    return game, record


def text(record):
    return record.to_text(GAME)


def test_a_game_is_proven_by_its_record():
    game, record = play(deal=4)
    check(game, text(record), BOTS, SECRET)


def test_a_result_that_does_not_follow_from_the_moves():
    game, record = play(deal=4)
    false = dataclasses.replace(record, points=(99, 0, 0))
    with pytest.raises(Unproven, match=r"game 7 \(session s7\): the record claims points \(99, 0, 0\), the rules give"):
        check(game, text(false), BOTS, SECRET)


def test_a_move_that_the_rules_forbid():
    game, record = play(deal=4)
    first, *others = record.inputs
    with pytest.raises(Unproven, match=r"game 7 \(session s7\): input \d+ \(input \d .*\) breaks"):
        check(game, text(dataclasses.replace(record, inputs=(first, first, *others))), BOTS, SECRET)


def test_a_text_that_is_no_record():
    game, _ = play(deal=4)
    with pytest.raises(Unproven, match="line 1: a record starts with"):
        check(game, "something else", BOTS, SECRET)


def test_other_cards_than_planned():
    game, _ = play(deal=4)
    _, other = play(deal=5)
    with pytest.raises(Unproven, match="the cards are not those of deal 4"):
        check(game, text(other), BOTS, SECRET)


def test_other_seats_than_planned():
    game, record = play(deal=4)
    with pytest.raises(Unproven, match="the record seats bob, alice, carol; planned were alice, bob, carol"):
        check(game, text(record), ("bob", "alice", "carol"), SECRET)


def test_another_result_than_was_told():
    game, record = play(deal=4)
    told = dataclasses.replace(game, points=(1, 2, 3))
    with pytest.raises(Unproven, match=r"the server told points \(1, 2, 3\)"):
        check(told, text(record), BOTS, SECRET)
